// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/plans/PlanStore.h"

#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"

namespace graphc::runtime {

StatusOr<PlanState *> PlanStore::use(const std::string &digest) {
  auto found = plans.find(digest);
  if (found == plans.end())
    return notFound("plan " + quote(digest.substr(0, 64)) +
                    " is not loaded at this task; open the cluster again");
  found->second->lastUse = ++useCount;
  return found->second.get();
}

PlanState *PlanStore::findShort(uint64_t digest) const {
  for (const auto &[name, plan] : plans)
    if (plan->shortDigest() == digest)
      return plan.get();
  return nullptr;
}

Status PlanStore::add(std::shared_ptr<const Model> model,
                      const std::string &digest, bool virtualGpus,
                      std::optional<CpuLevel> level) {
  PlanOptions plan;
  plan.cluster = &options.cluster;
  plan.self = options.self;
  plan.threads = options.threads;
  plan.cpuLevel = level;
  plan.virtualGpus = virtualGpus;
  plan.shareGpus = options.shareGpus;
  std::string name = planDigest(*model);
  GRAPHC_ASSIGN_OR_RETURN(plans[name],
                          PlanState::create(std::move(model), digest, plan));
  PlanState &made = *plans[name];
  made.lastUse = ++useCount;
  if (auto lost = lostValues.find(name); lost != lostValues.end())
    made.lost = lost->second;
  host.log(Severity::Info, "has plan " + name);
  for (const std::string &line : made.describeDevices())
    host.log(Severity::Info, line);
  return Status::ok();
}

void PlanStore::evict(PlanState &plan) {
  std::string digest = plan.digest();
  if (plan.isInitialized && plan.hasVariables())
    lostValues[digest] = "its plan made room for others (a server keeps " +
                         std::to_string(options.mostPlans) + ")";
  plan.dropEngines(peers);
  host.log(Severity::Info, "plan " + digest + " makes room");
  plans.erase(digest);
}

void PlanStore::noteInitialized(PlanState &plan) {
  plan.isInitialized = true;
  plan.lost.clear();
  lostValues.erase(plan.digest());
}

} // namespace graphc::runtime
