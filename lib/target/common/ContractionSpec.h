// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions: which ops they are, and their shapes.
#ifndef GRAPHC_LIB_TARGET_COMMON_CONTRACTIONSPEC_H
#define GRAPHC_LIB_TARGET_COMMON_CONTRACTIONSPEC_H

#include "dialects/tfir/Tfir.h"
#include "lib/target/common/ContractionShapes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// True for matmul, the convolutions and their parts: what a target multiplies
/// by micro-kernels or by a library.
bool isContraction(mlir::Operation *op);

/// The contraction of a kernel, or null. A kernel has one at most.
mlir::Operation *findContraction(mlir::func::FuncOp kernel);

/// Products and sums of a contraction; 0 for one that only moves elements.
double contractionFlops(mlir::Operation *contraction);

MatmulSpec specOf(tfir::MatMulOp op);
/// Of a gradient: the convolution that it is a gradient of.
Conv2DSpec specOf(tfir::Conv2DOp op);
Conv2DSpec specOf(tfir::Conv2DBackpropInputOp op);
Conv2DSpec specOf(tfir::Conv2DBackpropFilterOp op);
Conv2DSpec specOf(tfir::Conv2DPreparedBackpropInputOp op);
Conv2DSpec specOf(tfir::Conv2DFilterPartialsOp op);
/// Only the filter matters.
Conv2DSpec specOf(tfir::PrepareFilterOp op);

} // namespace graphc

#endif
