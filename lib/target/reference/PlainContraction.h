// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions as plain linalg, one loop per dimension.
#ifndef GRAPHC_LIB_TARGET_REFERENCE_PLAINCONTRACTION_H
#define GRAPHC_LIB_TARGET_REFERENCE_PLAINCONTRACTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Replaces the contraction of `kernel`, if it has one, by linalg.generic on
/// tensors that computes each element as the op is defined, its terms one after
/// the other.
void expandContraction(mlir::func::FuncOp kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_REFERENCE_PLAINCONTRACTION_H
