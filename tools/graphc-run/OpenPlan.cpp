// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/OpenPlan.h"

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/format/PlanFamily.h"

namespace graphc::run {

using namespace runtime;

StatusOr<std::shared_ptr<const Model>> openPlan(const Options &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plan,
                          Model::open(options.model));
  uint32_t workers = options.workers;
  if (membersOf(*plan).empty())
    return workers == 0
               ? StatusOr<std::shared_ptr<const Model>>(plan)
               : invalidArgument("--workers chooses one of several plans, but "
                                 "model file '" +
                                 plan->name() +
                                 "' has one; leave it out, or compile with "
                                 "graphc --workers=FIRST..LAST");
  if (!options.cluster.cluster.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(ClusterSpec cluster,
                            ClusterSpec::read(options.cluster.cluster));
    workers = cluster.workers();
  }
  if (workers == 0)
    GRAPHC_TRY(checkNoFamily(*plan, "choose one with --workers=N, or run it on "
                                    "a cluster, e.g. with --local-cluster"));
  return takeMember(std::move(plan), workers);
}

} // namespace graphc::run
