// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that reach a run: in frames, early, in receive buffers, and in buffers
// that their senders expose.
#include "runtime/task/runs/IncomingValues.h"

#include "test/runtime/task/runs/RunValues.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

constexpr int64_t kLarge = 1 << 15; ///< floats; such values are shared

struct Incoming : RunValues {
  explicit Incoming(int64_t size, bool hasSharedMemory = false)
      : RunValues(size, hasSharedMemory) {
    values.open(*engine);
  }
  StatusOr<bool> data(uint64_t offset, std::span<const std::byte> bytes,
                      bool isEarly = false) {
    return values.onData(frame(FrameKind::Data, kBack, 0, offset),
                         ByteRanges(bytes), isEarly);
  }
  std::span<std::byte> place() { return engine->engine->incoming()[0].bytes; }

  IncomingValues values{spec, network()};
};

std::vector<std::byte> filled(size_t bytes, int value) {
  return std::vector<std::byte>(bytes, std::byte(value));
}

TEST(IncomingValues, AValueComesInFramesOneAfterTheOther) {
  Incoming all(4);
  EXPECT_TRUE(all.values.leadsHere(kBack, 1));
  EXPECT_FALSE(all.values.leadsHere(kThere, 1));
  EXPECT_FALSE(all.values.leadsHere(kBack, 0));
  EXPECT_FALSE(all.values.leadsHere(7, 1));
  EXPECT_FALSE(all.values.hasReceiveBuffers(1));
  all.engine->engine->begin(0);
  all.values.takeEarlyArrivals();
  std::vector<std::byte> half = filled(8, 3);
  EXPECT_FALSE(all.data(8, half).isOk());
  EXPECT_FALSE(*all.data(0, half));
  EXPECT_FALSE(all.data(0, half).isOk());
  EXPECT_TRUE(*all.data(8, half));
  EXPECT_FALSE(all.data(16, half).isOk());
  EXPECT_EQ(all.place()[15], std::byte(3));
  EXPECT_EQ(all.values.earlyBytes(), 0u);
}

TEST(IncomingValues, EarlyArrivalsWaitForTheirStep) {
  Incoming all(4);
  all.engine->engine->begin(0);
  all.values.takeEarlyArrivals();
  std::vector<std::byte> now = filled(16, 1), next = filled(16, 2);
  EXPECT_FALSE(*all.data(0, next, true));
  EXPECT_EQ(all.values.earlyBytes(), 16u);
  EXPECT_TRUE(*all.data(0, now));
  EXPECT_EQ(all.place()[0], std::byte(1));
  EXPECT_FALSE(all.data(0, next, true).isOk());
  all.engine->engine->abandon();
  all.engine->engine->begin(1);
  all.values.takeEarlyArrivals();
  EXPECT_EQ(all.place()[0], std::byte(2));
  EXPECT_EQ(all.values.earlyBytes(), 0u);
  EXPECT_FALSE(all.data(0, now).isOk()); // it has come
}

TEST(IncomingValues, WhatIsInItsPlaceHasAReceiveBuffer) {
  Incoming small(4);
  small.engine->engine->begin(0);
  EXPECT_FALSE(
      small.values.onInPlace(small.frame(FrameKind::InPlace, kBack), false)
          .isOk());
  Incoming all(kLarge, true);
  ASSERT_TRUE(all.values.hasReceiveBuffers(1));
  all.engine->engine->begin(0);
  all.values.takeEarlyArrivals();
  FrameHeader header = all.frame(FrameKind::InPlace, kBack);
  EXPECT_FALSE(all.values.onInPlace(header, true).isOk());
  StatusOr<bool> taken = all.values.onInPlace(header, false);
  ASSERT_TRUE(taken.isOk()) << taken.status().message();
  EXPECT_TRUE(*taken);
  EXPECT_FALSE(all.values.onInPlace(header, false).isOk());
}

TEST(IncomingValues, ExposedBuffersAreReadFromTheNextStepOn) {
  Incoming all(kLarge, true);
  all.network().remote[{1, 77}] = filled(all.size, 9);
  FrameHeader header = all.frame(FrameKind::Exposed, kBack, 0, 77);
  all.values.beginRemoteReads(0); // nothing
  EXPECT_EQ(all.sentFrames(FrameKind::RemoteRead), 0u);
  ASSERT_TRUE(all.values.onExposed(header).isOk());
  EXPECT_FALSE(all.values.onExposed(header).isOk());
  all.values.beginRemoteReads(4);
  ASSERT_EQ(all.sentFrames(FrameKind::RemoteRead), 1u);
  EXPECT_EQ(all.network().sent.back().second.step, 4u);
  all.values.beginRemoteReads(5);
  EXPECT_EQ(all.sentFrames(FrameKind::RemoteRead), 1u);
  all.values.close();
  EXPECT_FALSE(all.values.leadsHere(kBack, 1));
}

TEST(IncomingValues, AnEarlyArrivalIsNotReadElsewhere) {
  Incoming all(kLarge, true);
  all.network().remote[{1, 77}] = filled(all.size, 9);
  ASSERT_TRUE(
      all.values.onExposed(all.frame(FrameKind::Exposed, kBack, 0, 77)).isOk());
  ASSERT_TRUE(all.data(0, filled(8, 1), true).isOk());
  all.values.beginRemoteReads(0);
  EXPECT_EQ(all.sentFrames(FrameKind::RemoteRead), 0u);
  all.engine->engine->begin(0);
  all.values.takeEarlyArrivals();
  all.values.beginRemoteReads(1);
  EXPECT_EQ(all.sentFrames(FrameKind::RemoteRead), 1u);
}

TEST(IncomingValues, ABufferThatCannotBeReachedIsNoFault) {
  Incoming all(kLarge, true);
  EXPECT_TRUE(
      all.values.onExposed(all.frame(FrameKind::Exposed, kBack, 0, 78)).isOk());
  all.values.beginRemoteReads(0);
  EXPECT_EQ(all.sentFrames(FrameKind::RemoteRead), 0u);
}

} // namespace
