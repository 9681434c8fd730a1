// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a client asks of tasks, and what it makes of answers that are late,
// wrong or of another kind.
#include "test/runtime/cluster/ClusterModels.h"
#include "test/runtime/cluster/DirectCluster.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using test::DirectCluster;

namespace {

/// pingModel() and graph "quiet", whose steps have no fetches.
test::ModelBuilder quietModel(int64_t size = 3) {
  test::ModelBuilder model = test::pingModel(size);
  test::GraphSpec &quiet = model.addGraph("quiet");
  quiet.device = "/job:worker/replica:0/task:0/device:CPU:0";
  quiet.addFill(quiet.addArena("x", {DType::Float32, {2}}), {0});
  return model;
}

HostTensor floats(int64_t size, float value) {
  std::vector<float> values(size, value);
  return HostTensor::of<float>({size}, std::span<const float>(values));
}

struct Client {
  explicit Client(const test::ModelBuilder &model = quietModel(),
                  ClientOptions options = {})
      : cluster({test::makeCluster(0, 2), 1, false, {}}),
        client(cluster.addClient(model, options)) {
    cluster.seeRequest = [this](const protocol::Request &request, TaskId) {
      if (request.has_go())
        gone.push_back({request.go().run().number(), request.go().first_step(),
                        request.go().steps()});
    };
  }
  Status open() {
    client.beginOpen();
    return cluster.finish(client);
  }
  Status run(ClientMachine::Run run) {
    steps.clear();
    gone.clear();
    client.beginRun(run, [this](uint64_t step, auto) {
      steps.push_back(step);
      return steps.size() < enough;
    });
    return cluster.finish(client);
  }
  /// Of graph "ping", for two steps.
  static ClientMachine::Run ping(std::vector<std::string> fetches, float x = 1,
                                 int64_t size = 3) {
    return {"ping", {{"x", floats(size, x)}}, fetches, 2, false, {}};
  }

  struct Gone {
    uint64_t run, first, steps;
    auto operator<=>(const Gone &) const = default;
  };
  std::vector<Gone> gone;
  DirectCluster cluster;
  ClientMachine &client;
  std::vector<uint64_t> steps;
  size_t enough = SIZE_MAX;
};

void expectStatus(const Status &status, StatusCode code,
                  const std::string &text) {
  EXPECT_EQ(status.code(), code) << status.toString();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

TEST(ClientMachine, IsMadeForAClusterThatHasTheTasks) {
  struct World final : ClientWorld {
    int64_t nowNanos() const override { return 0; }
    void send(TaskId, protocol::Request) override {}
    void status(std::string_view) override {}
  } world;
  auto plan = *Model::fromBytes(quietModel().finish(), "plan.bin");
  ClientOptions options;
  EXPECT_FALSE(
      ClientMachine::create(plan, test::makeCluster(0, 2), options, world)
          .isOk());
  options.incarnation = 1;
  EXPECT_TRUE(
      ClientMachine::create(plan, test::makeCluster(0, 2), options, world)
          .isOk());
  expectStatus(
      ClientMachine::create(plan, test::makeCluster(1, 0), options, world)
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
  all.client.endRuns();
  all.cluster.settle();
  EXPECT_EQ(all.cluster.residue().runs, 0u);
}

TEST(ClientMachine, LargeFeedsThatChangeArePreparedAnew) {
  constexpr int64_t kSize = 300'000; // of two pieces
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

/// The status of two steps of "ping" where answers are changed on the way.
Status runWith(std::function<void(protocol::Reply &, TaskId)> change) {
  Client all;
  EXPECT_TRUE(all.open().isOk());
  all.cluster.changeReply = std::move(change);
  Status status = all.run(Client::ping({"y"}));
  all.cluster.settle();
  EXPECT_EQ(all.cluster.residue().runs, status.isOk() ? 2u : 0u);
  return status;
}

TEST(ClientMachine, ResultsThatARunDoesNotHaveEndIt) {
  using Results = protocol::Reply::Results;
  const std::function<void(Results &)> wrong[] = {
      [](Results &it) { it.set_steps(0); },
      [](Results &it) { it.set_steps(it.steps() + 1); },
      [](Results &it) { it.set_first_step(it.first_step() + 1); },
      [](Results &it) { it.mutable_values()->pop_back(); },
      [](Results &it) { it.mutable_values()->push_back(0); },
      [](Results &it) {
        it.set_steps(3);
        it.set_values(std::string(3 * 12, 0));
      }};
  for (const auto &change : wrong)
    expectStatus(runWith([&](protocol::Reply &reply, TaskId) {
                   if (reply.has_results())
                     change(*reply.mutable_results());
                 }),
                 StatusCode::Internal, "which the run does not have");
  // Worker 1 has no fetch.
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 1 && reply.has_ended()) {
                   reply.mutable_results()->set_steps(1);
                   reply.set_last(false);
                 }
               }),
               StatusCode::Internal, "which the run does not have");
  expectStatus(runWith([](protocol::Reply &reply, TaskId) {
                 if (reply.has_results())
                   reply.mutable_ended();
               }),
               StatusCode::Internal, "tasks ended without all results");
  EXPECT_TRUE(runWith([](protocol::Reply &, TaskId) {}).isOk());
}

