// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts of a run that its request decides.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNSPEC_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNSPEC_H

#include "runtime/task/plans/PlanState.h"
#include "runtime/task/runs/RunKey.h"

#include <algorithm>
#include <vector>

namespace graphc::runtime {

/// Specification of a run, once its request was checked.
/// Thread-safety: as a value type.
struct TaskRunSpec {
  RunKey key;
  PlanState *plan = nullptr;
  PlanGraph *graph = nullptr;
  TaskId self = 0;
  EngineKey engine;
  int64_t stallNanos = 0;
  /// With an UpdateSequencer: who has it, and the tasks that follow it.
  TaskId coordinator = kNoTask;
  std::vector<TaskId> variableTasks;
  /// Of an Apply entry, which no client has asked for.
  bool isInternal = false;
  /// Goes on with what its worker's last run has begun, which a loss ended.
  bool goesOn = false;

  bool isCoordinated() const { return coordinator != kNoTask; }
  /// Steps begin and end in the sequence of updates.
  bool followsSequence() const {
    return isCoordinated() &&
           std::ranges::find(variableTasks, self) != variableTasks.end();
  }
  /// The header of a frame of the run.
  FrameHeader frame(FrameKind kind, uint64_t step) const {
    FrameHeader frame;
    frame.kind = kind;
    frame.runClient = key.client;
    frame.runNumber = key.number;
    frame.step = step;
    frame.graph = graph->number;
    if (const format::Instance *instance = graph->graph->instance())
      frame.replica = instance->worker();
    return frame;
  }
};

} // namespace graphc::runtime

#endif
