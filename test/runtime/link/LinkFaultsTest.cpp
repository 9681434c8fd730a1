// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames arrive once and in order over connections that come, go, lose, double
// and reorder; peers that stop, die or start anew are noticed.
#include "runtime/link/Packet.h"
#include "test/runtime/link/LinkPair.h"

#include <gtest/gtest.h>
#include <random>

using namespace graphc::test;

namespace {

constexpr int64_t kMilli = 1'000'000;

TEST(ReliableLink, WhatACutLostComesOverTheNextConnection) {
  LinkPair pair;
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  uint64_t step = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 7; ++i)
      pair.a->send(step++, 300, pair.now);
    for (int i = 0; i < round % 7; ++i)
      ASSERT_TRUE(pair.deliverOne(*pair.a, *pair.b).isOk());
    pair.cut();
    pair.a->send(step++, 20, pair.now); // waits for the next connection
    pair.now += 100 * kMilli;
    pair.connect();
    ASSERT_TRUE(pair.deliver().isOk());
    ASSERT_EQ(pair.b->steps, upTo(step));
  }
  EXPECT_EQ(pair.a->log, "up 200; ");
  EXPECT_FALSE(pair.b->isDamaged);
}

TEST(ReliableLink, AConnectionThatLosesDoublesAndReordersLosesNothing) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    LinkPair pair;
    pair.connect(false, true);
    uint64_t sent[2] = {0, 0};
    LinkEnd *ends[] = {pair.a.get(), pair.b.get()};
    for (int i = 0; i < 4000; ++i) {
      pair.now += random() % (4 * kMilli);
      pair.timers();
      int side = random() % 2;
      LinkEnd &from = *ends[side], &to = *ends[1 - side];
      if (i < 2000 && random() % 4 == 0 && from.link.isUp())
        from.send(sent[side]++, random() % 200, pair.now);
      if (i < 2000 && random() % 400 == 0) {
        pair.cut();
        pair.connect(false, true);
        continue;
      }
      auto &packets = from.connection->packets;
      if (packets.empty())
        continue;
      std::swap(packets.front(),
                packets[random() % std::min<size_t>(packets.size(), 3)]);
      if (i < 2000 && random() % 50 == 0)
        packets.pop_front();
      else if (i < 2000 && random() % 50 == 0)
        packets.push_back(packets.front());
      else
        ASSERT_TRUE(pair.deliverOne(from, to).isOk());
    }
    for (int i = 0; i < 50; ++i) {
      pair.now += 100 * kMilli;
      pair.timers();
      ASSERT_TRUE(pair.deliver().isOk());
    }
    EXPECT_EQ(ends[0]->steps, upTo(sent[1]));
    EXPECT_EQ(ends[1]->steps, upTo(sent[0]));
    EXPECT_FALSE(ends[0]->isDamaged || ends[1]->isDamaged);
    EXPECT_EQ(ends[0]->downs + ends[1]->downs, 0)
        << ends[0]->log << ends[1]->log << seed;
    EXPECT_EQ(ends[0]->link.pending() + ends[1]->link.pending(), 0u);
    EXPECT_GT(sent[0], 200u);
  }
}

