// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC32C (Castagnoli) and its masked form, as TFRecord and event files use
// them.
#ifndef GRAPHC_RUNTIME_BASE_CRC32C_H
#define GRAPHC_RUNTIME_BASE_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace graphc::runtime {

/// CRC32C of the bytes. `seed`: the CRC of the bytes before them, for a value
/// that is computed in chunks. Uses the CPU's instruction where it has one.
/// Thread-safety: any number of calls.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t seed = 0);

/// The same by tables alone, for CPUs without the instruction.
uint32_t crc32cByTables(std::span<const std::byte> bytes, uint32_t seed = 0);

/// The form in which a CRC is stored beside the bytes that it is of: a CRC of
/// bytes that contain CRCs would be a weak one.
constexpr uint32_t maskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/// maskCrc32c() of crc32c().
inline uint32_t maskedCrc32c(std::span<const std::byte> bytes) {
  return maskCrc32c(crc32c(bytes));
}

} // namespace graphc::runtime

#endif
