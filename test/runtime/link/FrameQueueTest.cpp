// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames that a peer has not taken yet, and the payloads that are kept of them.
#include "runtime/link/FrameQueue.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

/// A frame that says which one it is, in its header and its payload.
void push(FrameQueue &queue, uint64_t step, bool keeps, size_t size = 3) {
  FrameHeader header;
  header.step = step;
  header.size = static_cast<uint32_t>(size);
  std::vector<std::byte> payload(size, std::byte(step));
  queue.push(header, payload, keeps);
}

void expectFrame(const FrameQueue &queue, uint64_t number, uint64_t step) {
  EXPECT_EQ(queue.header(number).step, step);
  SharedBytes payload = queue.payload(number);
  ASSERT_EQ(payload.bytes.size(), 3u);
  ASSERT_NE(payload.bytes.data(), nullptr);
  EXPECT_EQ(payload.bytes[0], std::byte(step));
}

TEST(FrameQueue, GrowsInTheMiddleOfItsRing) {
  FrameQueue queue;
  EXPECT_EQ(queue.first(), 1u);
  EXPECT_EQ(queue.end(), 1u);
  for (uint64_t i = 1; i <= 40; ++i)
    push(queue, i, true);
  for (int i = 0; i < 30; ++i)
    queue.pop();
  for (uint64_t i = 41; i <= 300; ++i)
    push(queue, i, true);
  EXPECT_EQ(queue.first(), 31u);
  EXPECT_EQ(queue.end(), 301u);
  for (uint64_t number = queue.first(); number != queue.end(); ++number)
    expectFrame(queue, number, number);
}

TEST(FrameQueue, CountsWhatItHolds) {
  FrameQueue queue;
  EXPECT_TRUE(queue.isEmpty());
  push(queue, 1, true, 100);
  push(queue, 2, true, 0);
  EXPECT_EQ(queue.bytes(), 2 * sizeof(FrameHeader) + 100);
  EXPECT_EQ(queue.payload(2).owner, nullptr);
  queue.pop();
  EXPECT_EQ(queue.bytes(), sizeof(FrameHeader));
  EXPECT_FALSE(queue.isEmpty());
  queue.pop();
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_TRUE(queue.isEmpty());
  EXPECT_EQ(queue.first(), 3u);
  push(queue, 3, true);
  queue.clear();
  EXPECT_TRUE(queue.isEmpty());
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_EQ(queue.end(), 1u);
  EXPECT_EQ(queue.firstKept(), 1u);
  push(queue, 9, true);
  expectFrame(queue, 1, 9);
}

TEST(FrameQueue, KeepsThePayloadsFromOneFrameOn) {
  FrameQueue queue;
  push(queue, 1, false);
  EXPECT_EQ(queue.firstKept(), 2u);
  EXPECT_EQ(queue.payload(1).owner, nullptr);
  push(queue, 2, true);
  push(queue, 3, true);
  EXPECT_EQ(queue.firstKept(), 2u);
  std::weak_ptr<const void> second = queue.payload(2).owner;
  EXPECT_FALSE(second.expired());
  queue.dropPayload();
  EXPECT_EQ(queue.firstKept(), 3u);
  EXPECT_TRUE(second.expired());
  queue.pop();
  queue.pop();
  EXPECT_EQ(queue.firstKept(), 3u); // those were dropped before
  std::weak_ptr<const void> third = queue.payload(3).owner;
  EXPECT_FALSE(third.expired());
  queue.pop();
  EXPECT_EQ(queue.firstKept(), 4u);
  EXPECT_TRUE(third.expired());
}

} // namespace
