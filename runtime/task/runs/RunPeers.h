// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks that a run exchanges frames with, and how far they are.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNPEERS_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNPEERS_H

#include "runtime/task/runs/RunSpec.h"

#include <vector>

namespace graphc::runtime {

/// Of a task that a run exchanges frames with.
struct RunPeer {
  TaskId id = kNoTask;
  bool sendsHere = false;
  bool receivesFromHere = false;
  bool wantsBegun = false;    ///< needs to be told that a step has begun here
  uint64_t begun = 0;         ///< 1 + the last step known to have begun there
  bool hasSaidFailed = false; ///< FrameKind::RunFailed came
};

/// Thread-safety: one call at a time.
class RunPeers {
public:
  /// Those at the other ends of the graph's edges, and those that keep the
  /// sequence of updates with this task.
  explicit RunPeers(const TaskRunSpec &spec);

  std::vector<RunPeer> &list() { return peers; }
  const std::vector<RunPeer> &list() const { return peers; }
  /// Null: does not take part.
  RunPeer *find(TaskId id);
  const RunPeer *find(TaskId id) const;

  /// The first one that receives from here and has not begun the step before
  /// `step`; kNoTask: none. A sender is at most one step ahead.
  TaskId receiverBehind(uint64_t step) const;

private:
  void add(TaskId id, bool sendsHere, bool receivesFromHere);

  TaskId self;
  std::vector<RunPeer> peers;
};

} // namespace graphc::runtime

#endif
