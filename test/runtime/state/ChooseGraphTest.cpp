// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the choice of a plan's graph by name.
#include "runtime/state/ChooseGraph.h"

#include "test/runtime/task/ClusterModels.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

std::shared_ptr<const Model> quorumPlan() {
  test::ModelBuilder model =
      test::updateModel(2, format::Coordination::Quorum, 2);
  model.addGraph("look").device = "/job:ps/replica:0/task:0/device:CPU:0";
  auto plan = Model::fromBytes(model.finish(), "plan.bin");
  EXPECT_TRUE(plan.isOk()) << plan.status().toString();
  return plan.isOk() ? *plan : nullptr;
}

TEST(ChooseGraph, KnowsTheGraphsThatAUserHasWritten) {
  auto plan = quorumPlan();
  EXPECT_EQ(sourceGraphs(*plan), (std::vector<std::string>{"train", "look"}));
  EXPECT_EQ(sourceName(*plan->findGraph("train@1")), "train");
  EXPECT_EQ(sourceName(*plan->findGraph("look")), "look");
}

TEST(ChooseGraph, TakesTheInstanceOfTheWorker) {
  auto plan = quorumPlan();
  for (uint32_t worker : {0, 1}) {
    auto found = chooseGraph(*plan, "train", worker);
    ASSERT_TRUE(found.isOk()) << found.status().toString();
    EXPECT_EQ((*found)->instance()->worker(), worker);
  }
  // Its full name, whoever asks; and a graph that belongs to no worker.
  EXPECT_EQ((*chooseGraph(*plan, "train@1", 0))->instance()->worker(), 1u);
  EXPECT_EQ(*chooseGraph(*plan, "look", 1), plan->findGraph("look"));
  EXPECT_EQ(*chooseGraph(*plan, "look", std::nullopt), plan->findGraph("look"));
}

TEST(ChooseGraph, SaysWhichThereAre) {
  auto plan = quorumPlan();
  EXPECT_EQ(chooseGraph(*plan, "train", 2).status().message(),
            "graph 'train' has no worker 2, but 0, 1");
  Status unclear = chooseGraph(*plan, "train", std::nullopt).status();
  EXPECT_EQ(unclear.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(unclear.message(),
            "each worker runs its own instance of graph 'train'; say which: "
            "--worker=0 (there are 0, 1)");
  for (std::optional<uint32_t> worker : {std::optional<uint32_t>(), {0u}}) {
    Status unknown = chooseGraph(*plan, "tarin", worker).status();
    EXPECT_EQ(unknown.code(), StatusCode::NotFound);
    EXPECT_NE(unknown.message().find("train"), std::string::npos);
    EXPECT_EQ(unknown.message().find("apply"), std::string::npos);
  }
}

} // namespace
