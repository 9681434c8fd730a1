// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests positions of graphs, as texts of a checkpoint.
#include "runtime/checkpoint/Positions.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

constexpr const char *kKey = "graphc.positions";

TEST(Positions, AreReadAsTheyWereWritten) {
  Positions positions;
  positions["train"] = {12, {{"points", {24, 100}}, {"others", {1, 7}}}};
  positions["eval@1"] = {0, {}};
  SafetensorsMetadata metadata{{"step", "12"}};
  writePositions(positions, metadata);
  EXPECT_EQ(metadata["step"], "12");
  auto read = readPositions(metadata);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  ASSERT_TRUE(read->has_value());
  EXPECT_EQ(**read, positions);
}

TEST(Positions, OtherProgramsWriteNone) {
  auto read = readPositions({{"format", "pt"}});
  ASSERT_TRUE(read.isOk());
  EXPECT_FALSE(read->has_value());
}

TEST(Positions, DamagedOnesAreRefused) {
  for (const char *text :
       {"", "[]", "{", "{\"train\": 3}", "{\"train\": {}}",
        "{\"train\": {\"step\": -1}}", "{\"train\": {\"step\": \"1\"}}",
        "{\"train\": {\"step\": 18446744073709551615}}",
        "{\"train\": {\"step\": 1, \"data\": []}}",
        "{\"train\": {\"step\": 1, \"data\": {\"p\": 1}}}",
        "{\"train\": {\"step\": 1, \"data\": {\"p\": {\"batches\": 1}}}}"}) {
    auto read = readPositions({{kKey, text}});
    EXPECT_EQ(read.status().code(), StatusCode::DataLoss) << text;
  }
}

TEST(Positions, AreReadFromFilesWithoutTheirTensors) {
  std::string path = testing::TempDir() + "positions.safetensors";
  Positions positions{{"train", {3, {}}}};
  SafetensorsMetadata metadata;
  writePositions(positions, metadata);
  std::vector<float> one = {1};
  NamedTensor tensor{"w",
                     HostTensor::of<float>({}, std::span<const float>(one))};
  ASSERT_TRUE(saveSafetensors(path, {&tensor, 1}, metadata).isOk());
  auto read = positionsOf(path);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(**read, positions);
  EXPECT_FALSE(positionsOf(path + ".none").isOk());
}

} // namespace
