// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers' reads and updates of variables in one sequence: what each task with
// variables does.
#ifndef GRAPHC_RUNTIME_TASK_UPDATES_UPDATEEXECUTOR_H
#define GRAPHC_RUNTIME_TASK_UPDATES_UPDATEEXECUTOR_H

#include "runtime/task/updates/UpdateCoordinator.h"

namespace graphc::runtime {

/// Carries out the entries of the sequence, one after the other, as soon as
/// what they need is here. Thread-safety: one call at a time.
class UpdateExecutor {
public:
  UpdateExecutor(const TaskOptions &options, const TaskEnvironment &environment,
                 PlanStore &plans, RunTable &runs, SnapshotStore &snapshots,
                 UpdateCoordinator &coordinator, const WaitReporter &waits,
                 RunControl &control)
      : options(options), environment(environment), plans(plans), runs(runs),
        snapshots(snapshots), coordinator(coordinator), waits(waits),
        control(control) {}

  /// Before a run that follows the sequence is ready; nothing for others.
  Status prepare(TaskRun &run);
  /// The run that applies what workers have summed up, one step per version. It
  /// is the tasks' own: named after the plan, it is the same at all of them.
  /// Null: nothing of it is here.
  StatusOr<TaskRun *> applyRun(PlanState &plan, const UpdateQueue &queue);

  /// All values for an update are here, or there is none to make here.
  void onArrivedHere(TaskRun &run);
  /// An entry has come from the coordinator.
  void onSequenced(TaskId from, const FrameHeader &header);
  /// True when an update that was decided is still to be made here.
  bool hasUpdate(const TaskRun &run) const;
  /// Carries out what can be carried out, and sequences what can be sequenced;
  /// false: nothing.
  bool advance();
  /// The peer's process is another one: what it has sequenced, and what it was
  /// told, is lost.
  void forgetPeer(TaskId peer);
  /// Time at which a client's Go is overdue; INT64_MAX: none is missing.
  int64_t nextTimer() const;

private:
  void onFence(TaskId from, const FrameHeader &header);
  bool carryOutFirst(PlanState &plan, UpdateQueue &queue);
  bool carryOutRead(TaskRun &run, UpdateQueue &queue,
                    const UpdateQueue::Entry &entry, int64_t now);
  bool carryOutUpdate(TaskRun &run, UpdateQueue &queue,
                      const UpdateQueue::Entry &entry, int64_t now);
  bool carryOutApply(PlanState &plan, UpdateQueue &queue, uint64_t version);
  bool waitForGo(TaskRun &run, UpdateQueue &queue, int64_t now);
  void endHeld(UpdateQueue &queue);

  const TaskOptions &options;
  TaskEnvironment environment;
  PlanStore &plans;
  RunTable &runs;
  SnapshotStore &snapshots;
  UpdateCoordinator &coordinator;
  const WaitReporter &waits;
  RunControl &control;
};

} // namespace graphc::runtime

#endif
