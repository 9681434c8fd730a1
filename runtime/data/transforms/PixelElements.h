// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of images as floats, and back.
#ifndef GRAPHC_RUNTIME_DATA_TRANSFORMS_PIXELELEMENTS_H
#define GRAPHC_RUNTIME_DATA_TRANSFORMS_PIXELELEMENTS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace graphc::runtime {

template <typename T> T elementAt(const std::byte *image, int64_t index) {
  T value;
  std::memcpy(&value, image + index * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

/// Writes a float, or the nearest byte.
template <typename T>
void setElement(std::byte *image, int64_t index, float value) {
  T element;
  if constexpr (sizeof(T) == 1)
    // Written so that a NaN becomes 0.
    element = static_cast<T>(!(value >= 0.5f)  ? 0
                             : value >= 254.5f ? 255
                                               : value + 0.5f);
  else
    element = value;
  std::memcpy(image + index * static_cast<int64_t>(sizeof(T)), &element,
              sizeof(T));
}

} // namespace graphc::runtime

#endif
