// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first 64 bytes of a model.bin.
#ifndef GRAPHC_RUNTIME_FORMAT_FILEHEADER_H
#define GRAPHC_RUNTIME_FORMAT_FILEHEADER_H

#include <cstdint>

namespace graphc::format {

inline constexpr char kMagic[8] = {'g', 'r', 'a', 'p', 'h', 'c', '\r', '\n'};
inline constexpr uint32_t kFormatMajor = 1;
inline constexpr uint32_t kFormatMinor = 0;
/// Blobs and arena slots start at multiples of this many bytes.
inline constexpr uint64_t kAlignment = 64;

/// Little endian, at offset 0 of the file. A reader accepts its own major and
/// any minor up to its own.
struct FileHeader {
  char magic[8];
  uint32_t formatMajor;
  uint32_t formatMinor;
  uint64_t indexOffset; ///< of the FlatBuffer, = sizeof(FileHeader)
  uint64_t indexSize;   ///< in bytes
  uint64_t fileSize;    ///< of the whole file
  uint64_t digest[2];   ///< XXH3-128 (low, high) of the bytes after the header
  uint64_t reserved;    ///< zero
};
static_assert(sizeof(FileHeader) == 64);

} // namespace graphc::format

#endif
