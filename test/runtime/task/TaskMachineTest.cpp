// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks and clients together, without threads: runs over two and more tasks,
// their ends and what they leave.
#include "runtime/format/PlanSlice.h"
#include "test/runtime/task/PingCluster.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TEST(TaskMachine, TwoTasksStepTogether) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Ping ping(3, seed);
    ASSERT_TRUE(ping.run(50, 1).isOk()) << ping.client.result().toString();
    EXPECT_EQ(ping.lastStep, 50u);
    // Prepared still; other feeds; steps count on.
    ASSERT_TRUE(ping.run(10, 5).isOk()) << ping.client.result().toString();
    EXPECT_EQ(ping.lastStep, 60u);
    EXPECT_EQ(ping.client.outcome().steps, 10);
    ping.cluster.settle();
    EXPECT_EQ(ping.cluster.residue().earlyBytes, 0u);
    EXPECT_EQ(ping.cluster.framesSent[FrameKind::Data], 120);
    EXPECT_EQ(ping.cluster.framesSent[FrameKind::Begun], 0);
  }
}

TEST(TaskMachine, LargeValuesComeInFrames) {
  Ping ping(700'000);
  ASSERT_TRUE(ping.run(3, 1).isOk()) << ping.client.result().toString();
  EXPECT_EQ(ping.cluster.framesSent[FrameKind::Data], 3 * 2 * 3);
}

/// The client of worker 1, which is not the chief: it gets the values of the
/// chief's run.
struct Listener {
  explicit Listener(Ping &ping)
      : cluster(ping.cluster), client(add(ping)), size(ping.size) {
    client.beginOpen();
    EXPECT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  }
  static ClientMachine &add(Ping &ping) {
    ClientOptions options;
    options.worker = 1;
    options.isChief = false;
    return ping.cluster.addClient(test::pingModel(ping.size), options);
  }

  void begin(int64_t count, std::vector<std::string> fetches) {
    steps.clear();
    client.beginRun(
        {"ping", {{"x", floats(size, 1)}}, fetches, count, false, {}},
        [this](uint64_t step, auto values) {
          steps.push_back(step);
          EXPECT_EQ(firstOf(values.back()), 2);
          EXPECT_EQ(firstOf(values[0]), values.size() == 1 ? 2 : 4);
          return true;
        });
  }
  /// Waits for its end, with steps that follow each other.
  void finish(uint64_t count) {
    Status status = cluster.finish(client);
    EXPECT_TRUE(status.isOk()) << status.toString();
    ASSERT_EQ(steps.size(), count);
    EXPECT_EQ(steps.back() - steps.front() + 1, count);
  }

  DirectCluster &cluster;
  ClientMachine &client;
  int64_t size;
  std::vector<uint64_t> steps;
};

TEST(TaskMachine, AnotherWorkersClientWaitsForTheChiefsRun) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Ping ping(3, seed);
    Listener listener(ping);
    listener.begin(20, {});
    ping.cluster.settle();
    ASSERT_TRUE(ping.run(50, 1).isOk()) << ping.client.result().toString();
    listener.finish(20);
    EXPECT_EQ(listener.steps.front(), 1u);
    // It listens as long as the run goes, where it wants more.
    listener.begin(1000, {"y", "half"});
    ping.cluster.settle();
    ASSERT_TRUE(ping.run(50, 1).isOk()) << ping.client.result().toString();
    listener.finish(50);
    EXPECT_EQ(listener.steps.front(), 51u);
  }
}

TEST(TaskMachine, AnotherWorkersClientJoinsARunThatGoes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Ping ping(3000, seed); // so that few steps come at a time
    Listener listener(ping);
    int64_t seen = 0;
    bool isEnough = false;
    ping.client.beginRun({"ping",
                          {{"x", floats(ping.size, 1)}},
                          {"y", "half"},
                          1'000'000'000,
                          false,
                          {}},
                         [&](uint64_t, auto) { return ++seen && !isEnough; });
    for (const std::vector<std::string> &fetches :
         {std::vector<std::string>(), {"y", "half"}}) {
      int64_t before = seen;
      ASSERT_TRUE(ping.cluster.runUntil([&] { return seen > before + 5; }));
      listener.begin(20, fetches);
      listener.finish(20);
      EXPECT_GT(listener.steps.front(), 1u);
    }
    isEnough = true; // the run has gone on all the time
    EXPECT_TRUE(ping.cluster.finish(ping.client).isOk());
    ping.cluster.settle();
    EXPECT_EQ(ping.cluster.residue().earlyBytes, 0u);
  }
}

