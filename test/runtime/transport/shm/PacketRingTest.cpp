// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ring: packets arrive whole and in order wherever they lie, a full ring
// says so, and what a hostile end writes breaks the ring, not the process.
#include "runtime/transport/shm/PacketRing.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace graphc::runtime;

namespace {

struct Free {
  void operator()(std::byte *memory) const { std::free(memory); }
};

class PacketRing : public testing::Test {
protected:
  PacketRing()
      : memory(static_cast<std::byte *>(
            std::aligned_alloc(4096, kRingDataOffset + kRingBytes))) {
    std::memset(memory.get(), 0, kRingDataOffset + kRingBytes);
  }

  void writeLine(uint64_t offset, uint64_t value) {
    std::memcpy(memory.get() + kRingDataOffset + offset, &value, sizeof value);
  }

  std::unique_ptr<std::byte, Free> memory;
  RingWriter writer{memory.get()};
  RingReader reader{memory.get()};
  RingControl &control = writer.control();
};

std::vector<std::byte> pattern(size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = std::byte(seed * 31 + i * 7);
  return bytes;
}

std::vector<std::byte> copyOf(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST_F(PacketRing, PacketsArriveInOrderOverManyRounds) {
  std::mt19937 random(1);
  std::vector<std::vector<std::byte>> waiting;
  size_t total = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    // Some large ones, so that records meet the ring's end in all ways.
    size_t most = random() % 20 ? 300 : kMaxPacketBytes;
    size_t size = 1 + random() % most;
    while (writer.room() < size) {
      auto packet = reader.front();
      ASSERT_TRUE(packet);
      ASSERT_EQ(copyOf(*packet), waiting.front());
      waiting.erase(waiting.begin());
      reader.pop();
      reader.release();
    }
    auto bytes = pattern(size, i);
    size_t head = random() % (size + 1);
    writer.write(std::span(bytes).first(head), std::span(bytes).subspan(head));
    waiting.push_back(std::move(bytes));
    total += size;
  }
  for (auto &expected : waiting) {
    auto packet = reader.front();
    ASSERT_TRUE(packet);
    ASSERT_EQ(copyOf(*packet), expected);
    reader.pop();
  }
  EXPECT_FALSE(reader.front());
  EXPECT_GT(total, 10 * kRingBytes);
  EXPECT_FALSE(reader.isBroken());
  EXPECT_FALSE(writer.isBroken());
}

TEST_F(PacketRing, FullRingHasNoRoomUntilItIsReleased) {
  auto bytes = pattern(kMaxPacketBytes, 1);
  size_t packets = 0;
  for (; writer.room() >= bytes.size(); ++packets)
    writer.write(bytes, {});
  EXPECT_EQ(packets, kRingBytes / kMaxPacketBytes);
  while (writer.room() > 0)
    writer.write(std::span(bytes).first(std::min<size_t>(writer.room(), 100)),
                 {});
  ASSERT_TRUE(reader.front());
  reader.pop();
  EXPECT_EQ(writer.room(), 0u) << "popped is not released";
  reader.release();
  EXPECT_EQ(writer.room(), kMaxPacketBytes);
}

TEST_F(PacketRing, AnEmptyRingTakesTheLargestPacketWhereverItIs) {
  auto small = pattern(1000, 1), large = pattern(kMaxPacketBytes, 2);
  for (size_t packets = 0; packets * 1100 < kRingBytes; packets += 37) {
    std::memset(memory.get(), 0, kRingDataOffset);
    RingWriter to(memory.get());
    RingReader from(memory.get());
    for (size_t i = 0; i < packets; ++i) {
      to.write(small, {});
      ASSERT_TRUE(from.front());
      from.pop();
    }
    from.release();
    ASSERT_EQ(to.room(), kMaxPacketBytes) << packets;
    to.write(large, {});
    auto packet = from.front();
    ASSERT_TRUE(packet) << packets;
    ASSERT_EQ(copyOf(*packet), large) << packets;
  }
}

TEST_F(PacketRing, LightTrafficStaysAtTheStart) {
  auto bytes = pattern(1000, 1);
  const std::byte *highest = nullptr;
  for (unsigned i = 0; i < 20'000; ++i) {
    writer.write(bytes, {});
    auto packet = reader.front();
    ASSERT_TRUE(packet);
    ASSERT_EQ(copyOf(*packet), bytes);
    highest = std::max(highest, packet->data());
    reader.pop();
    reader.release();
  }
  EXPECT_LT(highest, memory.get() + kRingDataOffset + (70 << 10));
}

TEST_F(PacketRing, AWriterThatClaimsTooMuchBreaksTheRing) {
  for (uint64_t written :
       {uint64_t(kRingBytes + 64), UINT64_MAX, uint64_t(3)}) {
    RingReader fresh(memory.get());
    control.written.store(written);
    EXPECT_FALSE(fresh.front());
    EXPECT_TRUE(fresh.isBroken());
    EXPECT_FALSE(fresh.front());
  }
}

TEST_F(PacketRing, ASizeBeyondWhatWasWrittenBreaksTheRing) {
  control.written.store(64);
  for (uint64_t size :
       {uint64_t(57), uint64_t(kMaxPacketBytes), uint64_t(kMaxPacketBytes + 1),
        UINT64_MAX - 1, UINT64_MAX}) {
    RingReader fresh(memory.get());
    writeLine(0, size);
    EXPECT_FALSE(fresh.front()) << size;
    EXPECT_TRUE(fresh.isBroken()) << size;
  }
  RingReader fresh(memory.get());
  writeLine(0, 56);
  EXPECT_TRUE(fresh.front());
}

TEST_F(PacketRing, ARecordOverTheRingsEndBreaksIt) {
  // The last line of the ring, and a size that would go beyond it.
  auto line = pattern(56, 1);
  for (size_t i = 0; i + 64 < kRingBytes; i += 64) {
    writer.write(line, {});
    ASSERT_TRUE(reader.front());
    reader.pop();
  }
  writeLine(kRingBytes - 64, 57);
  control.written.store(kRingBytes + 640);
  EXPECT_FALSE(reader.front());
  EXPECT_TRUE(reader.isBroken());
}

TEST_F(PacketRing, AReaderThatTookMoreThanThereIsBreaksTheRing) {
  for (uint64_t taken : {uint64_t(kRingBytes) * 4, UINT64_MAX, uint64_t(1)}) {
    RingWriter fresh(memory.get());
    control.taken.store(taken);
    // The writer looks when what it knows does not suffice.
    auto bytes = pattern(kMaxPacketBytes, 1);
    for (int i = 0; i < 8 && fresh.room() >= bytes.size(); ++i)
      fresh.write(bytes, {});
    while (fresh.room() > 0)
      fresh.write(std::span(bytes).first(fresh.room()), {});
    EXPECT_TRUE(fresh.isBroken()) << taken;
  }
}

TEST_F(PacketRing, RandomMemoryNeverLeadsOutOfTheRing) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    RingReader fresh(memory.get());
    for (int line = 0; line < 32; ++line)
      writeLine(line * 64, random() >> (random() % 64));
    control.written.store(random() % 64 * 64);
    for (int packet = 0; packet < 40; ++packet) {
      auto front = fresh.front();
      if (!front)
        break;
      const std::byte *data = memory.get() + kRingDataOffset;
      ASSERT_GE(front->data(), data);
      ASSERT_LE(front->data() + front->size(), data + kRingBytes);
      fresh.pop();
    }
  }
}

TEST_F(PacketRing, TwoThreads) {
  constexpr unsigned kPackets = 20'000;
  std::thread other([&] {
    for (unsigned i = 0; i < kPackets; ++i) {
      auto bytes = pattern(1 + i % 3000, i);
      while (writer.room() < bytes.size())
        std::this_thread::yield();
      writer.write(bytes, {});
    }
  });
  for (unsigned i = 0; i < kPackets;) {
    auto packet = reader.front();
    if (!packet) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(copyOf(*packet), pattern(1 + i % 3000, i));
    reader.pop();
    reader.release();
    ++i;
  }
  other.join();
  EXPECT_FALSE(reader.isBroken());
}

} // namespace
