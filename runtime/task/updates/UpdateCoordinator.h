// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers' reads and updates of variables in one sequence: what the task that
// decides on it does.
#ifndef GRAPHC_RUNTIME_TASK_UPDATES_UPDATECOORDINATOR_H
#define GRAPHC_RUNTIME_TASK_UPDATES_UPDATECOORDINATOR_H

#include "runtime/task/WaitReporter.h"
#include "runtime/task/plans/SnapshotStore.h"
#include "runtime/task/runs/RunControl.h"
#include "runtime/task/runs/RunTable.h"
#include "runtime/task/updates/UpdateQueue.h"

namespace graphc::runtime {

/// Asks the UpdateSequencer for runs that can go on, and sends what it issues
/// to all tasks with variables. Thread-safety: one call at a time.
class UpdateCoordinator {
public:
  UpdateCoordinator(TaskId self, const TaskEnvironment &environment,
                    RunTable &runs, SnapshotStore &snapshots,
                    const WaitReporter &waits, RunControl &control)
      : self(self), environment(environment), runs(runs), snapshots(snapshots),
        waits(waits), control(control) {}

  /// Issues what can be issued; false: nothing. REQUIRES: queue.sequencer().
  bool advance(PlanState &plan, UpdateQueue &queue);
  /// A task has all values for an update of one of the runs.
  void onArrived(TaskId from, const FrameHeader &header);
  /// Puts a fence into the order of the plan's updates, also where no worker
  /// has asked for one yet: its first update comes after the fence.
  /// UNAVAILABLE where not all who follow the order are there.
  Status fence(PlanState &plan, RunKey snapshot);
  /// The link to the peer was lost, and is there again: repeats the entries
  /// that may not have arrived, as they were issued.
  void repeat(PlanState &plan, TaskId peer);

private:
  void request(UpdateQueue &queue);
  bool issue(PlanState &plan, UpdateQueue &queue);
  void send(UpdateQueue &queue, TaskId to, const FrameHeader &entry);
  void endUnfinished(UpdateQueue &queue);

  const TaskId self;
  TaskEnvironment environment;
  RunTable &runs;
  SnapshotStore &snapshots;
  const WaitReporter &waits;
  RunControl &control;
};

/// Adds the coordinator's counts for the run's client: late gradients, and
/// updates by staleness.
void addStaleness(const TaskRun &run, protocol::Reply::Ended &ended);

} // namespace graphc::runtime

#endif
