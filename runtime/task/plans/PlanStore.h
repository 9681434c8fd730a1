// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans that a task has loaded.
#ifndef GRAPHC_RUNTIME_TASK_PLANS_PLANSTORE_H
#define GRAPHC_RUNTIME_TASK_PLANS_PLANSTORE_H

#include "runtime/task/TaskOptions.h"
#include "runtime/task/plans/PlanState.h"

#include <map>
#include <memory>
#include <string>

namespace graphc::runtime {

/// Keeps a limited number of plans by their digests. Who needs room evicts the
/// one that is used least; that its variables had values is remembered until it
/// has some again. Thread-safety: one call at a time.
class PlanStore {
public:
  using Map = std::map<std::string, std::unique_ptr<PlanState>>;

  /// All three outlive the store.
  PlanStore(const TaskOptions &options, TaskHost &host, PeerNetwork &peers)
      : options(options), host(host), peers(peers) {}

  bool contains(const std::string &digest) const {
    return plans.contains(digest);
  }
  /// For a request, which makes it the most recently used.
  StatusOr<PlanState *> use(const std::string &digest);
  /// By PlanState::shortDigest(); null: there is none.
  PlanState *findShort(uint64_t digest) const;
  size_t size() const { return plans.size(); }
  Map::const_iterator begin() const { return plans.begin(); }
  Map::const_iterator end() const { return plans.end(); }

  /// See PlanState::create().
  Status add(std::shared_ptr<const Model> model, const std::string &digest,
             bool virtualGpus, std::optional<CpuLevel> level);
  bool isFull() const { return plans.size() >= options.mostPlans; }
  /// The least recently used of the plans that are not busy; null: all are.
  template <typename Predicate> PlanState *leastRecent(Predicate isBusy) const {
    PlanState *oldest = nullptr;
    for (const auto &[digest, plan] : plans)
      if (!isBusy(*plan) && (!oldest || plan->lastUse < oldest->lastUse))
        oldest = plan.get();
    return oldest;
  }
  /// Makes room. REQUIRES: nothing refers to the plan.
  void evict(PlanState &plan);

  /// The plan's variables have values at all tasks.
  void noteInitialized(PlanState &plan);

private:
  const TaskOptions &options;
  TaskHost &host;
  PeerNetwork &peers;
  Map plans;
  uint64_t useCount = 0;
  /// Reason why the variables of plans that were evicted have no values any
  /// more.
  std::map<std::string, std::string> lostValues;
};

} // namespace graphc::runtime

#endif
