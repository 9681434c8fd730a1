// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each transform against what its formula gives, and what it refuses.
#include "runtime/data/transforms/ExampleTransform.h"
#include "test/runtime/data/FileBytes.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

template <typename T>
std::vector<T> applyTo(const ExampleTransform &transform,
                       const std::vector<T> &in, size_t made, uint64_t key) {
  std::vector<T> out(made);
  CounterRandom random(key);
  transform.apply(reinterpret_cast<const std::byte *>(in.data()),
                  reinterpret_cast<std::byte *>(out.data()), random);
  return out;
}

std::unique_ptr<ExampleTransform> make(std::string_view name,
                                       std::vector<double> numbers,
                                       const TensorType &made) {
  auto transform = makeTransform(name, numbers, made);
  EXPECT_TRUE(transform.isOk()) << transform.status().toString();
  return std::move(*transform);
}

using Bytes = std::vector<uint8_t>;

TEST(ExampleTransform, FlipsEachSecondImage) {
  TensorType type{DType::UInt8, {2, 2, 2}};
  Bytes in = {1, 2, 3, 4, 5, 6, 7, 8};
  std::set<Bytes> sides, heights;
  for (uint64_t key = 0; key < 40; ++key) {
    sides.insert(
        applyTo(*make("random_flip_left_right", {}, type), in, 8, key));
    heights.insert(applyTo(*make("random_flip_up_down", {}, type), in, 8, key));
  }
  EXPECT_EQ(sides, (std::set<Bytes>{in, {3, 4, 1, 2, 7, 8, 5, 6}}));
  EXPECT_EQ(heights, (std::set<Bytes>{in, {5, 6, 7, 8, 1, 2, 3, 4}}));
}

TEST(ExampleTransform, CropsAtEachPlaceOfTheMargin) {
  TensorType type{DType::UInt8, {2, 2}};
  auto crop = make("random_crop", {1, 0, 0}, type);
  EXPECT_EQ(crop->source(), type);
  std::set<Bytes> seen;
  for (uint64_t key = 0; key < 400; ++key)
    seen.insert(applyTo<uint8_t>(*crop, {1, 2, 3, 4}, 4, key));
  EXPECT_EQ(seen, (std::set<Bytes>{{0, 0, 0, 1},
                                   {0, 0, 1, 2},
                                   {0, 0, 2, 0},
                                   {0, 1, 0, 3},
                                   {1, 2, 3, 4},
                                   {2, 0, 4, 0},
                                   {0, 3, 0, 0},
                                   {3, 4, 0, 0},
                                   {4, 0, 0, 0}}));
}

TEST(ExampleTransform, CropsFromLargerImages) {
  auto crop = make("random_crop", {0, 3, 4}, {DType::Float32, {1, 2, 1}});
  EXPECT_EQ(crop->source(), (TensorType{DType::Float32, {3, 4, 1}}));
  std::vector<float> in(12);
  std::iota(in.begin(), in.end(), 0.0f);
  std::set<float> corners;
  for (uint64_t key = 0; key < 400; ++key) {
    std::vector<float> out = applyTo(*crop, in, 2, key);
    EXPECT_EQ(out[1], out[0] + 1);
    corners.insert(out[0]);
  }
  EXPECT_EQ(corners, (std::set<float>{0, 1, 2, 4, 5, 6, 8, 9, 10}));
}

TEST(ExampleTransform, BrightensAllByOneNumber) {
  auto floats = make("random_brightness", {0.5}, {DType::Float32, {1, 2}});
  auto bytes = make("random_brightness", {1}, {DType::UInt8, {1, 2}});
  for (uint64_t key = 0; key < 50; ++key) {
    std::vector<float> out = applyTo<float>(*floats, {1, 3}, 2, key);
    EXPECT_NEAR(out[1] - out[0], 2, 1e-5);
    EXPECT_LE(std::abs(out[0] - 1), 0.5f);
    Bytes grey = applyTo<uint8_t>(*bytes, {0, 255}, 2, key);
    EXPECT_TRUE(grey[0] == 0 || grey[1] == 255); // no wrap
  }
}

TEST(ExampleTransform, ScalesContrastAroundEachChannelsMean) {
  auto contrast =
      make("random_contrast", {0.5, 0.5000001}, {DType::Float32, {1, 2, 2}});
  std::vector<float> out = applyTo<float>(*contrast, {0, 10, 4, 30}, 4, 1);
  EXPECT_NEAR(out[0], 1, 1e-4);
  EXPECT_NEAR(out[1], 15, 1e-4);
  EXPECT_NEAR(out[2], 3, 1e-4);
  EXPECT_NEAR(out[3], 25, 1e-4);
}

TEST(ExampleTransform, StandardizesAsTensorFlow) {
  auto standardize =
      make("per_image_standardization", {}, {DType::Float32, {2, 2}});
  std::vector<float> out = applyTo<float>(*standardize, {1, 2, 3, 4}, 4, 1);
  EXPECT_NEAR(out[0], -1.3416407, 1e-6);
  EXPECT_NEAR(out[3], 1.3416407, 1e-6);
  // One colour: divided by 1 / sqrt(4), not by 0.
  EXPECT_EQ(applyTo<float>(*standardize, {7, 7, 7, 7}, 4, 1),
            std::vector<float>(4, 0.0f));
}

TEST(ExampleTransform, ConvertsBytes) {
  auto convert = make("convert_image_dtype", {}, {DType::Float32, {1, 2}});
  EXPECT_EQ(convert->source(), (TensorType{DType::UInt8, {1, 2}}));
  uint8_t in[] = {0, 255};
  float out[2];
  CounterRandom random(1);
  convert->apply(reinterpret_cast<const std::byte *>(in),
                 reinterpret_cast<std::byte *>(out), random);
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_EQ(out[1], 1.0f);
}

TEST(ExampleTransform, RefusesWhatItCannotMake) {
  TensorType image{DType::UInt8, {4, 4}}, vector{DType::Float32, {4}};
  expectFailure(makeTransform("random_flip", {}, image).status(),
                StatusCode::InvalidArgument,
                {"no transform 'random_flip'", "random_flip_left_right"});
  expectFailure(makeTransform("random_flip_up_down", {}, vector).status(),
                StatusCode::InvalidArgument, {"float32[4] is no image"});
  expectFailure(makeTransform("random_brightness", {}, image).status(),
                StatusCode::InvalidArgument, {"has 0 numbers in place of 1"});
  expectFailure(
      makeTransform("random_crop", std::vector<double>{0, 2, 0}, image)
          .status(),
      StatusCode::InvalidArgument, {"is larger than what it is cut from"});
  expectFailure(
      makeTransform("random_crop", std::vector<double>{-1, 0, 0}, image)
          .status(),
      StatusCode::InvalidArgument, {"sizes of 0 to"});
  expectFailure(makeTransform("convert_image_dtype", {}, image).status(),
                StatusCode::InvalidArgument, {"makes floats"});
}

} // namespace
