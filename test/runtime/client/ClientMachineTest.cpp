// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests a client's requests to tasks, and the runs that it keeps prepared.
#include "test/runtime/client/ClientHarness.h"

using namespace graphc;
using namespace graphc::runtime;
using test::Client;
using test::DirectCluster;
using test::expectStatus;
using test::floats;
using test::quietModel;

namespace {

TEST(ClientMachine, IsMadeForAClusterThatHasTheTasks) {
  struct Environment final : ClientEnvironment {
    int64_t nowNanos() const override { return 0; }
    void send(TaskId, protocol::Request) override {}
    void status(std::string_view) override {}
  } environment;
  auto plan = *Model::fromBytes(quietModel().finish(), "plan.bin");
  ClientOptions options;
  EXPECT_FALSE(
      ClientMachine::create(plan, test::makeCluster(0, 2), options, environment)
          .isOk());
  options.incarnation = 1;
  EXPECT_TRUE(
      ClientMachine::create(plan, test::makeCluster(0, 2), options, environment)
          .isOk());
  expectStatus(
      ClientMachine::create(plan, test::makeCluster(1, 0), options, environment)
          .status(),
      StatusCode::FailedPrecondition,
      "the plan is for tasks that the cluster does not have: "
      "/job:worker/task:0, /job:worker/task:1; add them");
}

TEST(ClientMachine, WhatCannotBeRunIsSaidAtOnce) {
  Client all;
  ASSERT_TRUE(all.open().isOk());
  ClientMachine::Run run = Client::ping({});
  run.steps = -1;
  expectStatus(all.run(run), StatusCode::InvalidArgument,
               "the number of steps is negative");
  run = Client::ping({"z"});
  expectStatus(all.run(run), StatusCode::NotFound, "'z'");
  run = Client::ping({});
  run.feeds.clear();
  expectStatus(all.run(run), StatusCode::InvalidArgument, "'x'");
  run.graph = "pong";
  expectStatus(all.run(run), StatusCode::NotFound, "'pong'");
  run = Client::ping({});
  run.steps = 0;
  expectStatus(all.run(run), StatusCode::InvalidArgument,
               "the data of graph 'ping' have no end; say how many steps");
  EXPECT_TRUE(all.gone.empty());
  EXPECT_TRUE(all.run(Client::ping({})).isOk());
  EXPECT_EQ(all.steps, (std::vector<uint64_t>{1, 2}));
}

TEST(ClientMachine, StepsWithoutFetchesGoAThousandAtATime) {
  Client all;
  ASSERT_TRUE(all.open().isOk());
  ASSERT_TRUE(all.run({"quiet", {}, {}, 2500, false, {}}).isOk());
  using Gone = Client::Gone;
  EXPECT_EQ(all.gone,
            (std::vector<Gone>{{1, 0, 1000}, {1, 1000, 1000}, {1, 2000, 500}}));
  ASSERT_EQ(all.steps.size(), 2500u);
  EXPECT_EQ(all.steps.front(), 1u);
  EXPECT_EQ(all.steps.back(), 2500u);
  EXPECT_EQ(all.client.outcome().steps, 2500);
  EXPECT_GT(all.client.outcome().stepSeconds, 0);
  ASSERT_TRUE(all.run({"quiet", {}, {}, 1000, false, {}}).isOk());
  EXPECT_EQ(all.gone, (std::vector<Gone>{{1, 2500, 1000}}));
  all.enough = 3;
  ASSERT_TRUE(all.run({"quiet", {}, {}, 5, false, {}}).isOk());
  EXPECT_EQ(all.steps.size(), 3u);
  EXPECT_TRUE(all.client.outcome().isStopped);
}

TEST(ClientMachine, WhereNothingIsDoneACallerMayStop) {
  test::ModelBuilder model = quietModel();
  model.addGraph("empty").device = "/job:worker/replica:0/task:0/device:CPU:0";
  Client all(model);
  ASSERT_TRUE(all.open().isOk());
  ClientMachine::Run run{"empty", {}, {}, 5, false, {}};
  run.onlyPrepares = true;
  EXPECT_TRUE(all.run(run).isOk());
  EXPECT_TRUE(all.steps.empty());
  run.onlyPrepares = false;
  all.enough = 2;
  EXPECT_TRUE(all.run(run).isOk());
  EXPECT_EQ(all.client.outcome().steps, 2);
  EXPECT_TRUE(all.client.outcome().isStopped);
}

/// Nobody but the variable itself leads to worker 1: no graph goes there.
TEST(ClientMachine, ATaskThatOnlyHasVariablesIsNeeded) {
  test::ModelBuilder model;
  uint32_t w = model.addVariable("w", {DType::Float32, {3}});
  model.variables[w].device = "/job:worker/replica:0/task:1/device:CPU:0";
  test::GraphSpec &alone = model.addGraph("alone");
  alone.device = "/job:worker/replica:0/task:0/device:CPU:0";
  alone.addFill(alone.addArena("x", {DType::Float32, {2}}), {0});
  Client all(model);
  ASSERT_TRUE(all.open().isOk());
  all.client.beginWrite("w", floats(3, 2));
  ASSERT_TRUE(all.cluster.finish(all.client).isOk());
  all.client.beginRead("w");
  ASSERT_TRUE(all.cluster.finish(all.client).isOk());
  EXPECT_EQ(all.client.value().bytes, floats(3, 2).bytes);

  ClientOptions options;
  options.openNanos = 1'000'000'000;
  Client lonely(model, options);
  lonely.cluster.kill(1);
  expectStatus(lonely.open(), StatusCode::DeadlineExceeded,
               "no answer from /job:worker/task:1");
}

TEST(ClientMachine, FourRunsStayPrepared) {
  Client all;
  ASSERT_TRUE(all.open().isOk());
  uint64_t number = 0;
  for (const std::vector<std::string> &fetches : {std::vector<std::string>{"y"},
                                                  {"half"},
                                                  {"y", "half"},
                                                  {"half", "y"}}) {
    ASSERT_TRUE(all.run(Client::ping(fetches)).isOk());
    EXPECT_EQ(all.gone[0].run, ++number);
  }
  ASSERT_TRUE(all.run(Client::ping({"y"})).isOk());
  EXPECT_EQ(all.gone[0].run, 1u);
  ASSERT_TRUE(all.run({"alone", {}, {}, 1, false, {}}).isOk());
  EXPECT_EQ(all.gone[0].run, 5u);
  all.cluster.settle();
  EXPECT_EQ(all.cluster.residue().runs, 3 * 2 + 1u);
  // The one that was used the longest time ago has gone.
  ASSERT_TRUE(all.run(Client::ping({"y"})).isOk());
  EXPECT_EQ(all.gone[0].run, 1u);
  ASSERT_TRUE(all.run(Client::ping({"half"})).isOk());
  EXPECT_EQ(all.gone[0].run, 6u);
  all.client.beginEndRuns();
  all.cluster.settle();
  EXPECT_EQ(all.cluster.residue().runs, 0u);
}

TEST(ClientMachine, TasksKeepTwoEnginesOfAGraphForLaterRuns) {
  constexpr int64_t kSize = 20'000; // values that pass through shared memory
  Client all(quietModel(kSize), {}, true);
  ASSERT_TRUE(all.open().isOk());
  size_t ofOne = 0;
  for (const std::vector<std::string> &fetches : {std::vector<std::string>{"y"},
                                                  {"half"},
                                                  {"y", "half"},
                                                  {"half", "y"}}) {
    ASSERT_TRUE(all.run(Client::ping(fetches, 1, kSize)).isOk());
    if (ofOne == 0)
      ofOne = all.cluster.sharedPlaces(0);
  }
  EXPECT_GT(ofOne, 0u);
  EXPECT_EQ(all.cluster.sharedPlaces(0), 4 * ofOne);
  // A fifth run takes the place of the first, whose engine stays.
  ASSERT_TRUE(all.run({"alone", {}, {}, 1, false, {}}).isOk());
  all.cluster.settle();
  EXPECT_EQ(all.cluster.sharedPlaces(0), 4 * ofOne);
  all.client.beginEndRuns();
  all.cluster.settle();
  EXPECT_EQ(all.cluster.sharedPlaces(0), 2 * ofOne);
  ASSERT_TRUE(all.run(Client::ping({"y"}, 2, kSize)).isOk());
  EXPECT_EQ(all.cluster.sharedPlaces(0), 2 * ofOne);
}

TEST(ClientMachine, LargeFeedsThatChangeArePreparedAnew) {
  constexpr int64_t kSize = 300'000; // of two chunks
  Client all(quietModel(kSize));
  ASSERT_TRUE(all.open().isOk());
  for (auto [x, run] : {std::pair(1, 1), {2, 2}, {2, 2}, {3, 3}}) {
    Status status = all.run(Client::ping({"y"}, float(x), kSize));
    ASSERT_TRUE(status.isOk()) << status.toString();
    EXPECT_EQ(all.gone[0].run, uint64_t(run));
  }
  all.cluster.settle();
  EXPECT_EQ(all.cluster.residue().runs, 2u);
}

TEST(ClientMachine, ARunMayBeginAtAnotherStep) {
  Client all;
  ASSERT_TRUE(all.open().isOk());
  ClientMachine::Run run = Client::ping({"y"});
  run.firstStep = 10;
  for (uint64_t number : {1, 2}) {
    ASSERT_TRUE(all.run(run).isOk());
    EXPECT_EQ(all.gone[0], (Client::Gone{number, 10, 2}));
    EXPECT_EQ(all.steps, (std::vector<uint64_t>{11, 12}));
  }
  run.firstStep = 12; // where it is
  ASSERT_TRUE(all.run(run).isOk());
  EXPECT_EQ(all.gone[0], (Client::Gone{2, 12, 2}));
}

} // namespace
