// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of all sizes and alignments have the source's bytes and change nothing
// around them.
#include "runtime/base/CopyBytes.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace graphc::runtime;

namespace {

TEST(CopyBytes, CopiesWhatIsThereAndNoMore) {
  constexpr size_t kString = 1 << 20, kMiddle = 4 << 20, kLarge = 32 << 20;
  constexpr size_t kMargin = 128;
  std::vector<std::byte> source(kLarge + 4096);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = std::byte((i * 2654435761u) >> 13);
  for (size_t size :
       {size_t(0), size_t(1), size_t(100), kString - 1, kString, kString + 1,
        kMiddle, kMiddle + 1000, kLarge - 1, kLarge, kLarge + 1000}) {
    for (size_t shift : {0, 1, 63}) {
      std::vector<std::byte> target(size + 2 * kMargin, std::byte(7));
      auto base = reinterpret_cast<uintptr_t>(target.data());
      std::byte *to = target.data() + (64 - base % 64) % 64 + shift;
      copyBytes(to, std::span(source).subspan(shift, size));
      ASSERT_TRUE(std::equal(to, to + size, source.begin() + shift))
          << size << " at " << shift;
      for (std::byte *at = target.data(); at < to; ++at)
        ASSERT_EQ(*at, std::byte(7));
      for (std::byte *at = to + size; at < target.data() + target.size(); ++at)
        ASSERT_EQ(*at, std::byte(7));
    }
  }
}

} // namespace
