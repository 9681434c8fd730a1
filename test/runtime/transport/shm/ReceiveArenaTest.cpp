// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Receive buffers: they do not overlap, what is released is used again, and the
// peer's view refuses what is not there.
#include "runtime/transport/shm/ReceiveArena.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace graphc::runtime;

namespace {

FileDescriptor copyFd(int fd) {
  return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

TEST(ReceiveArena, PlacesAreDisjointAndAligned) {
  ReceiveArena arena;
  std::mt19937 random(1);
  std::map<uint64_t, size_t> live;
  for (int i = 0; i < 2000; ++i) {
    if (live.size() > 20 && random() % 2) {
      auto one = std::next(live.begin(), random() % live.size());
      arena.release(one->first);
      live.erase(one);
      continue;
    }
    size_t bytes = 1 + random() % (1 << 20);
    SharedPlace place = arena.allocate(bytes);
    ASSERT_NE(place.address, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(place.address) % 64, 0u);
    auto after = live.lower_bound(place.offset);
    if (after != live.end())
      EXPECT_LE(place.offset + bytes, after->first);
    if (after != live.begin()) {
      EXPECT_LE(std::prev(after)->first + std::prev(after)->second,
                place.offset);
    }
    live[place.offset] = bytes;
  }
  EXPECT_EQ(arena.places(), live.size());
}

TEST(ReceiveArena, ReleasedMemoryIsUsedAgain) {
  ReceiveArena arena;
  for (int i = 0; i < 1000; ++i) {
    SharedPlace a = arena.allocate(3 << 20), b = arena.allocate(5 << 20);
    ASSERT_TRUE(a.address && b.address);
    arena.release(a.offset);
    arena.release(b.offset);
    arena.release(b.offset); // twice: ignored
  }
  EXPECT_EQ(arena.blocks().size(), 1u);
  EXPECT_EQ(arena.places(), 0u);
}

TEST(ReceiveArena, RefusesMoreThanItMayHave) {
  ReceiveArena arena;
  EXPECT_EQ(arena.allocate(kMaxArenaBytes + 1).address, nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX).address, nullptr);
  EXPECT_EQ(arena.blocks().size(), 0u);
}

TEST(PeerArena, SeesTheSameBytes) {
  ReceiveArena arena;
  SharedPlace place = arena.allocate(100'000);
  const SharedMemory &block = arena.blocks()[0];
  PeerArena peer;
  ASSERT_TRUE(peer.addBlock(copyFd(block.fd()), block.size()).isOk());
  std::byte *seen = peer.find(place.offset, 100'000).address;
  ASSERT_NE(seen, nullptr);
  seen[99'999] = std::byte(42);
  EXPECT_EQ(place.address[99'999], std::byte(42));
}

TEST(PeerArena, RefusesPlacesThatAreNotThere) {
  ReceiveArena arena;
  uint64_t offset = arena.allocate(1000).offset;
  const SharedMemory &block = arena.blocks()[0];
  PeerArena peer;
  ASSERT_TRUE(peer.addBlock(copyFd(block.fd()), block.size()).isOk());
  EXPECT_NE(peer.find(offset, block.size()).address, nullptr);
  EXPECT_EQ(peer.find(offset, block.size() + 1).address, nullptr);
  EXPECT_EQ(peer.find(offset + 1, block.size()).address, nullptr);
  EXPECT_EQ(peer.find(uint64_t(1) << 40, 1).address, nullptr);
  EXPECT_EQ(peer.find(UINT64_MAX, 1).address, nullptr);
  EXPECT_EQ(peer.find(0, SIZE_MAX).address, nullptr);
}

TEST(PeerArena, RefusesMemoryThatThePeerCouldShrink) {
  FileDescriptor fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(fd.get(), 4096), 0);
  PeerArena peer;
  Status refused = peer.addBlock(copyFd(fd.get()), 4096);
  EXPECT_EQ(refused.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(peer.find(0, 1).address, nullptr);
}

TEST(PeerArena, RefusesAnotherSizeThanWasSaid) {
  auto memory = SharedMemory::create("test", 8192, Keep::Fd);
  ASSERT_TRUE(memory.isOk());
  PeerArena peer;
  EXPECT_FALSE(peer.addBlock(copyFd(memory->fd()), 16384).isOk());
  EXPECT_FALSE(peer.addBlock(copyFd(memory->fd()), UINT64_MAX).isOk());
  EXPECT_FALSE(peer.addBlock(FileDescriptor(), 8192).isOk());
  EXPECT_TRUE(peer.addBlock(copyFd(memory->fd()), 8192).isOk());
}

} // namespace
