// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline code for functions of f64.
#ifndef GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDDOUBLE_H
#define GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDDOUBLE_H

#include "mlir/IR/PatternMatch.h"

namespace graphc {

/// Adds patterns that expand exp, expm1, log, log1p, log2, tanh, asin, acos,
/// atan, atan2, erf and erfc of f64 and its vectors, which MLIR has for f32
/// only. The relative error is below 2e-15.
void populateDoublePatterns(mlir::RewritePatternSet &patterns);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDDOUBLE_H
