// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of the emulated libraries: float32 in and out, sums in double.
#ifndef GRAPHC_TEST_CUDA_LIBRARY_PRODUCTS_H
#define GRAPHC_TEST_CUDA_LIBRARY_PRODUCTS_H

#include <cstddef>

namespace graphc::emulator {

/// Epilogue of a sum before it is stored.
struct Finish {
  float alpha = 1, beta = 0;
  bool hasBias = false, hasRelu = false;

  /// `old` is what is there, read only if beta is not 0.
  float value(double sum, const float *old, const float *bias) const;
};

/// A column-major matrix.
struct Matrix {
  size_t rows = 0, columns = 0, stride = 0;
};

/// D = finish(op(A) op(B)), with `depth` products per element; the bias has an
/// element per row of D.
struct Product {
  Matrix a, b, d;
  bool transposeA = false, transposeB = false;
  size_t depth = 0;
  Finish finish;
};

/// `c` may be null if beta is 0, `bias` if there is none.
void multiply(const Product &product, const float *a, const float *b,
              const float *c, const float *bias, float *d);

/// NHWC images, KRSC filters.
struct Convolution {
  size_t batch = 0;
  size_t inHeight = 0, inWidth = 0, inChannels = 0;
  size_t outHeight = 0, outWidth = 0, outChannels = 0;
  size_t kernelHeight = 0, kernelWidth = 0;
  size_t padHeight = 0, padWidth = 0, strideHeight = 1, strideWidth = 1;
  Finish finish;

  size_t imageCount() const { return batch * inHeight * inWidth * inChannels; }
  size_t resultCount() const {
    return batch * outHeight * outWidth * outChannels;
  }
  size_t filterCount() const {
    return outChannels * kernelHeight * kernelWidth * inChannels;
  }
};

void convolve(const Convolution &convolution, const float *images,
              const float *filter, const float *bias, float *results);
void convolveBackToImages(const Convolution &convolution, const float *filter,
                          const float *gradients, float *images);
void convolveBackToFilter(const Convolution &convolution, const float *images,
                          const float *gradients, float *filter);

} // namespace graphc::emulator

#endif
