// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first 64 bytes of a model.bin.
#ifndef GRAPHC_RUNTIME_FORMAT_FILEHEADER_H
#define GRAPHC_RUNTIME_FORMAT_FILEHEADER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace graphc::format {

inline constexpr char kMagic[8] = {'g', 'r', 'a', 'p', 'h', 'c', '\r', '\n'};
inline constexpr uint32_t kFormatMajor = 2;
inline constexpr uint32_t kFormatMinor = 5;
/// Blobs and arena slots start at multiples of this many bytes.
inline constexpr uint64_t kAlignment = 64;

/// Little endian, at offset 0 of the file. A reader accepts its own major and
/// any minor up to its own.
struct FileHeader {
  char magic[8];
  uint32_t formatMajor;
  uint32_t formatMinor;
  uint64_t indexOffset; ///< of the FlatBuffer, = sizeof(FileHeader)
  uint64_t indexSize;   ///< in bytes, with zeros up to a multiple of kAlignment
  uint64_t fileSize;    ///< of the whole file
  uint64_t digest[2];   ///< XXH3-128 (low, high) of the bytes after the header
  uint64_t headerDigest; ///< headerDigestOf()
};
static_assert(sizeof(FileHeader) == 64);

/// XXH3-128 (low, high) of `bytes`.
std::array<uint64_t, 2> digestOf(std::span<const std::byte> bytes);

/// XXH3-64 of the fields before headerDigest, which the digest of the file does
/// not cover.
uint64_t headerDigestOf(const FileHeader &header);

/// The next multiple of kAlignment from `size` on.
constexpr uint64_t alignUp(uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

/// Writes the header of a file whose index and blobs are already in place:
/// `file` is the whole file, its first 64 bytes are overwritten, the index ends
/// at 64 + `indexSize`. Writers of the format call this last.
/// REQUIRES: `indexSize` is a multiple of kAlignment and lies inside `file`.
void sealFile(std::span<std::byte> file, uint64_t indexSize);

} // namespace graphc::format

#endif
