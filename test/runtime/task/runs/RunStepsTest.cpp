// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of a run: those that may go, and those that frames may be of.
#include "runtime/task/runs/RunSteps.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

using Place = RunSteps::Place;

TEST(RunSteps, AGoHasSoManySteps) {
  RunSteps steps;
  EXPECT_FALSE(steps.hasMore());
  ASSERT_TRUE(steps.go(5, 2).isOk());
  EXPECT_TRUE(steps.hasMore());
  EXPECT_EQ(steps.current(), 5u);
  EXPECT_FALSE(steps.hasBegun());
  steps.begin();
  EXPECT_TRUE(steps.isInStep());
  EXPECT_EQ(steps.running(), 5u);
  EXPECT_FALSE(steps.end());
  EXPECT_EQ(steps.current(), 6u);
  steps.begin();
  EXPECT_TRUE(steps.end());
  EXPECT_FALSE(steps.hasMore());
  EXPECT_EQ(steps.go(6, 1).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(steps.go(7, 1).isOk());
}

TEST(RunSteps, NumbersThatAreNoStepsAreRefused) {
  RunSteps steps;
  for (auto [first, count] :
       {std::pair<uint64_t, uint64_t>{0, 0}, {UINT64_MAX, 1}, {0, UINT64_MAX}})
    EXPECT_EQ(steps.go(first, count)
                  .message()
                  .find("a run goes for at least one step"),
              0u);
}

TEST(RunSteps, PeersAreAtMostOneStepAhead) {
  RunSteps steps;
  ASSERT_TRUE(steps.go(3, 9).isOk());
  steps.begin();
  EXPECT_EQ(*steps.locate(3), Place::Current);
  EXPECT_EQ(*steps.locate(4), Place::Next);
  EXPECT_EQ(steps.locate(5).status().message(),
            "its frame is of step 6, while this task is at step 4");
  EXPECT_FALSE(steps.locate(2).isOk());
  EXPECT_TRUE(steps.checkBegun(4).isOk());
  EXPECT_EQ(steps.checkBegun(5).message(),
            "it has begun step 6, while this task is at step 4");
  steps.end();
  EXPECT_FALSE(steps.locate(3).isOk());
  EXPECT_EQ(*steps.locate(4), Place::Next);
}

TEST(RunSteps, BeforeTheFirstStepPeersSayWhichItIs) {
  RunSteps steps;
  EXPECT_TRUE(steps.checkBegun(70).isOk());
  EXPECT_EQ(*steps.locate(8), Place::Next);
  EXPECT_FALSE(steps.locate(9).isOk());
  EXPECT_EQ(steps.go(7, 1).message(),
            "a peer has begun with step 9, but the client with step 8");
  EXPECT_TRUE(steps.go(8, 1).isOk());
}

TEST(RunSteps, AStepThatIsAbandonedIsNotDone) {
  RunSteps steps;
  ASSERT_TRUE(steps.go(0, 1).isOk());
  steps.begin();
  steps.abandon();
  EXPECT_FALSE(steps.isInStep());
  EXPECT_TRUE(steps.hasBegun());
}

} // namespace
