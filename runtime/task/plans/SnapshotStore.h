// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a task's variables between two updates, for clients that save them.
#ifndef GRAPHC_RUNTIME_TASK_PLANS_SNAPSHOTSTORE_H
#define GRAPHC_RUNTIME_TASK_PLANS_SNAPSHOTSTORE_H

#include "runtime/data/HostTensor.h"
#include "runtime/task/WaitingRequests.h"
#include "runtime/task/plans/VariableService.h"
#include "runtime/task/runs/TaskRun.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Tensors of a shard of a checkpoint, as they were at one moment.
using ShardTensors = std::vector<NamedTensor>;

/// A client arms a snapshot; the copies are made when its fence comes up in the
/// order of updates, between the same two at all tasks; then each variable is
/// read once, or all go to a shard. Thread-safety: one call at a time.
class SnapshotStore {
public:
  /// `threads` make the copy for a shard.
  SnapshotStore(OpenRequests &requests, VariableService &variables,
                int threads = 1)
      : requests(requests), variables(variables), threads(threads) {}

  /// PERMISSION_DENIED: the snapshot is another client's. One that is not there
  /// is nobody's.
  Status checkOwner(RunKey id, ClientId client) const;
  /// `shard`: the tensors to copy, for a shard; none: each variable for itself.
  /// NOT_FOUND: one is not of this task; INVALID_ARGUMENT: parts do not fit;
  /// RESOURCE_EXHAUSTED: too little memory is free.
  using Tensors =
      google::protobuf::RepeatedPtrField<protocol::Request::Snapshot::Tensor>;
  Status arm(RunKey id, ClientId owner, PlanState &plan,
             const Tensors &shard = {});
  void drop(RunKey id);
  /// Copies the plan's variables, if the snapshot is armed here and has none.
  void take(PlanState &plan, RunKey id);
  /// The copy for a shard; null: it is not taken yet. Whoever ends its use
  /// calls drop(). NOT_FOUND: there is no such snapshot.
  StatusOr<std::shared_ptr<const ShardTensors>> shard(RunKey id) const;
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
    std::vector<std::vector<std::string>> parts; ///< of each tensor of a shard
    std::shared_ptr<ShardTensors> shard;         ///< null: it is for none
    Status failure;                              ///< of its copy
  };
  struct Read {
    RequestKey key;
    protocol::Request::Read request;
    int64_t deadline = INT64_MAX;
  };

  StatusOr<std::shared_ptr<ShardTensors>>
  makeShard(PlanState &plan, const Tensors &tensors) const;
  Status copyShard(Snapshot &snapshot);
  void keepSpare(Snapshot &snapshot);

  OpenRequests &requests;
  VariableService &variables;
  const int threads;
  std::map<RunKey, Snapshot> snapshots;
  std::map<std::string, std::shared_ptr<ShardTensors>>
      spares;                    ///< memory of the copy before, by plan
  WaitingRequests<Read> waiting; ///< for one to be taken
};

} // namespace graphc::runtime

#endif
