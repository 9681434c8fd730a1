// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline code for sine and cosine.
#ifndef GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDTRIGONOMETRY_H
#define GRAPHC_LIB_TARGET_COMMON_MATH_EXPANDTRIGONOMETRY_H

#include "mlir/IR/PatternMatch.h"

namespace graphc {

/// Adds patterns that expand math.sin and math.cos of f32, f64 and their
/// vectors, in place of MLIR's for f32, whose error grows with the operand:
/// here it is below 1.5e-7 (f64: 4e-16) up to 1e5. Beyond 1e7 the result is
/// only some number in [-1, 1].
void populateTrigonometryPatterns(mlir::RewritePatternSet &patterns);

} // namespace graphc

#endif
