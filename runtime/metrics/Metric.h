// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that a process counts for whoever watches it.
#ifndef GRAPHC_RUNTIME_METRICS_METRIC_H
#define GRAPHC_RUNTIME_METRICS_METRIC_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::runtime {

enum class MetricKind { Counter, Gauge, Histogram };

/// Description that all series of one name share. Names and units are as
/// Prometheus has them: seconds, bytes, and "_total" after what only grows.
struct MetricInfo {
  std::string_view name;
  MetricKind kind = MetricKind::Counter;
  std::string_view help;            ///< one line
  std::span<const double> bounds{}; ///< of a histogram's buckets, inclusive
};

/// A number that is read by other threads while one changes it, at the cost of
/// a plain addition. Thread-safety: value(): any thread; others: one at a time.
class MetricValue {
public:
  void add(double more) {
    number.store(number.load(std::memory_order_relaxed) + more,
                 std::memory_order_relaxed);
  }
  void set(double value) { number.store(value, std::memory_order_relaxed); }
  double value() const { return number.load(std::memory_order_relaxed); }

private:
  std::atomic<double> number{0};
};

/// A histogram at one moment. `counts` has one entry for each bound, and one
/// for what exceeds the last.
struct MetricBuckets {
  std::vector<uint64_t> counts;
  double sum = 0;

  uint64_t total() const {
    uint64_t all = 0;
    for (uint64_t count : counts)
      all += count;
    return all;
  }
};

/// Counts values by the bucket that they fall into. Thread-safety: as
/// MetricValue.
class MetricHistogram {
public:
  /// `bounds` ascend and outlive this.
  explicit MetricHistogram(std::span<const double> bounds)
      : bounds(bounds), counts(bounds.size() + 1) {}

  /// Counts `times` values.
  void observe(double value, uint64_t times = 1) {
    size_t bucket = 0;
    while (bucket < bounds.size() && value > bounds[bucket])
      ++bucket;
    std::atomic<uint64_t> &count = counts[bucket];
    count.store(count.load(std::memory_order_relaxed) + times,
                std::memory_order_relaxed);
    sum.add(value * static_cast<double>(times));
  }
  MetricBuckets buckets() const {
    MetricBuckets now;
    for (const std::atomic<uint64_t> &count : counts)
      now.counts.push_back(count.load(std::memory_order_relaxed));
    now.sum = sum.value();
    return now;
  }

private:
  std::span<const double> bounds;
  std::vector<std::atomic<uint64_t>> counts;
  MetricValue sum;
};

} // namespace graphc::runtime

#endif
