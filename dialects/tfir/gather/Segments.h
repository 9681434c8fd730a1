// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order of slices by segment, as linalg on tensors.
#ifndef GRAPHC_DIALECTS_TFIR_GATHER_SEGMENTS_H
#define GRAPHC_DIALECTS_TFIR_GATHER_SEGMENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace graphc::tfir {

/// Constants, and a number of any width as an index.
mlir::Value index(mlir::OpBuilder &b, mlir::Location loc, int64_t value);
mlir::Value number32(mlir::OpBuilder &b, mlir::Location loc, int64_t value);
mlir::Value zeroOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element);
mlir::Value toIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);

/// The elements of a static tensor in another shape.
mlir::Value inShape(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                    llvm::ArrayRef<int64_t> shape);

/// Slices of data by segment: those of segment s are `order[i]` for i from
/// starts[s] to starts[s + 1].
struct Segments {
  mlir::Value order;  ///< [1, slices] of i32
  mlir::Value starts; ///< [segments + 1] of i32
};

/// The first place (i32) of sorted ids, [1, slices] with one at least, whose id
/// is not below `segment`, an index.
mlir::Value lowerBound(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value sorted, mlir::Value segment);

/// `ids` has a slice at least.
Segments segmentsOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value ids,
                    int64_t count);

} // namespace graphc::tfir

#endif