/// Sends a client's requests by hand, beside one that does it right.
TEST(TaskMachine, AFeedHasTheSizeThatThePlanSays) {
  Ping ping(3);
  ClientId client = ping.cluster.openConversation();
  uint64_t id = 0;
  auto prepare = [&](uint64_t elements, uint64_t total, size_t bytes) {
    protocol::Request request;
    request.set_id(++id);
    protocol::Request::Prepare &prepare = *request.mutable_prepare();
    prepare.set_plan(planDigest(ping.client.plan()));
    prepare.mutable_run()->set_client(5);
    prepare.mutable_run()->set_number(id);
    prepare.set_graph("ping");
    protocol::Chunk &chunk = *prepare.add_feeds();
    chunk.set_name("x");
    chunk.set_dtype(static_cast<uint32_t>(DType::Float32));
    chunk.add_shape(static_cast<int64_t>(elements));
    chunk.set_total(total);
    chunk.set_data(std::string(bytes, 0));
    ping.cluster.send(client, 0, request);
    protocol::Reply reply = ping.cluster.replies(client).front();
    ping.cluster.replies(client).clear();
    return reply.failure().message();
  };
  EXPECT_EQ(prepare(3, 1ull << 40, 12),
            "'x' has 1099511627776 bytes; at most 12 are taken");
  EXPECT_EQ(prepare(3, 12, 20),
            "a chunk of 'x' with 20 bytes at 0 of 12 does not continue the 0 "
            "bytes before it");
  EXPECT_EQ(prepare(4, 16, 16), "feed 'x' is float32[3] for one task, but "
                                "float32[4] came here");
  EXPECT_EQ(prepare(3, 8, 8), "feed 'x' has 8 bytes, not those of float32[3]");
  EXPECT_TRUE(ping.run(10, 5).isOk()) << ping.client.result().toString();
}

TEST(TaskMachine, LargeValuesLandInSharedMemory) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Ping ping(20'000, seed, true);
    ASSERT_TRUE(ping.run(30, 1).isOk()) << ping.client.result().toString();
    ASSERT_TRUE(ping.run(30, 2).isOk()) << ping.client.result().toString();
    EXPECT_EQ(ping.cluster.framesSent[FrameKind::ReceiveBuffer], 2);
    // x is fed and must go there; what a kernel makes of it is read in place.
    EXPECT_EQ(ping.cluster.framesSent[FrameKind::Exposed], 1);
    EXPECT_EQ(ping.cluster.framesSent[FrameKind::RemoteRead], 1);
    EXPECT_GE(ping.cluster.framesSent[FrameKind::InPlace], 2 * 59);
    EXPECT_LE(ping.cluster.framesSent[FrameKind::Data], 2);
  }
}

TEST(TaskMachine, ALoneTaskNeedsNoFrames) {
  Ping ping(3);
  uint64_t before = ping.cluster.turns();
  int steps = 0;
  ping.client.beginRun({"alone", {}, {}, 1000, false, {}},
                       [&](uint64_t, auto values) {
                         EXPECT_EQ(firstOf(values[0]), 4);
                         ++steps;
                         return true;
                       });
  ASSERT_TRUE(ping.cluster.finish(ping.client).isOk());
  EXPECT_EQ(steps, 1000);
  EXPECT_LT(ping.cluster.turns() - before, 100u);
  EXPECT_TRUE(ping.cluster.framesSent.empty());
}

TEST(TaskMachine, AGraphWithNothingToDoEnds) {
  // As of a plan without variables.
  DirectCluster cluster({test::makeCluster(0, 2), 1, false, {}});
  test::ModelBuilder model = test::pingModel(3);
  model.addGraph("init").device = "/job:worker/replica:0/task:0/device:CPU:0";
  ClientMachine &client = cluster.addClient(model);
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk());
  int steps = 0;
  client.beginRun({"init", {}, {}, 3, false, {}},
                  [&](uint64_t, auto) { return ++steps > 0; });
  EXPECT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  EXPECT_EQ(steps, 3);
  client.beginRun({"init", {}, {}, 0, false, {}},
                  [](uint64_t, auto) { return true; });
  EXPECT_EQ(cluster.finish(client).code(), StatusCode::InvalidArgument);
}

