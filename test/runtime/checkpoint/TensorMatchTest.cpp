// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tensors of another model's checkpoint are taken.
#include "runtime/checkpoint/TensorMatch.h"
#include "test/runtime/data/FileBytes.h"

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

const std::vector<NamedTensor> kThere = {
    {"old", tensorOf<float>({2}, {1, 2})},
    {"same", tensorOf<float>({1}, {3})},
    {"other", tensorOf<float>({3}, {4, 5, 6})}};
const std::vector<NamedType> kOurs = {{"new", {DType::Float32, {2}}},
                                      {"other", {DType::Float32, {2}}},
                                      {"same", {DType::Float32, {1}}},
                                      {"missing", {DType::Float32, {}}}};

StatusOr<std::shared_ptr<const TensorReader>> match(const MatchOptions &options,
                                                    TensorMatch &found) {
  return matchTensors(std::make_shared<TensorList>(kThere), kOurs, options,
                      found);
}

TEST(TensorMatch, TakesWhatFits) {
  TensorMatch found;
  auto reader = match({.isPartial = true, .renames = {{"new", "old"}}}, found);
  ASSERT_TRUE(reader.isOk());
  auto values = readTensors(**reader);
  ASSERT_EQ(values->size(), 2u);
  EXPECT_EQ((*values)[0].name, "new");
  EXPECT_EQ((*values)[0].tensor.as<float>()[1], 2);
  EXPECT_EQ((*values)[1].name, "same");
  EXPECT_EQ(found.table(),
            "missing in the checkpoint, kept as they are: missing\n"
            "renamed: new = old\n"
            "of another shape, kept as they are: other (float32[3] there, "
            "float32[2] in the model)");
}

TEST(TensorMatch, LeavesJudgingToTheTaker) {
  TensorMatch found;
  auto reader = match({.renames = {{"new", "old"}}}, found);
  ASSERT_TRUE(reader.isOk());
  std::vector<std::string> names;
  for (const NamedType &named : (*reader)->entries())
    names.push_back(named.name);
  EXPECT_EQ(names, (std::vector<std::string>{"new", "other", "same"}));
  TensorMatch all;
  EXPECT_EQ((*match({}, all))->entries().size(), 3u);
  EXPECT_EQ(all.unused, std::vector<std::string>{"old"});
}

TEST(TensorMatch, RefusesRenamesOfNothing) {
  TensorMatch found;
  expectFailure(match({.renames = {{"new", "odl"}}}, found).status(),
                StatusCode::NotFound,
                {"'memory' has no tensor 'odl'", "did you mean 'old'?"});
  expectFailure(match({.renames = {{"nwe", "old"}}}, found).status(),
                StatusCode::NotFound, {"the model has no variable 'nwe'"});
}

} // namespace
