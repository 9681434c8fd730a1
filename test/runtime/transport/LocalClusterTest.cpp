// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cluster in one process: runs over several tasks give the right values, a
// task that ends is named, and several clients get on.
#include "runtime/transport/LocalCluster.h"

#include "runtime/base/Clock.h"
#include "test/runtime/format/ModelBuilder.h"

#include <cstring>
#include <future>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::GraphSpec;
using graphc::test::ModelBuilder;

namespace {

constexpr int64_t kLimitNanos = 20'000'000'000; ///< of every wait

std::string cpu(const std::string &task) {
  return task.substr(0, task.find("/task")) + "/replica:0" +
         task.substr(task.find("/task")) + "/device:CPU:0";
}

/// Graph "relay": feed x goes from ps to both workers, one after the other, and
/// back: fetch y.
std::shared_ptr<const Model> relayModel(int64_t elements) {
  ModelBuilder model;
  const TensorType type{DType::Float32, {elements}};
  GraphSpec &graph = model.addGraph("relay");
  graph.device = cpu("/job:ps/task:0");
  uint32_t first = graph.addProgram(cpu("/job:worker/task:0"));
  uint32_t second = graph.addProgram(cpu("/job:worker/task:1"));
  uint32_t x = graph.addArena("x", type);
  graph.addFeed("x", x);
  uint32_t atFirst = graph.transfer(0, x, first);
  uint32_t atSecond = graph.transfer(first, atFirst, second);
  uint32_t back = graph.transfer(second, atSecond, 0);
  uint32_t y = graph.addArena("y", type);
  graph.addCopy(back, y);
  graph.addFetch("y", y);
  auto opened = Model::fromBytes(model.finish(), "relay");
  EXPECT_TRUE(opened.isOk()) << opened.status().toString();
  return opened.isOk() ? *opened : nullptr;
}

/// A client on the test's thread.
class Client final : public ClientWorld {
public:
  Client(LocalCluster &cluster, std::shared_ptr<const Model> plan,
         uint64_t incarnation = 77) {
    auto made = cluster.connect();
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    connector = std::move(*made);
    ClientOptions options;
    options.incarnation = incarnation;
    options.openNanos = kLimitNanos / 2;
    auto created =
        ClientMachine::create(plan, cluster.cluster(), options, *this);
    EXPECT_TRUE(created.isOk()) << created.status().toString();
    machine = std::move(*created);
  }

  int64_t nowNanos() const override { return runtime::nowNanos(); }
  void send(TaskId task, protocol::Request request) override {
    connector->send(task, std::move(request));
  }
  void status(std::string_view) override {}

  Status finish() {
    int64_t until = nowNanos() + kLimitNanos;
    while (machine->isBusy()) {
      if (nowNanos() > until)
        return internalError("the operation does not end");
      if (nowNanos() >= machine->nextTimer())
        machine->onTimer();
      connector->pump(*machine, std::min(machine->nextTimer(), until));
    }
    return machine->result();
  }

  Status open() {
    machine->beginOpen();
    GRAPHC_TRY(finish());
    machine->beginInitialize();
    return finish();
  }

  /// Relays numbers from `first` on; checks each step's values.
  Status relay(int64_t elements, int64_t steps, float first) {
    std::vector<float> values(elements);
    std::iota(values.begin(), values.end(), first);
    auto bytes = std::as_bytes(std::span(values));
    NamedTensor x{"x", HostTensor::of<float>({elements}, values)};
    ClientMachine::Run run;
    run.graph = "relay";
    run.feeds = {x};
    run.steps = steps;
    uint64_t seen = 0;
    machine->beginRun(run, [&](uint64_t, auto fetches) {
      EXPECT_EQ(fetches.size(), 1u);
      EXPECT_EQ(fetches[0].size(), bytes.size());
      EXPECT_EQ(std::memcmp(fetches[0].data(), bytes.data(), bytes.size()), 0);
      ++seen;
      return true;
    });
    GRAPHC_TRY(finish());
    EXPECT_EQ(seen, uint64_t(steps));
    return Status::ok();
  }

  std::unique_ptr<TaskConnector> connector;
  std::unique_ptr<ClientMachine> machine;
};

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
  Client client(*cluster, relayModel(4));
  Status opened = client.open();
  ASSERT_TRUE(opened.isOk()) << opened.toString();
  Status done = client.relay(4, 100, 1);
  EXPECT_TRUE(done.isOk()) << done.toString();
  done = client.relay(4, 100, 1000);
  EXPECT_TRUE(done.isOk()) << done.toString();
}

TEST_F(Local, LargeValuesLandInPlace) {
  constexpr int64_t kElements = 1 << 20;
  Client client(*cluster, relayModel(kElements));
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
    Client client(*cluster, plan, 100 + i);
    Status opened = client.open();
    ASSERT_TRUE(opened.isOk()) << opened.toString();
    Status done = client.relay(4, 5, float(i));
    EXPECT_TRUE(done.isOk()) << done.toString();
  }
}

TEST_F(Local, AnEndedTaskIsNamed) {
  Client client(*cluster, relayModel(4));
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
    Client client(*cluster, plan);
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
        EXPECT_EQ(residue(task).parkedBytes, 0u) << task;
  }
}

TEST_F(Local, AClientOutlivesTheCluster) {
  Client client(*cluster, relayModel(4));
  Status opened = client.open();
  ASSERT_TRUE(opened.isOk()) << opened.toString();
  cluster.reset();
  EXPECT_EQ(client.relay(4, 5, 1).code(), StatusCode::Unavailable);
}

TEST_F(Local, InterruptEndsAWait) {
  Client client(*cluster, relayModel(4));
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
