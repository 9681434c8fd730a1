// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Crc32c.h"

#include <array>
#include <cstring>
#include <nmmintrin.h>

namespace graphc::runtime {

namespace {
/// The polynomial, lowest bit first.
constexpr uint32_t kPolynomial = 0x82f63b78u;
constexpr size_t kWord = sizeof(uint64_t);
/// Bytes of each of the three chunks that are summed side by side: the
/// instruction has a latency of three cycles and begins in each.
constexpr size_t kChunk = 1024;

using Table = std::array<uint32_t, 256>;

/// tables[k][b]: the CRC of byte b with k zero bytes after it.
constexpr std::array<Table, kWord> makeTables() {
  std::array<Table, kWord> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < kWord; ++k)
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 255];
    }
  return tables;
}
constexpr std::array<Table, kWord> kTables = makeTables();

/// shifts[k][b]: what byte k of a CRC, with value b, becomes when kChunk zero
/// bytes follow.
std::array<Table, 4> makeShifts() {
  std::array<uint32_t, 32> bits{};
  for (int bit = 0; bit < 32; ++bit) {
    uint32_t crc = 1u << bit;
    for (size_t i = 0; i < kChunk; ++i)
      crc = (crc >> 8) ^ kTables[0][crc & 255];
    bits[bit] = crc;
  }
  std::array<Table, 4> shifts{};
  for (int k = 0; k < 4; ++k)
    for (uint32_t byte = 0; byte < 256; ++byte)
      for (int bit = 0; bit < 8; ++bit)
        if (byte >> bit & 1)
          shifts[k][byte] ^= bits[8 * k + bit];
  return shifts;
}

uint32_t shiftByChunk(const std::array<Table, 4> &shifts, uint32_t crc) {
  return shifts[0][crc & 255] ^ shifts[1][crc >> 8 & 255] ^
         shifts[2][crc >> 16 & 255] ^ shifts[3][crc >> 24];
}

uint64_t load(const std::byte *from) {
  uint64_t word;
  std::memcpy(&word, from, kWord);
  return word;
}

__attribute__((target("sse4.2"))) uint32_t
byInstruction(std::span<const std::byte> bytes, uint32_t seed) {
  static const std::array<Table, 4> shifts = makeShifts();
  const std::byte *at = bytes.data();
  size_t left = bytes.size();
  uint64_t crc = ~seed;
  for (; left >= 3 * kChunk; at += 3 * kChunk, left -= 3 * kChunk) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kChunk; i += kWord) {
      crc = _mm_crc32_u64(crc, load(at + i));
      second = _mm_crc32_u64(second, load(at + kChunk + i));
      third = _mm_crc32_u64(third, load(at + 2 * kChunk + i));
    }
    crc = shiftByChunk(shifts, static_cast<uint32_t>(crc)) ^ second;
    crc = shiftByChunk(shifts, static_cast<uint32_t>(crc)) ^ third;
  }
  for (; left >= kWord; at += kWord, left -= kWord)
    crc = _mm_crc32_u64(crc, load(at));
  auto narrow = static_cast<uint32_t>(crc);
  for (; left > 0; ++at, --left)
    narrow = _mm_crc32_u8(narrow, static_cast<uint8_t>(*at));
  return ~narrow;
}
} // namespace

uint32_t crc32cByTables(std::span<const std::byte> bytes, uint32_t seed) {
  const std::byte *at = bytes.data();
  size_t left = bytes.size();
  uint32_t crc = ~seed;
  for (; left >= kWord; at += kWord, left -= kWord) {
    uint64_t word = load(at) ^ crc;
    crc = 0;
    for (size_t k = 0; k < kWord; ++k)
      crc ^= kTables[kWord - 1 - k][word >> 8 * k & 255];
  }
  for (; left > 0; ++at, --left)
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint8_t>(*at)) & 255];
  return ~crc;
}

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t seed) {
  static const bool hasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  return hasInstruction ? byInstruction(bytes, seed)
                        : crc32cByTables(bytes, seed);
}

} // namespace graphc::runtime
