// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests what other threads see of a task, and its description of itself.
#include "runtime/task/StatusBoard.h"

#include "runtime/task/TaskDescription.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/FakeEnvironment.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

constexpr int64_t kMilli = 1'000'000;

TEST(StatusBoard, WaitsAreOverWhenSomethingHappens) {
  StatusBoard board;
  protocol::Reply::WaitList list;
  list.add_waits()->set_what("its client");
  board.setWaits(list);
  EXPECT_TRUE(board.hasWaits());
  ASSERT_EQ(board.waits("task", 0).waits_size(), 1);
  EXPECT_EQ(board.waits("task", 0).waits(0).what(), "its client");
  board.clearWaits();
  EXPECT_FALSE(board.hasWaits());
  EXPECT_EQ(board.waits("task", 0).waits_size(), 0);
}

TEST(StatusBoard, AKernelThatTakesLongIsAWait) {
  StatusBoard board;
  board.beginWalk({5, 2}, 8, 100 * kMilli);
  EXPECT_EQ(board.waits("task", 120 * kMilli - 1).waits_size(), 0);
  protocol::Reply::WaitList list = board.waits("task", 120 * kMilli);
  ASSERT_EQ(list.waits_size(), 1);
  EXPECT_EQ(list.waits(0).task(), "task");
  EXPECT_EQ(list.waits(0).run().client(), 5u);
  EXPECT_EQ(list.waits(0).run().number(), 2u);
  EXPECT_EQ(list.waits(0).step(), 8u);
  EXPECT_EQ(list.waits(0).kind(), "kernel");
  EXPECT_EQ(list.waits(0).since_ms(), 20);
  board.endWalk();
  EXPECT_EQ(board.waits("task", 900 * kMilli).waits_size(), 0);
}

struct Described {
  Described() {
    options.cluster = makeCluster(0, 2);
    options.self = 1;
    options.incarnation = 77;
    StatusBoard::Plan plan;
    plan.digest = "abc";
    plan.wasTold = true;
    plan.nextSteps["train"] = 9;
    plan.going.insert("train");
    plan.devices.insert("/job:worker/replica:0/task:1/device:GPU:7");
    board.setPlans({plan});
  }
  protocol::Reply::Description of(const std::string &plan) {
    return describeTask(options, host, host.now - 3 * kMilli, board, plan);
  }
  TaskOptions options;
  FakeHost host;
  StatusBoard board;
};

TEST(TaskDescription, NamesTheTaskAndItsPlans) {
  Described all;
  protocol::Reply::Description text = all.of("");
  EXPECT_EQ(text.task(), "/job:worker/task:1");
  EXPECT_EQ(text.incarnation(), 77u);
  EXPECT_EQ(text.up_ms(), 3);
  EXPECT_EQ(text.addresses_size(), 2);
  EXPECT_TRUE(text.plan_allowed());
  ASSERT_EQ(text.plans_size(), 1);
  EXPECT_EQ(text.plans(0), "abc");
  EXPECT_FALSE(text.has_plan());
  for (const char *device : {"CPU:0", "GPU:7"})
    EXPECT_TRUE(std::ranges::any_of(text.devices(), [&](const auto &name) {
      return name.ends_with(device);
    })) << device;
}

TEST(TaskDescription, OfThePlanThatWasAskedFor) {
  Described all;
  all.options.allowedPlans = std::vector<std::string>{"list:1"};
  EXPECT_FALSE(all.of("other").plan_allowed());
  protocol::Reply::Description text = all.of("abc");
  EXPECT_TRUE(text.has_plan());
  EXPECT_TRUE(text.plan_allowed());
  EXPECT_TRUE(text.told());
  EXPECT_FALSE(text.initialized());
  EXPECT_EQ(text.next_steps().at("train"), 9u);
  ASSERT_EQ(text.going_size(), 1);
  EXPECT_EQ(text.allowed_size(), 1);
}

} // namespace
