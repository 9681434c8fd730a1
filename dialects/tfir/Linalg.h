// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short ways to write linalg on tensors, for the lowerings of ops.
#ifndef GRAPHC_DIALECTS_TFIR_LINALG_H
#define GRAPHC_DIALECTS_TFIR_LINALG_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace graphc::tfir {

/// The scalar body of a linalg.generic: gets the inputs' elements followed by
/// the outputs' and gives the new outputs' elements.
using ScalarBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// An uninitialised tensor.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type);

/// A tensor full of `value`.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, mlir::Value value);

/// A linalg.generic over `loops` dimensions, of which those in `reduced` are
/// reductions. `maps` has one map per input, then one per output.
mlir::linalg::GenericOp
buildGeneric(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::ValueRange inputs, mlir::ValueRange outputs,
             llvm::ArrayRef<mlir::AffineMap> maps, int64_t loops,
             llvm::ArrayRef<int64_t> reduced, ScalarBody body);

/// A fully parallel generic without tensor inputs that makes each element of a
/// tensor of `type` from its indices.
mlir::Value buildFromIndices(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::ValueRange)>
        element);

} // namespace graphc::tfir

#endif
