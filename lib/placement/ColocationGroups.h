// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of nodes that share a device, and the devices that each may be on.
#ifndef GRAPHC_LIB_PLACEMENT_COLOCATIONGROUPS_H
#define GRAPHC_LIB_PLACEMENT_COLOCATIONGROUPS_H

#include "lib/placement/PlacementProblem.h"

namespace graphc {

/// References make groups before colocations do, and what hangs on a variable
/// gives in to it: its request counts only where the variable's own constraints
/// leave room for it. Fails after an error for each group, up to ten, that has
/// no device. With `soft`, type and id of requests, and then colocations, give
/// way instead.
llvm::LogicalResult formGroups(PlacementProblem &problem, bool soft);

} // namespace graphc

#endif
