// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of a variable's rows (tfir.assign_rows) that differ between towers or
// workers.
#ifndef GRAPHC_LIB_REPLICATION_SUMS_SUMROWS_H
#define GRAPHC_LIB_REPLICATION_SUMS_SUMROWS_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Whose rows differ, and what to do where they cannot be added up.
struct RowParties {
  llvm::function_ref<bool(mlir::OpOperand &)> differs;
  std::string who;  ///< "the 2 towers"
  std::string cure; ///< "compile with --replicate=none"
};

/// Writes rows that are added or subtracted, where indices or updates differ,
/// as tfir.assign_add or tfir.assign_sub of a tensor in the shape of the
/// variable: such sums are combined as all others. Fails after an error for an
/// update of another kind.
llvm::LogicalResult sumDifferingRows(tfir::GraphOp graph,
                                     const mlir::SymbolTable &symbols,
                                     const RowParties &parties);

} // namespace graphc

#endif