TEST(ClientMachine, AnswersThatArePreparedForSomethingElseEndARun) {
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 0 && reply.has_prepared())
                   reply.mutable_prepared()->set_sizes(0, 16);
               }),
               StatusCode::Internal,
               "/job:worker/task:0 has other fetches than the plan");
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 1 && reply.has_prepared())
                   reply.mutable_prepared()->add_sizes(12);
               }),
               StatusCode::Internal,
               "/job:worker/task:1 has other fetches than the plan");
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 1 && reply.has_prepared())
                   reply.mutable_bound();
               }),
               StatusCode::Internal, "an answer of another kind came");
}

TEST(ClientMachine, TheStepsOfARunAreThoseThatAllTasksHaveLeft) {
  for (int64_t left : {1, 2, 5}) {
    Client all;
    ASSERT_TRUE(all.open().isOk());
    all.cluster.changeReply = [left](protocol::Reply &reply, TaskId task) {
      if (reply.has_prepared()) {
        reply.mutable_prepared()->set_steps_available(task == 1 ? left : 7);
        reply.mutable_prepared()->set_next_step(task == 1 ? 4 : 2);
      }
    };
    Status status = all.run(Client::ping({"y"}));
    EXPECT_TRUE(status.isOk()) << status.toString();
    EXPECT_EQ(all.steps.front(), 5u);
    EXPECT_EQ(all.steps.size(), std::min<size_t>(left, 2));
    EXPECT_EQ(all.client.outcome().isEndOfData, left < 2);
    if (left == 5) {
      ASSERT_TRUE(
          all.run({"ping", {{"x", floats(3, 1)}}, {"y"}, 9, false, {}}).isOk());
      EXPECT_EQ(all.steps.size(), 3u); // two were made before
      EXPECT_TRUE(all.client.outcome().isEndOfData);
    }
  }
}

TEST(ClientMachine, ATaskThatRefusesToSpeakIsNotAskedAgain) {
  for (StatusCode code : {StatusCode::PermissionDenied, StatusCode::Unavailable,
                          StatusCode::DeadlineExceeded}) {
    bool isForEver = code == StatusCode::PermissionDenied;
    Client all;
    int asked = 0;
    int64_t first = 0, second = 0;
    all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
      if (task != 1 || !reply.has_description())
        return;
      (asked == 0 ? first : second) = all.cluster.now();
      if (++asked > 1)
        return;
      reply.clear_description();
      reply.mutable_failure()->set_code(static_cast<int>(code));
      reply.mutable_failure()->set_message("not you");
    };
    Status status = all.open();
    EXPECT_EQ(asked, isForEver ? 1 : 2);
    if (isForEver)
      expectStatus(status, code, "not you");
    else
      EXPECT_TRUE(status.isOk()) << status.toString();
    if (!isForEver) { // after a moment
      EXPECT_GE(second - first, 100'000'000);
      EXPECT_LT(second - first, 101'000'000);
    }
  }
}

TEST(ClientMachine, WhatKeepsATaskAwayIsSaidInTheEnd) {
  ClientOptions options;
  options.openNanos = 2'500'000'000;
  Client all(quietModel(), options);
  all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
    if (task == 1 && reply.has_description()) {
      reply.clear_description();
      *reply.mutable_failure() = {};
      reply.mutable_failure()->set_code(int(StatusCode::Unavailable));
      reply.mutable_failure()->set_message("refused");
    }
  };
  expectStatus(all.open(), StatusCode::DeadlineExceeded,
               "no answer from /job:worker/task:1 in 2.5 s (refused); start "
               "them, or look whether their addresses are right");
  EXPECT_NE(all.cluster.told.find(
                "waits for /job:worker/task:0, /job:worker/task:1, for 2.5 s "
                "at most\n"),
            std::string::npos)
      << all.cluster.told;
  EXPECT_NE(all.cluster.told.find(
                "waits for /job:worker/task:1, for 2.5 s at most\n"),
            std::string::npos);
}

TEST(ClientMachine, AKernelThatDoesNotEndIsNamed) {
  for (int which = 0; which < 5; ++which) {
    ClientOptions options;
    options.stallNanos = 2'000'000'000;
    Client all(quietModel(), options);
    ASSERT_TRUE(all.open().isOk());
    all.cluster.hold = [](const protocol::Request &request, TaskId task) {
      return task == 1 && request.has_go();
    };
    int asked = 0;
    all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
      if (reply.has_failure() && !reply.has_waits())
        reply.Clear(); // the tasks' own stall limit has not come yet
      if (!reply.has_waits() || task != 0 || ++asked > 1)
        return;
      auto &wait = *reply.mutable_waits()->add_waits();
      wait.mutable_run()->set_client(which == 1 ? 7 : 1001);
      wait.mutable_run()->set_number(which == 2 ? 7 : 1);
      wait.set_kind(which == 3 ? "edge" : "kernel");
      wait.set_since_ms(which == 4 ? 6999 : 7000);
      wait.set_step(3);
      wait.set_what("a kernel to end");
    };
    all.client.beginRun(Client::ping({"y"}),
                        [](uint64_t, auto) { return true; });
    int64_t begin = all.cluster.now();
    all.cluster.runUntil([&] {
      return !all.client.isBusy() || all.cluster.now() > begin + 9'000'000'000;
    });
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(all.client.isBusy(), which != 0) << which;
    if (which == 0) {
      expectStatus(all.client.result(), StatusCode::DeadlineExceeded,
                   "no progress for 7 s: /job:worker/task:0 waits for a kernel "
                   "to end");
      EXPECT_GE(all.cluster.now() - begin, 7'000'000'000);
    }
  }
}

