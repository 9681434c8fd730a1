// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/flags/OpenPlan.h"

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/PlanVariants.h"

namespace graphc::flags {

using namespace runtime;

StatusOr<std::shared_ptr<const Model>> openPlan(const RunFlags &run,
                                                const std::string &cluster,
                                                bool onHost,
                                                const std::string &fix) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plan,
                          Model::open(run.model));
  uint32_t workers = run.workers;
  if (planVariantsOf(*plan).empty())
    return workers == 0
               ? takeVariant(std::move(plan), onHost)
               : invalidArgument("--workers chooses one of several plans, but "
                                 "model file '" +
                                 plan->name() +
                                 "' has one; leave it out, or compile with "
                                 "graphc --workers=FIRST..LAST");
  if (!cluster.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(ClusterSpec spec, ClusterSpec::read(cluster));
    workers = spec.workers();
  }
  if (workers == 0)
    GRAPHC_TRY(checkNoPlanVariants(*plan, fix));
  GRAPHC_ASSIGN_OR_RETURN(plan, takePlanVariant(std::move(plan), workers));
  return takeVariant(std::move(plan), onHost);
}

} // namespace graphc::flags
