// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math functions without a math library.
#ifndef GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDMATH_H
#define GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDMATH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Replaces the ops of `func` that LLVM would lower to a call (exp, tanh, pow,
/// ...) by polynomials that vectorise; fails with a diagnostic at an op for
/// which there is none, such as exp of f64. With `contract`, a product that
/// only a sum reads is added in one rounding.
mlir::LogicalResult expandMath(mlir::func::FuncOp func, bool contract);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDMATH_H
