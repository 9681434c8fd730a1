// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts variables that are too large for a fair share into several, by rows:
//
//   tfir.variable @w : tensor<100x4xf32> = #tfir.fill<0.0>
//
// becomes, for two servers,
//
//   tfir.variable @"w/part_0" : tensor<50x4xf32> = #tfir.fill<0.0>
//       {part_of = "w", part_row = 0 : i64}
//   tfir.variable @"w/part_1" : tensor<50x4xf32> = #tfir.fill<0.0>
//       {part_of = "w", part_row = 50 : i64}
//
// A read gives the parts one after another; an assignment assigns their rows
// to each, and the arithmetic before it is done per part, where the part is.
// Slots, which hang on their variable, are cut as it is.
#ifndef GRAPHC_LIB_PLACEMENT_SPLIT_SPLITVARIABLES_H
#define GRAPHC_LIB_PLACEMENT_SPLIT_SPLITVARIABLES_H

#include "lib/placement/inputs/DeviceSet.h"
#include "lib/placement/inputs/PlacementRules.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// The most that a server may have to do, measured by the mean of all.
inline constexpr double kFairShare = 1.10;

/// Does nothing where whole variables can be divided among the servers that
/// fairly, and to variables that a request or a rule pins. Relies on names,
/// reads before all else and assignments after it; new ops have names.
void splitVariables(mlir::ModuleOp module, const DeviceSet &devices,
                    const PlacementRules &rules);

/// Into how many parts to cut each of several variables, so that the largest
/// first to the least loaded of `servers` gives each a fair share, or as fair
/// as it gets: in as few steps as possible, always cutting the largest part
/// further, but none into more than `most` parts.
std::vector<int64_t> partsForBalance(const std::vector<double> &loads,
                                     const std::vector<int64_t> &most,
                                     size_t servers);

} // namespace graphc

#endif
