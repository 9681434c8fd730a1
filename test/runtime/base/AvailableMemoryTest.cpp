// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that is left is read from the kernel's text.
#include "runtime/base/host/AvailableMemory.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

TEST(AvailableMemory, IsReadFromTheKernelsText) {
  EXPECT_EQ(availableMemory("MemTotal: 9 kB\nMemAvailable:     2048 kB\n"),
            2048u * 1024);
  for (const char *text :
       {"", "MemTotal: 1 kB\n", "MemAvailable:", "MemAvailable:   ",
        "MemAvailable: kB", "MemAvailable: 18446744073709551615 kB",
        "MemAvailable: 99999999999999999999 kB"})
    EXPECT_FALSE(availableMemory(text)) << text;
  std::optional<uint64_t> here = availableMemory();
  ASSERT_TRUE(here);
  EXPECT_GT(*here, 1u << 20);
}
