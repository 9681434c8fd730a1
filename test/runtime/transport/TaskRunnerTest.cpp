// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread of a task: events in order from any thread, peers that come and
// go, an end that waits for nothing.
#include "runtime/transport/TaskRunner.h"

#include "runtime/transport/shm/ShmConnection.h"
#include "runtime/transport/shm/ShmListener.h"
#include "test/runtime/transport/Runners.h"

#include <mutex>

using namespace graphc::runtime;

namespace {

TEST(TaskRunner, EventsRunInOrder) {
  auto runner = makeRunner(0);
  runner->start();
  std::vector<int> order; // of the runner's thread
  for (int i = 0; i < 1000; ++i)
    runner->post([&order, i](TaskNode &) { order.push_back(i); });
  auto seen = ask(*runner, [&](TaskNode &) { return order; });
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(seen[i], i);
}

TEST(TaskRunner, ManyThreadsPost) {
  auto runner = makeRunner(0);
  runner->start();
  int count = 0; // of the runner's thread
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i)
        runner->post([&count](TaskNode &) { ++count; });
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(ask(*runner, [&](TaskNode &) { return count; }), 8000);
}

TEST(TaskRunner, ASleepingRunnerWakesUp) {
  auto runner = makeRunner(0);
  runner->start();
  for (int i = 0; i < 20; ++i) {
    // Longer than the ladder, shorter than any timer.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(ask(*runner, [](TaskNode &) { return true; }));
  }
}

