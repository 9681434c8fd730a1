// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests CRC32C against known values and itself.
#include "runtime/base/Crc32c.h"

#include <gtest/gtest.h>
#include <string_view>
#include <vector>

using namespace graphc::runtime;

namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::vector<std::byte> someBytes(size_t size) {
  std::vector<std::byte> bytes(size);
  uint32_t state = 1;
  for (std::byte &byte : bytes)
    byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

// The vectors of RFC 3720, B.4.
TEST(Crc32c, KnownValues) {
  std::vector<std::byte> zeros(32), ones(32, std::byte{255}), up(32);
  for (int i = 0; i < 32; ++i)
    up[i] = static_cast<std::byte>(i);
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c(bytesOf("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c(zeros), 0x8a9136aau);
  EXPECT_EQ(crc32c(ones), 0x62a8ab43u);
  EXPECT_EQ(crc32c(up), 0x46dd794eu);
}

TEST(Crc32c, TablesAndInstructionAgreeAtEachLengthAndAlignment) {
  std::vector<std::byte> bytes = someBytes(20000);
  std::span<const std::byte> all(bytes);
  for (size_t size : {0, 1, 7, 8, 9, 63, 1024, 3071, 3072, 3073, 6144, 19990})
    for (size_t begin : {0, 1, 3, 7})
      EXPECT_EQ(crc32c(all.subspan(begin, size), 5),
                crc32cByTables(all.subspan(begin, size), 5))
          << size << " bytes from " << begin;
}

TEST(Crc32c, ChunksGiveTheCrcOfTheWhole) {
  std::vector<std::byte> bytes = someBytes(10000);
  std::span<const std::byte> all(bytes);
  for (size_t cut : {0, 1, 4096, 9999, 10000})
    EXPECT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), crc32c(all));
}

// By the formula of record_writer.h, worked out by hand.
TEST(Crc32c, MaskIsThatOfTensorFlow) {
  EXPECT_EQ(maskCrc32c(0), 0xa282ead8u);
  EXPECT_EQ(maskCrc32c(0xe3069283u), 0xc78ab0e5u);
  EXPECT_EQ(maskedCrc32c(bytesOf("123456789")), maskCrc32c(0xe3069283u));
}

} // namespace
