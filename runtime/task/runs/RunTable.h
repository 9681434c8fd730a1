// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs that a task knows, by their ids.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNTABLE_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNTABLE_H

#include "runtime/task/runs/TaskRun.h"

#include <map>
#include <memory>
#include <vector>

namespace graphc::runtime {

/// Owns the runs of a task, and lists those that go. Thread-safety: one call at
/// a time.
class RunTable {
public:
  using Map = std::map<RunKey, std::unique_ptr<TaskRun>>;

  /// Null: there is none.
  TaskRun *find(RunKey key);
  bool contains(RunKey key) const { return runs.contains(key); }
  size_t size() const { return runs.size(); }
  bool isEmpty() const { return runs.empty(); }
  Map::const_iterator begin() const { return runs.begin(); }
  Map::const_iterator end() const { return runs.end(); }

  /// REQUIRES: no run has its key.
  TaskRun &add(std::unique_ptr<TaskRun> run);
  void erase(RunKey key);
  void eraseOf(const PlanState &plan);

  /// Keys of the runs for which `isIt` holds, for callers that change the table
  /// meanwhile.
  template <typename Predicate> std::vector<RunKey> keys(Predicate isIt) const {
    std::vector<RunKey> found;
    for (const auto &[key, run] : runs)
      if (isIt(*run))
        found.push_back(key);
    return found;
  }

  /// Runs in Phase::Going, in the order in which they began; maybe some that
  /// are over since sweepGoing().
  const std::vector<TaskRun *> &going() const { return active; }
  void addGoing(TaskRun &run) { active.push_back(&run); }
  void sweepGoing();

private:
  Map runs;
  std::vector<TaskRun *> active;
  TaskRun *lastFound = nullptr; ///< most frames are of the same run
};

} // namespace graphc::runtime

#endif