TEST(TaskRunner, ShutDownEndsAtOnceAndTwice) {
  auto runner = makeRunner(0);
  runner->start();
  int64_t before = nowNanos();
  runner->shutDown("test");
  runner->shutDown("test");
  EXPECT_LT(nowNanos() - before, 2'000'000'000);
  runner->post([](TaskNode &) { FAIL() << "nothing runs any more"; });
}

TEST(TaskRunner, ARunnerThatNeverStartedEnds) { makeRunner(0); }

TEST(TaskRunner, DescribesItselfToAnyThread) {
  auto runner = makeRunner(1);
  runner->start();
  EXPECT_EQ(runner->describe("").task(), "/job:worker/task:0");
  EXPECT_EQ(runner->waits().waits_size(), 0);
}

/// Says who looks at it, and rings once after setSleeping(true).
struct WatchedConnection final : PolledConnection {
  size_t room() const override { return 1 << 20; }
  void transmit(std::span<const std::byte>,
                std::span<const std::byte>) override {}
  bool poll(const std::function<void(const ByteRanges &)> &) override {
    watcher = std::this_thread::get_id();
    return false;
  }
  bool isBroken() override { return false; }
  Status failure() const override { return Status::ok(); }
  bool takeRoom() override { return false; }
  void setSleeping(bool isSleeping) override { isArmed = isSleeping; }
  void heartbeat() override {}
  void close() override {}
  const char *route() const override { return "watched"; }

  std::atomic<std::thread::id> watcher;
  std::atomic<bool> isArmed = false;
};

TEST(TaskRunner, AThreadThatHelpsLooksAtConnectionsAndArmsThemAgain) {
  auto runner = makeRunner(0);
  runner->start();
  auto made = std::make_unique<WatchedConnection>();
  WatchedConnection &connection = *made;
  runner->postConnection(1, std::move(made));
  // Now and then the runner's thread is awake itself.
  EXPECT_TRUE(becomes([&] {
    for (int i = 0; i < 10; ++i) // short rounds, so that others may help
      ask(*runner, [](TaskNode &) { return true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (!connection.isArmed.exchange(false))
      return false;
    runner->help();
    return connection.watcher == std::this_thread::get_id() &&
           connection.isArmed;
  }));
}

/// Two runners whose tasks find each other through a listener.
class TwoRunners : public testing::Test {
protected:
  void SetUp() override {
    LinkOptions links;
    links.heartbeatNanos = 100'000'000;
    links.silenceNanos = 600'000'000;
    high = makeRunner(1, {}, links);
    RunnerHooks hooks;
    hooks.dial = [this](TaskId peer) { dial(peer); };
    low = makeRunner(0, std::move(hooks), links);
    listen();
  }

  void listen() {
    auto made = ShmListener::start(
        1, high->doorbell(),
        [this](TaskId peer, std::unique_ptr<PolledConnection> connection) {
          high->postConnection(peer, std::move(connection));
        });
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    std::lock_guard lock(mutex);
    listener = std::move(*made);
    address = listener->address();
  }

  /// Its thread uses `low` and the others until it ends.
  void TearDown() override { low->shutDown("test"); }

  void dial(TaskId peer) {
    // It may block shortly; here the listener is a thread beside.
    std::unique_lock lock(mutex);
    std::string current = address;
    lock.unlock();
    auto connection =
        dialShm(current, 0, peer, low->doorbell(), nowNanos() + kLimitNanos);
    if (connection.isOk())
      low->postConnection(peer, std::move(*connection));
    else
      low->post([peer, why = connection.status()](TaskNode &node) {
        node.onDialFailed(peer, why);
      });
  }

  bool areUp() {
    return low->missingPeers().empty() && high->missingPeers().empty();
  }
  void startBoth() {
    low->start();
    high->start();
    // Before the first look at the links nobody is missing.
    ASSERT_TRUE(becomes([&] {
      return ask(*low,
                 [](TaskNode &node) { return node.missingPeers().empty(); }) &&
             ask(*high,
                 [](TaskNode &node) { return node.missingPeers().empty(); });
    }));
  }

  std::unique_ptr<TaskRunner> low, high;
  std::unique_ptr<ShmListener> listener;
  std::mutex mutex; ///< of what follows
  std::string address;
};

TEST_F(TwoRunners, FindEachOther) {
  startBoth();
  EXPECT_TRUE(becomes([&] { return areUp(); }));
}

TEST_F(TwoRunners, AnEndedPeerIsMissed) {
  startBoth();
  high->shutDown("test");
  EXPECT_TRUE(
      becomes([&] { return low->missingPeers() == std::vector<TaskId>{1}; }));
}

TEST_F(TwoRunners, ARestartedPeerIsFoundAgain) {
  startBoth();
  listener.reset();
  high.reset();
  ASSERT_TRUE(
      becomes([&] { return low->missingPeers() == std::vector<TaskId>{1}; }));
  high = makeRunner(1);
  listen();
  high->start();
  EXPECT_TRUE(becomes([&] { return areUp(); }));
}

TEST_F(TwoRunners, AnotherConnectionReplacesTheFirst) {
  startBoth();
  for (int i = 0; i < 20; ++i) {
    dial(1);
    ASSERT_TRUE(becomes([&] {
      return ask(*low,
                 [](TaskNode &node) { return node.missingPeers().empty(); }) &&
             ask(*high,
                 [](TaskNode &node) { return node.missingPeers().empty(); });
    }));
  }
}

TEST_F(TwoRunners, ReceiveBuffersAreGivenBackWithoutAConnection) {
  startBoth();
  auto allocate = [&] {
    auto connection =
        dialShm(address, 0, 1, low->doorbell(), nowNanos() + kLimitNanos);
    EXPECT_TRUE(connection.isOk()) << connection.status().toString();
    PolledConnection &added = **connection;
    auto held = std::make_shared<std::unique_ptr<PolledConnection>>(
        std::move(*connection));
    return ask(*low, [&](TaskNode &) {
      low->addConnection(1, std::move(*held));
      return added.allocate(12 << 20).offset;
    });
  };
  uint64_t first = allocate(), second = allocate();
  EXPECT_NE(first, second);
  listener.reset();
  high.reset();
  ASSERT_TRUE(
      becomes([&] { return low->missingPeers() == std::vector<TaskId>{1}; }));
  ask(*low, [&](TaskNode &) {
    low->releaseShared(1, first);
    low->releaseShared(7, first); // who never had a connection
    return true;
  });
  high = makeRunner(1);
  listen();
  high->start();
  EXPECT_EQ(allocate(), first);
}

TEST_F(TwoRunners, APeerInALongKernelIsAlive) {
  startBoth();
  // The loop stands still for longer than a peer may be silent; the heartbeat
  // thread speaks for it.
  std::promise<void> isIn;
  high->post([&](TaskNode &) {
    isIn.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  });
  isIn.get_future().wait();
  int64_t until = nowNanos() + 1'400'000'000;
  while (nowNanos() < until) {
    ASSERT_TRUE(
        ask(*low, [](TaskNode &node) { return node.missingPeers().empty(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST(ShmListener, RefusesAnotherTaskThanWasDialled) {
  auto bell = Doorbell::create();
  ASSERT_TRUE(bell.isOk());
  auto listener = ShmListener::start(5, *bell, [](TaskId, auto) {});
  ASSERT_TRUE(listener.isOk());
  auto connection =
      dialShm((*listener)->address(), 0, 1, *bell, nowNanos() + kLimitNanos);
  EXPECT_EQ(connection.status().code(), StatusCode::FailedPrecondition);
}

TEST(ShmListener, NobodyListens) {
  auto bell = Doorbell::create();
  ASSERT_TRUE(bell.isOk());
  auto connection =
      dialShm("graphc-nobody", 0, 1, *bell, nowNanos() + kLimitNanos);
  EXPECT_EQ(connection.status().code(), StatusCode::Unavailable);
}

TEST(ShmListener, ADialerThatSaysNothingHindersNobody) {
  auto bell = Doorbell::create();
  ASSERT_TRUE(bell.isOk());
  std::atomic<int> connections{0};
  auto listener =
      ShmListener::start(1, *bell, [&](TaskId, auto) { ++connections; });
  ASSERT_TRUE(listener.isOk());
  std::vector<FdSocket> silent;
  for (int i = 0; i < 10; ++i) {
    auto socket = FdSocket::connect((*listener)->address());
    ASSERT_TRUE(socket.isOk());
    silent.push_back(std::move(*socket));
  }
  auto connection =
      dialShm((*listener)->address(), 0, 1, *bell, nowNanos() + kLimitNanos);
  EXPECT_TRUE(connection.isOk()) << connection.status().toString();
  EXPECT_TRUE(becomes([&] { return connections == 1; }));
}

} // namespace
