// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runners of tasks without a model, and waiting for what their threads do.
#ifndef GRAPHC_TEST_RUNTIME_TRANSPORT_RUNNERS_H
#define GRAPHC_TEST_RUNTIME_TRANSPORT_RUNNERS_H

#include "runtime/base/Clock.h"
#include "runtime/transport/TaskRunner.h"

#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace graphc::runtime {

inline constexpr int64_t kLimitNanos = 10'000'000'000; ///< of every wait
inline constexpr auto kLimit = std::chrono::nanoseconds(kLimitNanos);

inline ClusterSpec twoTasks() {
  auto made =
      ClusterSpec::make({{"ps", 0, "unix:/ps"}, {"worker", 0, "unix:/w"}});
  EXPECT_TRUE(made.isOk()) << made.status().toString();
  return *made;
}

inline std::unique_ptr<TaskRunner>
makeRunner(TaskId self, RunnerHooks hooks = {}, const LinkOptions &links = {}) {
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

} // namespace graphc::runtime

#endif
