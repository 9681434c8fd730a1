// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes expressions with reductions: ops that are short for them.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_REDUCTIONEXPR_H
#define GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_REDUCTIONEXPR_H

#include "dialects/tfir/ops/OpExpr.h"

namespace graphc::tfir {

/// The shape that reductions over `axes` (in order, from 0) leave.
llvm::SmallVector<int64_t> shapeWithout(llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> axes,
                                        bool keepDims);

/// Appends the type of a reduction of `x`, with `element` in place of its
/// element type where that is given.
mlir::LogicalResult inferReduced(mlir::Operation *op, mlir::Value x,
                                 std::optional<llvm::ArrayRef<int64_t>> axes,
                                 bool keepDims,
                                 llvm::SmallVectorImpl<mlir::Type> &types,
                                 mlir::Type element = nullptr);

/// The axis counted from 0; emits an error on `op` when it is out of range.
mlir::FailureOr<int64_t> normalizeAxis(mlir::Operation *op, int64_t axis,
                                       int64_t rank);

/// Axes are in order, and count from 0.
struct ReductionExpr : OpExpr {
  using Axes = llvm::ArrayRef<int64_t>;

  template <typename Op>
  mlir::Value reduce(mlir::Value x, Axes axes, bool keepDims) {
    mlir::RankedTensorType type = tensorType(x);
    return Op::create(b, loc,
                      type.clone(shapeWithout(type.getShape(), axes, keepDims)),
                      x, b.getDenseI64ArrayAttr(axes),
                      keepDims ? b.getUnitAttr() : mlir::UnitAttr());
  }
  mlir::Value sum(mlir::Value x, Axes axes, bool keepDims) {
    return reduce<SumOp>(x, axes, keepDims);
  }
  mlir::Value mean(mlir::Value x, Axes axes, bool keepDims) {
    return reduce<MeanOp>(x, axes, keepDims);
  }
  mlir::Value sumOfSquares(mlir::Value x, Axes axes, bool keepDims) {
    return sum(unary<SquareOp>(x), axes, keepDims);
  }
  /// Mean, with kept dimensions, and mean of squared differences to it. Two
  /// passes: the mean of squares less the square of the mean would cancel.
  std::pair<mlir::Value, mlir::Value> moments(mlir::Value x, Axes axes,
                                              bool keepDims) {
    mlir::Value centre = mean(x, axes, /*keepDims=*/true);
    return {centre,
            mean(binary<SquaredDifferenceOp>(x, centre), axes, keepDims)};
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    mlir::RankedTensorType type = tensorType(x);
    if (type.getShape() == shape)
      return x;
    return ReshapeOp::create(b, loc, type.clone(shape), x);
  }
  /// A test of the elements of x.
  template <typename Op> mlir::Value check(mlir::Value x) {
    return Op::create(
        b, loc,
        mlir::RankedTensorType::get(tensorType(x).getShape(), b.getI1Type()),
        x);
  }
  mlir::Value cast(mlir::Value x, mlir::Type element) {
    return CastOp::create(
        b, loc, mlir::RankedTensorType::get(tensorType(x).getShape(), element),
        x);
  }
  mlir::Value isZero(mlir::Value x) { return test<EqualOp>(x, number(x, 0)); }
  /// The root of a sum of squares, with gradient 0 in place of NaN at 0.
  mlir::Value root(mlir::Value squares) {
    mlir::Value zero = isZero(squares);
    return whereNot(zero, unary<SqrtOp>(select(zero, number(squares, 1),
                                               squares, squares)));
  }
};

} // namespace graphc::tfir

#endif
