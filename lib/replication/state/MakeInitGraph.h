// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph that gives all variables their initial values.
#ifndef GRAPHC_LIB_REPLICATION_STATE_MAKEINITGRAPH_H
#define GRAPHC_LIB_REPLICATION_STATE_MAKEINITGRAPH_H

#include "dialects/tfir/Tfir.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Adds the graph `init` before all others: it assigns each variable its
/// initial value, and moving averages and mirrors that of their variable. A
/// random value has the variable's name as its stream, unless it has a seed.
/// Fails after an error when the name is taken.
llvm::LogicalResult makeInitGraph(mlir::ModuleOp module);

/// Adds a graph without feeds and fetches where the builder stands.
tfir::GraphOp addGraph(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::StringRef name);

/// Assigns in `graph` their initial values to the variables that are chosen,
/// and with each to its average and the mirrors of both. Fails after an error.
llvm::LogicalResult
initializeIn(tfir::GraphOp graph,
             llvm::function_ref<bool(tfir::VariableOp)> isChosen);

} // namespace graphc

#endif
