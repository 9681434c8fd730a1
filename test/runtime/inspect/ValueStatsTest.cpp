// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of values of all types, with and without finite elements.
#include "runtime/inspect/ValueStats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace graphc::runtime;

namespace {

template <typename T>
ValueStats stats(DType dtype, const std::vector<T> &values) {
  return statsOf(dtype, std::as_bytes(std::span<const T>(values)));
}

TEST(ValueStats, NumbersOfFiniteElements) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  ValueStats found =
      stats<float>(DType::Float32, {NAN, 3, 0, -1, kInf, -kInf, -0.0f});
  EXPECT_EQ(found.count, 7u);
  EXPECT_EQ(found.nans, 1u);
  EXPECT_EQ(found.infs, 2u);
  EXPECT_EQ(found.zeros, 2u);
  EXPECT_EQ(found.min, -1);
  EXPECT_EQ(found.max, 3);
  EXPECT_DOUBLE_EQ(found.mean, 0.5);
  EXPECT_DOUBLE_EQ(found.norm, std::sqrt(10.0));
  EXPECT_DOUBLE_EQ(found.deviation, 1.5);
  EXPECT_FALSE(found.isFinite());
}

TEST(ValueStats, MeanOfLargeNumbersKeepsTheDeviation) {
  ValueStats found = stats<double>(DType::Float64, {1e9 + 1, 1e9 - 1});
  EXPECT_EQ(found.deviation, 1);
  EXPECT_TRUE(found.isFinite());
}

TEST(ValueStats, NothingFiniteGivesZeros) {
  ValueStats none = stats<float>(DType::Float32, {});
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.mean, 0);
  ValueStats nans = stats<float>(DType::Float32, {NAN, NAN});
  EXPECT_EQ(nans.nans, 2u);
  EXPECT_EQ(nans.min, 0);
  EXPECT_EQ(nans.max, 0);
  EXPECT_EQ(nans.deviation, 0);
}

TEST(ValueStats, WholeNumbersAndBools) {
  EXPECT_EQ(stats<int64_t>(DType::Int64, {-5, 7}).mean, 1);
  EXPECT_EQ(stats<int32_t>(DType::Int32, {-5, 7}).min, -5);
  EXPECT_EQ(stats<uint8_t>(DType::UInt8, {200, 0}).max, 200);
  EXPECT_EQ(stats<uint8_t>(DType::Bool, {1, 0, 0}).zeros, 2u);
}

TEST(ValueStats, PlaceOfAnElement) {
  EXPECT_EQ(placeText({DType::Float32, {2, 3}}, 4), "[1,1]");
  EXPECT_EQ(placeText({DType::Float32, {5}}, 4), "[4]");
  EXPECT_EQ(placeText({DType::Float32, {}}, 0), "");
}

} // namespace
