// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of the filter of a convolution.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONV2DFILTERKERNEL_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONV2DFILTERKERNEL_H

#include "lib/target/cpu/contraction/Conv2DKernel.h"

namespace graphc {

/// The plan of a kernel for the gradient of the filter; `spec` is the forward
/// convolution. The batch is cut into plan.partials chunks with a partial sum
/// each; a unit is a chunk times a group of output channels.
ContractionPlan planConv2DBackpropFilter(const tfir::Conv2DSpec &spec);

/// Emits, at the insertion point, the loops that compute the units
/// [begin, end) of `output`: [plan.partials, kh, kw, ci, co], whose sum over
/// the first dimension is the gradient. `input`: in of the forward convolution;
/// `gradient`: that of its out. The memrefs are as for emitConv2D.
void emitConv2DBackpropFilter(mlir::OpBuilder &builder, mlir::Location loc,
                              const tfir::Conv2DSpec &spec, mlir::Value input,
                              mlir::Value gradient, mlir::Value output,
                              mlir::Value scratch, mlir::Value begin,
                              mlir::Value end,
                              const RegisterTile &tile = kTileX86V4);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONV2DFILTERKERNEL_H
