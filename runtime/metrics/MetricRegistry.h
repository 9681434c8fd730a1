// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All metrics of a task or of a client, by name and labels.
#ifndef GRAPHC_RUNTIME_METRICS_METRICREGISTRY_H
#define GRAPHC_RUNTIME_METRICS_METRICREGISTRY_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/metrics/Metric.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

using MetricLabels = std::map<std::string, std::string>;

/// One series at one moment.
struct MetricSample {
  MetricLabels labels;
  double value = 0;      ///< of a counter or gauge
  MetricBuckets buckets; ///< of a histogram
};

struct MetricFamily {
  const MetricInfo *info = nullptr;
  std::vector<MetricSample> samples; ///< by their labels
};

/// Series are made when they are first asked for and live as long as the
/// registry, so whoever counts keeps a reference and looks nothing up.
/// A family has at most kMaxSeries of them; more share one with the label
/// "other", since names come from plans of clients. Thread-safety: any thread.
class MetricRegistry {
public:
  static constexpr size_t kMaxSeries = 256;

  /// `common`: labels of all series.
  explicit MetricRegistry(MetricLabels common = {});
  ~MetricRegistry();

  /// `info` outlives the registry and is of the kind that is asked for.
  MetricValue &value(const MetricInfo &info, const MetricLabels &labels = {})
      GRAPHC_EXCLUDES(mutex);
  MetricHistogram &histogram(const MetricInfo &info,
                             const MetricLabels &labels = {})
      GRAPHC_EXCLUDES(mutex);

  /// Called at the begin of each collect(), by its thread.
  void addProbe(std::function<void()> probe) GRAPHC_EXCLUDES(mutex);
  /// The families by name, without those that have no series.
  std::vector<MetricFamily> collect() const GRAPHC_EXCLUDES(mutex);

private:
  struct Series;
  Series &find(const MetricInfo &info, const MetricLabels &labels)
      GRAPHC_EXCLUDES(mutex);

  struct Family {
    const MetricInfo *info = nullptr;
    std::map<MetricLabels, std::unique_ptr<Series>> series;
  };
  const MetricLabels common;
  mutable Mutex mutex;
  std::map<std::string_view, Family> families GRAPHC_GUARDED_BY(mutex);
  mutable Mutex probing; ///< taken before `mutex`; probes run one at a time
  std::vector<std::function<void()>> probes GRAPHC_GUARDED_BY(probing);
};

} // namespace graphc::runtime

#endif
