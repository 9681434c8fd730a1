// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that run a task's node in place of the thread of the task.
#include "test/runtime/transport/Runners.h"

#include <atomic>

using namespace graphc::runtime;

namespace {

/// The thread that runs `event` when this one posts it and offers help.
template <typename Event>
std::thread::id offerHelp(TaskRunner &runner, Event event) {
  std::promise<std::thread::id> ran;
  auto future = ran.get_future();
  runner.postQuietly([&](TaskNode &) {
    event();
    ran.set_value(std::this_thread::get_id());
  });
  runner.help();
  EXPECT_EQ(future.wait_for(kLimit), std::future_status::ready);
  return future.get();
}

/// Offers help until it is taken: the task must have been calm for a while, and
/// its thread must rest. False: not in time.
template <typename Event> bool helps(TaskRunner &runner, Event event) {
  return becomes(
      [&] { return offerHelp(runner, event) == std::this_thread::get_id(); });
}

TEST(TaskHelp, IsTakenWhenTheTaskIsCalm) {
  auto runner = makeRunner(0);
  runner->start();
  EXPECT_TRUE(helps(*runner, [] {}));
}

TEST(TaskHelp, IsSeenWhileItLasts) {
  auto runner = makeRunner(0);
  runner->start();
  int64_t begin = nowNanos(), since = 0; // of whoever runs the node
  EXPECT_EQ(runner->helpingSince(), 0);
  ASSERT_TRUE(helps(*runner, [&] { since = runner->helpingSince(); }));
  EXPECT_GT(since, begin);
  EXPECT_LT(since, nowNanos());
  EXPECT_EQ(runner->helpingSince(), 0);
}

TEST(TaskHelp, IsNotTakenBeforeTheStart) {
  auto runner = makeRunner(0);
  bool ran = false; // by the runner's thread
  runner->postQuietly([&](TaskNode &) { ran = true; });
  runner->help();
  EXPECT_FALSE(ran);
  runner->start();
  EXPECT_TRUE(ask(*runner, [&](TaskNode &) { return ran; }));
}

TEST(TaskHelp, IsNotTakenAfterALongEvent) {
  auto runner = makeRunner(0);
  runner->start();
  ASSERT_TRUE(helps(*runner, [&] {
    if (runner->helpingSince() != 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }));
  EXPECT_NE(offerHelp(*runner, [] {}), std::this_thread::get_id());
}

/// While one helps, everybody else's events wait for it or for the runner.
TEST(TaskHelp, IsGivenByOneAtATime) {
  auto runner = makeRunner(0);
  runner->start();
  constexpr int kThreads = 3, kEvents = 2000;
  int next[kThreads] = {}, strays = 0; // of whoever runs the node
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEvents; ++i) {
        runner->postQuietly(
            [&, t, i](TaskNode &) { strays += next[t]++ != i; });
        runner->help();
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(ask(*runner, [&](TaskNode &) { return strays; }), 0);
  for (int t = 0; t < kThreads; ++t)
    EXPECT_EQ(ask(*runner, [&, t](TaskNode &) { return next[t]; }), kEvents);
}

TEST(TaskHelp, DoesNotHinderTheEnd) {
  auto runner = makeRunner(0);
  runner->start();
  std::atomic<bool> isOver{false};
  std::thread helper([&] {
    while (!isOver) {
      runner->postQuietly([](TaskNode &) {});
      runner->help();
    }
  });
  EXPECT_TRUE(becomes([&] { return runner->helpingSince() != 0; }));
  int64_t before = nowNanos();
  runner->shutDown("test");
  EXPECT_LT(nowNanos() - before, kLimitNanos);
  isOver = true;
  helper.join();
}

} // namespace
