// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/library/Products.h"

#include <algorithm>
#include <vector>

namespace graphc::emulator {

float Finish::value(double sum, const float *old, const float *bias) const {
  double value = alpha * sum;
  if (beta != 0)
    value += static_cast<double>(beta) * *old;
  if (hasBias)
    value += *bias;
  // A NaN stays one.
  return static_cast<float>(hasRelu && value < 0 ? 0 : value);
}

void multiply(const Product &product, const float *a, const float *b,
              const float *c, const float *bias, float *d) {
  size_t rows = product.d.rows, columns = product.d.columns;
  std::vector<double> sums(rows);
  for (size_t column = 0; column < columns; ++column) {
    std::fill(sums.begin(), sums.end(), 0);
    for (size_t step = 0; step < product.depth; ++step) {
      double factor = product.transposeB ? b[column + step * product.b.stride]
                                         : b[step + column * product.b.stride];
      size_t first = product.transposeA ? step : step * product.a.stride;
      size_t next = product.transposeA ? product.a.stride : 1;
      for (size_t row = 0; row < rows; ++row)
        sums[row] += factor * a[first + row * next];
    }
    for (size_t row = 0; row < rows; ++row) {
      size_t at = row + column * product.d.stride;
      d[at] = product.finish.value(sums[row], c ? c + at : nullptr,
                                   bias ? bias + row : nullptr);
    }
  }
}

namespace {

/// Calls `visit(image, filter, result)` with the first elements, in channels,
/// that meet at each tap of the filter inside of the image.
template <typename Visitor>
void forEachTap(const Convolution &c, Visitor visit) {
  for (size_t n = 0; n < c.batch; ++n)
    for (size_t y = 0; y < c.outHeight; ++y)
      for (size_t x = 0; x < c.outWidth; ++x)
        for (size_t r = 0; r < c.kernelHeight; ++r)
          for (size_t s = 0; s < c.kernelWidth; ++s) {
            // Below the padding, the difference wraps around and is large.
            size_t row = y * c.strideHeight + r - c.padHeight;
            size_t column = x * c.strideWidth + s - c.padWidth;
            if (row < c.inHeight && column < c.inWidth)
              visit(((n * c.inHeight + row) * c.inWidth + column) *
                        c.inChannels,
                    (r * c.kernelWidth + s) * c.inChannels,
                    ((n * c.outHeight + y) * c.outWidth + x) * c.outChannels);
          }
}

/// Filters are summed with their output channels side by side.
size_t tapsOf(const Convolution &c) {
  return c.kernelHeight * c.kernelWidth * c.inChannels;
}

} // namespace

void convolve(const Convolution &c, const float *images, const float *filter,
              const float *bias, float *results) {
  size_t taps = tapsOf(c), channels = c.outChannels;
  std::vector<float> byTap(taps * channels);
  for (size_t k = 0; k < channels; ++k)
    for (size_t tap = 0; tap < taps; ++tap)
      byTap[tap * channels + k] = filter[k * taps + tap];
  std::vector<double> sums(c.resultCount());
  forEachTap(c, [&](size_t image, size_t tap, size_t result) {
    for (size_t i = 0; i < c.inChannels; ++i) {
      double value = images[image + i];
      const float *weights = byTap.data() + (tap + i) * channels;
      for (size_t k = 0; k < channels; ++k)
        sums[result + k] += value * weights[k];
    }
  });
  for (size_t i = 0; i < sums.size(); ++i)
    results[i] =
        c.finish.value(sums[i], nullptr, bias ? bias + i % channels : nullptr);
}

void convolveBackToImages(const Convolution &c, const float *filter,
                          const float *gradients, float *images) {
  size_t taps = tapsOf(c);
  std::vector<double> sums(c.imageCount());
  forEachTap(c, [&](size_t image, size_t tap, size_t result) {
    for (size_t k = 0; k < c.outChannels; ++k) {
      double value = gradients[result + k];
      const float *weights = filter + k * taps + tap;
      for (size_t i = 0; i < c.inChannels; ++i)
        sums[image + i] += value * weights[i];
    }
  });
  std::copy(sums.begin(), sums.end(), images);
}

void convolveBackToFilter(const Convolution &c, const float *images,
                          const float *gradients, float *filter) {
  size_t taps = tapsOf(c), channels = c.outChannels;
  std::vector<double> sums(taps * channels);
  forEachTap(c, [&](size_t image, size_t tap, size_t result) {
    for (size_t i = 0; i < c.inChannels; ++i) {
      double value = images[image + i];
      double *target = sums.data() + (tap + i) * channels;
      for (size_t k = 0; k < channels; ++k)
        target[k] += value * gradients[result + k];
    }
  });
  for (size_t k = 0; k < channels; ++k)
    for (size_t tap = 0; tap < taps; ++tap)
      filter[k * taps + tap] = static_cast<float>(sums[tap * channels + k]);
}

} // namespace graphc::emulator
