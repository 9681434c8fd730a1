// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/summary/PngImage.h"

#include <vector>
#include <zlib.h>

namespace graphc::runtime {

namespace {
/// Largest side of an image: with it no product below overflows.
constexpr uint32_t kMaxSide = 1 << 20;

void appendBig(std::string &to, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(value >> shift));
}

void appendChunk(std::string &to, const std::string &kind,
                 const std::string &data) {
  appendBig(to, static_cast<uint32_t>(data.size()));
  std::string checked = kind + data;
  to += checked;
  appendBig(to, static_cast<uint32_t>(
                    crc32(0, reinterpret_cast<const Bytef *>(checked.data()),
                          static_cast<uInt>(checked.size()))));
}

/// PNG's number for grey, RGB and RGBA.
char colourType(uint32_t channels) {
  return channels == 1 ? 0 : channels == 3 ? 2 : 6;
}
} // namespace

StatusOr<std::string> encodePng(const ImagePixels &image) {
  uint64_t row = uint64_t{image.width} * image.channels;
  if (image.channels != 1 && image.channels != 3 && image.channels != 4)
    return invalidArgument("an image has " + std::to_string(image.channels) +
                           " channels, expected 1, 3 or 4");
  if (image.height == 0 || image.width == 0 || image.height > kMaxSide ||
      image.width > kMaxSide || image.bytes.size() != row * image.height)
    return invalidArgument("an image of " + std::to_string(image.height) +
                           " x " + std::to_string(image.width) + " x " +
                           std::to_string(image.channels) + " bytes has " +
                           std::to_string(image.bytes.size()));
  std::string rows;
  rows.reserve((row + 1) * image.height);
  for (uint32_t y = 0; y < image.height; ++y) {
    rows.push_back(0); // no filter
    rows.append(reinterpret_cast<const char *>(image.bytes.data()) + y * row,
                row);
  }
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef *>(packed.data()), &size,
                reinterpret_cast<const Bytef *>(rows.data()), rows.size(),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    return resourceExhausted("no memory to compress an image");
  packed.resize(size);
  std::string header;
  appendBig(header, image.width);
  appendBig(header, image.height);
  header += {8, colourType(image.channels), 0, 0, 0};
  std::string png = "\x89PNG\r\n\x1a\n";
  appendChunk(png, "IHDR", header);
  appendChunk(png, "IDAT", packed);
  appendChunk(png, "IEND", "");
  return png;
}

} // namespace graphc::runtime
