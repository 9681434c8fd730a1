// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the matching of callers' names with a graph's ports, and its errors.
#include "runtime/state/GraphPorts.h"
#include "runtime/state/StringTensor.h"
#include "test/runtime/session/SessionModels.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

std::shared_ptr<const Model> linear() {
  return *Model::fromBytes(test::linearModel(1).finish(), "m.bin");
}

HostTensor zeros(std::vector<int64_t> shape) {
  HostTensor tensor{{DType::Float32, std::move(shape)}, {}};
  tensor.bytes.resize(tensor.type.numBytes());
  return tensor;
}

std::string feedFailure(const std::vector<NamedTensor> &feeds) {
  auto model = linear();
  auto bound = bindFeeds(*model->findGraph("predict"), feeds);
  return bound.isOk() ? "" : bound.status().message();
}

TEST(GraphPorts, FeedsMustFit) {
  EXPECT_EQ(feedFailure({{"x", zeros({4})}}), "");
  EXPECT_EQ(feedFailure({}),
            "feed 'x' of graph 'predict' has no value; give one of type "
            "float32[4] (--feed x=FILE.npy or numbers)");
  EXPECT_EQ(feedFailure({{"x", zeros({2, 2})}}),
            "feed 'x' of graph 'predict' takes float32[4], but the value is "
            "float32[2,2]");
  EXPECT_EQ(feedFailure({{"z", zeros({4})}}),
            "graph 'predict' has no feed 'z'; it has 'x'");
  EXPECT_EQ(feedFailure({{"x", zeros({4})}, {"x", zeros({4})}}),
            "feed 'x' is given twice");
}

TEST(GraphPorts, NoNamesMeanAllFetches) {
  auto model = linear();
  const format::Graph &predict = *model->findGraph("predict");
  EXPECT_EQ(findFetches(predict, {})->size(), 2u);
  std::vector<std::string> names = {"w"};
  auto fetches = findFetches(predict, names);
  ASSERT_EQ(fetches->size(), 1u);
  EXPECT_EQ((*fetches)[0]->name()->str(), "w");
}

TEST(GraphPorts, InitIsNoUserGraph) {
  std::vector<std::string> expected = {"train", "eval", "predict"};
  EXPECT_EQ(userGraphs(*linear()), expected);
}

TEST(GraphPorts, ExamplesPerStepComeFromDataOrFeeds) {
  auto model = linear();
  EXPECT_EQ(examplesPerStep(*model, *model->findGraph("train")), 4);
  EXPECT_EQ(examplesPerStep(*model, *model->findGraph("predict")), 4);
  EXPECT_EQ(examplesPerStep(*model, *model->findGraph("init")), 0);
}

TEST(StringTensor, ElementsAreRead) {
  test::Bytes table = test::stringTable({"a", "", "bcd"});
  std::vector<std::string_view> expected = {"a", "", "bcd"};
  EXPECT_EQ(stringElements(table), expected);
}

TEST(StringTensor, BrokenTablesGiveNothing) {
  test::Bytes table = test::stringTable({"abc"});
  for (size_t size = 0; size < table.size(); ++size)
    EXPECT_TRUE(stringElements({table.data(), size}).empty()) << size;
  table[8] = std::byte{0xff}; // the first offset
  EXPECT_TRUE(stringElements(table).empty());
}

} // namespace
