// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task of one run of edge-bench, and the routes that it knows.
#ifndef GRAPHC_BENCH_EDGE_TASK_H
#define GRAPHC_BENCH_EDGE_TASK_H

#include "runtime/base/Clock.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::bench {

inline constexpr size_t kMaxLatencyBytes = 64;
inline constexpr size_t kMinBandwidthBytes = 64 << 10;
inline constexpr size_t kWarmUp = 4;

struct Task {
  std::string_view route;
  size_t bytes = 0;
  double seconds = 0;
  std::string plan; ///< of the route grpc
  bool isLatency() const { return bytes <= kMaxLatencyBytes; }
};

[[noreturn]] inline void fail(const std::string &what) {
  std::fprintf(stderr, "edge-bench: %s\n", what.c_str());
  std::exit(1);
}

/// A line of JSON.
inline void print(const Task &task, size_t repeats, const char *unit,
                  double value) {
  std::printf("{\"route\": \"%s\", \"bytes\": %zu, \"repeats\": %zu, "
              "\"%s\": %.3f}\n",
              std::string(task.route).c_str(), task.bytes, repeats, unit,
              value);
}

/// Repeats `once`, which sends `values` values (and waits for an answer, where
/// it is the latency that is measured), until the task's time is over, and
/// prints the result.
template <typename Once>
void measure(const Task &task, Once once, size_t values = 1) {
  for (size_t i = 0; i < kWarmUp; i += values)
    once();
  std::vector<double> times;
  int64_t start = runtime::nowNanos(), before = start;
  while (before - start < int64_t(task.seconds * 1e9) || times.size() < 4) {
    once();
    int64_t now = runtime::nowNanos();
    times.push_back(double(now - before));
    before = now;
  }
  size_t sent = times.size() * values;
  std::sort(times.begin(), times.end());
  if (task.isLatency())
    print(task, sent, "one_way_us", times[times.size() / 2] * 0.5e-3);
  else
    print(task, sent, "gb_per_s",
          double(sent) * double(task.bytes) / double(before - start));
}

/// The routes: each starts the second process, measures and prints.
void runShm(const Task &task);
void runTcp(const Task &task);
void runGrpc(const Task &task);
void runPlainGrpc(const Task &task);

} // namespace graphc::bench

#endif
