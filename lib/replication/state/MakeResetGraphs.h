// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that begin an evaluation.
#ifndef GRAPHC_LIB_REPLICATION_STATE_MAKERESETGRAPHS_H
#define GRAPHC_LIB_REPLICATION_STATE_MAKERESETGRAPHS_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// For each graph `G` that updates variables with `transient` adds the graph
/// `G/reset` after it, which sets them and their mirrors to 0, unless there is
/// one. Fetches of `G` that follow from such variables alone are fetches of it,
/// too: 0, the value before the first step. Fails after an error where workers
/// have steps of their own, so that nothing is the beginning of all of them.
llvm::LogicalResult makeResetGraphs(mlir::ModuleOp module);

} // namespace graphc

#endif
