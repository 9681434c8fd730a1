// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the steps of one run at a task, and the time in which it waits.
#ifndef GRAPHC_RUNTIME_TASK_COUNTS_RUNMETRICS_H
#define GRAPHC_RUNTIME_TASK_COUNTS_RUNMETRICS_H

#include "runtime/executor/TaskEngine.h"
#include "runtime/task/counts/TaskMetrics.h"
#include "runtime/task/plans/PlanState.h"

#include <optional>
#include <vector>

namespace graphc::runtime {

/// Some additions per step, and no look at the clock but where a run waits.
/// Thread-safety: one call at a time.
class RunMetrics {
public:
  enum class Wait { None, Values, Update, Start };

  /// The run is ready. `metrics` null: nothing is counted.
  void open(TaskMetrics *metrics, const PlanState &plan, const PlanGraph &graph,
            const TaskEngine &engine);

  void begin(int64_t now);
  /// The step has ended: its fetches have their values.
  void endStep(uint64_t step);
  /// No step follows for now.
  void rest(int64_t now);

  /// The run cannot go on, from the time that the clock returns.
  template <typename Clock> void pause(Wait kind, Clock clock) {
    if (!counts || waiting != Wait::None)
      return;
    waiting = kind;
    pausedAt = clock();
  }
  void resume(int64_t now) {
    if (waiting != Wait::None)
      endWait(now);
  }

private:
  struct Fetch {
    std::span<const std::byte> bytes;
    bool isDouble = false;
    MetricValue *value = nullptr;
  };
  void endWait(int64_t now);
  void addFetches(TaskMetrics &metrics, const PlanGraph &graph,
                  const TaskEngine &engine);

  std::optional<GraphMetrics> counts;
  std::vector<Fetch> fetches;
  double examples = 0; ///< of a step, here
  int64_t begunAt = 0; ///< of the step; 0: none has begun
  int64_t pausedAt = 0;
  Wait waiting = Wait::None;
};

} // namespace graphc::runtime

#endif
