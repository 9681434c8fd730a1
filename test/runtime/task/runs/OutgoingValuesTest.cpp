// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that leave a run: in frames, into receive buffers, or exposed.
#include "runtime/task/runs/OutgoingValues.h"

#include "test/runtime/task/runs/RunValues.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

constexpr int64_t kLarge = 1 << 19; ///< floats; such values are shared

struct Outgoing : RunValues {
  explicit Outgoing(int64_t size, bool hasSharedMemory = false, TaskId self = 0)
      : RunValues(size, hasSharedMemory, self), peer(1 - self) {
    values.open(*engine);
    network().remote[{peer, 77}].resize(this->size);
  }
  bool send(uint64_t step) {
    const RemoteEdge *edge = &engine->engine->outgoing()[0];
    return values.send(std::span(&edge, 1), step);
  }

  TaskId peer;
  RunPeers peers{spec};
  OutgoingValues values{spec, peers, network()};
};

TEST(OutgoingValues, LeaveInFrames) {
  Outgoing all(kLarge);
  EXPECT_TRUE(all.send(3));
  ASSERT_EQ(all.sentFrames(FrameKind::Data), all.size / kMaxFrameBytes);
  const auto &[peer, header] = all.network().sent[1];
  EXPECT_EQ(peer, 1u);
  EXPECT_EQ(header.step, 3u);
  EXPECT_EQ(header.edge, kThere);
  EXPECT_EQ(header.offset, kMaxFrameBytes);
  EXPECT_EQ(header.total, all.size);
}

TEST(OutgoingValues, WaitUntilAReceiveBufferIsFree) {
  Outgoing all(4);
  FrameHeader buffer = all.frame(FrameKind::ReceiveBuffer, kThere, 0, 77);
  EXPECT_FALSE(all.values.onReceiveBuffer(0, buffer).isOk());
  ASSERT_TRUE(all.values.onReceiveBuffer(1, buffer).isOk());
  EXPECT_FALSE(all.values.onReceiveBuffer(1, buffer).isOk());
  EXPECT_FALSE(all.send(0));
  EXPECT_TRUE(all.network().sent.empty());
  all.peers.find(1)->begun = 1;
  all.engine->engine->outgoing()[0].bytes[5] = std::byte(6);
  EXPECT_TRUE(all.send(0));
  EXPECT_EQ(all.sentFrames(FrameKind::InPlace), 1u);
  EXPECT_EQ((all.network().remote[{1, 77}][5]), std::byte(6));
  EXPECT_FALSE(all.send(1));
}

TEST(OutgoingValues, CoordinatedRunsDoNotWait) {
  Outgoing all(4);
  all.spec.coordinator = 1;
  ASSERT_TRUE(all.values
                  .onReceiveBuffer(
                      1, all.frame(FrameKind::ReceiveBuffer, kThere, 0, 77))
                  .isOk());
  EXPECT_TRUE(all.send(0));
  EXPECT_EQ(all.sentFrames(FrameKind::Data), 1u);
}

TEST(OutgoingValues, ABufferThatCannotBeReachedIsNoFault) {
  Outgoing all(4);
  ASSERT_TRUE(all.values
                  .onReceiveBuffer(
                      1, all.frame(FrameKind::ReceiveBuffer, kThere, 0, 78))
                  .isOk());
  EXPECT_TRUE(all.send(0));
  EXPECT_EQ(all.sentFrames(FrameKind::Data), 1u);
}

TEST(OutgoingValues, ExposedBuffersAreWrittenAgainWhenTheyWereRead) {
  Outgoing all(kLarge, true, 1);
  ASSERT_EQ(all.engine->exposed.size(), 1u);
  FrameHeader reads = all.frame(FrameKind::RemoteRead, kBack, 2);
  EXPECT_FALSE(all.values.onRemoteRead(1, reads).isOk());
  EXPECT_EQ(all.values.awaitedReader(2), kNoTask);
  ASSERT_TRUE(all.values.onRemoteRead(0, reads).isOk());
  EXPECT_FALSE(all.values.onRemoteRead(0, reads).isOk());
  EXPECT_TRUE(all.send(1)); // by a frame, as before
  EXPECT_EQ(all.sentFrames(FrameKind::InPlace), 0u);
  EXPECT_TRUE(all.send(2));
  EXPECT_EQ(all.sentFrames(FrameKind::InPlace), 1u);
  all.engine->engine->begin(3);
  EXPECT_EQ(all.values.awaitedReader(3), 0u);
  EXPECT_FALSE(all.values.releaseExposed(3));
  all.peers.find(0)->begun = 4;
  EXPECT_EQ(all.values.awaitedReader(3), kNoTask);
  EXPECT_TRUE(all.values.releaseExposed(3));
}

} // namespace
