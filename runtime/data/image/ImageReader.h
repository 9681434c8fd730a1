// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JPEG and PNG images, by libjpeg-turbo and libpng.
#ifndef GRAPHC_RUNTIME_DATA_IMAGE_IMAGEREADER_H
#define GRAPHC_RUNTIME_DATA_IMAGE_IMAGEREADER_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace graphc::runtime {

/// An image of more pixels is refused before memory is taken for it.
inline constexpr int64_t kMostPixels = int64_t{1} << 26;

bool isJpeg(std::span<const std::byte> bytes);
bool isPng(std::span<const std::byte> bytes);

/// Reads one image after the other; buffers are used again. A failure's text
/// begins with what the image is: "a JPEG image that is damaged: ...".
/// Thread-safety: one thread.
class ImageReader {
public:
  ImageReader();
  ~ImageReader();
  ImageReader(const ImageReader &) = delete;
  ImageReader &operator=(const ImageReader &) = delete;

  /// Reads the header. The bytes must stay until decode() is done.
  Status open(std::span<const std::byte> bytes);

  /// In pixels, as decode() writes them.
  int64_t height() const;
  int64_t width() const;

  /// Makes decode() write a JPEG image at 1/by of its size, rounded up.
  /// REQUIRES: by is 1, 2, 4 or 8.
  void shrink(int64_t by);

  /// Writes height x width x channels bytes, by rows. Grey images get three
  /// equal channels, colours their luminance where one is wanted; transparency
  /// is left out, 16 bits become the upper 8. REQUIRES: channels is 1 or 3.
  Status decode(int64_t channels, std::byte *to);

private:
  struct Codec;
  std::unique_ptr<Codec> codec;
};

} // namespace graphc::runtime

#endif
