// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of variables outlive clients, and no restart of a task replaces
// them silently: values are made by an explicit act only.
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using test::DirectCluster;

namespace {

constexpr auto kAsync = format::Coordination::Async;

/// Clients of one cluster that come and go.
struct Values {
  explicit Values(test::ModelBuilder model, uint32_t ps = 2,
                  uint32_t workers = 0,
                  std::function<void(TaskOptions &)> change = {})
      : model(std::move(model)),
        cluster({test::makeCluster(ps, workers), 1, false, change}) {}

  ClientMachine &open(ClientOptions options = {}) {
    ClientMachine &client = cluster.addClient(model, options);
    client.beginOpen();
    Status status = cluster.finish(client);
    EXPECT_TRUE(status.isOk()) << status.toString();
    return client;
  }

  Status initialize(ClientMachine &client, bool isAnew = false) {
    client.beginInitialize(isAnew);
    return cluster.finish(client);
  }

  void write(ClientMachine &client, const char *name, std::vector<float> values,
             std::vector<int64_t> shape) {
    client.beginWrite(
        name, HostTensor::of<float>(shape, std::span<const float>(values)));
    Status status = cluster.finish(client);
    EXPECT_TRUE(status.isOk()) << status.toString();
  }

  float read(ClientMachine &client, const char *name) {
    client.beginRead(name);
    Status status = cluster.finish(client);
    EXPECT_TRUE(status.isOk()) << status.toString();
    return status.isOk() ? client.value().as<float>()[0] : -1;
  }

  void restart(TaskId task) {
    cluster.kill(task);
    cluster.restart(task);
  }

  test::ModelBuilder model;
  DirectCluster cluster;
};

void expectLoss(const Status &status, const char *task,
                std::initializer_list<const char *> texts) {
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find(std::string(task) + " has lost the values"),
            std::string::npos)
      << status.message();
  for (const char *text : texts)
    EXPECT_NE(status.message().find(text), std::string::npos)
        << text << ": " << status.message();
}

TEST(TaskValues, ARestartedTaskHasLostItsVariables) {
  for (TaskId lost : {0, 1}) {
    Values values(test::updateModel(1, kAsync), 2, 1);
    ClientOptions chief;
    chief.worker = 0;
    ClientMachine &first = values.open(chief);
    ASSERT_TRUE(values.initialize(first).isOk());
    values.write(first, "w0", {7}, {});
    values.write(first, "w1", {7}, {});
    values.restart(lost);

    ClientMachine &next = values.open(chief);
    expectLoss(values.initialize(next),
               lost == 0 ? "/job:ps/task:0" : "/job:ps/task:1",
               {lost == 0 ? "'w0'" : "'w1'", "started anew", "--load", "--init",
                "incarnation"});
    // Nothing has changed, and asking again does not help.
    EXPECT_EQ(values.read(next, lost == 0 ? "w1" : "w0"), 7);
    EXPECT_FALSE(values.initialize(next).isOk());
    EXPECT_EQ(values.read(next, lost == 0 ? "w1" : "w0"), 7);
    // An explicit act does.
    ASSERT_TRUE(values.initialize(next, true).isOk());
    EXPECT_EQ(values.read(next, "w0"), 1);
    EXPECT_EQ(values.read(next, "w1"), 1);
  }
}

TEST(TaskValues, TheOnlyTaskWithVariablesIsRestarted) {
  // The others know that there were values.
  Values values(test::dataModel(1), 1, 2);
  values.model.addVariable("w", {DType::Float32, {}});
  values.model.variables[0].device = "/job:ps/replica:0/task:0/device:CPU:0";
  ClientMachine &first = values.open();
  ASSERT_TRUE(values.initialize(first).isOk());
  values.restart(0);
  expectLoss(values.initialize(values.open()), "/job:ps/task:0", {"'w'"});
}

