// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Series of a registry: their labels, their bounds, their number.
#include "runtime/metrics/MetricRegistry.h"
#include "runtime/metrics/MetricNames.h"
#include "runtime/metrics/ProcessMetrics.h"

#include <gtest/gtest.h>
#include <thread>

using namespace graphc::runtime;

namespace {

const MetricFamily *find(const std::vector<MetricFamily> &all,
                         std::string_view name) {
  for (const MetricFamily &family : all)
    if (family.info->name == name)
      return &family;
  return nullptr;
}

TEST(MetricRegistry, KeepsSeriesByLabels) {
  MetricRegistry registry({{"task", "ps"}});
  MetricValue &train = registry.value(metrics::kSteps, {{"graph", "train"}});
  train.add(2);
  registry.value(metrics::kSteps, {{"graph", "init"}}).add(1);
  EXPECT_EQ(&train, &registry.value(metrics::kSteps, {{"graph", "train"}}));
  std::vector<MetricFamily> all = registry.collect();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].samples.size(), 2u);
  EXPECT_EQ(all[0].samples[1].value, 2);
  EXPECT_EQ(all[0].samples[1].labels,
            (MetricLabels{{"graph", "train"}, {"task", "ps"}}));
}

TEST(MetricRegistry, BoundsAreInclusive) {
  MetricRegistry registry;
  MetricHistogram &ages = registry.histogram(metrics::kStaleness);
  ages.observe(0);
  ages.observe(1, 3);
  ages.observe(1e9);
  MetricBuckets buckets = registry.collect()[0].samples[0].buckets;
  EXPECT_EQ(buckets.counts.size(), metrics::kAgeBounds.size() + 1);
  EXPECT_EQ(buckets.counts[0], 1u);
  EXPECT_EQ(buckets.counts[1], 3u);
  EXPECT_EQ(buckets.counts.back(), 1u);
  EXPECT_EQ(buckets.total(), 5u);
  EXPECT_EQ(buckets.sum, 1e9 + 3);
}

TEST(MetricRegistry, NamesOfClientsCannotGrowIt) {
  MetricRegistry registry;
  for (int i = 0; i < 10000; ++i)
    registry.value(metrics::kSteps, {{"graph", std::to_string(i)}}).add(1);
  std::vector<MetricFamily> all = registry.collect();
  ASSERT_EQ(all[0].samples.size(), MetricRegistry::kMaxSeries + 1);
  double sum = 0;
  for (const MetricSample &sample : all[0].samples)
    sum += sample.value;
  EXPECT_EQ(sum, 10000);
}

TEST(MetricRegistry, ProbesAreAskedAtEachCollect) {
  MetricRegistry registry;
  addProcessMetrics(registry);
  int asked = 0;
  registry.addProbe([&] { ++asked; });
  std::vector<MetricFamily> all = registry.collect();
  EXPECT_EQ(asked, 1);
  ASSERT_TRUE(find(all, "process_resident_memory_bytes"));
  EXPECT_GT(find(all, "process_resident_memory_bytes")->samples[0].value, 1e6);
}

TEST(MetricRegistry, IsReadWhileItCounts) {
  MetricRegistry registry;
  MetricValue &steps = registry.value(metrics::kSteps);
  std::thread counting([&] {
    for (int i = 0; i < 100000; ++i)
      steps.add(1);
  });
  double last = 0;
  for (int i = 0; i < 100; ++i) {
    double now = registry.collect()[0].samples[0].value;
    EXPECT_GE(now, last);
    last = now;
  }
  counting.join();
  EXPECT_EQ(steps.value(), 100000);
}

} // namespace
