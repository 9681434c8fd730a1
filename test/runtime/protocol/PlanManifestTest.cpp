// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the comparisons of a server that takes only some plans.
#include "runtime/protocol/PlanManifest.h"

#include "runtime/format/PlanSlice.h"
#include "test/runtime/task/ClusterModels.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(PlanManifest, HashesAsTheStandardSays) {
  EXPECT_EQ(sha256({}),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991"
            "b7852b855");
  EXPECT_EQ(sha256(bytesOf("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a3961"
            "77a9cb410ff61f20015ad");
}

TEST(PlanManifest, HasEachTasksSlice) {
  auto plan = Model::fromBytes(test::pingModel(3).finish(), "plan.bin");
  ASSERT_TRUE(plan.isOk()) << plan.status().toString();
  std::string list = *makePlanManifest(**plan);
  for (const std::string task : {"/job:worker/task:0", "/job:worker/task:1"}) {
    std::vector<std::byte> slice = *makeSlice(**plan, task);
    EXPECT_TRUE(isListed(list, task, slice));
    EXPECT_FALSE(isListed(list, "/job:worker/task:2", slice));
    EXPECT_FALSE(isListed(list, "", slice));
    slice.back() ^= std::byte{1};
    EXPECT_FALSE(isListed(list, task, slice));
    // The list is of whole plans.
    auto own = Model::fromBytes(*makeSlice(**plan, task), "part");
    EXPECT_EQ(makePlanManifest(**own).status().code(),
              StatusCode::InvalidArgument);
  }
}

TEST(PlanManifest, ALineCountsOnlyAsAWhole) {
  std::string line = "/job:a/task:0 " + sha256(bytesOf("x")) + "\n";
  EXPECT_TRUE(isListed(line, "/job:a/task:0", bytesOf("x")));
  EXPECT_FALSE(isListed("x" + line, "/job:a/task:0", bytesOf("x")));
  EXPECT_FALSE(isListed(line.substr(0, line.size() - 2) + "\n", "/job:a/task:0",
                        bytesOf("x")));
  EXPECT_FALSE(isListed("", "/job:a/task:0", bytesOf("x")));
}

} // namespace
