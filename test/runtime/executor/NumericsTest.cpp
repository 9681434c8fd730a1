// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for NaN and infinities finds them at every place.
#include "runtime/executor/Numerics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace graphc::runtime;

namespace {

template <typename T>
NonFinite find(DType dtype, const std::vector<T> &values) {
  return findNonFinite(dtype, std::as_bytes(std::span(values)));
}

TEST(Numerics, FiniteNumbersPass) {
  EXPECT_EQ(find<float>(DType::Float32, {}), NonFinite::None);
  EXPECT_EQ(
      find<float>(DType::Float32, {0, -0.0f, std::numeric_limits<float>::max(),
                                   std::numeric_limits<float>::denorm_min()}),
      NonFinite::None);
  EXPECT_EQ(find<double>(DType::Float64, std::vector<double>(1000, -1e308)),
            NonFinite::None);
}

TEST(Numerics, EveryPlaceIsLookedAt) {
  for (size_t place : {0, 1, 255, 256, 257, 599}) {
    std::vector<float> values(600, 1);
    values[place] = NAN;
    EXPECT_EQ(find(DType::Float32, values), NonFinite::Nan) << place;
    values[place] = -INFINITY;
    EXPECT_EQ(find(DType::Float32, values), NonFinite::Inf) << place;
  }
}

TEST(Numerics, TheFirstOneCounts) {
  EXPECT_EQ(find<double>(DType::Float64, {1, INFINITY, NAN}), NonFinite::Inf);
  EXPECT_EQ(find<double>(DType::Float64, {NAN, INFINITY}), NonFinite::Nan);
}

TEST(Numerics, OtherTypesHaveNone) {
  EXPECT_EQ(find<int32_t>(DType::Int32, {0x7fc00000, -1}), NonFinite::None);
  EXPECT_EQ(find<uint8_t>(DType::UInt8, {255, 255, 255, 255}), NonFinite::None);
}

} // namespace