TEST(TaskMachine, ATaskThatHangsAloneIsNoticed) {
  DirectCluster cluster({test::makeCluster(0, 2), 1, false, {}});
  ClientOptions options;
  options.stallNanos = 3'000'000'000;
  options.controlNanos = 4'000'000'000;
  ClientMachine &client = cluster.addClient(test::pingModel(3), options);
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk());
  cluster.hold = [](const protocol::Request &request, TaskId) {
    return request.has_go() || request.has_waits();
  };
  int64_t begin = cluster.now();
  client.beginRun({"alone", {}, {}, 1, false, {}},
                  [](uint64_t, auto) { return true; });
  Status status = cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded) << status.toString();
  EXPECT_NE(status.message().find("/job:worker/task:0 has not answered"),
            std::string::npos)
      << status.message();
  EXPECT_LT(cluster.now() - begin, 15'000'000'000);
}

TEST(TaskMachine, TheLastStepAloneIsSentWhereAsked) {
  Ping ping(3);
  std::vector<uint64_t> steps;
  ping.client.beginRun({"alone", {}, {}, 500, true, {}},
                       [&](uint64_t step, auto) {
                         steps.push_back(step);
                         return true;
                       });
  ASSERT_TRUE(ping.cluster.finish(ping.client).isOk())
      << ping.client.result().toString();
  EXPECT_EQ(steps, std::vector<uint64_t>{500});
  EXPECT_EQ(ping.client.outcome().steps, 500);
}

TEST(TaskMachine, ACallerMayStop) {
  Ping ping(3);
  int steps = 0;
  ping.client.beginRun(
      {"ping", {{"x", floats(3, 1)}}, {}, 1'000'000, false, {}},
      [&](uint64_t, auto) { return ++steps < 7; });
  ASSERT_TRUE(ping.cluster.finish(ping.client).isOk());
  EXPECT_EQ(steps, 7);
  EXPECT_TRUE(ping.client.outcome().isStopped);
  ping.cluster.settle();
  EXPECT_EQ(ping.cluster.residue().runs, 0u);
  EXPECT_TRUE(ping.run(5, 1).isOk());
}

