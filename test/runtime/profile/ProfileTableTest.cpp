// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of a model with a fused kernel, whose sums are known.
#include "runtime/profile/ProfileTable.h"
#include "runtime/format/Model.h"
#include "test/runtime/format/ModelBuilder.h"

#include <gtest/gtest.h>

namespace graphc::test {
namespace {

using namespace runtime;

/// The sample's training: a batch, a kernel of 6 operations and 72 bytes, and a
/// copy of 24 bytes.
class SampleTable : public testing::Test {
protected:
  void SetUp() override {
    ModelBuilder builder = makeSampleModel();
    InstructionSpec &kernel = builder.graphs.back().instructions[1];
    kernel.ops = {"tower_0/dense/mul", "tower_0/gradients/dense/mul_grad/neg"};
    kernel.opLines = {12, 14};
    kernel.opWork = {2, 4};
    auto opened = Model::fromBytes(builder.finish(), "test");
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    model = std::move(opened).value();
  }

  std::vector<ProfileRow> rows(ProfileKey key) const {
    const std::vector<InstructionSeconds> times = {
        {{0, 0}, 1}, {{0, 1}, 6}, {{0, 2}, 3}};
    return tabulate(model->index(), *model->findGraph("train"), times, key);
  }

  std::shared_ptr<const Model> model;
};

TEST_F(SampleTable, HasARowPerInstruction) {
  std::vector<ProfileRow> table = rows(ProfileKey::Kernel);
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[0].name, "dense/mul");
  EXPECT_EQ(table[0].id.instruction, 1u);
  EXPECT_DOUBLE_EQ(table[0].flops, 6);
  EXPECT_DOUBLE_EQ(table[0].bytes, 72);
  EXPECT_DOUBLE_EQ(table[1].bytes, 48); // read and written
  ProfileRow total = totalOf(table);
  EXPECT_DOUBLE_EQ(total.seconds, 10);
  EXPECT_EQ(total.count, 3u);
}

TEST_F(SampleTable, SharesAKernelAmongItsOps) {
  std::vector<ProfileRow> table = rows(ProfileKey::Op);
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table[0].name, "gradients/dense/mul_grad/neg");
  EXPECT_DOUBLE_EQ(table[0].seconds, 4);
  EXPECT_DOUBLE_EQ(table[0].flops, 4);
  EXPECT_DOUBLE_EQ(table[2].seconds, 2);
  EXPECT_EQ(table[2].name, "dense/mul");
  EXPECT_DOUBLE_EQ(totalOf(table).seconds, 10);
}

TEST_F(SampleTable, AddsUpLinesAndLayers) {
  std::vector<ProfileRow> lines = rows(ProfileKey::Line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].line, 0u);
  EXPECT_DOUBLE_EQ(lines[0].seconds, 4);
  EXPECT_EQ(lines[1].line, 14u);
  EXPECT_EQ(lines[2].line, 12u);
  std::vector<ProfileRow> layers = rows(ProfileKey::Layer);
  EXPECT_EQ(layers[0].name, "dense");
  EXPECT_DOUBLE_EQ(layers[0].seconds, 6);
  EXPECT_EQ(layers[0].count, 1u);
  auto of = [&](StepPhase phase) {
    return layers[0].phases[static_cast<size_t>(phase)];
  };
  EXPECT_DOUBLE_EQ(of(StepPhase::Forward), 2);
  EXPECT_DOUBLE_EQ(of(StepPhase::Backward), 4);
  ProfileRow total = totalOf(layers);
  EXPECT_DOUBLE_EQ(total.phases[static_cast<size_t>(StepPhase::Input)], 1);
}

TEST_F(SampleTable, HasOneDevice) {
  EXPECT_EQ(rows(ProfileKey::Device).size(), 1u);
}

} // namespace
} // namespace graphc::test
