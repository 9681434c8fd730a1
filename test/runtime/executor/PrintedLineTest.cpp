// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines are as TensorFlow 1 prints values.
#include "runtime/executor/PrintedLine.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace graphc::runtime;

namespace {

/// The line of a value, of which `count` elements are shown.
template <typename T>
std::string lineOf(DType dtype, std::vector<int64_t> shape,
                   const std::vector<T> &values, uint64_t count) {
  return printedLine({"m: ", {dtype, std::move(shape)}, count},
                     reinterpret_cast<const std::byte *>(values.data()));
}

std::string lineOf(float value) {
  return lineOf<float>(DType::Float32, {}, {value}, 1);
}
std::string lineOf(double value) {
  return lineOf<double>(DType::Float64, {}, {value}, 1);
}

TEST(PrintedLine, ShowsElementsOfEveryType) {
  EXPECT_EQ(lineOf<uint8_t>(DType::Bool, {3}, {0, 1, 1}, 3), "m: [0 1 1]");
  EXPECT_EQ(lineOf<uint8_t>(DType::UInt8, {2}, {65, 255}, 2), "m: [65 255]");
  EXPECT_EQ(lineOf<int32_t>(DType::Int32, {2}, {-7, 2147483647}, 2),
            "m: [-7 2147483647]");
  EXPECT_EQ(lineOf<int64_t>(DType::Int64, {1}, {INT64_MIN}, 1),
            "m: [-9223372036854775808]");
  EXPECT_EQ(lineOf<float>(DType::Float32, {2}, {1, -2.5}, 2), "m: [1 -2.5]");
  EXPECT_EQ(lineOf<double>(DType::Float64, {2}, {1, -2.5}, 2), "m: [1 -2.5]");
}

TEST(PrintedLine, WritesFloatsWithTheDigitsThatTellThem) {
  EXPECT_EQ(lineOf(0.1f), "m: [0.1]");
  EXPECT_EQ(lineOf(1e20f), "m: [1e+20]");
  EXPECT_EQ(lineOf(std::nextafter(1.0f, 2.0f)), "m: [1.00000012]");
  EXPECT_EQ(lineOf(0.1), "m: [0.1]");
  EXPECT_EQ(lineOf(std::nextafter(1.0, 2.0)), "m: [1.0000000000000002]");
  EXPECT_EQ(lineOf(std::numeric_limits<double>::infinity()), "m: [inf]");
  EXPECT_EQ(lineOf(-std::numeric_limits<float>::infinity()), "m: [-inf]");
  EXPECT_EQ(lineOf(-std::numeric_limits<float>::quiet_NaN()), "m: [nan]");
}

TEST(PrintedLine, PutsDotsForElementsThatAreLeftOut) {
  std::vector<int32_t> values = {1, 2, 3, 4, 5, 6};
  auto line = [&](std::vector<int64_t> shape, uint64_t count) {
    return lineOf<int32_t>(DType::Int32, std::move(shape), values, count);
  };
  EXPECT_EQ(line({}, 1), "m: [1]");
  EXPECT_EQ(line({}, 0), "m: [...]");
  EXPECT_EQ(line({6}, 3), "m: [1 2 3...]");
  EXPECT_EQ(line({6}, 6), "m: [1 2 3 4 5 6]");
  EXPECT_EQ(line({2, 3}, 0), "m: [...]");
  EXPECT_EQ(line({2, 3}, 2), "m: [[1 2...]...]");
  EXPECT_EQ(line({2, 3}, 3), "m: [[1 2 3]...]");
  EXPECT_EQ(line({2, 3}, 4), "m: [[1 2 3][4...]...]");
  EXPECT_EQ(line({2, 3}, 6), "m: [[1 2 3][4 5 6]]");
  EXPECT_EQ(line({1, 3, 2}, 3), "m: [[[1 2][3...]]...]");
}

TEST(PrintedLine, EndsForValuesWithoutElements) {
  std::vector<float> none(1);
  EXPECT_EQ(lineOf<float>(DType::Float32, {0}, none, 0), "m: []");
  EXPECT_EQ(lineOf<float>(DType::Float32, {int64_t(1) << 39, 0}, none, 0),
            "m: []");
  EXPECT_EQ(lineOf<float>(DType::Float32, {0, 3}, none, 0), "m: []");
}

// The bytes of a slot may be anywhere.
TEST(PrintedLine, ReadsElementsThatAreNotAligned) {
  std::vector<std::byte> bytes(1 + sizeof(double));
  double value = 7.5;
  std::copy_n(reinterpret_cast<std::byte *>(&value), sizeof(value),
              bytes.data() + 1);
  EXPECT_EQ(printedLine({"", {DType::Float64, {}}, 1}, bytes.data() + 1),
            "[7.5]");
}

} // namespace
