// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests who dials whom and when, and what becomes of connections to unexpected
// peers.
#include "runtime/task/TaskNode.h"
#include "test/runtime/link/LinkPair.h"
#include "test/runtime/sim/SimModels.h"

#include <gtest/gtest.h>

using namespace graphc::test;

namespace {

constexpr int64_t kMilli = 1'000'000;

struct FakeDriver final : NodeDriver {
  int64_t nowNanos() const override { return now; }
  void dial(TaskId peer) override {
    text += "dial " + std::to_string(peer) + "; ";
  }
  void hangUp(TaskId peer, const Status &why) override {
    text += "hang up " + std::to_string(peer) + ": " + why.message() + "; ";
  }
  void log(Severity severity, std::string_view line) override {
    if (severity == Severity::Error)
      text += "error: " + std::string(line) + "; ";
  }
  void stop() override {}
  std::string take() { return std::exchange(text, {}); }

  int64_t now = 1'000 * kMilli;
  std::string text;
};

struct FakeClients final : ClientChannel {
  bool canReply(ClientId) const override { return true; }
  void reply(ClientId, graphc::protocol::Reply) override {}
};

TaskOptions optionsOf(TaskId self, uint64_t incarnation = 7) {
  TaskOptions options;
  options.cluster = simCluster();
  options.self = self;
  options.incarnation = incarnation;
  options.threads = 1;
  return options;
}

struct Node {
  explicit Node(TaskId self, uint64_t incarnation = 7)
      : node(optionsOf(self, incarnation), driver, clients) {}
  void passUntil(int64_t when) {
    for (int i = 0; i < 10'000 && node.nextTimer() <= when; ++i) {
      driver.now = std::max(driver.now, node.nextTimer());
      node.onTimer();
    }
    driver.now = when;
  }
  FakeDriver driver;
  FakeClients clients;
  TaskNode node;
};

TEST(TaskNode, TheLowerTaskDialsAllHigherOnes) {
  Node first(0), middle(1), last(2);
  for (Node *node : {&first, &middle, &last})
    node->node.start();
  EXPECT_EQ(first.driver.take(), "dial 1; dial 2; ");
  EXPECT_EQ(middle.driver.take(), "dial 2; ");
  EXPECT_EQ(last.driver.take(), "");
  EXPECT_EQ(last.node.missingPeers(), (std::vector<TaskId>{0, 1}));
}

TEST(TaskNode, DialsAgainAfter100Ms) {
  Node node(1);
  node.node.start();
  node.driver.take();
  for (int i = 0; i < 3; ++i) {
    node.node.onDialFailed(2, unavailable("refused"));
    node.passUntil(node.driver.now + 99 * kMilli);
    EXPECT_EQ(node.driver.take(), "");
    node.passUntil(node.driver.now + 1 * kMilli);
    EXPECT_EQ(node.driver.take(), "dial 2; ");
  }
}

TEST(TaskNode, NodesThatMeetAreNotMissingAndDialAgainAfterACut) {
  Node low(1), high(2);
  low.node.start();
  high.node.start();
  TestConnection there, back;
  low.node.onConnectionUp(2, there);
  high.node.onConnectionUp(1, back);
  for (int i = 0; i < 4; ++i) {
    for (; !there.packets.empty(); there.packets.pop_front())
      high.node.onPacket(1, there.packets.front());
    for (; !back.packets.empty(); back.packets.pop_front())
      low.node.onPacket(2, back.packets.front());
  }
  EXPECT_EQ(low.node.missingPeers(), (std::vector<TaskId>{0}));
  EXPECT_EQ(high.node.missingPeers(), (std::vector<TaskId>{0}));
  low.driver.take();
  low.node.onConnectionDown(2, unavailable("cut"));
  high.node.onConnectionDown(1, unavailable("cut"));
  low.passUntil(low.driver.now + kMilli);
  high.passUntil(high.driver.now + kMilli);
  EXPECT_EQ(low.driver.take(), "dial 2; ");
  EXPECT_EQ(high.driver.take(), "");
  EXPECT_EQ(high.node.missingPeers(), (std::vector<TaskId>{0}));
  high.passUntil(high.driver.now + 2'000 * kMilli);
  EXPECT_EQ(high.node.missingPeers(), (std::vector<TaskId>{0, 1}));
}

TEST(TaskNode, AStrangerIsHungUpAndLoggedOnce) {
  Node node(1);
  node.node.start();
  LinkEnd stranger(2, 1, 9, {}, 12345); // of another cluster
  std::string refusal = "the peer was started with another cluster: give all "
                        "tasks the same jobs and indices; ";
  for (int i = 0; i < 2; ++i) {
    node.driver.take();
    TestConnection connection, back;
    node.node.onConnectionUp(2, connection);
    stranger.link.onConnectionUp(back, node.driver.now);
    node.node.onPacket(2, back.packets.front());
    std::string logged =
        i == 0 ? "error: the link to /job:worker/task:1 is refused: " + refusal
               : "";
    EXPECT_EQ(node.driver.take(), logged + "hang up 2: " + refusal);
    node.passUntil(node.driver.now + 1'000 * kMilli);
    EXPECT_EQ(node.driver.take(), "dial 2; ");
  }
}

TEST(TaskNode, ASilentPeerIsHungUp) {
  Node node(1);
  node.node.start();
  TestConnection connection;
  node.driver.take();
  node.node.onConnectionUp(2, connection);
  node.passUntil(node.driver.now + 8'000 * kMilli);
  EXPECT_EQ(node.driver.take(), "hang up 2: stopped answering: nothing came "
                                "from it for 8.0 s; ");
  node.passUntil(node.driver.now + 100 * kMilli);
  EXPECT_EQ(node.driver.take(), "dial 2; ");
}

TEST(TaskNode, EventsOfTasksThatAreNotThereAreIgnored) {
  Node node(1);
  TestConnection connection;
  node.node.start();
  node.node.onConnectionUp(1, connection); // itself
  node.node.onConnectionUp(77, connection);
  node.node.onPacket(77, {});
  node.node.onConnectionDown(77, unavailable("gone"));
  node.node.onDialFailed(1, unavailable("gone"));
  node.node.onRoom(2); // without a connection
  EXPECT_TRUE(connection.packets.empty());
}

} // namespace
