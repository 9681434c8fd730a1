// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stream between two tasks.
#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/rpc/Metadata.h"
#include "runtime/rpc/link/LinkDialer.h"
#include "test/runtime/rpc/FakeHandler.h"
#include "test/runtime/rpc/RawCall.h"

#include <cstring>
#include <future>
#include <gmock/gmock.h>

namespace graphc::runtime {

namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kMaxTime{20};

std::vector<std::byte> packetOf(size_t size, uint32_t number) {
  std::vector<std::byte> bytes(size, std::byte(number));
  if (size >= sizeof(number))
    std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

/// Two servers, of which the first calls the second.
class GrpcLinkTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (int i = 0; i < 2; ++i) {
      GrpcServerOptions options;
      options.bind = *TaskAddress::parse("localhost:0");
      auto made = GrpcServer::listen(options);
      ASSERT_TRUE(made.isOk()) << made.status().toString();
      servers[i] = std::move(*made);
      handlers[i].server = servers[i].get();
      servers[i]->start(handlers[i]);
    }
    self.set_task(0);
    self.set_incarnation(5);
    self.set_cluster_digest(UINT64_MAX);
    self.set_protocol(kProtocolVersion);
  }
  void TearDown() override {
    for (auto &server : servers)
      if (server)
        server->stop(cancelled("the test ends"));
  }

  /// The caller's connection, or why there is none.
  StatusOr<std::unique_ptr<PolledConnection>> dial(const TaskAddress &address) {
    auto result = std::make_shared<
        std::promise<std::pair<Status, std::unique_ptr<PolledConnection>>>>();
    DialEvents events;
    events.onGreeting = [](const Greeting &greeting) -> StatusOr<bool> {
      return greeting.host() == "here";
    };
    events.onConnection =
        [result](std::unique_ptr<PolledConnection> connection) {
          result->set_value({Status::ok(), std::move(connection)});
        };
    events.onFailure = [result](const Status &why) {
      result->set_value({why, nullptr});
    };
    events.wake = [this] { handlers[0].wake(); };
    servers[0]->dial(1, address, self, std::move(events));
    auto future = result->get_future();
    if (future.wait_for(kMaxTime) != std::future_status::ready)
      return internalError("dial() has no result");
    auto [status, connection] = future.get();
    if (!status.isOk())
      return status;
    return std::move(connection);
  }

  void link() {
    auto dialled = dial(servers[1]->address());
    ASSERT_TRUE(dialled.isOk()) << dialled.status().toString();
    caller = std::move(*dialled);
    ASSERT_TRUE(
        handlers[1].waitFor([&] { return !handlers[1].connections.empty(); }));
    called = std::move(handlers[1].connections.front());
  }

  /// Sends `count` packets of `size` and checks that they come as they were.
  void stream(PolledConnection &from, PolledConnection &to, size_t size,
              uint32_t count) {
    uint32_t sent = 0, got = 0;
    auto onPacket = [&](const ByteRanges &packet) {
      EXPECT_TRUE(packet.copy() == packetOf(size, got++))
          << "packet " << got << " of " << packet.size() << " bytes";
      EXPECT_GE(packet.first().size(), std::min<size_t>(size, 96));
    };
    auto end = std::chrono::steady_clock::now() + kMaxTime;
    while (got < count && std::chrono::steady_clock::now() < end) {
      while (sent < count && from.room() >= size) {
        std::vector<std::byte> bytes = packetOf(size, sent++);
        size_t half = size / 2;
        from.transmit(std::span(bytes).first(half),
                      std::span(bytes).subspan(half));
      }
      if (!to.poll(onPacket))
        std::this_thread::yield();
    }
    EXPECT_EQ(got, count);
  }

  GrpcServerOptions options;
  FakeHandler handlers[2];
  std::unique_ptr<GrpcServer> servers[2];
  Meeting self;
  std::unique_ptr<PolledConnection> caller, called;
};

