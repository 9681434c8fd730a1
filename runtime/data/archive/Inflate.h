// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inflating and deflating bytes with zlib, within limits.
#ifndef GRAPHC_RUNTIME_DATA_ARCHIVE_INFLATE_H
#define GRAPHC_RUNTIME_DATA_ARCHIVE_INFLATE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::runtime {

enum class Wrapping {
  Raw,  ///< a bare deflate stream, as in zip archives
  Gzip, ///< one or more gzip members, with their checksums
  Zlib  ///< one zlib stream, with its checksum
};

/// True when the bytes start as gzip does.
bool isGzip(std::span<const std::byte> bytes);

/// True when the bytes may start as zlib's streams do, which two bytes tell.
bool isZlib(std::span<const std::byte> bytes);

/// At most `limit` bytes of what `bytes` inflates to. The stream must be valid
/// as far as it is read, and complete if it does not reach the limit: else
/// DATA_LOSS. So a limit one above the expected size finds trailing bytes, and
/// a small file cannot claim a lot of memory.
StatusOr<std::vector<std::byte>> inflateBytes(std::span<const std::byte> bytes,
                                              Wrapping wrapping, uint64_t limit,
                                              std::string_view place);

/// A bare deflate stream of `bytes`.
StatusOr<std::vector<std::byte>> deflateBytes(std::span<const std::byte> bytes,
                                              std::string_view place);

/// CRC-32 as zip uses it, of any number of bytes.
uint32_t crc32Of(std::span<const std::byte> bytes);

} // namespace graphc::runtime

#endif
