// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames arrive once and in order, within credit and room; others than the peer
// are refused.
#include "runtime/link/Packet.h"
#include "test/runtime/executor/AllocationCount.h"
#include "test/runtime/link/LinkPair.h"

#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace graphc::test;

namespace {

constexpr int64_t kMilli = 1'000'000;

TEST(ReliableLink, BothEndsMeetAndSpeak) {
  for (bool lossless : {false, true}) {
    LinkPair pair;
    pair.connect(lossless);
    EXPECT_FALSE(pair.a->link.isUp());
    ASSERT_TRUE(pair.deliver().isOk());
    EXPECT_EQ(pair.a->log, "up 200; ");
    EXPECT_EQ(pair.b->log, "up 100; ");
    for (uint64_t step = 0; step < 50; ++step)
      pair.a->send(step, step * 13, pair.now);
    ASSERT_TRUE(pair.deliver().isOk());
    EXPECT_EQ(pair.b->steps, upTo(50));
    EXPECT_FALSE(pair.b->isDamaged);
    pair.now += 5 * kMilli;
    pair.timers(); // says what was taken
    ASSERT_TRUE(pair.deliver().isOk());
    EXPECT_EQ(pair.a->link.pending(), 0u);
  }
}

TEST(ReliableLink, WhatIsTakenIsSaidAfterAQuarterOfTheCredit) {
  LinkPair pair({.credit = 480'000});
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  pair.a->send(0, 60'000, pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_GT(pair.a->link.pending(), 60'000u);
  pair.a->send(1, 60'000, pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.a->link.pending(), 0u);
}

TEST(ReliableLink, CreditAndRoomBoundWhatIsOnTheWay) {
  LinkPair pair({.credit = 100'000});
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  for (uint64_t step = 0; step < 100; ++step)
    pair.a->send(step, 10'000, pair.now);
  EXPECT_EQ(pair.a->connection->packets.size(), 9u);
  EXPECT_GT(pair.a->link.pending(), 1'000'000u);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, upTo(100));

  pair.a->connection->roomLeft = 10;
  pair.a->send(100, 4, pair.now);
  EXPECT_TRUE(pair.a->connection->packets.empty());
  pair.a->connection->roomLeft = SIZE_MAX;
  pair.a->link.onRoom(pair.now);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, upTo(101));
}

TEST(ReliableLink, FramesLargerThanTheCreditGoAlone) {
  LinkPair pair({.credit = 100});
  pair.connect();
  ASSERT_TRUE(pair.deliver().isOk());
  for (uint64_t step = 0; step < 5; ++step)
    pair.a->send(step, 70'000, pair.now);
  EXPECT_EQ(pair.a->connection->packets.size(), 1u);
  ASSERT_TRUE(pair.deliver().isOk());
  EXPECT_EQ(pair.b->steps, upTo(5));
}

TEST(ReliableLink, OthersAreRefused) {
  auto meet = [](LinkEnd &&stranger) {
    LinkEnd self(1, 2, 100);
    TestConnection connection, back;
    self.link.onConnectionUp(connection, 0);
    stranger.link.onConnectionUp(back, 0);
    Status status = self.link.onPacket(back.packets.front(), 0);
    EXPECT_EQ(self.link.isUp(), status.isOk());
    return status.toString();
  };
  EXPECT_EQ(meet(LinkEnd(2, 1, 200)), "OK");
  EXPECT_EQ(meet(LinkEnd(2, 1, 200, {}, 6)),
            "FAILED_PRECONDITION: the peer was started with another cluster: "
            "give all tasks the same jobs and indices");
  EXPECT_EQ(meet(LinkEnd(3, 1, 200)),
            "FAILED_PRECONDITION: task number 3, which looks for task number "
            "1, answers where task number 2 is expected: an address in the "
            "cluster is wrong");
}

TEST(ReliableLink, AnotherVersionIsRefused) {
  LinkEnd self(1, 2, 100), other(2, 1, 200);
  TestConnection connection, back;
  self.link.onConnectionUp(connection, 0);
  other.link.onConnectionUp(back, 0);
  uint32_t version = 7;
  std::memcpy(back.packets.front().data() + sizeof(PacketHeader), &version, 4);
  EXPECT_EQ(self.link.onPacket(back.packets.front(), 0).toString(),
            "FAILED_PRECONDITION: the peer speaks protocol version 7, this "
            "task 2: install the same graphc at both");
}

TEST(ReliableLink, RandomBytesAreRefusedOrIgnored) {
  std::mt19937 random(1);
  size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    LinkPair pair;
    pair.connect(round & 1, round & 2);
    if (round % 3)
      ASSERT_TRUE(pair.deliver().isOk());
    pair.a->send(1, 40, pair.now);
    std::vector<std::byte> bytes(random() % 200);
    if (!pair.a->connection->packets.empty() && random() % 2)
      bytes = pair.a->connection->packets.front();
    for (int i = random() % 8; i > 0 && !bytes.empty(); --i)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    refused += !pair.b->link.onPacket(bytes, pair.now).isOk();
    pair.b->send(1, 40, pair.now);
    pair.timers();
    EXPECT_LE(pair.b->steps.size(), 1u);
  }
  EXPECT_GT(refused, 5'000u);
}

/// A connection that hands packets over at once, as shared memory does.
struct DirectConnection final : Connection {
  size_t room() const override { return SIZE_MAX; }
  void transmit(std::span<const std::byte> head,
                std::span<const std::byte> body) override {
    length = head.size() + body.size();
    std::memcpy(packet, head.data(), head.size());
    if (!body.empty())
      std::memcpy(packet + head.size(), body.data(), body.size());
  }
  bool isLossless() const override { return true; }
  const char *route() const override { return "direct"; }
  std::byte packet[256];
  size_t length = 0;
};

/// Two links that are up over direct connections.
struct DirectPair {
  DirectPair() {
    a.link.onConnectionUp(ab, 0);
    b.link.onConnectionUp(ba, 0);
    std::vector<std::byte> handshake(ab.packet, ab.packet + ab.length);
    (void)a.link.onPacket({ba.packet, ba.length}, 0);
    (void)b.link.onPacket(handshake, 0);
    (void)a.link.onPacket({ba.packet, ba.length}, 0);
  }
  /// A frame of 4 bytes there and one back, `count` times.
  void exchange(int count) {
    std::byte payload[4] = {};
    FrameHeader header;
    for (int i = 0; i < count; ++i) {
      a.link.send(header, payload, i);
      (void)b.link.onPacket({ab.packet, ab.length}, i);
      b.link.send(header, payload, i);
      (void)a.link.onPacket({ba.packet, ba.length}, i);
    }
  }
  LinkEnd a{1, 2, 100}, b{2, 1, 200};
  DirectConnection ab, ba;
};

TEST(ReliableLink, SmallFramesAllocateNothing) {
  if (!countsAllocations())
    GTEST_SKIP() << "allocations are not counted under a sanitizer";
  DirectPair pair;
  ASSERT_TRUE(pair.a.link.isUp() && pair.b.link.isUp());
  pair.a.steps.reserve(2'000);
  pair.b.steps.reserve(2'000);
  pair.exchange(100);
  uint64_t before = allocationCount();
  pair.exchange(1'000);
  EXPECT_EQ(allocationCount(), before);
  EXPECT_EQ(pair.b.steps.size(), 1'100u);
}

// Prints what a frame of 4 bytes costs; run by hand.
TEST(ReliableLink, DISABLED_Cost) {
  DirectPair pair;
  constexpr int kRounds = 1'000'000;
  pair.a.steps.reserve(kRounds);
  pair.b.steps.reserve(kRounds);
  auto begin = std::chrono::steady_clock::now();
  pair.exchange(kRounds);
  auto nanos = std::chrono::steady_clock::now() - begin;
  printf("send and take: %.1f ns\n",
         std::chrono::duration<double, std::nano>(nanos).count() / kRounds / 2);
  EXPECT_EQ(pair.b.steps.size(), size_t(kRounds));
}

} // namespace
