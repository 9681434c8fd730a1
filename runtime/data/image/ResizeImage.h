// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resizing images of bytes.
#ifndef GRAPHC_RUNTIME_DATA_IMAGE_RESIZEIMAGE_H
#define GRAPHC_RUNTIME_DATA_IMAGE_RESIZEIMAGE_H

#include "runtime/data/image/ImageRules.h"

#include <cstddef>

namespace graphc::runtime {

/// Pixels in memory: rows of width x channels bytes, each `stride` bytes after
/// the one before.
struct ImageView {
  const std::byte *pixels;
  int64_t height, width, channels, stride;
};

/// Writes height x width pixels. REQUIRES: all sizes are at least 1.
void resizeImage(const ImageView &from, Resizing resizing, int64_t height,
                 int64_t width, std::byte *to);

} // namespace graphc::runtime

#endif