TEST(ReliableLink, ASilentPeerIsGivenUp) {
  LinkPair pair;
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  int64_t begin = pair.now;
  // Heartbeats keep it.
  for (int i = 0; i < 20; ++i) {
    pair.now = std::min(pair.a->link.nextTimer(), pair.b->link.nextTimer());
    pair.timers();
    ASSERT_TRUE(pair.deliver().isOk());
  }
  EXPECT_GE(pair.now - begin, 9'000 * kMilli);
  EXPECT_EQ(pair.a->downs, 0);
  // The peer stops.
  begin = pair.now;
  while (pair.a->downs == 0 && pair.a->link.nextTimer() < INT64_MAX) {
    pair.now = pair.a->link.nextTimer();
    pair.a->link.onTimer(pair.now);
  }
  EXPECT_LE(pair.now - begin, 8'000 * kMilli);
  EXPECT_GE(pair.now - begin, 7'000 * kMilli);
  EXPECT_EQ(
      pair.a->log,
      "up 200; down: stopped answering: nothing came from it for 8.0 s; ");
  EXPECT_EQ(pair.a->link.connection(), nullptr);
  EXPECT_FALSE(pair.a->link.isUp());
}

// A peer whose loop is busy says so by packets without content.
TEST(ReliableLink, AHeartbeatCountsAsAnAnswer) {
  LinkPair pair;
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  for (int i = 0; i < 20; ++i) {
    pair.now += 1'000 * kMilli;
    pair.a->link.onTimer(pair.now);
    ASSERT_TRUE(pair.a->link.onPacket({}, pair.now).isOk());
  }
  EXPECT_EQ(pair.a->downs, 0);
}

TEST(ReliableLink, TheOwnersOwnPauseIsNotThePeersSilence) {
  LinkPair pair;
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  pair.now += 60'000 * kMilli;
  pair.a->link.onTimer(pair.now);
  EXPECT_EQ(pair.a->downs, 0);
}

TEST(ReliableLink, TheOwnersOwnPauseIsNotThePeersAbsence) {
  LinkPair pair;
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  pair.cut();
  pair.now += 60'000 * kMilli;
  pair.a->link.onTimer(pair.now);
  EXPECT_EQ(pair.a->downs, 0);
  // From now on it is looked at, and counts.
  pair.now += 1'000 * kMilli;
  pair.a->link.onTimer(pair.now);
  EXPECT_EQ(pair.a->downs, 0);
  pair.now += 1'000 * kMilli;
  pair.a->link.onTimer(pair.now);
  EXPECT_EQ(pair.a->downs, 1);
}

TEST(ReliableLink, APeerThatDoesNotComeBackIsGivenUp) {
  LinkPair pair;
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  pair.cut();
  EXPECT_EQ(pair.a->downs, 0);
  EXPECT_LE(pair.a->link.nextTimer(), pair.now + 2'000 * kMilli);
  pair.now += 2'000 * kMilli;
  pair.a->link.onTimer(pair.now);
  EXPECT_EQ(pair.a->log, "up 200; down: did not come back within 2.0 s after "
                         "its connection was lost: cut; ");
  // It comes later, and both begin anew; what was on the way is lost.
  pair.b->send(77, 4, pair.now);
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_TRUE(pair.a->link.isUp());
  EXPECT_EQ(pair.b->log,
            "up 100; down: gave up this task and came back; up 100; ");
  EXPECT_TRUE(pair.a->steps.empty());
  pair.a->send(0, 4, pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, upTo(1));
}

TEST(ReliableLink, ALosslessConnectionEndsWithItsPeer) {
  LinkPair pair;
  pair.connect(true);
  ASSERT_TRUE(pair.deliver().isOk());
  pair.a->link.onConnectionDown(unavailable("its process is gone"), pair.now);
  EXPECT_EQ(pair.a->log, "up 200; down: was killed or has ended: its process "
                         "is gone; ");
  EXPECT_EQ(pair.a->link.nextTimer(), INT64_MAX);
}

TEST(ReliableLink, ARestartedPeerIsAnother) {
  LinkPair pair;
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  pair.a->send(9, 4, pair.now);
  pair.cut();
  pair.b = std::make_unique<LinkEnd>(2, 1, 201, pair.options);
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.a->log, "up 200; down: was killed or restarted; up 201; ");
  EXPECT_TRUE(pair.b->steps.empty());
  pair.a->send(0, 4, pair.now);
  pair.b->send(0, 4, pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, upTo(1));
  EXPECT_EQ(pair.a->steps, upTo(1));
}

TEST(ReliableLink, WhatALosslessConnectionCarriedIsNotKept) {
  LinkPair pair;
  pair.connect(true);
  ASSERT_TRUE(pair.deliver().isOk());
  pair.a->send(5, 4, pair.now); // never arrives, as no lossless connection does
  pair.connect(false);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.a->log, "up 200; down: lost what was on the way; up 200; ");
  EXPECT_EQ(pair.b->log,
            "up 100; down: gave up this task and came back; up 100; ");
  pair.a->send(0, 4, pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, upTo(1));
  // Where all was taken, the routes change without loss.
  pair.connect(true);
  pair.a->send(1, 4, pair.now); // waits for the handshake
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, upTo(2));
  EXPECT_EQ(pair.a->downs, 1);
}

TEST(ReliableLink,
     WhatALosslessConnectionCarriedIsNotSentAgainWhenAHandshakeIsLost) {
  for (bool isTaken : {false, true}) {
    LinkPair pair;
    pair.connect(true);
    ASSERT_TRUE(pair.deliver().isOk());
    pair.a->send(0, 4, pair.now);
    if (isTaken)
      ASSERT_TRUE(pair.deliverOne(*pair.a, *pair.b).isOk());
    pair.connect(false, true);
    pair.b->connection->packets.clear(); // its handshake
    ASSERT_TRUE(pair.deliverOne(*pair.a, *pair.b).isOk());
    pair.b->send(0, 4, pair.now);
    while (!pair.b->connection->packets.empty())
      ASSERT_TRUE(pair.deliverOne(*pair.b, *pair.a).isOk());
    EXPECT_EQ(pair.a->log, isTaken
                               ? "up 200; "
                               : "up 200; down: lost what was on the way; ");
    EXPECT_EQ(pair.a->link.connection() != nullptr, isTaken);
    pair.connect();
    ASSERT_TRUE(pair.deliver().isOk());
    pair.a->send(1, 4, pair.now);
    ASSERT_TRUE(pair.deliver().isOk());
    EXPECT_EQ(pair.b->steps.back(), 1u);
    EXPECT_FALSE(pair.b->isDamaged);
  }
}

TEST(ReliableLink, WhatACutLostIsSentAtOnceThoughAHandshakeIsLost) {
  LinkPair pair;
  pair.connect(false, true);
  ASSERT_TRUE(pair.deliver().isOk());
  pair.a->send(0, 4, pair.now);
  pair.cut(); // with the frame
  pair.connect(false, true);
  pair.b->connection->packets.clear(); // its handshake
  ASSERT_TRUE(pair.deliverOne(*pair.a, *pair.b).isOk());
  pair.b->send(0, 4, pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.a->steps, upTo(1));
  EXPECT_EQ(pair.b->steps, upTo(1));
}

TEST(ReliableLink, WhatIsSentToNobodyIsNotKept) {
  LinkPair pair;
  pair.a->send(0, 4, pair.now);
  EXPECT_EQ(pair.a->link.pending(), 0u);
  pair.connect();
  pair.a->send(1, 4, pair.now); // they have not met yet
  EXPECT_EQ(pair.a->link.pending(), 0u);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_TRUE(pair.b->steps.empty());
  pair.a->send(2, 4, pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, std::vector<uint64_t>{2});
}

} // namespace
