// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers: arithmetic with which the expansions of math functions are written.
#ifndef GRAPHC_LIB_TARGET_COMMON_MATH_NUMBERS_H
#define GRAPHC_LIB_TARGET_COMMON_MATH_NUMBERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

namespace graphc {

/// Builds ops on floats of one type, scalars or vectors, at one location.
struct Numbers {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;

  using Predicate = mlir::arith::CmpFPredicate;

  mlir::Value number(double value);
  /// An integer of `bits` in each place.
  mlir::Value integer(int64_t value, unsigned bits);
  /// The type with other elements.
  mlir::Type like(mlir::Type element);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, double y) { return add(x, number(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, double y) { return mul(x, number(y)); }
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value roundEven(mlir::Value x);
  /// |x| with the sign of `sign`.
  mlir::Value copySign(mlir::Value x, mlir::Value sign);
  /// x * y + z in one rounding.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value fma(mlir::Value x, double y, mlir::Value z) {
    return fma(x, number(y), z);
  }
  /// The coefficient of the highest power comes first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

  mlir::Value compare(Predicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value compare(Predicate predicate, mlir::Value x, double y) {
    return compare(predicate, x, number(y));
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// x where it is between the bounds, or NaN.
  mlir::Value clamp(mlir::Value x, double low, double high);
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_MATH_NUMBERS_H
