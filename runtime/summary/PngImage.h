// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encodes images as PNG, the form in which summaries hold them.
#ifndef GRAPHC_RUNTIME_SUMMARY_PNGIMAGE_H
#define GRAPHC_RUNTIME_SUMMARY_PNGIMAGE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace graphc::runtime {

/// Pixels in rows from the top, each of `channels` bytes: 1 grey, 3 RGB, 4
/// RGBA. Thread-safety: as a value type.
struct ImagePixels {
  uint32_t height = 0, width = 0, channels = 1;
  std::span<const std::byte> bytes;
};

/// INVALID_ARGUMENT: no pixels, other channels, or another number of bytes.
StatusOr<std::string> encodePng(const ImagePixels &image);

} // namespace graphc::runtime

#endif
