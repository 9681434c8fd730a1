// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests HistogramCounts: TensorFlow's buckets, types and values that none has.
#include "runtime/summary/HistogramCounts.h"

#include "test/runtime/summary/EventReader.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace graphc::runtime;

namespace {

TEST(HistogramCounts, LimitsAreTensorFlows) {
  const std::vector<double> &limits = histogramLimits();
  // 774 limits of each sign, the largest double, and 0.
  EXPECT_EQ(limits.size(), 2 * 775u + 1);
  EXPECT_EQ(limits[775], 0);
  EXPECT_EQ(limits[776], 1e-12);
  EXPECT_EQ(limits[777], 1e-12 * 1.1);
  EXPECT_EQ(limits[774], -1e-12);
  EXPECT_EQ(limits.back(), std::numeric_limits<double>::max());
}

TEST(HistogramCounts, ABucketHasWhatIsBelowItsEnd) {
  HistogramCounts counts;
  for (double value : {0.0, 0.0, 1e-13, -1.0, 1.7e308})
    ASSERT_TRUE(counts.add(value).isOk());
  // A limit belongs to the bucket after it.
  EXPECT_EQ(counts.countOf(776), 3); // [0, 1e-12)
  EXPECT_EQ(counts.countOf(histogramLimits().size() - 1), 1);
  EXPECT_EQ(counts.min(), -1);
  EXPECT_EQ(counts.count(), 5);
}

TEST(HistogramCounts, EachValueIsInTheBucketOfTheFirstLimitAboveIt) {
  const std::vector<double> &limits = histogramLimits();
  std::vector<double> values = {0.0, -0.0, 5e-324, -5e-324, 1e-320, 3e300};
  for (double limit : limits)
    for (double value : {limit, std::nextafter(limit, 0.0), limit * 0.97})
      values.push_back(value);
  for (int exponent = -1070; exponent < 1023; exponent += 3)
    for (double value : {std::ldexp(1.0, exponent), std::ldexp(-1.3, exponent)})
      values.push_back(value);
  for (double value : values) {
    HistogramCounts counts;
    ASSERT_TRUE(counts.add(value).isOk());
    size_t bucket =
        std::upper_bound(limits.begin(), limits.end(), value) - limits.begin();
    EXPECT_EQ(counts.countOf(std::min(bucket, limits.size() - 1)), 1) << value;
  }
}

TEST(HistogramCounts, EncodedBucketsAreTheCounts) {
  HistogramCounts counts;
  std::vector<float> values = {1, 2, 2, -3};
  ASSERT_TRUE(
      counts.addAll(DType::Float32, std::as_bytes(std::span(values))).isOk());
  std::string proto = counts.encode();
  EXPECT_EQ(numberOf<double>(fieldAt(proto, {1})), -3);
  EXPECT_EQ(numberOf<double>(fieldAt(proto, {2})), 2);
  EXPECT_EQ(numberOf<double>(fieldAt(proto, {3})), 4);
  EXPECT_EQ(numberOf<double>(fieldAt(proto, {4})), 2);
  EXPECT_EQ(numberOf<double>(fieldAt(proto, {5})), 18);
  std::string ends = fieldAt(proto, {6}), buckets = fieldAt(proto, {7});
  // Of -3, 1 and 2, each with the empty ones before it, and the empty rest.
  ASSERT_EQ(ends.size(), 7 * 8u);
  ASSERT_EQ(buckets.size(), ends.size());
  for (size_t i = 0; i < 7; ++i) {
    double want[] = {0, 1, 0, 1, 0, 2, 0};
    EXPECT_EQ(numberOf<double>(buckets.substr(8 * i, 8)), want[i]) << i;
  }
  EXPECT_GT(numberOf<double>(ends.substr(8, 8)), -3);
  EXPECT_LE(numberOf<double>(ends.substr(0, 8)), -3);
}

TEST(HistogramCounts, TypesAndValuesThatNoneHas) {
  HistogramCounts counts;
  std::vector<int32_t> whole = {-1, 5};
  std::vector<std::byte> bytes = {std::byte{1}, std::byte{255}};
  EXPECT_TRUE(
      counts.addAll(DType::Int32, std::as_bytes(std::span(whole))).isOk());
  EXPECT_TRUE(counts.addAll(DType::UInt8, bytes).isOk());
  EXPECT_EQ(counts.max(), 255);
  EXPECT_EQ(counts.add(NAN).message(), "a value is NaN, which no bucket holds");
  EXPECT_EQ(counts.add(-INFINITY).message(),
            "a value is infinite, which no bucket holds");
  EXPECT_FALSE(counts.addAll(DType::String, bytes).isOk());
  EXPECT_EQ(counts.count(), 4);
}

} // namespace
