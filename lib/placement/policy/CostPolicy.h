// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policy that predicts what a step takes and tries to make it short.
#ifndef GRAPHC_LIB_PLACEMENT_POLICY_COSTPOLICY_H
#define GRAPHC_LIB_PLACEMENT_POLICY_COSTPOLICY_H

#include "lib/placement/policy/CostModel.h"
#include "lib/placement/policy/PlacementPolicy.h"

namespace graphc {

/// Never worse, as `costs` predicts, than any other policy. `costs` must
/// outlive it.
std::unique_ptr<PlacementPolicy> makeCostPolicy(const CostModel &costs);

/// One bool per group: nobody but the constraints, or a pin, decides. `free` as
/// PlacementPolicy::choose has it.
std::vector<char> fixedGroups(const PlacementProblem &problem,
                              llvm::ArrayRef<uint32_t> free);

} // namespace graphc

#endif
