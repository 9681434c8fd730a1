// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A short way to write tfir arithmetic.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_ARITHMETIC_H
#define GRAPHC_DIALECTS_TFIR_TRAINING_ARITHMETIC_H

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

namespace graphc::tfir {

/// Builds one op per call; the shapes broadcast.
struct Arithmetic {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  /// A scalar of the element type of `like`.
  mlir::Value number(mlir::Value like, double value) {
    auto element = tensorType(like).getElementType();
    return splat(builder, loc, mlir::RankedTensorType::get({}, element), value);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) { return binary<AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return binary<SubOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return binary<MulOp>(x, y); }
  mlir::Value mul(mlir::Value x, double y) { return mul(x, number(x, y)); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return binary<DivOp>(x, y); }
  mlir::Value square(mlir::Value x) { return unary<SquareOp>(x); }
  mlir::Value sqrt(mlir::Value x) { return unary<SqrtOp>(x); }
  mlir::Value abs(mlir::Value x) { return unary<AbsOp>(x); }
  mlir::Value sign(mlir::Value x) { return unary<SignOp>(x); }
  mlir::Value maximum(mlir::Value x, mlir::Value y) {
    return binary<MaximumOp>(x, y);
  }
  mlir::Value minimum(mlir::Value x, mlir::Value y) {
    return binary<MinimumOp>(x, y);
  }
  /// The sum of all elements.
  mlir::Value sum(mlir::Value x) {
    auto type = mlir::RankedTensorType::get({}, tensorType(x).getElementType());
    return SumOp::create(builder, loc, type, x, mlir::DenseI64ArrayAttr(),
                         /*keep_dims=*/mlir::UnitAttr());
  }
  /// The square root of the sum of squares of all elements.
  mlir::Value norm(mlir::Value x) { return sqrt(sum(square(x))); }
  /// A comparison, which is i1.
  template <typename Op> mlir::Value compare(mlir::Value x, mlir::Value y) {
    auto shape =
        broadcastShapes(tensorType(x).getShape(), tensorType(y).getShape());
    return Op::create(builder, loc,
                      mlir::RankedTensorType::get(*shape, builder.getI1Type()),
                      x, y);
  }
  mlir::Value isPositive(mlir::Value x) {
    return compare<GreaterOp>(x, number(x, 0));
  }
  /// x where the condition holds, else y; the shapes broadcast.
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    mlir::RankedTensorType type = tensorType(x);
    auto shape = broadcastShapes(type.getShape(), tensorType(y).getShape());
    shape = broadcastShapes(*shape, tensorType(condition).getShape());
    return SelectOp::create(builder, loc, type.clone(*shape), condition, x, y);
  }

  template <typename Op> mlir::Value unary(mlir::Value x) {
    return Op::create(builder, loc, x.getType(), x);
  }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    mlir::RankedTensorType type = tensorType(x);
    auto shape = broadcastShapes(type.getShape(), tensorType(y).getShape());
    return Op::create(builder, loc, type.clone(*shape), x, y);
  }
  /// x as numbers of `element`.
  mlir::Value cast(mlir::Value x, mlir::Type element) {
    mlir::RankedTensorType type = tensorType(x);
    if (type.getElementType() == element)
      return x;
    return CastOp::create(builder, loc, type.clone(element), x);
  }
};

} // namespace graphc::tfir

#endif
