// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 bits: every one of them, and how f32 is rounded to them.
#include "runtime/base/Half.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

constexpr DType kTypes[] = {DType::Float16, DType::BFloat16};

TEST(Half, EveryNumberIsRoundedToItself) {
  for (DType type : kTypes)
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
      float value = floatOfHalf(type, static_cast<uint16_t>(bits));
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(floatOfHalf(type, halfOfFloat(type, value))));
      else
        ASSERT_EQ(halfOfFloat(type, value), bits) << dtypeName(type);
    }
}

TEST(Half, NumbersBetweenGoToTheNearestAndTiesToTheEvenOne) {
  for (DType type : kTypes)
    // Positive numbers are in the order of their bits, up to the largest.
    for (uint16_t bits = 0;
         std::isfinite(floatOfHalf(type, static_cast<uint16_t>(bits + 1)));
         ++bits) {
      float low = floatOfHalf(type, bits);
      float high = floatOfHalf(type, static_cast<uint16_t>(bits + 1));
      float middle = low + (high - low) / 2;
      auto even = static_cast<uint16_t>(bits + bits % 2);
      ASSERT_EQ(halfOfFloat(type, middle), even) << dtypeName(type) << bits;
      ASSERT_EQ(halfOfFloat(type, std::nextafter(middle, low)), bits);
      ASSERT_EQ(halfOfFloat(type, std::nextafter(middle, high)), bits + 1);
      ASSERT_EQ(halfOfFloat(type, -middle), even | 0x8000);
    }
}

TEST(Half, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(floatOfHalf(DType::Float16, halfOfFloat(DType::Float16, 65519.9F)),
            65504);
  EXPECT_TRUE(std::isinf(
      floatOfHalf(DType::Float16, halfOfFloat(DType::Float16, 65520))));
  EXPECT_EQ(floatOfHalf(DType::BFloat16,
                        halfOfFloat(DType::BFloat16, -3.4028235e38F)),
            -INFINITY);
  EXPECT_EQ(halfOfFloat(DType::Float16, 1e-30F), 0);
}

TEST(Half, NamesAndSizes) {
  EXPECT_EQ(parseDType("float16"), DType::Float16);
  EXPECT_EQ(parseDType("bfloat16"), DType::BFloat16);
  EXPECT_EQ((TensorType{DType::BFloat16, {2, 3}}.numBytes()), 12U);
  EXPECT_FALSE(isHalf(DType::Float32));
}

} // namespace
