// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/EngineQuarantine.h"

#include <algorithm>

namespace graphc::runtime {

void EngineQuarantine::add(RunKey run, PlanState &plan, PlanEngine &engine,
                           std::vector<TaskId> writers) {
  if (writers.empty())
    plan.giveBack(engine, false, network);
  else
    entries.push_back({run, &plan, &engine, std::move(writers)});
}

template <typename Predicate>
void EngineQuarantine::releaseIf(Predicate isIt, TaskId peer) {
  for (auto entry = entries.begin(); entry != entries.end();) {
    if (isIt(*entry))
      std::erase(entry->writers, peer);
    if (!entry->writers.empty()) {
      ++entry;
      continue;
    }
    entry->plan->giveBack(*entry->engine, false, network);
    entry = entries.erase(entry);
  }
}

void EngineQuarantine::release(RunKey run, TaskId peer) {
  releaseIf([&](const Entry &entry) { return entry.run == run; }, peer);
}

void EngineQuarantine::releaseAll(TaskId peer) {
  releaseIf([](const Entry &) { return true; }, peer);
}

bool EngineQuarantine::holds(const PlanState &plan) const {
  return std::ranges::find(entries, &plan, &Entry::plan) != entries.end();
}

size_t EngineQuarantine::sharedPlaces() const {
  size_t places = 0;
  for (const Entry &entry : entries)
    places += entry.engine->shared.size();
  return places;
}

} // namespace graphc::runtime
