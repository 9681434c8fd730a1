// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 convolution of images, NHWC by HWIO, without im2col: forward and the
// gradient of the input.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONV2DKERNEL_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONV2DKERNEL_H

#include "dialects/tfir/ContractionSpec.h"
#include "lib/target/cpu/contraction/Contraction.h"
#include "lib/target/cpu/contraction/Epilogue.h"

namespace graphc {

/// The plan of a forward kernel. A unit is a block of rows of some images.
ContractionPlan planConv2D(const tfir::Conv2DSpec &spec);

/// Emits, at the insertion point, the loops that compute the units
/// [begin, end) of `out`. `input`, `filter`: contiguous static f32 memrefs that
/// no output overlaps; `scratch`: a memref of i8 with plan.scratchBytes bytes,
/// aligned to 64. The result space of `epilogue` is [n, oh, ow, co].
void emitConv2D(mlir::OpBuilder &builder, mlir::Location loc,
                const tfir::Conv2DSpec &spec, mlir::Value input,
                mlir::Value filter, const Epilogue &epilogue,
                mlir::Value scratch, mlir::Value begin, mlir::Value end,
                const RegisterTile &tile = kTileX86V4);

/// The plan of a kernel for the gradient of `in`; `spec` is the forward
/// convolution. `filterPrepared`: the kernel is given the output of
/// emitPrepareFilter instead of the filter and need not make it in scratch for
/// every range of units.
ContractionPlan planConv2DBackpropInput(const tfir::Conv2DSpec &spec,
                                        bool filterPrepared);

/// Like emitConv2D; `gradient` is that of `out`, `filter` is HWIO or prepared.
/// The result space of `epilogue` is [n, ih, iw, ci].
void emitConv2DBackpropInput(mlir::OpBuilder &builder, mlir::Location loc,
                             const tfir::Conv2DSpec &spec, mlir::Value gradient,
                             mlir::Value filter, bool filterPrepared,
                             const Epilogue &epilogue, mlir::Value scratch,
                             mlir::Value begin, mlir::Value end,
                             const RegisterTile &tile = kTileX86V4);

/// The plan of the kernel that prepares a filter. A unit is one (kh, kw).
ContractionPlan planPrepareFilter(const tfir::Conv2DSpec &spec);

/// Writes to `prepared`, of kernelHeight * kernelWidth * outChannels *
/// inChannels f32 elements, the filter mirrored in height and width and with
/// its channels transposed: prepared[KH - 1 - kh, KW - 1 - kw, co, ci].
void emitPrepareFilter(mlir::OpBuilder &builder, mlir::Location loc,
                       const tfir::Conv2DSpec &spec, mlir::Value filter,
                       mlir::Value prepared, mlir::Value begin,
                       mlir::Value end);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONV2DKERNEL_H
