// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that a run exchanges frames with.
#include "runtime/task/runs/RunPeers.h"

#include "test/runtime/task/LoadedPlan.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TEST(RunPeers, AreAtTheOtherEndsOfEdges) {
  LoadedPlan plan(pingModel(3));
  RunPeers peers(plan.makeSpec({5, 1}, "ping"));
  ASSERT_EQ(peers.list().size(), 1u);
  EXPECT_EQ(peers.find(0), nullptr);
  const RunPeer *peer = peers.find(1);
  ASSERT_NE(peer, nullptr);
  EXPECT_TRUE(peer->sendsHere && peer->receivesFromHere);
  EXPECT_TRUE(RunPeers(plan.makeSpec({5, 2}, "alone")).list().empty());
}

TEST(RunPeers, TheCoordinatorReachesAllThatFollowIt) {
  LoadedPlan plan(pingModel(3));
  TaskRunSpec spec = plan.makeSpec({5, 1}, "alone");
  spec.coordinator = 0;
  spec.variableTasks = {0, 1};
  EXPECT_TRUE(spec.followsSequence());
  RunPeers peers(spec);
  ASSERT_EQ(peers.list().size(), 1u);
  EXPECT_FALSE(peers.find(1)->sendsHere || peers.find(1)->receivesFromHere);
  spec.coordinator = 1;
  EXPECT_NE(RunPeers(spec).find(1), nullptr);
  spec.variableTasks = {1};
  EXPECT_FALSE(spec.followsSequence());
  EXPECT_TRUE(RunPeers(spec).list().empty());
}

TEST(RunPeers, ReceiversThatAreBehindAreNamed) {
  LoadedPlan plan(pingModel(3));
  RunPeers peers(plan.makeSpec({5, 1}, "ping"));
  EXPECT_EQ(peers.receiverBehind(0), kNoTask);
  EXPECT_EQ(peers.receiverBehind(1), 1u);
  peers.find(1)->begun = 1;
  EXPECT_EQ(peers.receiverBehind(1), kNoTask);
  peers.find(1)->receivesFromHere = false;
  EXPECT_EQ(peers.receiverBehind(9), kNoTask);
}

} // namespace
