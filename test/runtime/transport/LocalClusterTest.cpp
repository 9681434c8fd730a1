// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cluster in one process: runs over several tasks give the right values, a
// task that ends is named, and several clients get on.
#include "runtime/transport/LocalCluster.h"

#include "test/runtime/transport/RelayClient.h"

#include <future>
#include <thread>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

class Local : public testing::Test {
protected:
  void SetUp() override {
    auto spec = parseTaskCounts("ps:1,worker:2");
    ASSERT_TRUE(spec.isOk()) << spec.status().toString();
    LocalClusterOptions options;
    options.cluster = *spec;
    options.threads = 1;
    auto started = LocalCluster::start(std::move(options));
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    cluster = std::move(*started);
  }
  TaskMachine::Residue residue(TaskId task) {
    std::promise<TaskMachine::Residue> residue;
    cluster->runner(task).post(
        [&](TaskNode &node) { residue.set_value(node.machine().residue()); });
    return residue.get_future().get();
  }

  std::unique_ptr<LocalCluster> cluster;
};

TEST_F(Local, SmallValuesPassThroughFrames) {
  RelayClient client(*cluster, relayModel(4));
  Status opened = client.open();
  ASSERT_TRUE(opened.isOk()) << opened.toString();
  Status done = client.relay(4, 100, 1);
  EXPECT_TRUE(done.isOk()) << done.toString();
  done = client.relay(4, 100, 1000);
  EXPECT_TRUE(done.isOk()) << done.toString();
}

TEST_F(Local, LargeValuesLandInPlace) {
  constexpr int64_t kElements = 1 << 20;
  RelayClient client(*cluster, relayModel(kElements));
  Status opened = client.open();
  ASSERT_TRUE(opened.isOk()) << opened.toString();
  Status done = client.relay(kElements, 10, 1);
  EXPECT_TRUE(done.isOk()) << done.toString();
  // The run stays prepared, with a place for the edge that reaches a task.
  for (TaskId task = 0; task < 3; ++task)
    EXPECT_EQ(residue(task).sharedPlaces, 1u) << task;
}

TEST_F(Local, AClientComesAfterAnother) {
  auto plan = relayModel(4);
  for (uint64_t i = 0; i < 3; ++i) {
    RelayClient client(*cluster, plan, 100 + i);
    Status opened = client.open();
    ASSERT_TRUE(opened.isOk()) << opened.toString();
    Status done = client.relay(4, 5, float(i));
    EXPECT_TRUE(done.isOk()) << done.toString();
  }
}

TEST_F(Local, AnEndedTaskIsNamed) {
  RelayClient client(*cluster, relayModel(4));
  Status opened = client.open();
  ASSERT_TRUE(opened.isOk()) << opened.toString();
  ASSERT_TRUE(client.relay(4, 5, 1).isOk());
  cluster->stop(2, "test");
  Status lost = client.relay(4, 5, 1);
  EXPECT_EQ(lost.code(), StatusCode::Unavailable) << lost.toString();
  EXPECT_NE(lost.message().find("/job:worker/task:1"), std::string::npos)
      << lost.toString();
}

/// Stops each task at many points of a run, and of the time before it.
TEST_F(Local, ATaskThatEndsAtAnyTimeIsNamed) {
  auto plan = relayModel(4);
  for (int round = 0; round < 24; ++round) {
    SetUp();
    TaskId victim = round % 3;
    RelayClient client(*cluster, plan);
    Status opened = client.open();
    ASSERT_TRUE(opened.isOk()) << opened.toString();
    std::thread other([&] {
      // Not to wait for something, but to vary the point.
      std::this_thread::sleep_for(std::chrono::microseconds(round * 300));
      cluster->stop(victim, "test");
    });
    int64_t before = nowNanos();
    Status lost = client.relay(4, 10'000'000, 1);
    other.join();
    EXPECT_NE(lost.message().find(cluster->cluster().task(victim).name()),
              std::string::npos)
        << lost.toString();
    EXPECT_LT(nowNanos() - before, 5'000'000'000);
    for (TaskId task = 0; task < 3; ++task)
      if (task != victim)
        EXPECT_EQ(residue(task).earlyBytes, 0u) << task;
  }
}

TEST_F(Local, AClientOutlivesTheCluster) {
  RelayClient client(*cluster, relayModel(4));
  Status opened = client.open();
  ASSERT_TRUE(opened.isOk()) << opened.toString();
  cluster.reset();
  EXPECT_EQ(client.relay(4, 5, 1).code(), StatusCode::Unavailable);
}

TEST_F(Local, InterruptEndsAWait) {
  RelayClient client(*cluster, relayModel(4));
  std::thread other([&] { client.connector->interrupt(); });
  int64_t before = nowNanos();
  client.connector->pump(*client.machine, before + kLimitNanos);
  EXPECT_LT(nowNanos() - before, kLimitNanos / 2);
  other.join();
}

TEST(TaskCounts, AreParsed) {
  auto spec = parseTaskCounts("worker:2,ps:1");
  ASSERT_TRUE(spec.isOk()) << spec.status().toString();
  ASSERT_EQ(spec->size(), 3u);
  EXPECT_EQ(spec->task(0).name(), "/job:ps/task:0");
  EXPECT_EQ(spec->task(2).name(), "/job:worker/task:1");
}

TEST(TaskCounts, WhatIsWrongIsSaid) {
  for (const char *text : {"", "ps", "ps:", "ps:x", "ps:0", "ps:1,", ":1",
                           "ps:1x", "ps:99999", "ps:1,ps:2", "ps:-1"}) {
    auto spec = parseTaskCounts(text);
    EXPECT_EQ(spec.status().code(), StatusCode::InvalidArgument) << text;
  }
  EXPECT_NE(parseTaskCounts("ps:x").status().message().find("worker:2"),
            std::string::npos);
}

} // namespace
