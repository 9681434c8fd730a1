// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A short way to write tfir arithmetic.
#ifndef GRAPHC_LIB_AUTODIFF_ARITHMETIC_H
#define GRAPHC_LIB_AUTODIFF_ARITHMETIC_H

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Builds one op per call; the shapes broadcast.
struct Arithmetic {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  /// A scalar of the element type of `like`.
  mlir::Value number(mlir::Value like, double value) {
    auto element = tfir::tensorType(like).getElementType();
    return tfir::splat(builder, loc, mlir::RankedTensorType::get({}, element),
                       value);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return binary<tfir::AddOp>(x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return binary<tfir::SubOp>(x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return binary<tfir::MulOp>(x, y);
  }
  mlir::Value mul(mlir::Value x, double y) { return mul(x, number(x, y)); }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return binary<tfir::DivOp>(x, y);
  }
  mlir::Value square(mlir::Value x) { return unary<tfir::SquareOp>(x); }
  mlir::Value sqrt(mlir::Value x) { return unary<tfir::SqrtOp>(x); }

  template <typename Op> mlir::Value unary(mlir::Value x) {
    return Op::create(builder, loc, x.getType(), x);
  }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    mlir::RankedTensorType type = tfir::tensorType(x);
    auto shape =
        tfir::broadcastShapes(type.getShape(), tfir::tensorType(y).getShape());
    return Op::create(builder, loc, type.clone(*shape), x, y);
  }
  /// x as numbers of `element`.
  mlir::Value cast(mlir::Value x, mlir::Type element) {
    mlir::RankedTensorType type = tfir::tensorType(x);
    if (type.getElementType() == element)
      return x;
    return tfir::CastOp::create(builder, loc, type.clone(element), x);
  }
};

} // namespace graphc

#endif
