// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar region of an elementwise linalg.generic, emitted on vectors.
#ifndef GRAPHC_LIB_TARGET_COMMON_FUSED_VECTORIZEBODY_H
#define GRAPHC_LIB_TARGET_COMMON_FUSED_VECTORIZEBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphc {

/// True if vectorizeBody can emit the region of `op`: constants, linalg.index
/// and ops that are elementwise on scalars and vectors alike, without regions
/// or side effects.
bool canVectorizeBody(mlir::linalg::GenericOp op);

/// Clones the region of `op` at the insertion point with every scalar widened
/// to a vector of `width` lanes and returns the yielded vectors.
///
/// `arguments` holds a value per block argument of the region: a vector, a
/// scalar, which is broadcast, or null for an argument that is not used.
/// `index(d)` gives linalg.index d: a vector<width x index>, or a scalar index
/// that all lanes share.
/// REQUIRES: canVectorizeBody(op).
llvm::SmallVector<mlir::Value>
vectorizeBody(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
              mlir::ValueRange arguments,
              llvm::function_ref<mlir::Value(unsigned dim)> index,
              int64_t width);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_FUSED_VECTORIZEBODY_H
