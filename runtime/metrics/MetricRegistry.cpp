// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/metrics/MetricRegistry.h"

#include <utility>

namespace graphc::runtime {

struct MetricRegistry::Series {
  explicit Series(const MetricInfo &info) : histogram(info.bounds) {}
  MetricValue value;
  MetricHistogram histogram;
};

MetricRegistry::MetricRegistry(MetricLabels common)
    : common(std::move(common)) {}

MetricRegistry::~MetricRegistry() = default;

MetricRegistry::Series &MetricRegistry::find(const MetricInfo &info,
                                             const MetricLabels &labels) {
  MutexLock lock(mutex);
  Family &family = families[info.name];
  family.info = &info;
  MetricLabels key = labels;
  if (!family.series.contains(key) && family.series.size() >= kMaxSeries)
    for (auto &[name, text] : key)
      text = "other";
  std::unique_ptr<Series> &series = family.series[key];
  if (!series)
    series = std::make_unique<Series>(info);
  return *series;
}

MetricValue &MetricRegistry::value(const MetricInfo &info,
                                   const MetricLabels &labels) {
  return find(info, labels).value;
}

MetricHistogram &MetricRegistry::histogram(const MetricInfo &info,
                                           const MetricLabels &labels) {
  return find(info, labels).histogram;
}

void MetricRegistry::addProbe(std::function<void()> probe) {
  MutexLock lock(probing);
  probes.push_back(std::move(probe));
}

std::vector<MetricFamily> MetricRegistry::collect() const {
  MutexLock probeLock(probing);
  for (const std::function<void()> &probe : probes)
    probe();
  MutexLock lock(mutex);
  std::vector<MetricFamily> all;
  for (const auto &[name, family] : families) {
    MetricFamily &made = all.emplace_back();
    made.info = family.info;
    for (const auto &[labels, series] : family.series) {
      MetricSample &sample = made.samples.emplace_back();
      sample.labels = labels;
      sample.labels.insert(common.begin(), common.end());
      if (family.info->kind == MetricKind::Histogram)
        sample.buckets = series->histogram.buckets();
      else
        sample.value = series->value.value();
    }
  }
  return all;
}

} // namespace graphc::runtime
