// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients that listen to runs of others.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNLISTENERS_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNLISTENERS_H

#include "runtime/task/WaitingRequests.h"
#include "runtime/task/plans/PlanStore.h"
#include "runtime/task/runs/RunTable.h"

#include <string>
#include <vector>

namespace graphc::runtime {

/// Gives what a run makes to clients that have attached to its graph; those
/// that come before the run wait for it. Thread-safety: one call at a time.
class RunListeners {
public:
  RunListeners(const TaskHost &host, PlanStore &plans, RunTable &runs,
               OpenRequests &requests)
      : host(host), plans(plans), runs(runs), requests(requests) {}

  Status attach(const RequestKey &key, const protocol::Request::Attach &request,
                int64_t deadline);
  /// A run begins to go: those who wait for its graph listen to it.
  void join(TaskRun &run);

  void dropClient(ClientId client) { waiting.dropClient(client); }
  void expire(int64_t now);
  int64_t nextDeadline() const { return waiting.nextDeadline(); }
  /// `task` names this task.
  void addWaits(const std::string &task, protocol::Reply::WaitList &list) const;

private:
  struct Listener {
    RequestKey key;
    std::string plan, graph;
    std::vector<std::string> fetches;
    int64_t deadline = INT64_MAX;
  };
  void add(TaskRun &run, const Listener &listener);

  const TaskHost &host;
  PlanStore &plans;
  RunTable &runs;
  OpenRequests &requests;
  WaitingRequests<Listener> waiting;
};

} // namespace graphc::runtime

#endif
