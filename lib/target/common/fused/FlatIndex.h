// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linalg.index in kernels that see their tensors as a matrix.
#ifndef GRAPHC_LIB_TARGET_COMMON_FUSED_FLATINDEX_H
#define GRAPHC_LIB_TARGET_COMMON_FUSED_FLATINDEX_H

#include "lib/target/common/fused/FlatPlan.h"

namespace graphc {

/// A vector of the matrix: its row, and its first column as the start of a
/// block plus a constant.
struct FlatPosition {
  mlir::Value row, column;
  int64_t offset;
};

/// Index `dim` of the loops of `flat` at a vector of elements: a scalar if all
/// lanes share it, else a vector of index.
mlir::Value flatIndex(KernelBuilder &builder, const FlatPlan &plan,
                      const FlatOp &flat, unsigned dim, FlatPosition at);

/// The same for one element, whose row and column are given.
mlir::Value flatElementIndex(KernelBuilder &builder, const FlatPlan &plan,
                             const FlatOp &flat, unsigned dim, mlir::Value row,
                             mlir::Value column);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_FUSED_FLATINDEX_H
