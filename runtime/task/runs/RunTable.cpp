// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/RunTable.h"

namespace graphc::runtime {

TaskRun *RunTable::find(RunKey key) {
  if (lastFound && lastFound->key() == key)
    return lastFound;
  auto found = runs.find(key);
  if (found == runs.end())
    return nullptr;
  return lastFound = found->second.get();
}

TaskRun &RunTable::add(std::unique_ptr<TaskRun> run) {
  RunKey key = run->key();
  return *(runs[key] = std::move(run));
}

void RunTable::erase(RunKey key) {
  auto found = runs.find(key);
  if (found == runs.end())
    return;
  std::erase(active, found->second.get());
  if (lastFound == found->second.get())
    lastFound = nullptr;
  runs.erase(found);
}

void RunTable::eraseOf(const PlanState &plan) {
  std::erase_if(active,
                [&](TaskRun *run) { return run->spec().plan == &plan; });
  std::erase_if(runs, [&](const auto &entry) {
    return entry.second->spec().plan == &plan;
  });
  lastFound = nullptr;
}

void RunTable::sweepGoing() {
  std::erase_if(
      active, [](TaskRun *run) { return run->phase != TaskRun::Phase::Going; });
}

} // namespace graphc::runtime
