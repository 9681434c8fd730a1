// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a graph so that it reads and assigns the parts of variables.
#ifndef GRAPHC_LIB_PLACEMENT_SPLIT_SPLITGRAPH_H
#define GRAPHC_LIB_PLACEMENT_SPLIT_SPLITGRAPH_H

#include "dialects/tfir/Tfir.h"

#include "llvm/ADT/MapVector.h"

namespace graphc {

/// Rows of a variable.
struct RowRange {
  int64_t begin, size;
};

/// A variable that was divided by rows.
struct SplitVariable {
  mlir::RankedTensorType type;               ///< of the whole
  llvm::SmallVector<RowRange> rows;          ///< of the parts
  llvm::SmallVector<mlir::StringAttr> names; ///< of the parts
};

/// Divided variables by their names before.
using SplitMap = llvm::MapVector<mlir::StringAttr, SplitVariable>;

/// The type with another number of rows.
mlir::RankedTensorType withRows(mlir::RankedTensorType type, int64_t rows);

/// Replaces reads and assignments of divided variables by those of their parts,
/// and computes what is assigned part by part where that gives the same.
void splitGraph(tfir::GraphOp graph, const SplitMap &cuts);

} // namespace graphc

#endif
