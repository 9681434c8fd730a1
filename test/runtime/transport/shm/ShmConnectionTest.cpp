// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Connections over shared memory: between two ends in one process, between two
// processes, and what a peer that dies or lies does to them.
#include "runtime/transport/shm/ShmConnection.h"

#include "runtime/base/Clock.h"

#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace graphc::runtime;

namespace {

constexpr int64_t kLimitNanos = 10'000'000'000; ///< of every wait

struct End {
  std::shared_ptr<Doorbell> bell;
  std::unique_ptr<ShmConnection> connection;
  std::vector<std::vector<std::byte>> got;

  bool poll() {
    return connection->poll(
        [this](const ByteRanges &packet) { got.push_back(packet.copy()); });
  }
  template <typename Condition> bool pollUntil(Condition isDone) {
    int64_t until = nowNanos() + kLimitNanos;
    while (!isDone()) {
      if (nowNanos() > until)
        return false;
      poll();
    }
    return true;
  }
};

ShmHandshake begin(FdSocket socket, TaskId self, End &end) {
  auto bell = Doorbell::create();
  EXPECT_TRUE(bell.isOk());
  end.bell = *bell;
  auto handshake = ShmHandshake::begin(std::move(socket), self, end.bell);
  EXPECT_TRUE(handshake.isOk()) << handshake.status().toString();
  return std::move(*handshake);
}

void finish(ShmHandshake handshake, TaskId expected, End &end) {
  ASSERT_TRUE(handshake.connection().waitReadable(nowNanos() + kLimitNanos));
  auto result = handshake.finish();
  ASSERT_TRUE(result.isOk()) << result.status().toString();
  EXPECT_EQ(result->peer, expected);
  end.connection = std::move(result->connection);
}

class ShmPair : public testing::Test {
protected:
  void SetUp() override {
    auto sockets = FdSocket::pair();
    ASSERT_TRUE(sockets.isOk());
    ShmHandshake a = begin(std::move(sockets->first), 0, left);
    ShmHandshake b = begin(std::move(sockets->second), 1, right);
    finish(std::move(a), 1, left);
    finish(std::move(b), 0, right);
  }
  End left, right;
};

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST_F(ShmPair, PacketsPassBothWays) {
  left.connection->transmit(bytesOf("head"), bytesOf(" and body"));
  right.connection->transmit(bytesOf("back"), {});
  EXPECT_TRUE(right.poll());
  EXPECT_TRUE(left.poll());
  EXPECT_FALSE(left.poll());
  ASSERT_EQ(right.got.size(), 1u);
  EXPECT_EQ(std::memcmp(right.got[0].data(), "head and body", 13), 0);
  ASSERT_EQ(left.got.size(), 1u);
  EXPECT_EQ(left.got[0].size(), 4u);
  EXPECT_FALSE(left.connection->isBroken());
}

TEST_F(ShmPair, ValuesLandInPlace) {
  SharedPlace place = right.connection->allocate(40 << 20);
  ASSERT_NE(place.address, nullptr);
  std::byte *seen = left.connection->peerPlace(place.offset, 40 << 20).address;
  ASSERT_NE(seen, nullptr);
  std::memset(seen, 7, 40 << 20);
  EXPECT_EQ(place.address[(40 << 20) - 1], std::byte(7));
  EXPECT_EQ(left.connection->peerPlace(place.offset, size_t(80) << 20).address,
            nullptr);
  EXPECT_EQ(left.connection->peerPlace(uint64_t(9) << 40, 1).address, nullptr);
}

TEST_F(ShmPair, PlacesOutliveTheConnection) {
  auto arena = std::make_shared<ReceiveArena>();
  right.connection->takeMemory(arena);
  SharedPlace place = right.connection->allocate(100);
  right.connection.reset();
  std::memset(place.address, 1, 100);
  End again, other;
  auto sockets = FdSocket::pair();
  ASSERT_TRUE(sockets.isOk());
  ShmHandshake a = begin(std::move(sockets->first), 0, other);
  ShmHandshake b = begin(std::move(sockets->second), 1, again);
  finish(std::move(a), 1, other);
  finish(std::move(b), 0, again);
  again.connection->takeMemory(arena);
  std::byte *seen = other.connection->peerPlace(place.offset, 100).address;
  ASSERT_NE(seen, nullptr) << "the next connection passes the blocks again";
  EXPECT_EQ(seen[99], std::byte(1));
}

TEST_F(ShmPair, ASleeperIsRungOnceAndAWakefulOneNever) {
  uint32_t before = right.bell->count();
  left.connection->transmit(bytesOf("a"), {});
  EXPECT_EQ(right.bell->count(), before);
  right.connection->setSleeping(true);
  left.connection->transmit(bytesOf("b"), {});
  left.connection->transmit(bytesOf("c"), {});
  EXPECT_EQ(right.bell->count(), before + 1);
}

TEST_F(ShmPair, AWriterThatSleepsHearsOfRoom) {
  std::vector<std::byte> packet(kMaxPacketBytes);
  while (left.connection->room() >= packet.size())
    left.connection->transmit(packet, {});
  EXPECT_FALSE(left.connection->takeRoom());
  left.connection->setSleeping(true);
  uint32_t before = left.bell->count();
  while (right.poll())
    ;
  EXPECT_GT(left.bell->count(), before);
  EXPECT_TRUE(left.connection->takeRoom());
  EXPECT_FALSE(left.connection->takeRoom()) << "is said once";
}

TEST_F(ShmPair, AHeartbeatIsAnEmptyPacket) {
  left.connection->heartbeat();
  right.poll();
  right.poll();
  ASSERT_EQ(right.got.size(), 1u);
  EXPECT_TRUE(right.got[0].empty());
}

TEST_F(ShmPair, TheEndOfThePeerIsSeenAfterItsLastPacket) {
  left.connection->transmit(bytesOf("last words"), {});
  left.connection->close();
  ASSERT_TRUE(right.pollUntil([&] { return right.connection->isBroken(); }));
  EXPECT_EQ(right.connection->failure().code(), StatusCode::Unavailable);
  right.poll();
  ASSERT_EQ(right.got.size(), 1u);
}

/// The child's side: sends numbers for ever, and fills a receive buffer.
[[noreturn]] void runChild(FdSocket socket) {
  End end;
  finish(begin(std::move(socket), 1, end), 0, end);
  SharedPlace place = end.connection->allocate(1 << 20);
  std::memset(place.address, 9, 1 << 20);
  end.connection->transmit(std::as_bytes(std::span(&place.offset, 1)), {});
  int64_t until = nowNanos() + kLimitNanos;
  for (uint64_t i = 0; nowNanos() < until; ++i) {
    while (end.connection->room() < 2000 && nowNanos() < until)
      std::this_thread::yield();
    std::vector<std::byte> bytes(2000, std::byte(i));
    end.connection->transmit(std::as_bytes(std::span(&i, 1)), bytes);
  }
  ::_exit(0);
}

TEST(ShmProcesses, AKilledPeerIsNoticed) {
  auto sockets = FdSocket::pair();
  ASSERT_TRUE(sockets.isOk());
  pid_t child = ::fork();
  if (child == 0) {
    sockets->first = FdSocket();
    runChild(std::move(sockets->second));
  }
  sockets->second = FdSocket();
  End end;
  finish(begin(std::move(sockets->first), 0, end), 1, end);
  ASSERT_TRUE(end.pollUntil([&] { return end.got.size() > 2000; }));
  uint64_t offset;
  std::memcpy(&offset, end.got[0].data(), sizeof offset);
  std::byte *place = end.connection->peerPlace(offset, 1 << 20).address;
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place[12345], std::byte(9));
  for (uint64_t i = 0; i < 2000; ++i) {
    const auto &packet = end.got[i + 1];
    ASSERT_EQ(packet.size(), 2008u);
    ASSERT_EQ(std::memcmp(packet.data(), &i, sizeof i), 0);
    ASSERT_EQ(packet[2007], std::byte(i));
  }
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_TRUE(end.pollUntil([&] { return end.connection->isBroken(); }));
  EXPECT_EQ(end.connection->failure().code(), StatusCode::Unavailable);
  // The dead peer's memory is still there.
  EXPECT_EQ(place[1], std::byte(9));
  int status;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
}

