// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of the contractions that have kernels.
#ifndef GRAPHC_LIB_LOWERING_CONTRACTIONSPEC_H
#define GRAPHC_LIB_LOWERING_CONTRACTIONSPEC_H

#include "dialects/tfir/Tfir.h"
#include "lib/codegen/contraction/Conv2DKernel.h"
#include "lib/codegen/contraction/MatmulKernel.h"

namespace graphc {

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
