// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control of runs by the update sequencer.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNCONTROL_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNCONTROL_H

#include "runtime/task/runs/TaskRun.h"

namespace graphc::runtime {

/// Implemented by whoever begins and ends runs, called by those who decide when
/// a run may go on. Thread-safety: one call at a time.
class RunControl {
public:
  virtual ~RunControl() = default;

  /// Makes the run ready as soon as its peers are there.
  virtual void makeReady(TaskRun &run) = 0;
  /// The run's step has come further.
  virtual void onProgress(TaskRun &run, TaskRun::Progress progress) = 0;
  /// All steps that were asked for are done: its clients get the last results.
  virtual void endGo(TaskRun &run) = 0;
  /// Ends the run here, at its other tasks and for its clients.
  virtual void fail(TaskRun &run, const Status &why) = 0;
  /// Forgets a run of which no frames are on the way that matter.
  virtual void drop(RunKey key) = 0;
};

} // namespace graphc::runtime

#endif