class HostilePeer : public testing::Test {
protected:
  void SetUp() override {
    auto sockets = FdSocket::pair();
    ASSERT_TRUE(sockets.isOk());
    hostile = std::move(sockets->second);
    handshake.emplace(begin(std::move(sockets->first), 0, end));
  }
  StatusCode finishCode() { return handshake->finish().status().code(); }

  FdSocket hostile;
  End end;
  std::optional<ShmHandshake> handshake;
};

TEST_F(HostilePeer, Silence) {
  EXPECT_EQ(finishCode(), StatusCode::Unavailable);
}

TEST_F(HostilePeer, Garbage) {
  char text[100] = "GET / HTTP/1.0";
  ASSERT_EQ(::send(hostile.fd(), text, sizeof text, 0), 100);
  EXPECT_EQ(finishCode(), StatusCode::InvalidArgument);
}

TEST_F(HostilePeer, HandshakeWithTooFewDescriptors) {
  ShmMessage message;
  message.kind = ShmMessage::Handshake;
  ASSERT_TRUE(hostile.send(message, {end.bell->fd()}).isOk());
  EXPECT_EQ(finishCode(), StatusCode::InvalidArgument);
}

TEST_F(HostilePeer, HandshakeWithARingThatIsTooSmall) {
  ShmMessage message;
  message.kind = ShmMessage::Handshake;
  ASSERT_TRUE(hostile.send(message, {end.bell->fd(), end.bell->fd()}).isOk());
  EXPECT_EQ(finishCode(), StatusCode::InvalidArgument);
}

TEST_F(ShmPair, UnknownMessagesEndTheConnection) {
  auto sockets = FdSocket::pair();
  ASSERT_TRUE(sockets.isOk());
  End end, other;
  ShmHandshake a = begin(std::move(sockets->first), 0, end);
  // The other end's socket stays in this test's hands.
  int fd = ::dup(sockets->second.fd());
  FdSocket hostile{FileDescriptor(fd)};
  ShmHandshake b = begin(std::move(sockets->second), 1, other);
  finish(std::move(a), 1, end);
  finish(std::move(b), 0, other);
  ShmMessage message;
  message.kind = 77;
  ASSERT_TRUE(hostile.send(message, {other.bell->fd()}).isOk());
  ASSERT_TRUE(end.pollUntil([&] { return end.connection->isBroken(); }));
  EXPECT_EQ(end.connection->failure().code(), StatusCode::DataLoss);
}

} // namespace
