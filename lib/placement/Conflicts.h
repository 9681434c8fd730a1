// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conflicts of placement: a minimal set of constraints that contradict each
// other leaves a group without a device.
#ifndef GRAPHC_LIB_PLACEMENT_CONFLICTS_H
#define GRAPHC_LIB_PLACEMENT_CONFLICTS_H

#include "lib/placement/PlacementProblem.h"

#include "llvm/ADT/ArrayRef.h"

namespace graphc {

/// Emits the error: at its first constraint what is wrong, then a note at each
/// of them with a way to remove it. REQUIRES: the members are all that links
/// join, in order, and no device meets what they ask for.
void reportConflict(PlacementProblem &problem, llvm::ArrayRef<uint32_t> members,
                    llvm::ArrayRef<PlacementLink> links, bool soft);

} // namespace graphc

#endif
