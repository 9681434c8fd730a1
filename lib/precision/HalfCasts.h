// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts between f32 and floats of 16 bits that passes put between operations.
#ifndef GRAPHC_LIB_PRECISION_HALFCASTS_H
#define GRAPHC_LIB_PRECISION_HALFCASTS_H

#include "lib/frontend/UniqueNames.h"

#include "mlir/IR/Builders.h"

namespace graphc {

/// True for tensors of f16 or bf16.
bool isHalfTensor(mlir::Type type);
/// True for tensors of f32.
bool isSingleTensor(mlir::Type type);

/// Builds the cast of `x` to another element type. It is where `like` is: on
/// its device, in its tower and its turn of a pipeline; its name is below that
/// of `like` and taken from `names`.
mlir::Value castLike(mlir::OpBuilder &b, mlir::Value x, mlir::Type element,
                     mlir::Operation *like, UniqueNames &names);

} // namespace graphc

#endif
