// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole cluster in one process.
#ifndef GRAPHC_RUNTIME_TRANSPORT_LOCALCLUSTER_H
#define GRAPHC_RUNTIME_TRANSPORT_LOCALCLUSTER_H

#include "runtime/client/TaskConnector.h"
#include "runtime/transport/TaskRunner.h"
#include "runtime/transport/Transport.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace graphc::runtime {

/// The cluster of a text like "ps:1,worker:2": so many tasks of each job, from
/// index 0. The addresses are names only. INVALID_ARGUMENT names what is wrong.
StatusOr<ClusterSpec> parseTaskCounts(std::string_view text);

struct LocalClusterOptions {
  ClusterSpec cluster;
  int threads = 0; ///< of each task; 0: the cores divided by the tasks, >= 1
  bool virtualGpus = false;
  bool shareGpus = false;
  std::optional<CpuLevel> cpuLevel; ///< nothing: the highest that the CPU has
  int64_t stallNanos = 60'000'000'000;
  LinkOptions links;
  /// Transports between the tasks; empty: as processes on one host do.
  TransportKinds transports;
  /// Lines of a task's log, called from its thread; may be empty.
  std::function<void(TaskId, Severity, std::string_view)> log;
};

/// Each task has a thread. Connectors may outlive it: all tasks are gone then.
/// Thread-safety: any thread.
class LocalCluster {
public:
  /// RESOURCE_EXHAUSTED where shared memory is missing.
  static StatusOr<std::unique_ptr<LocalCluster>>
  start(LocalClusterOptions options);
  ~LocalCluster();

  const ClusterSpec &cluster() const;
  /// For one more client, e.g. a ClusterSession.
  StatusOr<std::unique_ptr<TaskConnector>> connect();
  TaskRunner &runner(TaskId task);
  /// Ends a task, as a process that is asked to stop does; its peers and
  /// clients lose it. It does not come back.
  void stop(TaskId task, const std::string &reason);

private:
  struct State;
  LocalCluster();
  std::shared_ptr<State> state;
};

} // namespace graphc::runtime

#endif