struct Variables {
  Variables() : cluster({test::makeCluster(2, 0), 1, false, {}}) {
    client->beginOpen();
    EXPECT_TRUE(cluster.finish(*client).isOk());
    client->beginInitialize();
    EXPECT_TRUE(cluster.finish(*client).isOk());
  }
  Status write(const char *name, const HostTensor &value) {
    client->beginWrite(name, value);
    return cluster.finish(*client);
  }
  Status read(const char *name) {
    client->beginRead(name);
    return cluster.finish(*client);
  }
  DirectCluster cluster;
  ClientMachine *client = &cluster.addClient(test::dividedModel());
};

TEST(ClientMachine, VariablesAreWrittenAsTheyAre) {
  Variables all;
  expectStatus(all.write("v", floats(1, 1)), StatusCode::NotFound,
               "variable 'v'");
  expectStatus(all.read("v"), StatusCode::NotFound, "variable 'v'");
  expectStatus(all.write("w", floats(1, 1)), StatusCode::InvalidArgument,
               "variable 'w' is float32[], but the value is float32[1]");
  HostTensor empty = floats(4, 1);
  empty.type.shape = {2, 2};
  empty.bytes.pop_back();
  expectStatus(all.write("rows", empty), StatusCode::InvalidArgument,
               "variable 'rows' is float32[2,2]");
  all.cluster.changeReply = [](protocol::Reply &reply, TaskId task) {
    if (task == 1) {
      reply.mutable_failure()->set_code(int(StatusCode::DataLoss));
      reply.mutable_failure()->set_message("broken");
    }
  };
  HostTensor rows = floats(4, 1);
  rows.type.shape = {2, 2};
  expectStatus(all.write("rows", rows), StatusCode::DataLoss, "broken");
  expectStatus(all.read("rows"), StatusCode::DataLoss, "broken");
}

TEST(ClientMachine, PiecesThatDoNotFitAreNoValue) {
  using Piece = protocol::Piece;
  const std::function<void(Piece &)> wrong[] = {
      [](Piece &it) { it.set_total(it.total() + 1); },
      [](Piece &it) { it.set_offset(1); },
      [](Piece &it) { it.set_data(std::string(9, 'x')); }};
  for (const auto &change : wrong) {
    Variables all;
    all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
      if (task == 1 && reply.has_value())
        change(*reply.mutable_value());
    };
    expectStatus(all.read("rows"), StatusCode::Internal,
                 "variable 'rows/part_1' has another size at its task");
  }
  Variables all;
  all.cluster.changeReply = [](protocol::Reply &reply, TaskId) {
    if (reply.has_value())
      reply.mutable_value()->mutable_data()->pop_back();
  };
  expectStatus(all.read("w"), StatusCode::Internal,
               "variable 'w' came in part");
}

TEST(ClientMachine, AllTasksHaveTheSameExamples) {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder ? folder : "/tmp") + "/client.csv";
  std::ofstream(path) << "x\n1\n2\n3\n4\n5\n6\n7\n8\n";
  DirectCluster cluster({test::makeCluster(1, 2), 1, false, {}});
  ClientMachine &client = cluster.addClient(test::dataModel(1));
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk());
  auto bind = [&](const char *name) {
    client.beginBind(name, path);
    return cluster.finish(client);
  };
  expectStatus(bind("dots"), StatusCode::NotFound, "'points'");
  EXPECT_TRUE(bind("points").isOk());
  EXPECT_EQ(client.bound().batches_per_epoch(), 2);
  cluster.changeReply = [](protocol::Reply &reply, TaskId task) {
    if (reply.has_bound())
      reply.mutable_bound()->set_examples(task);
  };
  Status status = bind("points");
  expectStatus(status, StatusCode::FailedPrecondition, "dataset 'points' has ");
  expectStatus(status, StatusCode::FailedPrecondition,
               "; all tasks need the same files");
  cluster.changeReply = [](protocol::Reply &reply, TaskId) {
    if (reply.has_bound()) {
      reply.mutable_failure()->set_code(int(StatusCode::DataLoss));
      reply.mutable_failure()->set_message("torn");
    }
  };
  expectStatus(bind("points"), StatusCode::DataLoss, "torn");
}

} // namespace
