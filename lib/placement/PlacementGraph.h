// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads from a module what is to be placed: nodes, the values between them, and
// the links that make some of them share a device.
#ifndef GRAPHC_LIB_PLACEMENT_PLACEMENTGRAPH_H
#define GRAPHC_LIB_PLACEMENT_PLACEMENTGRAPH_H

#include "lib/placement/PlacementProblem.h"

namespace graphc {

/// Everything of the problem but its groups. Fails after errors, each at its
/// op, for malformed and unknown devices and ops without a kernel. `soft`: as
/// --allow-soft-placement.
llvm::FailureOr<PlacementProblem>
readPlacementGraph(mlir::ModuleOp module, const DeviceSet &devices,
                   const KernelTable &kernels, const PlacementRules &rules,
                   bool soft);

} // namespace graphc

#endif
