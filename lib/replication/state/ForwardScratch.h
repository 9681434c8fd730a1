// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of one step: gradients whose mean is taken before they are changed.
#ifndef GRAPHC_LIB_REPLICATION_STATE_FORWARDSCRATCH_H
#define GRAPHC_LIB_REPLICATION_STATE_FORWARDSCRATCH_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// True for a read of a scratch variable.
bool isScratchRead(tfir::ReadOp read, const mlir::SymbolTable &symbols);

/// Puts what a graph assigns to a scratch variable in place of its reads, and
/// erases both; reads that nothing needs are erased, too. Leaves those that an
/// op such as tfir.apply updates.
void forwardScratch(tfir::GraphOp graph, const mlir::SymbolTable &symbols);

/// Does so in all graphs, and erases the variables that it leaves in none.
void eraseScratch(mlir::ModuleOp module);

} // namespace graphc

#endif
