// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of a record in TFRecord files: length, CRC of the length, data, CRC
// of the data, all little-endian.
#ifndef GRAPHC_RUNTIME_DATA_TFRECORD_RECORDFRAME_H
#define GRAPHC_RUNTIME_DATA_TFRECORD_RECORDFRAME_H

#include "runtime/base/Crc32c.h"

#include <array>
#include <cstring>

namespace graphc::runtime {

inline constexpr size_t kRecordHeader = 12; ///< bytes before the data
inline constexpr size_t kRecordFooter = 4;  ///< bytes after them

inline std::array<std::byte, kRecordHeader> recordHeader(uint64_t length) {
  std::array<std::byte, kRecordHeader> header;
  std::memcpy(header.data(), &length, sizeof(length));
  uint32_t crc = maskedCrc32c(std::span(header).first(sizeof(length)));
  std::memcpy(header.data() + sizeof(length), &crc, sizeof(crc));
  return header;
}

inline std::array<std::byte, kRecordFooter>
recordFooter(std::span<const std::byte> data) {
  std::array<std::byte, kRecordFooter> footer;
  uint32_t crc = maskedCrc32c(data);
  std::memcpy(footer.data(), &crc, sizeof(crc));
  return footer;
}

/// Reads the length that a header gives; false: its CRC is wrong.
inline bool readRecordHeader(std::span<const std::byte, kRecordHeader> header,
                             uint64_t &length) {
  uint32_t crc = 0;
  std::memcpy(&length, header.data(), sizeof(length));
  std::memcpy(&crc, header.data() + sizeof(length), sizeof(crc));
  return crc == maskedCrc32c(header.first(sizeof(length)));
}

} // namespace graphc::runtime

#endif
