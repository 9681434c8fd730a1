// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and numbers of bytes in messages.
#include "runtime/base/Texts.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

TEST(Texts, ControlCharactersAreEscaped) {
  EXPECT_EQ(quote("conv/kernel"), "'conv/kernel'");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(escape("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(escape(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(escape("größer"), "größer");
}

TEST(Texts, BytesInPowersOf1000) {
  EXPECT_EQ(decimalBytes(0), "0 B");
  EXPECT_EQ(decimalBytes(999), "999 B");
  EXPECT_EQ(decimalBytes(1000), "1.0 KB");
  EXPECT_EQ(decimalBytes(61700), "62 KB");
  EXPECT_EQ(decimalBytes(999999), "1.0 MB");
  EXPECT_EQ(decimalBytes(uint64_t(1) << 40), "1.1 TB");
}

TEST(Texts, BytesInPowersOf1024) {
  EXPECT_EQ(binaryBytes(0), "0 bytes");
  EXPECT_EQ(binaryBytes(1), "1 byte");
  EXPECT_EQ(binaryBytes(1023), "1023 bytes");
  EXPECT_EQ(binaryBytes(1024), "1 KiB");
  EXPECT_EQ(binaryBytes(100 << 20), "100 MiB");
  EXPECT_EQ(binaryBytes((int64_t(5) << 30) / 2), "2.5 GiB");
}

} // namespace
