// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables are read and written by name, all at once or not at all.
#include "runtime/state/VariableStore.h"
#include "test/runtime/format/ModelBuilder.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

struct VariableStoreTest : testing::Test {
  void SetUp() override {
    test::ModelBuilder builder;
    builder.addVariable("w", {DType::Float32, {2}});
    builder.addVariable("flag", {DType::Bool, {}});
    builder.addGraph("g");
    model = *Model::fromBytes(builder.finish(), "m.bin");
    store = VariableStore::create(*model).value();
  }
  static HostTensor pair(float a, float b) {
    std::vector<float> values = {a, b};
    return HostTensor::of<float>({2}, values);
  }
  static HostTensor boolean(uint8_t value) {
    return {{DType::Bool, {}}, {std::byte{value}}};
  }

  std::shared_ptr<const Model> model;
  VariableStore store;
};

TEST_F(VariableStoreTest, StartsWithZeros) {
  EXPECT_EQ(store.read("w")->as<float>()[1], 0);
  EXPECT_EQ(store.addresses().size(), 2u);
}

TEST_F(VariableStoreTest, WritesAndReads) {
  ASSERT_TRUE(store.write("w", pair(1, 2)).isOk());
  EXPECT_EQ(store.read("w")->as<float>()[1], 2);
  EXPECT_EQ(store.readAll()->size(), 2u);
}

TEST_F(VariableStoreTest, RefusesOtherTypesAndNames) {
  EXPECT_EQ(store.write("w", boolean(1)).message(),
            "variable 'w' is float32[2], but the value is bool[]");
  EXPECT_EQ(store.read("v").status().message(),
            "the model has no variable 'v'; it has 'w', 'flag'");
  EXPECT_FALSE(store.write("flag", boolean(2)).isOk()) << "no such bool";
}

TEST_F(VariableStoreTest, WritesAllOrNothing) {
  std::vector<NamedTensor> some = {{"w", pair(3, 4)}};
  EXPECT_EQ(store.writeAll(TensorList(some)).message(),
            "the checkpoint is not one of this model; it lacks 'flag'");
  std::vector<NamedTensor> wrong = {
      {"w", boolean(0)}, {"flag", boolean(1)}, {"v", pair(0, 0)}};
  EXPECT_EQ(store.writeAll(TensorList(wrong)).message(),
            "the checkpoint is not one of this model; the model has no "
            "variable 'v'; 'w' is bool[] there and float32[2] in the model");
  EXPECT_EQ(store.read("w")->as<float>()[0], 0);
  std::vector<NamedTensor> all = {{"flag", boolean(1)}, {"w", pair(5, 6)}};
  ASSERT_TRUE(store.writeAll(TensorList(all)).isOk());
  EXPECT_EQ(store.read("w")->as<float>()[0], 5);
  EXPECT_EQ(store.read("flag")->bytes[0], std::byte{1});
}

// A checkpoint of a model that divides a variable is one of a model that does
// not, and the reverse.
TEST(VariableParts, GoByTheNameOfTheWhole) {
  test::ModelBuilder builder;
  builder.addVariable("b", {DType::Float32, {}});
  builder.variables.push_back(
      {.name = "w/part_0", .type = {DType::Float32, {2, 2}}, .partOf = "w"});
  builder.variables.push_back({.name = "w/part_1",
                               .type = {DType::Float32, {1, 2}},
                               .partOf = "w",
                               .partRow = 2});
  builder.addGraph("g");
  auto model = *Model::fromBytes(builder.finish(), "m.bin");
  VariableStore store = VariableStore::create(*model).value();
  EXPECT_EQ(store.names(), (std::vector<std::string>{"b", "w"}));
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(store.write("w", HostTensor::of<float>({3, 2}, values)).isOk());
  auto partAt = [&](size_t number) {
    return reinterpret_cast<const float *>(store.addresses()[number]);
  };
  EXPECT_EQ(partAt(1)[3], 4);
  EXPECT_EQ(partAt(2)[0], 5);
  EXPECT_EQ(store.read("w")->as<float>()[5], 6);
  std::vector<NamedTensor> all = store.readAll().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].name, "w");
  EXPECT_EQ(all[1].tensor.type.toString(), "float32[3,2]");
  EXPECT_TRUE(store.writeAll(TensorList(all)).isOk());
  EXPECT_EQ(store.read("w/part_0").status().message(),
            "the model has no variable 'w/part_0'; it has 'b', 'w'");
}

} // namespace
