// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients that are zero but in the rows that lookups have named.
#ifndef GRAPHC_LIB_REPLICATION_STATE_ROWGRADIENT_H
#define GRAPHC_LIB_REPLICATION_STATE_ROWGRADIENT_H

#include "dialects/tfir/Tfir.h"

#include "llvm/ADT/DenseSet.h"

namespace graphc {

/// True for a gather from `table` of fewer rows than it has.
bool isRowLookup(mlir::Operation *op, mlir::Value table);

/// Finds the gradients of lookups: sums by segment of fewer rows than there are
/// segments, and sums and multiples of these.
class RowGradients {
public:
  explicit RowGradients(mlir::Block &block);

  bool isMade(mlir::Operation *op) const { return made.contains(op); }

private:
  llvm::DenseSet<mlir::Operation *> made;
};

/// Rows in which such a gradient may differ from zero, each once.
struct TouchedRows {
  mlir::Value rows;     ///< [n], integers; -1 in the places that are left over
  mlir::Value gradient; ///< [n, ...]: what the gradient has in each
};

/// Builds the rows of `gradient` at the insertion point, by the same
/// arithmetic: each element is the same to the bit. Nothing where it is no sum
/// of rows, or of so many that it is better taken whole.
std::optional<TouchedRows> buildTouchedRows(mlir::OpBuilder &builder,
                                            mlir::Value gradient);

} // namespace graphc

#endif