TEST(TaskMachine, AClientWithoutRoomHoldsUpItsRun) {
  Ping ping(3);
  int steps = 0;
  for (ClientId client = 1; client < 10; ++client)
    ping.cluster.isFull[client] = true;
  ping.client.beginRun({"ping", {{"x", floats(3, 1)}}, {}, 100'000, false, {}},
                       [&](uint64_t, auto) { return ++steps > 0; });
  ping.cluster.runUntil([] { return false; }, 20'000);
  // What was done before the first results had left.
  EXPECT_LT(steps, 6000);
  int before = steps;
  ping.cluster.runUntil([] { return false; }, 20'000);
  EXPECT_LE(steps - before, 1);
  for (auto &[client, isFull] : ping.cluster.isFull)
    isFull = false;
  ASSERT_TRUE(ping.cluster.finish(ping.client).isOk());
  EXPECT_EQ(steps, 100'000);
}

TEST(TaskMachine, ALostPeerIsNamedWhereverItIsLost) {
  int failures = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Ping ping(20'000, seed, seed % 2 == 0);
    ASSERT_TRUE(ping.run(2, 1).isOk());
    uint64_t end = ping.cluster.turns() + 3 + seed;
    ping.client.beginRun(
        {"ping", {{"x", floats(20'000, 1)}}, {"y"}, 40, false, {}},
        [](uint64_t, auto) { return true; });
    ping.cluster.runUntil([&] { return ping.cluster.turns() >= end; });
    ping.cluster.kill(1);
    Status status = ping.cluster.finish(ping.client);
    if (!status.isOk()) {
      ++failures;
      EXPECT_EQ(status.code(), StatusCode::Unavailable) << status.toString();
      EXPECT_NE(status.message().find("lost /job:worker/task:1: killed"),
                std::string::npos)
          << status.message();
    }
    ping.cluster.settle();
    TaskMachine::Residue residue = ping.cluster.residue();
    EXPECT_EQ(residue.runs, 0u) << seed;
    EXPECT_EQ(residue.earlyBytes, 0u) << seed;
    EXPECT_EQ(residue.sharedPlaces, 0u) << seed;
    EXPECT_EQ(ping.cluster.sharedPlaces(0), 0u) << seed;
    // It comes back, and all goes on.
    ping.cluster.restart(1);
    ping.client.beginOpen();
    ASSERT_TRUE(ping.cluster.finish(ping.client).isOk())
        << ping.client.result().toString();
    ASSERT_TRUE(ping.run(3, 2).isOk()) << ping.client.result().toString();
  }
  EXPECT_GT(failures, 60);
}

TEST(TaskMachine, AClientThatGoesLeavesNothing) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Ping ping(20'000, seed, seed % 2 == 0);
    ping.client.beginRun(
        {"ping", {{"x", floats(20'000, 1)}}, {"y"}, 1000, false, {}},
        [](uint64_t, auto) { return true; });
    uint64_t end = ping.cluster.turns() + 2 * seed;
    ping.cluster.runUntil([&] { return ping.cluster.turns() >= end; });
    ping.cluster.removeClient(ping.client);
    ping.cluster.settle();
    TaskMachine::Residue residue = ping.cluster.residue();
    EXPECT_EQ(residue.runs, 0u) << seed;
    EXPECT_EQ(residue.earlyBytes, 0u) << seed;
    EXPECT_EQ(residue.sharedPlaces, 0u) << seed;
  }
}

TEST(TaskMachine, AStepWithoutProgressNamesWhatItWaitsFor) {
  DirectCluster cluster({test::makeCluster(0, 2), 1, false, {}});
  ClientOptions options;
  options.stallNanos = 1'000'000'000;
  ClientMachine &client = cluster.addClient(test::pingModel(3), options);
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk());
  client.beginRun({"ping", {{"x", floats(3, 1)}}, {"y"}, 1, false, {}},
                  [](uint64_t, auto) { return true; });
  // Worker 1 gets no Go, so worker 0 waits for its value.
  cluster.hold = [](const protocol::Request &request, TaskId task) {
    return task == 1 && request.has_go();
  };
  Status status = cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded) << status.toString();
  EXPECT_NE(status.message().find(
                "no progress for 1 s: step 1 of graph 'ping' waited for edge "
                "'back' (test.tfir:7:"),
            std::string::npos)
      << status.message();
}

TEST(TaskMachine, MissingTasksAreNamedUntilTheyCome) {
  DirectCluster cluster({test::makeCluster(0, 2), 1, false, {}});
  cluster.kill(1);
  ClientOptions options;
  options.openNanos = 3'000'000'000;
  ClientMachine &client = cluster.addClient(test::pingModel(3), options);
  client.beginOpen();
  Status status = cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_NE(status.message().find("no answer from /job:worker/task:1 in 3 s"),
            std::string::npos)
      << status.message();
}

TEST(TaskMachine, ATaskThatWaitsForASilentOneIsNotReported) {
  Ping ping(3);
  ping.cluster.kill(1); // its address does not answer any more
  Status status = ping.run(1, 1);
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.message().find("/job:worker/task:1"), std::string::npos)
      << status.message();
  EXPECT_EQ(status.message().find("overloaded"), std::string::npos)
      << status.message();
}

TEST(TaskMachine, StepsTakeTheTimeOfTheTasks) {
  Ping ping(3);
  double seconds = 0;
  int64_t begin = ping.cluster.now();
  ping.client.beginRun({"ping", {{"x", floats(3, 1)}}, {"y"}, 200, false, {}},
                       [&](uint64_t, auto) {
                         seconds += ping.client.outcome().stepSeconds;
                         return true;
                       });
  Status status = ping.cluster.finish(ping.client);
  ASSERT_TRUE(status.isOk()) << status.message();
  // Most arrive together, at the end.
  double total = double(ping.cluster.now() - begin) * 1e-9;
  EXPECT_GT(seconds, total / 2);
  EXPECT_LE(seconds, total);
}

} // namespace
