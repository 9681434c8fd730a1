// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Engines of runs that failed, while peers may still write to their memory.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_ENGINEQUARANTINE_H
#define GRAPHC_RUNTIME_TASK_RUNS_ENGINEQUARANTINE_H

#include "runtime/task/runs/TaskRun.h"

#include <vector>

namespace graphc::runtime {

/// Keeps an engine until all peers that write to its receive buffers know that
/// the run has failed, or have gone; then the plan gets it back, and drops it.
/// Thread-safety: one call at a time.
class EngineQuarantine {
public:
  explicit EngineQuarantine(PeerNetwork &network) : network(network) {}

  /// `writers`: peers that have not acknowledged it. None: the engine is
  /// given back at once.
  void add(RunKey run, PlanState &plan, PlanEngine &engine,
           std::vector<TaskId> writers);
  /// The peer knows that the run has failed.
  void release(RunKey run, TaskId peer);
  /// The peer has gone.
  void releaseAll(TaskId peer);

  bool holds(const PlanState &plan) const;
  size_t sharedPlaces() const;

private:
  struct Entry {
    RunKey run;
    PlanState *plan = nullptr;
    PlanEngine *engine = nullptr;
    std::vector<TaskId> writers;
  };
  template <typename Predicate> void releaseIf(Predicate isIt, TaskId peer);

  PeerNetwork &network;
  std::vector<Entry> entries;
};

} // namespace graphc::runtime

#endif
