// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of matrix products and convolutions, as all targets see them.
#ifndef GRAPHC_LIB_TARGET_COMMON_CONTRACTIONSHAPES_H
#define GRAPHC_LIB_TARGET_COMMON_CONTRACTIONSHAPES_H

#include <cstdint>

namespace graphc {

/// C[m, n] = op(A) op(B), where op(A) is [m, k] and op(B) is [k, n]; all
/// extents are at least 1. A transposed operand is stored as [k, m] or [n, k].
struct MatmulSpec {
  int64_t m, n, k;
  bool transposeA = false, transposeB = false;

  double flops() const { return 2.0 * m * n * k; }
};

/// out[n, oh, ow, co] = sum over kh, kw, ci of
///   in[n, oh * strideHeight + kh - padTop, ow * strideWidth + kw - padLeft,
///   ci]
///   * filter[kh, kw, ci, co], where reads outside of the image are zero.
/// Extents and strides are at least 1, pads at least 0.
struct Conv2DSpec {
  int64_t batch, inHeight, inWidth, inChannels;
  int64_t kernelHeight, kernelWidth;
  int64_t outHeight, outWidth, outChannels;
  int64_t strideHeight = 1, strideWidth = 1;
  int64_t padTop = 0, padLeft = 0;

  int64_t filterElements() const {
    return kernelHeight * kernelWidth * inChannels * outChannels;
  }
  double flops() const {
    return 2.0 * batch * outHeight * outWidth * filterElements();
  }
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_CONTRACTIONSHAPES_H
