// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a task's variables between two updates, for clients that save them.
#ifndef GRAPHC_RUNTIME_TASK_PLANS_SNAPSHOTSTORE_H
#define GRAPHC_RUNTIME_TASK_PLANS_SNAPSHOTSTORE_H

#include "runtime/task/WaitingRequests.h"
#include "runtime/task/plans/VariableService.h"
#include "runtime/task/runs/TaskRun.h"

#include <map>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A client arms a snapshot; the copies are made when its fence comes up in the
/// order of updates, between the same two at all tasks; then each variable is
/// read once. Thread-safety: one call at a time.
class SnapshotStore {
public:
  SnapshotStore(OpenRequests &requests, VariableService &variables)
      : requests(requests), variables(variables) {}

  /// PERMISSION_DENIED: the snapshot is another client's. One that is not there
  /// is nobody's.
  Status checkOwner(RunKey id, ClientId client) const;
  Status arm(RunKey id, ClientId owner, PlanState &plan);
  void drop(RunKey id) { snapshots.erase(id); }
  /// Copies the plan's variables, if the snapshot is armed here and has none.
  void take(PlanState &plan, RunKey id);
  /// Sends a variable's value of then; it waits until that is there.
  Status read(const RequestKey &key, const protocol::Request::Read &request,
              int64_t deadline);

  void dropPlan(const PlanState &plan);
  void dropClient(ClientId client);
  /// Fails reads that have waited too long.
  void expire(int64_t now);
  int64_t nextDeadline() const { return waiting.nextDeadline(); }

private:
  struct Snapshot {
    ClientId owner = 0;
    PlanState *plan = nullptr;
    bool isTaken = false;
    std::map<std::string, std::vector<std::byte>> values; ///< not read yet
  };
  struct Read {
    RequestKey key;
    protocol::Request::Read request;
    int64_t deadline = INT64_MAX;
  };

  OpenRequests &requests;
  VariableService &variables;
  std::map<RunKey, Snapshot> snapshots;
  WaitingRequests<Read> waiting; ///< for one to be taken
};

} // namespace graphc::runtime

#endif
