// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metrics of a task, for graphc-top and Prometheus.
#ifndef GRAPHC_RUNTIME_TASK_COUNTS_TASKMETRICS_H
#define GRAPHC_RUNTIME_TASK_COUNTS_TASKMETRICS_H

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/metrics/MetricRegistry.h"
#include "runtime/protocol/cluster.pb.h"

#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Series of one graph.
struct GraphMetrics {
  MetricValue &steps, &lastStep, &examples;
  MetricHistogram &stepSeconds;
  MetricValue &valueWait, &updateWait, &startWait; ///< seconds
};

/// Series of the link to one task.
struct LinkMetrics {
  MetricValue &sentBytes, &receivedBytes, &isUp, &queuedBytes, &losses;
};

/// The task's thread counts; any thread may collect from registry().
class TaskMetrics {
public:
  TaskMetrics(const ClusterSpec &cluster, TaskId self);

  MetricRegistry &registry() { return all; }
  const MetricRegistry &registry() const { return all; }

  /// `peer` is not the task itself.
  LinkMetrics &link(TaskId peer) { return *links[peer]; }
  GraphMetrics graph(const std::string &name);
  MetricValue &fetch(const std::string &graph, const std::string &fetch);
  MetricValue &failures(const std::string &graph);

private:
  MetricRegistry all;
  std::vector<std::unique_ptr<LinkMetrics>> links; ///< by task; null: itself
};

/// The families as a message.
void addFamilies(const std::vector<MetricFamily> &families,
                 protocol::Reply::MetricList &list);

} // namespace graphc::runtime

#endif
