// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape of a convolution, from the types of its tensors.
#ifndef GRAPHC_LIB_TARGET_COMMON_CONVSPEC_H
#define GRAPHC_LIB_TARGET_COMMON_CONVSPEC_H

#include "dialects/tfir/Support.h"
#include "lib/target/common/ContractionShapes.h"

namespace graphc {

/// Images NHWC, filter HWIO, result NHWC; `op` gives strides and padding.
template <typename Op>
Conv2DSpec convSpec(Op op, mlir::RankedTensorType images,
                    mlir::RankedTensorType filter,
                    mlir::RankedTensorType result) {
  bool same = op.getPadding() == "SAME";
  Conv2DSpec spec;
  spec.batch = images.getDimSize(0);
  spec.inHeight = images.getDimSize(1);
  spec.inWidth = images.getDimSize(2);
  spec.inChannels = images.getDimSize(3);
  spec.kernelHeight = filter.getDimSize(0);
  spec.kernelWidth = filter.getDimSize(1);
  spec.outHeight = result.getDimSize(1);
  spec.outWidth = result.getDimSize(2);
  spec.outChannels = result.getDimSize(3);
  spec.strideHeight = op.getStrides()[0];
  spec.strideWidth = op.getStrides()[1];
  spec.padTop =
      tfir::windowOf(spec.inHeight, spec.kernelHeight, spec.strideHeight, same)
          .padBefore;
  spec.padLeft =
      tfir::windowOf(spec.inWidth, spec.kernelWidth, spec.strideWidth, same)
          .padBefore;
  return spec;
}

} // namespace graphc

#endif
