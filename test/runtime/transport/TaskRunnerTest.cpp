// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread of a task: events in order from any thread, peers that come and
// go, an end that waits for nothing.
#include "runtime/transport/TaskRunner.h"

#include "runtime/base/Clock.h"
#include "runtime/transport/ShmListener.h"
#include "runtime/transport/ShmWire.h"

#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace graphc::runtime;

namespace {

constexpr int64_t kLimitNanos = 10'000'000'000; ///< of every wait
constexpr auto kLimit = std::chrono::nanoseconds(kLimitNanos);

ClusterSpec twoTasks() {
  auto made =
      ClusterSpec::make({{"ps", 0, "unix:/ps"}, {"worker", 0, "unix:/w"}});
  EXPECT_TRUE(made.isOk()) << made.status().toString();
  return *made;
}

std::unique_ptr<TaskRunner> makeRunner(TaskId self, RunnerHooks hooks = {},
                                       const LinkOptions &links = {}) {
  TaskOptions options;
  options.cluster = twoTasks();
  options.self = self;
  options.incarnation = 1000 + self;
  options.threads = 1;
  auto made = TaskRunner::create(std::move(options), links, std::move(hooks));
  EXPECT_TRUE(made.isOk()) << made.status().toString();
  return std::move(*made);
}

/// Runs `event` on the runner's thread and waits for it.
template <typename Event> auto ask(TaskRunner &runner, Event event) {
  std::promise<decltype(event(std::declval<TaskNode &>()))> answer;
  auto future = answer.get_future();
  runner.post([&](TaskNode &node) { answer.set_value(event(node)); });
  EXPECT_EQ(future.wait_for(kLimit), std::future_status::ready);
  return future.get();
}

template <typename Condition> bool becomes(Condition isTrue) {
  int64_t until = nowNanos() + kLimitNanos;
  while (!isTrue()) {
    if (nowNanos() > until)
      return false;
    std::this_thread::yield();
  }
  return true;
}

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
        [this](TaskId peer, std::unique_ptr<PolledWire> wire) {
          high->postWire(peer, std::move(wire));
        });
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    std::lock_guard lock(mutex);
    listener = std::move(*made);
    address = listener->address();
  }

  void TearDown() override { low.reset(); } // it dials the others

  void dial(TaskId peer) {
    // It may block shortly; here the listener is a thread beside.
    std::unique_lock lock(mutex);
    std::string current = address;
    lock.unlock();
    auto wire =
        dialShm(current, 0, peer, low->doorbell(), nowNanos() + kLimitNanos);
    if (wire.isOk())
      low->postWire(peer, std::move(*wire));
    else
      low->post([peer, why = wire.status()](TaskNode &node) {
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

TEST_F(TwoRunners, AnotherWireReplacesTheFirst) {
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

TEST_F(TwoRunners, APeerInALongKernelIsAlive) {
  startBoth();
  // The loop stands still for longer than a peer may be silent; the pulse
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
  auto wire =
      dialShm((*listener)->address(), 0, 1, *bell, nowNanos() + kLimitNanos);
  EXPECT_EQ(wire.status().code(), StatusCode::FailedPrecondition);
}

TEST(ShmListener, NobodyListens) {
  auto bell = Doorbell::create();
  ASSERT_TRUE(bell.isOk());
  auto wire = dialShm("graphc-nobody", 0, 1, *bell, nowNanos() + kLimitNanos);
  EXPECT_EQ(wire.status().code(), StatusCode::Unavailable);
}

TEST(ShmListener, ADialerThatSaysNothingHindersNobody) {
  auto bell = Doorbell::create();
  ASSERT_TRUE(bell.isOk());
  std::atomic<int> wires{0};
  auto listener = ShmListener::start(1, *bell, [&](TaskId, auto) { ++wires; });
  ASSERT_TRUE(listener.isOk());
  std::vector<FdSocket> silent;
  for (int i = 0; i < 10; ++i) {
    auto socket = FdSocket::connect((*listener)->address());
    ASSERT_TRUE(socket.isOk());
    silent.push_back(std::move(*socket));
  }
  auto wire =
      dialShm((*listener)->address(), 0, 1, *bell, nowNanos() + kLimitNanos);
  EXPECT_TRUE(wire.isOk()) << wire.status().toString();
  EXPECT_TRUE(becomes([&] { return wires == 1; }));
}

} // namespace
