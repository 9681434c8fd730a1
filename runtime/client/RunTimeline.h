// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timelines of all tasks of a run, by one clock.
#ifndef GRAPHC_RUNTIME_CLIENT_RUNTIMELINE_H
#define GRAPHC_RUNTIME_CLIENT_RUNTIMELINE_H

#include "runtime/base/Status.h"
#include "runtime/base/TimelineEvent.h"

#include <string>
#include <vector>

namespace graphc::runtime {

/// Of one task. Times are those of this process's nowNanos().
struct TaskTimeline {
  std::string name; ///< "/job:ps/task:0"; empty: this process
  /// Events by program of the graph, of which another task's have none; then
  /// those of the task's steps, then its batches.
  std::vector<std::vector<TimelineEvent>> tracks;
  int64_t errorNanos = 0;  ///< bound of the error of its times
  int64_t offsetNanos = 0; ///< of its clock, as it was estimated
  uint64_t dropped = 0;    ///< events that there was no room for
  Status lost;             ///< why nothing is known, or not all
};

/// Thread-safety: as a value type.
struct RunTimeline {
  std::string graph; ///< its name in the plan
  std::vector<TaskTimeline> tasks;
};

} // namespace graphc::runtime

#endif
