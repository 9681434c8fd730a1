// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of tensors, with limits at and beyond them.
#include "runtime/inspect/ValueDiff.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace graphc::runtime;

namespace {

template <typename T> HostTensor tensor(std::vector<T> values) {
  return HostTensor::of<T>({static_cast<int64_t>(values.size())},
                           std::span<const T>(values));
}

TEST(ValueDiff, EqualBitsAndEqualZerosAreNone) {
  EXPECT_EQ(diffValues(tensor<float>({1, NAN}), tensor<float>({1, NAN}), {})
                .differing,
            0u);
  EXPECT_EQ(
      diffValues(tensor<float>({0.0f}), tensor<float>({-0.0f}), {}).differing,
      0u);
}

TEST(ValueDiff, NamesFirstAndWorst) {
  ValueDiff diff = diffValues(tensor<float>({1, 2, 3, 4}),
                              tensor<float>({1, 2.5f, 3, 8}), {});
  EXPECT_EQ(diff.count, 4u);
  EXPECT_EQ(diff.differing, 2u);
  EXPECT_EQ(diff.first, 1u);
  EXPECT_EQ(diff.worst, 3u);
  EXPECT_EQ(diff.maxAbsolute, 4);
  EXPECT_EQ(diff.maxRelative, 0.5);
}

TEST(ValueDiff, UlpsAtTheLimit) {
  float next = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  HostTensor a = tensor<float>({1}), b = tensor<float>({next});
  EXPECT_EQ(diffValues(a, b, {}).maxUlps, 2);
  EXPECT_EQ(diffValues(a, b, {.ulps = 1}).differing, 1u);
  EXPECT_EQ(diffValues(a, b, {.ulps = 2}).differing, 0u);
}

TEST(ValueDiff, AbsoluteAndRelativeAddUp) {
  HostTensor a = tensor<double>({12}), b = tensor<double>({10});
  EXPECT_EQ(diffValues(a, b, {.absolute = 1.9}).differing, 1u);
  EXPECT_EQ(diffValues(a, b, {.absolute = 2}).differing, 0u);
  EXPECT_EQ(diffValues(a, b, {.absolute = 1, .relative = 0.1}).differing, 0u);
}

TEST(ValueDiff, OnlyOneNotFiniteIsNeverNear) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  DiffLimits wide{.absolute = 1e9, .relative = 1};
  EXPECT_EQ(
      diffValues(tensor<float>({NAN}), tensor<float>({1}), wide).differing, 1u);
  ValueDiff diff = diffValues(tensor<float>({1}), tensor<float>({kInf}), wide);
  EXPECT_EQ(diff.differing, 1u);
  EXPECT_TRUE(std::isinf(diff.maxAbsolute));
}

TEST(ValueDiff, LargeWholeNumbersAreExact) {
  int64_t large = int64_t{1} << 60;
  ValueDiff diff =
      diffValues(tensor<int64_t>({large}), tensor<int64_t>({large + 1}), {});
  EXPECT_EQ(diff.differing, 1u);
  EXPECT_EQ(diff.maxUlps, 1);
}

} // namespace
