// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/counts/TaskMetrics.h"

#include "runtime/metrics/MetricNames.h"
#include "runtime/metrics/ProcessMetrics.h"

namespace graphc::runtime {

TaskMetrics::TaskMetrics(const ClusterSpec &cluster, TaskId self)
    : all({{"task", cluster.task(self).name()}}), links(cluster.size()) {
  addProcessMetrics(all);
  for (TaskId peer = 0; peer < links.size(); ++peer) {
    if (peer == self)
      continue;
    MetricLabels labels = {{"link", cluster.task(peer).name()}};
    links[peer] = std::make_unique<LinkMetrics>(
        LinkMetrics{all.value(metrics::kLinkSent, labels),
                    all.value(metrics::kLinkReceived, labels),
                    all.value(metrics::kLinkUp, labels),
                    all.value(metrics::kLinkQueued, labels),
                    all.value(metrics::kLinkLosses, labels)});
  }
}

GraphMetrics TaskMetrics::graph(const std::string &name) {
  MetricLabels labels = {{"graph", name}};
  auto wait = [&](const char *kind) -> MetricValue & {
    return all.value(metrics::kWaitSeconds, {{"graph", name}, {"kind", kind}});
  };
  return {all.value(metrics::kSteps, labels),
          all.value(metrics::kLastStep, labels),
          all.value(metrics::kExamples, labels),
          all.histogram(metrics::kStepSeconds, labels),
          wait("values"),
          wait("update"),
          wait("start")};
}

MetricValue &TaskMetrics::fetch(const std::string &graph,
                                const std::string &fetch) {
  return all.value(metrics::kFetch, {{"graph", graph}, {"fetch", fetch}});
}

MetricValue &TaskMetrics::failures(const std::string &graph) {
  return all.value(metrics::kFailures, {{"graph", graph}});
}

void addFamilies(const std::vector<MetricFamily> &families,
                 protocol::Reply::MetricList &list) {
  for (const MetricFamily &family : families) {
    protocol::Reply::MetricList::Family &made = *list.add_families();
    made.set_name(std::string(family.info->name));
    made.mutable_bounds()->Assign(family.info->bounds.begin(),
                                  family.info->bounds.end());
    for (const MetricSample &sample : family.samples) {
      protocol::Reply::MetricList::Sample &one = *made.add_samples();
      one.mutable_labels()->insert(sample.labels.begin(), sample.labels.end());
      one.set_value(sample.value);
      one.mutable_counts()->Assign(sample.buckets.counts.begin(),
                                   sample.buckets.counts.end());
      one.set_sum(sample.buckets.sum);
    }
  }
}

} // namespace graphc::runtime
