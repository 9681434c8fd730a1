// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transports of a task: the first that reaches a peer connects, and a further
// one is one line.
#include "runtime/transport/Transport.h"

#include "test/runtime/transport/QueueTransport.h"
#include "test/runtime/transport/RelayClient.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// Fails, or says that it would have connected.
struct FakeTransport final : Transport {
  FakeTransport(Status probed, Status connected)
      : probed(std::move(probed)), connected(std::move(connected)) {}
  std::string address() const override { return "there"; }
  Status probe(const PeerAddress &) const override { return probed; }
  void connect(const PeerAddress &, Done done) override {
    if (!connected.isOk())
      return done(connected);
    auto end = std::make_shared<QueueEnd>();
    static std::atomic<int> puts;
    end->bell = *Doorbell::create();
    done(std::unique_ptr<PolledConnection>(
        std::make_unique<QueueConnection>(end, end, puts)));
  }
  Status probed, connected;
};

TransportKind fake(const char *name, Status probed, Status connected) {
  return {name, [=](const TransportHost &) {
            return StatusOr<std::unique_ptr<Transport>>(
                std::make_unique<FakeTransport>(probed, connected));
          }};
}

Status connectBy(TransportKinds kinds) {
  auto set = TransportSet::open(kinds, {});
  EXPECT_TRUE(set.isOk());
  Status status = internalError("nothing came of it");
  (*set)->connect({}, [&](auto connection) { status = connection.status(); });
  return status;
}

const Status kFar = failedPrecondition("far"), kGone = unavailable("gone"),
             kLate = unavailable("late");

TEST(TransportSet, TheFirstThatReachesThePeerConnects) {
  EXPECT_TRUE(connectBy({fake("a", kFar, kGone), fake("b", {}, {})}).isOk());
  EXPECT_TRUE(connectBy({fake("a", {}, {}), fake("b", kFar, kGone)}).isOk());
  EXPECT_TRUE(connectBy({fake("a", {}, kGone), fake("b", {}, {})}).isOk());
}

TEST(TransportSet, TheLastFailureIsTold) {
  EXPECT_EQ(connectBy({fake("a", {}, kGone), fake("b", kFar, {})}).message(),
            "far");
  EXPECT_EQ(connectBy({fake("a", kFar, {}), fake("b", {}, kLate)}).message(),
            "late");
  EXPECT_EQ(connectBy({}).message(), "this task has no transport");
}

TEST(TransportSet, TellsWhereItIsReached) {
  auto set = TransportSet::open({fake("a", {}, {})}, {});
  ASSERT_TRUE(set.isOk());
  EXPECT_TRUE((*set)->contains("a"));
  EXPECT_FALSE((*set)->contains("b"));
  EXPECT_EQ((*set)->addresses(),
            (std::map<std::string, std::string>{{"a", "there"}}));
}

TEST(TransportSet, AClusterRunsOverAnotherTransport) {
  auto spec = parseTaskCounts("ps:1,worker:2");
  ASSERT_TRUE(spec.isOk()) << spec.status().toString();
  auto hosts = std::make_shared<QueueHosts>();
  LocalClusterOptions options;
  options.cluster = *spec;
  options.threads = 1;
  options.transports = {queueTransport(hosts)};
  auto cluster = LocalCluster::start(std::move(options));
  ASSERT_TRUE(cluster.isOk()) << cluster.status().toString();
  constexpr int64_t kSmall = 4, kLarge = 1 << 16, kSteps = 30;
  for (int64_t elements : {kSmall, kLarge}) {
    RelayClient client(**cluster, relayModel(elements), 77 + elements);
    Status opened = client.open();
    ASSERT_TRUE(opened.isOk()) << opened.toString();
    Status done = client.relay(elements, kSteps, 1);
    EXPECT_TRUE(done.isOk()) << done.toString();
    if (elements == kSmall)
      EXPECT_EQ(hosts->puts, 0);
  }
  EXPECT_GT(hosts->puts, kSteps); // by receive buffers, each later
}

TEST(Connection, PutsAndGetsWherePlacesAreMapped) {
  std::vector<std::byte> place(4), value(4, std::byte(7)), back(4);
  PeerPlace mapped{place.data(), nullptr};
  EXPECT_EQ(putBytes(mapped, value).state, Transfer::State::Done);
  EXPECT_EQ(place, value);
  EXPECT_EQ(getBytes(mapped, back).state, Transfer::State::Done);
  EXPECT_EQ(back, value);
  EXPECT_EQ(putBytes({}, value).state, Transfer::State::Failed);
  EXPECT_EQ(getBytes({}, back).state, Transfer::State::Failed);
}

} // namespace