TEST(TaskValues, ATaskWithoutVariablesLosesNothing) {
  Values values(test::updateModel(1, kAsync), 2, 1);
  ClientOptions chief;
  chief.worker = 0;
  ClientMachine &first = values.open(chief);
  ASSERT_TRUE(values.initialize(first).isOk());
  values.write(first, "w0", {7}, {});
  values.restart(2);
  ClientMachine &next = values.open(chief);
  ASSERT_TRUE(values.initialize(next).isOk());
  EXPECT_FALSE(next.madeFirstValues());
  EXPECT_EQ(values.read(next, "w0"), 7);
  // It has been told: restarting a ps is noticed there, too.
  values.restart(0);
  values.restart(1);
  EXPECT_FALSE(values.initialize(values.open(chief)).isOk());
}

TEST(TaskValues, AMirrorTakesTheValueOfALivingOne) {
  for (TaskId lost : {0, 1}) {
    Values values(test::dividedModel(false));
    ClientMachine &first = values.open();
    ASSERT_TRUE(values.initialize(first).isOk());
    values.write(first, "w", {5}, {});
    values.restart(lost);
    ClientMachine &next = values.open();
    Status status = values.initialize(next);
    ASSERT_TRUE(status.isOk()) << status.toString();
    EXPECT_FALSE(next.madeFirstValues());
    EXPECT_EQ(values.read(next, "w"), 5);
    float seen = 0;
    next.beginRun({"look", {}, {}, 1, false, {}}, [&](uint64_t, auto fetches) {
      std::memcpy(&seen, fetches[0].data(), sizeof seen);
      return true;
    });
    ASSERT_TRUE(values.cluster.finish(next).isOk());
    EXPECT_EQ(seen, 5);
  }
}

TEST(TaskValues, WhatHasNoMirrorIsNamedAlone) {
  Values values(test::dividedModel());
  ClientMachine &first = values.open();
  ASSERT_TRUE(values.initialize(first).isOk());
  values.restart(1);
  Status status = values.initialize(values.open());
  expectLoss(status, "/job:ps/task:1", {"'rows/part_1'"});
  EXPECT_EQ(status.message().find("'w"), std::string::npos);
}

TEST(TaskValues, WritingAllVariablesIsAnExplicitAct) {
  Values values(test::dividedModel());
  ClientMachine &first = values.open();
  ASSERT_TRUE(values.initialize(first).isOk());
  values.restart(1);
  ClientMachine &next = values.open();
  next.beginReplace();
  ASSERT_TRUE(values.cluster.finish(next).isOk());
  values.write(next, "w", {3}, {});
  // Half of the values are no state.
  expectLoss(values.initialize(values.open()), "/job:ps/task:0",
             {"began to replace all values"});
  values.write(next, "rows", {1, 2, 3, 4}, {2, 2});
  ClientMachine &last = values.open();
  ASSERT_TRUE(values.initialize(last).isOk());
  EXPECT_FALSE(last.madeFirstValues());
  EXPECT_EQ(values.read(last, "w"), 3);
}

TEST(TaskValues, OthersWaitForTheChiefAndKnowWhy) {
  Values values(test::updateModel(2, kAsync), 2, 2);
  ClientOptions chief, other;
  chief.worker = 0;
  other.worker = 1;
  other.isChief = false;
  other.openNanos = 3'000'000'000;
  ASSERT_TRUE(values.initialize(values.open(chief)).isOk());
  values.restart(0);
  ClientMachine &waiting = values.open(other);
  expectLoss(values.initialize(waiting), "/job:ps/task:0", {"'w0'"});
  EXPECT_NE(values.cluster.told.find("has lost"), std::string::npos)
      << values.cluster.told;
}

/// Two chiefs of a fresh cluster, one of which is slow: it does not undo what
/// the other one has trained meanwhile.
TEST(TaskValues, FirstValuesAreGivenOnce) {
  using Request = protocol::Request;
  for (auto slowAction : {Request::kPrepare, Request::kGo})
    for (TaskId slowTask : {0, 1, 4}) { // 4: all
      Values values(test::updateModel(2, kAsync), 2, 2);
      ClientOptions options;
      options.worker = 0;
      ClientMachine &first = values.open(options);
      options.worker = 1;
      ClientMachine &second = values.open(options); // its incarnation: 1002
      values.cluster.hold = [&](const Request &request, TaskId task) {
        auto run =
            request.has_go() ? request.go().run() : request.prepare().run();
        return request.action_case() == slowAction && run.client() == 1002 &&
               (task == slowTask || slowTask == 4);
      };
      second.beginInitialize();
      values.cluster.settle();
      ASSERT_TRUE(values.initialize(first).isOk());
      EXPECT_TRUE(first.madeFirstValues());
      first.beginRun({"train", {}, {}, 3, false, {}},
                     [](uint64_t, auto) { return true; });
      ASSERT_TRUE(values.cluster.finish(first).isOk());
      values.cluster.hold = nullptr;
      Status status = values.cluster.finish(second);
      EXPECT_TRUE(status.isOk()) << status.toString();
      EXPECT_FALSE(second.madeFirstValues());
      EXPECT_EQ(values.read(second, "w0"), 15);
      EXPECT_EQ(values.read(second, "w1"), 15);
    }
}

