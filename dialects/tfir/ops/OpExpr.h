// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes expressions in ops of the dialect: gradients and decompositions.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_OPEXPR_H
#define GRAPHC_DIALECTS_TFIR_OPS_OPEXPR_H

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

namespace graphc::tfir {

/// Builds ops over tensors of one element type, which broadcast as numpy does.
struct OpExpr {
  mlir::OpBuilder &b;
  mlir::Location loc;

  /// A scalar of the element type of `like`.
  mlir::Value number(mlir::Value like, double value) {
    auto type = tensorType(like);
    return splat(b, loc, mlir::RankedTensorType::get({}, type.getElementType()),
                 value);
  }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    mlir::RankedTensorType xType = tensorType(x), yType = tensorType(y);
    auto shape = broadcastShapes(xType.getShape(), yType.getShape());
    return Op::create(b, loc, xType.clone(*shape), x, y);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) { return binary<AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return binary<SubOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return binary<MulOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return binary<DivOp>(x, y); }
  mlir::Value scale(mlir::Value x, double factor) {
    return mul(x, number(x, factor));
  }
  mlir::Value shift(mlir::Value x, double term) {
    return add(x, number(x, term));
  }
  template <typename Op> mlir::Value unary(mlir::Value x) {
    return Op::create(b, loc, x.getType(), x);
  }
  mlir::Value neg(mlir::Value x) { return unary<NegOp>(x); }
  template <typename Op> mlir::Value test(mlir::Value x, mlir::Value y) {
    mlir::RankedTensorType xType = tensorType(x), yType = tensorType(y);
    auto shape = broadcastShapes(xType.getShape(), yType.getShape());
    return Op::create(b, loc,
                      mlir::RankedTensorType::get(*shape, b.getI1Type()), x, y);
  }
  /// x where the condition holds, else y; of the type of `like`.
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y,
                     mlir::Value like) {
    return SelectOp::create(b, loc, like.getType(), condition, x, y);
  }
  /// g where the condition holds, else 0.
  mlir::Value where(mlir::Value condition, mlir::Value g) {
    return select(condition, g, number(g, 0), g);
  }
  mlir::Value whereNot(mlir::Value condition, mlir::Value g) {
    return select(condition, number(g, 0), g, g);
  }
  /// The gradient summed over the dimensions along which the operand was
  /// broadcast.
  mlir::Value fit(mlir::Value gradient, mlir::Value operand) {
    return unbroadcast(b, loc, gradient, tensorType(operand));
  }
};

} // namespace graphc::tfir

// The body sees: e (expressions), g (gradient of the result), x, y (operand and
// result).
#define GRAPHC_UNARY_GRADIENT(OP, ...)                                         \
  mlir::LogicalResult OP::buildGradient(                                       \
      mlir::OpBuilder &b, mlir::ValueRange gradients,                          \
      llvm::MutableArrayRef<mlir::Value> result) {                             \
    OpExpr e{b, getLoc()};                                                     \
    mlir::Value g = gradients[0], x = getX(), y = getY();                      \
    (void)e, (void)g, (void)x, (void)y;                                        \
    result[0] = __VA_ARGS__;                                                   \
    return mlir::success();                                                    \
  }

// The body gives the gradients by x and y before they are summed over what was
// broadcast.
#define GRAPHC_BINARY_GRADIENT(OP, BYX, BYY)                                   \
  mlir::LogicalResult OP::buildGradient(                                       \
      mlir::OpBuilder &b, mlir::ValueRange gradients,                          \
      llvm::MutableArrayRef<mlir::Value> result) {                             \
    OpExpr e{b, getLoc()};                                                     \
    mlir::Value g = gradients[0], x = getX(), y = getY(), z = getZ();          \
    (void)x, (void)y, (void)z;                                                 \
    result[0] = e.fit(BYX, x);                                                 \
    result[1] = e.fit(BYY, y);                                                 \
    return mlir::success();                                                    \
  }

#endif