TEST_F(GrpcLinkTest, CarriesPacketsOfAllSizesBothWays) {
  link();
  EXPECT_EQ(handlers[1].linkedPeer, 0u);
  for (size_t size : {size_t(0), size_t(1), size_t(64), size_t(5000),
                      size_t(300'000), kMaxFrameBytes + 64}) {
    stream(*caller, *called, size, 20);
    stream(*called, *caller, size, 20);
  }
}

TEST_F(GrpcLinkTest, SharesTheMemoryOfLargeBodiesUntilTheyAreSent) {
  link();
  for (size_t size : {size_t(100), size_t(500'000)}) {
    auto body = std::make_shared<std::vector<std::byte>>(packetOf(size, 7));
    std::vector<std::byte> head(96, std::byte(1)), whole = head;
    whole.insert(whole.end(), body->begin(), body->end());
    caller->transmitShared(head, {*body, body});
    bool hasCome = false;
    auto onPacket = [&](const ByteRanges &packet) {
      EXPECT_TRUE(packet.copy() == whole);
      hasCome = true;
    };
    auto end = std::chrono::steady_clock::now() + kMaxTime;
    while ((!hasCome || body.use_count() > 1) &&
           std::chrono::steady_clock::now() < end)
      called->poll(onPacket);
    EXPECT_TRUE(hasCome);
    EXPECT_EQ(body.use_count(), 1) << size;
  }
}

TEST_F(GrpcLinkTest, BoundsWhatIsOnTheWay) {
  link();
  std::vector<std::byte> packet(kMaxFrameBytes);
  size_t sent = 0;
  // Nobody polls: what fits into both sides and the network between them.
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (sent < 200 && std::chrono::steady_clock::now() < end) {
    if (caller->room() >= packet.size()) {
      caller->transmit({}, packet);
      ++sent;
    } else {
      std::this_thread::yield();
    }
  }
  EXPECT_LT(sent, 64u);
  EXPECT_EQ(caller->room(), 0u);
  EXPECT_FALSE(caller->takeRoom()) << "nothing has left meanwhile";
  size_t got = 0;
  end = std::chrono::steady_clock::now() + kMaxTime;
  while (got < sent && std::chrono::steady_clock::now() < end)
    called->poll([&](const ByteRanges &) { ++got; });
  EXPECT_EQ(got, sent);
  EXPECT_TRUE(caller->takeRoom());
}

TEST_F(GrpcLinkTest, WakesASleeper) {
  link();
  called->setSleeping(true);
  std::byte one{1};
  caller->transmit({&one, 1}, {});
  EXPECT_TRUE(handlers[1].waitFor([&] { return handlers[1].wakes == 1; }));
}

TEST_F(GrpcLinkTest, HeartbeatsAreEmptyPackets) {
  link();
  caller->heartbeat();
  size_t empty = 0;
  auto end = std::chrono::steady_clock::now() + kMaxTime;
  while (!empty && std::chrono::steady_clock::now() < end)
    called->poll(
        [&](const ByteRanges &packet) { empty += packet.size() == 0; });
  EXPECT_EQ(empty, 1u);
}

TEST_F(GrpcLinkTest, EachSideNoticesTheOthersEnd) {
  link();
  called->setSleeping(true);
  caller.reset();
  ASSERT_TRUE(handlers[1].waitFor([&] { return handlers[1].wakes > 0; }));
  EXPECT_TRUE(called->isBroken());
  EXPECT_EQ(called->failure().code(), StatusCode::Unavailable);
  EXPECT_EQ(called->room(), 0u);
  link();
  caller->setSleeping(true);
  servers[1]->stop(cancelled("killed"));
  ASSERT_TRUE(handlers[0].waitFor([&] { return handlers[0].wakes > 0; }));
  EXPECT_TRUE(caller->isBroken());
}

TEST_F(GrpcLinkTest, SaysWhyThereIsNoLink) {
  handlers[1].refusal = failedPrecondition("another cluster");
  auto refused = dial(servers[1]->address());
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(refused.status().message(), "another cluster");
  TaskAddress gone = servers[1]->address();
  servers[1]->stop(cancelled("gone"));
  auto absent = dial(gone);
  ASSERT_FALSE(absent.isOk());
  EXPECT_EQ(absent.status().code(), StatusCode::Unavailable);
}

TEST_F(GrpcLinkTest, RefusesACallWithoutMetadata) {
  RawCall call(makeChannel(servers[1]->address(), {}), "/graphc.Task/Link");
  grpc::Status status = call.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("no metadata 'graphc-task'"));
}

TEST_F(GrpcLinkTest, ClosesWhereAPacketIsTooLarge) {
  RawCall call(makeChannel(servers[1]->address(), {}), "/graphc.Task/Link",
               {{kTaskKey, "0"},
                {kIncarnationKey, "5"},
                {kClusterKey, "7"},
                {kProtocolKey, "1"}});
  ASSERT_TRUE(
      handlers[1].waitFor([&] { return !handlers[1].connections.empty(); }));
  call.write(std::string(2 << 20, 'x'));
  EXPECT_FALSE(call.finish().ok());
  EXPECT_TRUE(handlers[1].connections.front()->isBroken());
  EXPECT_EQ(handlers[1].connections.front()->failure().code(),
            StatusCode::DataLoss);
}

} // namespace

} // namespace graphc::runtime
