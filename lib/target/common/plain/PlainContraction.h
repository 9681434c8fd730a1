// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions as plain linalg, one loop per dimension.
#ifndef GRAPHC_LIB_TARGET_COMMON_PLAIN_PLAINCONTRACTION_H
#define GRAPHC_LIB_TARGET_COMMON_PLAIN_PLAINCONTRACTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Replaces the contractions of `kernel`, also those in its loops and choices,
/// by linalg.generic on tensors that computes each element as the op is
/// defined, its terms one after the other.
void expandContractions(mlir::func::FuncOp kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_PLAIN_PLAINCONTRACTION_H