TEST(TaskValues, ATaskThatIsRestartedWhileAllIsWrittenHasNoValues) {
  Values values(test::updateModel(1, kAsync), 2, 1);
  ClientOptions chief;
  chief.worker = 0;
  ClientMachine &first = values.open(chief);
  ASSERT_TRUE(values.initialize(first).isOk());
  first.beginReplace();
  ASSERT_TRUE(values.cluster.finish(first).isOk());
  values.restart(0);
  values.open(chief); // loads the plan there
  float five = 5;
  first.beginWrite("w0", HostTensor::of<float>({}, std::span(&five, 1)));
  Status status = values.cluster.finish(first);
  EXPECT_EQ(status.code(), StatusCode::Unavailable) << status.toString();
  EXPECT_NE(status.message().find("lost /job:ps/task:0"), std::string::npos);
}

/// In one graph for all workers, tasks stop where they are.
TEST(TaskValues, TheNextClientKnowsThatARunEndedWithinAStep) {
  Values values(test::dividedModel(false));
  test::GraphSpec &count = values.model.addGraph("count");
  count.device = "/job:ps/replica:0/task:0/device:CPU:0";
  count.addProgram("/job:ps/replica:0/task:1/device:CPU:0");
  for (uint32_t ps : {0, 1})
    count.program(ps).addFill(
        count.program(ps).addVariable("w", values.model, ps), {0, 0, 0, 0});
  ClientMachine &first = values.open();
  ASSERT_TRUE(values.initialize(first).isOk());
  values.cluster.hold = [](const protocol::Request &request, TaskId task) {
    return task == 1 && request.has_go();
  };
  first.beginRun({"count", {}, {}, 3, false, {}},
                 [](uint64_t, auto) { return true; });
  values.cluster.settle();
  values.cluster.removeClient(first);
  ClientMachine &next = values.open();
  ASSERT_TRUE(values.initialize(next).isOk());
  EXPECT_TRUE(next.endedWithinStep("count"));
  EXPECT_EQ(next.tasksBehind("count"), "/job:ps/task:1 (step 0) behind step 3");
  EXPECT_FALSE(next.endedWithinStep("look"));
  // Values that are made anew are whole.
  values.cluster.hold = nullptr;
  ASSERT_TRUE(values.initialize(next, true).isOk());
  ClientMachine &last = values.open();
  ASSERT_TRUE(values.initialize(last).isOk());
  EXPECT_FALSE(last.endedWithinStep("count"));
  // While a run goes, tasks are not at the same step, which means nothing.
  values.cluster.hold = [](const protocol::Request &request, TaskId task) {
    return task == 1 && request.has_go();
  };
  last.beginRun({"count", {}, {}, 1'000'000, false, {}},
                [](uint64_t, auto) { return true; });
  ClientMachine &other = values.open();
  ASSERT_TRUE(values.initialize(other).isOk());
  EXPECT_FALSE(other.endedWithinStep("count"));
}

