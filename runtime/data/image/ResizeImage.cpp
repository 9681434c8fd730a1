// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/image/ResizeImage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace graphc::runtime {

namespace {

/// The two pixels around a place, and the part of the second.
struct Blend {
  int64_t low, high;
  float part;
};

std::vector<Blend> blendsOf(int64_t from, int64_t to, bool isTf1) {
  std::vector<Blend> blends(static_cast<size_t>(to));
  float scale = static_cast<float>(from) / static_cast<float>(to);
  for (int64_t i = 0; i < to; ++i) {
    auto at = static_cast<float>(i);
    at = isTf1 ? at * scale : (at + 0.5f) * scale - 0.5f;
    float floor = std::floor(at);
    auto low = static_cast<int64_t>(floor);
    blends[static_cast<size_t>(i)] = {std::clamp<int64_t>(low, 0, from - 1),
                                      std::clamp<int64_t>(low + 1, 0, from - 1),
                                      at - floor};
  }
  return blends;
}

/// A row of the source, blended along its width.
void blendRow(const std::byte *row, const std::vector<Blend> &columns,
              int64_t channels, float *to) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(row);
  for (const Blend &column : columns) {
    const uint8_t *a = bytes + column.low * channels;
    const uint8_t *b = bytes + column.high * channels;
    for (int64_t c = 0; c < channels; ++c, ++to) {
      float left = a[c];
      *to = left + (static_cast<float>(b[c]) - left) * column.part;
    }
  }
}

void resizeBilinear(const ImageView &from, bool isTf1, int64_t height,
                    int64_t width, std::byte *to) {
  static thread_local std::vector<float> upper, lower;
  auto count = static_cast<size_t>(width * from.channels);
  upper.resize(count);
  lower.resize(count);
  std::vector<Blend> columns = blendsOf(from.width, width, isTf1);
  int64_t upperRow = -1, lowerRow = -1; // that the buffers hold
  for (const Blend &row : blendsOf(from.height, height, isTf1)) {
    if (upperRow != row.low && lowerRow == row.low) {
      std::swap(upper, lower);
      std::swap(upperRow, lowerRow);
    }
    if (upperRow != row.low)
      blendRow(from.pixels + row.low * from.stride, columns, from.channels,
               upper.data());
    if (lowerRow != row.high)
      blendRow(from.pixels + row.high * from.stride, columns, from.channels,
               lower.data());
    upperRow = row.low;
    lowerRow = row.high;
    auto *out = reinterpret_cast<uint8_t *>(to);
    for (size_t i = 0; i < count; ++i) {
      float value = upper[i] + (lower[i] - upper[i]) * row.part;
      out[i] = static_cast<uint8_t>(static_cast<int32_t>(value + 0.5f));
    }
    to += count;
  }
}

int64_t nearestTo(int64_t i, int64_t from, int64_t to, bool isTf1) {
  // In integers: floor((2 i + 1) from / (2 to)).
  int64_t at = isTf1 ? i * from / to : (2 * i + 1) * from / (2 * to);
  return std::min(at, from - 1);
}

void resizeNearest(const ImageView &from, bool isTf1, int64_t height,
                   int64_t width, std::byte *to) {
  auto pixel = static_cast<size_t>(from.channels);
  for (int64_t y = 0; y < height; ++y) {
    const std::byte *row =
        from.pixels + nearestTo(y, from.height, height, isTf1) * from.stride;
    for (int64_t x = 0; x < width; ++x, to += pixel)
      std::memcpy(to,
                  row + nearestTo(x, from.width, width, isTf1) * from.channels,
                  pixel);
  }
}

} // namespace

void resizeImage(const ImageView &from, Resizing resizing, int64_t height,
                 int64_t width, std::byte *to) {
  bool isTf1 =
      resizing == Resizing::BilinearTf1 || resizing == Resizing::NearestTf1;
  if (resizing == Resizing::Nearest || resizing == Resizing::NearestTf1)
    resizeNearest(from, isTf1, height, width, to);
  else
    resizeBilinear(from, isTf1, height, width, to);
}

} // namespace graphc::runtime
