// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a placement to the records of its decisions.
#ifndef GRAPHC_LIB_PLACEMENT_RECORDPLACEMENT_H
#define GRAPHC_LIB_PLACEMENT_RECORDPLACEMENT_H

#include "graphc/Options.h"
#include "lib/placement/PlacementLog.h"
#include "lib/placement/Placer.h"
#include "lib/placement/policy/CostModel.h"

namespace graphc {

/// Logs every decision, with the costs that are wanted. A cost is what the
/// prediction changes by when the op is pinned and everything is placed again,
/// as compiling with that request would.
PlacementLog recordPlacement(const PlacementProblem &problem,
                             const Placement &placement,
                             const PlacementPolicy &policy,
                             const CostModel &costs, const LoggedCosts &wanted);

/// Emits each decision as a remark at its op.
void emitRemarks(const PlacementProblem &problem, const PlacementLog &log);

} // namespace graphc

#endif