/// The chief replaces values at tasks that had some, too: those who wait go on
/// when all have.
TEST(TaskValues, OthersWaitUntilAllTasksHaveValues) {
  Values values(test::updateModel(2, kAsync), 2, 2);
  ClientOptions chief, other;
  chief.worker = 0;
  other.worker = 1;
  other.isChief = false;
  ClientMachine &first = values.open(chief);
  ASSERT_TRUE(values.initialize(first).isOk());
  values.restart(0);
  ClientMachine &loading = values.open(chief);
  ClientMachine &waiting = values.open(other);
  waiting.beginInitialize();
  values.cluster.settle();
  loading.beginReplace();
  ASSERT_TRUE(values.cluster.finish(loading).isOk());
  values.write(loading, "w0", {1}, {});
  values.cluster.hold = [](const protocol::Request &request, TaskId task) {
    return task == 1 && request.initialized().set();
  };
  float one = 1;
  loading.beginWrite("w1", HostTensor::of<float>({}, std::span(&one, 1)));
  values.cluster.settle();
  EXPECT_TRUE(waiting.isBusy());
  values.cluster.hold = nullptr;
  ASSERT_TRUE(values.cluster.finish(loading).isOk());
  ASSERT_TRUE(values.cluster.finish(waiting).isOk());
  waiting.beginRun({"train", {}, {}, 1, false, {}},
                   [](uint64_t, auto) { return true; });
  Status status = values.cluster.finish(waiting);
  EXPECT_TRUE(status.isOk()) << status.toString();
}

TEST(TaskValues, WhoDoesNotAnswerIsNamed) {
  Values values(test::updateModel(1, kAsync), 2, 1);
  ClientOptions chief;
  chief.worker = 0;
  ClientMachine &client = values.open(chief);
  EXPECT_EQ(client.awaitedTasks(), "");
  values.cluster.hold = [](const protocol::Request &, TaskId task) {
    return task == 1;
  };
  client.beginInitialize();
  values.cluster.settle();
  EXPECT_EQ(client.awaitedTasks(), "/job:ps/task:1");
  // A process that takes its place does not know what was said before.
  values.cluster.hold = nullptr;
  values.restart(1);
  Status status = values.cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::Unavailable) << status.toString();
}

TEST(TaskValues, APlanThatMadeRoomHasLostItsValues) {
  auto change = [](TaskOptions &task) { task.mostPlans = 1; };
  Values values(test::dividedModel(), 2, 0, change);
  ASSERT_TRUE(values.initialize(values.open()).isOk());
  test::ModelBuilder first = values.model;
  values.model = test::dividedModel(false);
  ASSERT_TRUE(values.initialize(values.open()).isOk());
  values.model = first;
  expectLoss(values.initialize(values.open()), "/job:ps/task:0",
             {"made room for others"});
}

TEST(TaskValues, NewValuesEndTheRunsOfOthersAndBeginAtStepOne) {
  Values values(test::updateModel(1, kAsync), 2, 1);
  ClientOptions chief;
  chief.worker = 0;
  ClientMachine &first = values.open(chief);
  ASSERT_TRUE(values.initialize(first).isOk());
  uint64_t step = 0;
  auto onStep = [&](uint64_t number, auto) {
    step = number;
    return true;
  };
  first.beginRun({"train", {}, {}, 5, false, {}}, onStep);
  ASSERT_TRUE(values.cluster.finish(first).isOk());
  EXPECT_EQ(step, 5u);
  first.beginRun({"train", {}, {}, 1'000'000, false, {}}, onStep);
  ASSERT_TRUE(values.cluster.runUntil([&] { return step > 50; }));

  ClientMachine &next = values.open(chief);
  ASSERT_TRUE(values.initialize(next, true).isOk());
  Status status = values.cluster.finish(first);
  EXPECT_EQ(status.code(), StatusCode::Aborted) << status.toString();
  next.beginRun({"train", {}, {}, 1, false, {}}, onStep);
  ASSERT_TRUE(values.cluster.finish(next).isOk());
  EXPECT_EQ(step, 1u);
  EXPECT_EQ(values.read(next, "w0"), 3);
}

TEST(TaskValues, ATaskThatComesLateHasNoOtherClock) {
  Values values(test::dividedModel());
  values.cluster.hold = [](const protocol::Request &, TaskId task) {
    return task == 1;
  };
  ClientMachine &client = values.cluster.addClient(values.model, {});
  client.beginOpen();
  values.cluster.settle();
  values.cluster.clock += 9'000'000'000;
  values.cluster.hold = nullptr;
  Status status = values.cluster.finish(client);
  EXPECT_TRUE(status.isOk()) << status.toString();
}

} // namespace
