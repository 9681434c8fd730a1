// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds and shapes of matrix products and convolutions, as all targets see
// them.
#ifndef GRAPHC_DIALECTS_TFIR_CONTRACTIONSPEC_H
#define GRAPHC_DIALECTS_TFIR_CONTRACTIONSPEC_H

#include <cstdint>

namespace graphc::tfir {

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

/// Kind of a contraction, which determines its operands.
enum class ContractionKind {
  Matmul,               ///< A, B
  Conv2D,               ///< images, filter
  Conv2DBackpropInput,  ///< filter, gradient of the convolution's result
  Conv2DBackpropFilter, ///< images, gradient of the convolution's result
  PrepareFilter,        ///< filter; moves elements only
};

/// Description of a contraction from which targets plan and emit its kernel.
struct ContractionSpec {
  ContractionKind kind;
  MatmulSpec matmul{}; ///< of Matmul
  /// Of all other kinds: the forward convolution that the op is, or whose
  /// gradient it is. Of PrepareFilter only the filter's extents matter.
  Conv2DSpec conv{};
  /// Conv2DBackpropInput: the filter operand is the result of a PrepareFilter,
  /// [kh, kw, co, ci].
  bool filterPrepared = false;
  /// Conv2DBackpropFilter: the result is this many partial sums along a first
  /// dimension; 0 for the gradient itself.
  int64_t partials = 0;

  /// Multiplications and additions.
  double flops() const {
    switch (kind) {
    case ContractionKind::Matmul:
      return matmul.flops();
    case ContractionKind::PrepareFilter:
      return 0;
    default:
      return conv.flops();
    }
  }
};

} // namespace graphc::tfir

#endif
