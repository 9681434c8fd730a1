// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The digest and the header that writers put before a file.
#include "runtime/format/FileHeader.h"

#include <cassert>
#include <cstring>
#include <xxhash.h>

namespace graphc::format {

std::array<uint64_t, 2> digestOf(std::span<const std::byte> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

uint64_t headerDigestOf(const FileHeader &header) {
  return XXH3_64bits(&header, offsetof(FileHeader, headerDigest));
}

void sealFile(std::span<std::byte> file, uint64_t indexSize) {
  assert(indexSize % kAlignment == 0 && "the index is padded with zeros");
  assert(sizeof(FileHeader) + indexSize <= file.size());
  FileHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.formatMajor = kFormatMajor;
  header.formatMinor = kFormatMinor;
  header.indexOffset = sizeof(FileHeader);
  header.indexSize = indexSize;
  header.fileSize = file.size();
  auto digest = digestOf(file.subspan(sizeof(FileHeader)));
  header.digest[0] = digest[0];
  header.digest[1] = digest[1];
  header.headerDigest = headerDigestOf(header);
  std::memcpy(file.data(), &header, sizeof(header));
}

} // namespace graphc::format
