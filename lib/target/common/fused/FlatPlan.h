// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatPlan: a kernel seen as one matrix of rows x columns, read once.
#ifndef GRAPHC_LIB_TARGET_COMMON_FUSED_FLATPLAN_H
#define GRAPHC_LIB_TARGET_COMMON_FUSED_FLATPLAN_H

#include "lib/target/common/fused/TensorKernel.h"

namespace graphc {

/// Extent of a tensor: for what it has one element each. The matrix is in
/// row-major order.
enum class Space { Scalar, Row, Column, Full };

/// A tensor that is a range of the columns of another one.
struct FlatPart {
  mlir::Value root;
  int64_t begin; ///< its first column
};

/// An op of the kernel and how it sees the matrix.
struct FlatOp {
  mlir::linalg::GenericOp op;
  Space space = Space::Full; ///< of its loops
  llvm::SmallVector<Space> operands;
  /// The element of each operand that a constant map picks, else 0.
  llvm::SmallVector<int64_t> elements;
  bool reduces = false; ///< its results have a Row (or Column) each
  bool late = false;    ///< uses the result of a reduction
  /// Inputs that the op concatenates, if that is all it does.
  llvm::SmallVector<FlatPart> parts;
};

/// Kernels without reductions and broadcasts are one row. With `byRow` a unit
/// holds whole rows and reductions are along rows; otherwise a unit holds whole
/// columns and reductions are along columns.
struct FlatPlan {
  bool byRow = false;
  int64_t rows = 1;
  int64_t columns = 1;
  llvm::SmallVector<FlatOp> ops;
  /// Columns where a part of an op begins, in order, the first excluded: with
  /// one row, and each the start of a block.
  llvm::SmallVector<int64_t> cuts;
};

/// Abilities of an emitter of plans beyond one pass in vectors.
struct FlatRules {
  /// The matrix may be read more than once: reductions and full-size ops may
  /// use the results of earlier reductions.
  bool manyPasses = false;
  /// Bodies are emitted on scalars: any op is welcome, and tensor.extract from
  /// arguments that are not overwritten, or constants.
  bool scalarBodies = false;
};

/// The plan of `kernel`, if it is elementwise on one index space, with operands
/// that are full-size, one per row, one per column or scalar, and reductions
/// along rows or along columns whose results are used per row or per column.
/// Updates in place are proved to be elementwise.
std::optional<FlatPlan> planFlat(TensorKernel &kernel, FlatRules rules = {});

/// The loops of `op` with more than one step.
llvm::SmallVector<unsigned> longLoops(mlir::linalg::GenericOp op);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_FUSED_FLATPLAN_H
