// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes decompositions that arrange the elements of tensors.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_ARRANGEEXPR_H
#define GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_ARRANGEEXPR_H

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"

namespace graphc::tfir {

/// Builds ops over tensors of static shapes. Dimensions are in [0, rank).
struct ArrangeExpr {
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Shape = llvm::SmallVector<int64_t>;

  static Shape shapeOf(mlir::Value x) {
    return Shape(tensorType(x).getShape());
  }
  /// The numbers from 0 on.
  mlir::Value iota(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    return IotaOp::create(b, loc, mlir::RankedTensorType::get(shape, element));
  }
  /// Also for the same shape, where a value of its own is needed.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    return ReshapeOp::create(b, loc, tensorType(x).clone(shape), x);
  }
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    return BroadcastToOp::create(b, loc, tensorType(x).clone(shape), x);
  }
  mlir::Value slice(mlir::Value x, llvm::ArrayRef<int64_t> begin,
                    llvm::ArrayRef<int64_t> size) {
    return SliceOp::create(b, loc, tensorType(x).clone(size), x, begin, size);
  }
  /// `size` places of one dimension, from `begin` on.
  mlir::Value sliceAlong(mlir::Value x, int64_t axis, int64_t begin,
                         int64_t size) {
    Shape begins(tensorType(x).getRank(), 0), sizes = shapeOf(x);
    begins[axis] = begin;
    sizes[axis] = size;
    return slice(x, begins, sizes);
  }
  mlir::Value block(mlir::Value x, llvm::ArrayRef<int64_t> begin,
                    llvm::ArrayRef<int64_t> size,
                    llvm::ArrayRef<int64_t> strides) {
    return StridedBlockOp::create(b, loc, tensorType(x).clone(size), x, begin,
                                  size, strides);
  }
  mlir::Value place(mlir::Value x, llvm::ArrayRef<int64_t> dims,
                    llvm::ArrayRef<int64_t> begin,
                    llvm::ArrayRef<int64_t> strides, double value) {
    return PlaceBlockOp::create(b, loc, tensorType(x).clone(dims), x, dims,
                                begin, strides, llvm::APFloat(value));
  }
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts, int64_t axis) {
    Shape shape = shapeOf(parts.front());
    for (mlir::Value part : parts.drop_front())
      shape[axis] += tensorType(part).getDimSize(axis);
    return ConcatOp::create(b, loc, tensorType(parts.front()).clone(shape),
                            parts, axis);
  }
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm) {
    Shape shape;
    for (int64_t dim : perm)
      shape.push_back(tensorType(x).getDimSize(dim));
    return TransposeOp::create(b, loc, tensorType(x).clone(shape), x, perm);
  }
  /// In the opposite order along these dimensions.
  mlir::Value reverse(mlir::Value x, llvm::ArrayRef<int64_t> axes) {
    Shape shape = shapeOf(x), begin(shape.size(), 0), strides(shape.size(), 1);
    for (int64_t axis : axes)
      if (shape[axis] > 0) {
        begin[axis] = shape[axis] - 1;
        strides[axis] = -1;
      }
    return block(x, begin, shape, strides);
  }
};

/// An axis in [-rank, rank) as one in [0, rank); emits an error on `op` when it
/// is another. `what` names the tensor.
mlir::FailureOr<int64_t> normalizeAxis(mlir::Operation *op, int64_t axis,
                                       int64_t rank, llvm::StringRef what);

/// Checks that the element type of a tensor has the number `value`, that of
/// the attribute `name`.
mlir::LogicalResult verifyNumber(mlir::Operation *op, llvm::StringRef name,
                                 double value, mlir::RankedTensorType type);

} // namespace graphc::tfir

#endif
