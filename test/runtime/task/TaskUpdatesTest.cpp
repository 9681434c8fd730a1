// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that update variables on two parameter servers: asynchronously, with
// a bound on staleness, with a quorum; and what failures leave.
#include "test/runtime/task/Training.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TEST(TaskUpdates, AllTasksMakeTheSameUpdatesInTheSameOrder) {
  std::set<float> results;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Training training(test::updateModel(2, kAsync), 2, seed);
    training.begin(0, 10);
    training.begin(1, 10);
    training.finishAll();
    EXPECT_FALSE(training.isTorn);
    EXPECT_EQ(training.seen, 20);
    float w0 = training.read("w0"), w1 = training.read("w1");
    EXPECT_EQ(w0, w1) << seed;
    EXPECT_GT(w0, 1 << 20);
    results.insert(w0);
    EXPECT_EQ(training.cluster.residue().earlyBytes, 0u);
  }
  EXPECT_GT(results.size(), 20u); // the order is left to chance
}

TEST(TaskUpdates, StalenessIsBoundedAndCounted) {
  for (uint32_t bound : {0, 1}) {
    Training training(test::updateModel(3, kAsync, 0, bound), 3, 7 + bound);
    for (uint32_t worker = 0; worker < 3; ++worker)
      training.begin(worker, 20);
    training.finishAll();
    EXPECT_FALSE(training.isTorn);
    uint64_t updates = 0, stale = 0;
    for (ClientMachine *client : training.clients)
      for (const auto &entry : client->outcome().staleness) {
        ASSERT_LE(entry.counts_size(), int(bound) + 1);
        if (entry.counts_size() > 1)
          stale = std::max<uint64_t>(stale, entry.counts(1));
      }
    // The last client to end knows all.
    for (ClientMachine *client : training.clients) {
      uint64_t sum = 0;
      for (const auto &entry : client->outcome().staleness)
        for (uint64_t count : entry.counts())
          sum += count;
      updates = std::max(updates, sum);
    }
    EXPECT_EQ(updates, 60u);
    EXPECT_EQ(stale > 0, bound > 0);
  }
}

TEST(TaskUpdates, AQuorumOfGradientsMakesAnUpdate) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Training training(test::updateModel(2, kQuorum, 2), 2, seed);
    training.begin(0, 12);
    training.begin(1, 12);
    training.finishAll();
    EXPECT_FALSE(training.isTorn);
    // Both are needed each time: nothing is late, and 12 times 1 + 2 is added.
    EXPECT_EQ(training.read("w0"), 1 + 12 * 3);
    EXPECT_EQ(training.read("w1"), 1 + 12 * 3);
    EXPECT_EQ(training.clients[0]->outcome().lateGradients, 0u);
  }
}

TEST(TaskUpdates, AnUpdateThatNobodyCompletesEndsARunAsItsDataWould) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Training training(test::updateModel(2, kQuorum, 2), 2, seed);
    training.begin(0, 12);
    training.begin(1, 5);
    ASSERT_TRUE(training.cluster.finish(*training.clients[1]).isOk());
    training.clients[1]->beginEndRuns();
    int64_t before = training.cluster.now();
    Status status = training.cluster.finish(*training.clients[0]);
    EXPECT_TRUE(status.isOk()) << status.toString() << training.cluster.log;
    EXPECT_LT(training.cluster.now() - before, 1'000'000'000);
    EXPECT_TRUE(training.clients[0]->outcome().isEndOfData);
    // Five updates, and a gradient that waits for another.
    EXPECT_EQ(training.clients[0]->outcome().steps, 6) << seed;
    EXPECT_EQ(training.read("w0"), 1 + 5 * 3);
    EXPECT_EQ(training.read("w1"), 1 + 5 * 3);
    EXPECT_NE(training.cluster.log.find("2 gradients make an update of "
                                        "'train', but only 1 worker runs; the "
                                        "others are done"),
              std::string::npos)
        << training.cluster.log;
    training.cluster.settle();
    EXPECT_EQ(training.cluster.residue().runs, 0u) << training.cluster.log;
    // Another training is not over because the first one is: the gradient that
    // waited is in its first update.
    training.begin(0, 3);
    training.begin(1, 4);
    training.finishAll();
    EXPECT_EQ(training.read("w0"), training.read("w1"));
  }
}

TEST(TaskUpdates, WhoGoesOnAfterALossKnowsThatTheOthersAreDone) {
  Training training(test::updateModel(3, kQuorum, 2), 3, 11);
  training.begin(2, 40);
  training.begin(0, 4);
  training.begin(1, 4);
  ASSERT_TRUE(training.cluster.runUntil([&] { return training.seen >= 3; }));
  constexpr TaskId kLost = 4; // of worker 2
  training.cluster.kill(kLost);
  EXPECT_EQ(training.cluster.finish(*training.clients[2]).code(),
            StatusCode::Unavailable);
  for (uint32_t other : {0u, 1u}) {
    Status status = training.cluster.finish(*training.clients[other]);
    EXPECT_TRUE(status.isOk()) << status.toString() << training.cluster.log;
    training.clients[other]->beginEndRuns();
  }
  training.cluster.settle();
  training.cluster.restart(kLost);
  training.clients[2]->beginOpen();
  ASSERT_TRUE(training.cluster.finish(*training.clients[2]).isOk());
  int64_t before = training.cluster.now();
  training.begin(2, 36);
  Status status = training.cluster.finish(*training.clients[2]);
  EXPECT_TRUE(status.isOk()) << status.toString() << training.cluster.log;
  EXPECT_LT(training.cluster.now() - before, 1'000'000'000);
  EXPECT_TRUE(training.clients[2]->outcome().isEndOfData);
}

TEST(TaskUpdates, WhoIsPreparedBeforeTheOthersAreDoneKnowsIt) {
  Training training(test::updateModel(3, kQuorum, 2), 3, 7);
  ClientMachine::Run run{"train", {}, {}, 3, false, {}};
  run.onlyPrepares = true;
  training.clients[0]->beginRun(run, [](uint64_t, auto) { return true; });
  EXPECT_TRUE(training.cluster.finish(*training.clients[0]).isOk());
  EXPECT_EQ(training.seen, 0);
  // The others make all their steps and go before this one begins.
  for (uint32_t other : {1u, 2u})
    training.begin(other, 4);
  for (uint32_t other : {1u, 2u}) {
    EXPECT_TRUE(training.cluster.finish(*training.clients[other]).isOk());
    training.clients[other]->beginEndRuns();
  }
  training.cluster.settle();
  int64_t before = training.cluster.now();
  training.begin(0, 3);
  Status status = training.cluster.finish(*training.clients[0]);
  EXPECT_TRUE(status.isOk()) << status.toString() << training.cluster.log;
  EXPECT_LT(training.cluster.now() - before, 1'000'000'000);
  EXPECT_NE(training.clients[0]->outcome().whyEnded.find("others are done"),
            std::string::npos);
}

TEST(TaskUpdates, AWorkerThatIsNotThereKeepsNoOtherClientOut) {
  for (auto coordination : {kAsync, kQuorum}) {
    test::ModelBuilder model = test::updateModel(3, coordination, 2);
    DirectCluster cluster({test::makeCluster(2, 3), 5, false, {}});
    cluster.kill(4); // worker 2, before anybody comes
    std::vector<ClientMachine *> clients;
    for (uint32_t worker = 0; worker < 2; ++worker) {
      ClientOptions options;
      options.worker = worker;
      options.isChief = worker == 0;
      options.openNanos = 5'000'000'000;
      clients.push_back(&cluster.addClient(model, options));
      clients.back()->beginOpen();
      Status status = cluster.finish(*clients.back());
      ASSERT_TRUE(status.isOk()) << status.toString();
      clients.back()->beginInitialize();
      ASSERT_TRUE(cluster.finish(*clients.back()).isOk());
    }
    for (ClientMachine *client : clients)
      client->beginRun({"train", {}, {}, 4, false, {}},
                       [](uint64_t, auto) { return true; });
    for (ClientMachine *client : clients)
      EXPECT_TRUE(cluster.finish(*client).isOk())
          << client->result().toString();
  }
}

TEST(TaskUpdates, AWorkerWaitsForOthersThatMayCome) {
  Training training(test::updateModel(2, kQuorum, 2), 2, 3, 60,
                    [](TaskOptions &task) { task.stallNanos = 9'000'000'000; });
  training.begin(0, 5);
  int64_t begin = training.cluster.now();
  training.cluster.settle();
  training.cluster.runUntil(
      [&] { return training.cluster.now() - begin > 1'000'000'000; });
  std::string waits;
  protocol::Reply::WaitList list = training.cluster.task(0).waits();
  for (const auto &wait : list.waits())
    waits += wait.what() + "\n";
  const char *why = "2 gradients make an update of 'train', but only 1 worker "
                    "runs";
  EXPECT_NE(waits.find(why), std::string::npos) << waits;
  EXPECT_NE(training.cluster.told.find(why), std::string::npos)
      << training.cluster.told;
  EXPECT_TRUE(training.clients[0]->isBusy());
  // The other fails at once, which is no end: it may come again.
  training.begin(1, 1);
  training.clients[1]->cancel();
  Status status = training.cluster.finish(*training.clients[0]);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded) << status.toString();
  EXPECT_NE(status.message().find(why), std::string::npos) << status.message();
}

TEST(TaskUpdates, LateGradientsAreDroppedAndCounted) {
  uint64_t late = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Training training(test::updateModel(3, kQuorum, 1), 3, seed);
    for (uint32_t worker = 0; worker < 3; ++worker)
      training.begin(worker, 10);
    training.finishAll();
    EXPECT_FALSE(training.isTorn);
    EXPECT_EQ(training.seen, 30);
    float w0 = training.read("w0");
    EXPECT_EQ(w0, training.read("w1"));
    uint64_t most = 0;
    for (ClientMachine *client : training.clients)
      most = std::max(most, client->outcome().lateGradients);
    if (most == 0)
      EXPECT_EQ(w0, 1 + 10 * (1 + 2 + 3));
    else
      EXPECT_LT(w0, 1 + 10 * (1 + 2 + 3));
    late += most;
  }
  EXPECT_GT(late, 0u);
}

TEST(TaskUpdates, AWorkerThatDiesLeavesVariablesEqual) {
  int failed = 0;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    Training training(test::updateModel(2, kAsync), 2, seed);
    training.begin(0, 8);
    training.begin(1, 8);
    uint64_t end = training.cluster.turns() + 10 + 3 * seed;
    training.cluster.runUntil([&] { return training.cluster.turns() >= end; });
    training.cluster.kill(3);
    Status first = training.cluster.finish(*training.clients[0]);
    EXPECT_TRUE(first.isOk()) << first.toString();
    Status second = training.cluster.finish(*training.clients[1]);
    failed += !second.isOk();
    training.cluster.settle();
    EXPECT_EQ(training.read("w0"), training.read("w1")) << seed << "\n"
                                                        << training.cluster.log;
    TaskMachine::Residue residue = training.cluster.residue();
    // The first worker's run stays prepared at three tasks.
    EXPECT_LE(residue.runs, second.isOk() ? 6u : 3u);
    EXPECT_EQ(residue.earlyBytes, 0u);
    // It comes back and goes on.
    training.cluster.restart(3);
    training.clients[1]->beginOpen();
    EXPECT_TRUE(training.cluster.finish(*training.clients[1]).isOk());
    training.begin(1, 3);
    EXPECT_TRUE(training.cluster.finish(*training.clients[1]).isOk())
        << training.clients[1]->result().toString();
    EXPECT_EQ(training.read("w0"), training.read("w1"));
  }
  EXPECT_GT(failed, 30);
}

TEST(TaskUpdates, ALostServerEndsAllRunsThatNeedIt) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    TaskId lost = seed % 2;
    Training training(test::updateModel(2, kAsync), 2, seed);
    training.begin(0, 40);
    training.begin(1, 40);
    uint64_t end = training.cluster.turns() + 5 + 4 * seed;
    training.cluster.runUntil([&] { return training.cluster.turns() >= end; });
    training.cluster.kill(lost);
    for (ClientMachine *client : training.clients) {
      Status status = training.cluster.finish(*client);
      EXPECT_EQ(status.code(), StatusCode::Unavailable) << status.toString();
      EXPECT_NE(
          status.message().find("lost /job:ps/task:" + std::to_string(lost)),
          std::string::npos)
          << status.message();
    }
    training.cluster.settle();
    EXPECT_EQ(training.cluster.residue().runs, 0u) << training.cluster.log;
    // What it had is gone, which is said; all begins anew where that is asked.
    training.cluster.restart(lost);
    training.clients[0]->beginOpen();
    EXPECT_TRUE(training.cluster.finish(*training.clients[0]).isOk());
    training.begin(0, 3);
    Status status = training.cluster.finish(*training.clients[0]);
    EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
    EXPECT_NE(status.message().find("have no values"), std::string::npos);
    training.clients[0]->beginInitialize();
    EXPECT_FALSE(training.cluster.finish(*training.clients[0]).isOk());
    training.clients[0]->beginInitialize(true);
    EXPECT_TRUE(training.cluster.finish(*training.clients[0]).isOk());
    training.begin(0, 3);
    EXPECT_TRUE(training.cluster.finish(*training.clients[0]).isOk())
        << training.clients[0]->result().toString();
    EXPECT_EQ(training.read("w0"), 15);
    EXPECT_EQ(training.read("w1"), 15);
  }
}

TEST(TaskUpdates, WhatAppliesGradientsEndsWithAServerAndBeginsAnew) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TaskId lost = seed % 2;
    Training training(test::updateModel(2, kQuorum, 2), 2, seed);
    training.begin(0, 40);
    training.begin(1, 40);
    uint64_t end = training.cluster.turns() + 5 + 16 * seed;
    training.cluster.runUntil([&] { return training.cluster.turns() >= end; });
    training.cluster.kill(lost);
    for (ClientMachine *client : training.clients)
      EXPECT_EQ(training.cluster.finish(*client).code(),
                StatusCode::Unavailable);
    training.cluster.settle();
    EXPECT_EQ(training.cluster.residue().runs, 0u) << training.cluster.log;
    training.cluster.restart(lost);
    for (ClientMachine *client : training.clients)
      client->beginOpen();
    training.finishAll();
    training.clients[0]->beginInitialize(true);
    training.finishAll();
    training.begin(0, 4);
    training.begin(1, 4);
    training.finishAll();
    // One may be alone at first; a gradient of the other is late then.
    float w0 = training.read("w0");
    EXPECT_EQ(w0, training.read("w1"));
    EXPECT_GT(w0, 1);
    EXPECT_LE(w0, 1 + 4 * 3);
  }
}

/// Tries what failed once again in the runs that come later.
TEST(TaskUpdates, ApplyingThatFailsIsBegunAnew) {
  test::ModelBuilder model = test::updateModel(2, kQuorum, 2);
  test::HostCallSpec fails;
  fails.function = format::HostFunction::Fail;
  fails.text = "it was asked to";
  model.graphs.back().program(1).addInstruction({fails, {}, "broken"});
  Training training(model, 2, 1);
  for (int time = 0; time < 3; ++time) {
    training.begin(0, 5);
    training.begin(1, 5);
    for (ClientMachine *client : training.clients) {
      Status status = training.cluster.finish(*client);
      EXPECT_NE(status.message().find("broken"), std::string::npos)
          << time << ": " << status.toString();
    }
  }
}

TEST(TaskUpdates, VariablesAreWrittenWhereTheyAre) {
  Training training(test::updateModel(2, kAsync), 2, 1);
  float five = 5;
  training.clients[0]->beginWrite(
      "w1", HostTensor::of<float>({}, std::span(&five, 1)));
  ASSERT_TRUE(training.cluster.finish(*training.clients[0]).isOk());
  EXPECT_EQ(training.read("w0"), 1);
  EXPECT_EQ(training.read("w1"), 5);
  training.clients[0]->beginRead("v");
  EXPECT_EQ(training.cluster.finish(*training.clients[0]).code(),
            StatusCode::NotFound);
}

TEST(TaskUpdates, AClientThatForgetsATaskHoldsUpOthersForAWhileOnly) {
  Training training(test::updateModel(2, kAsync), 2, 1);
  training.cluster.hold = [](const protocol::Request &request, TaskId task) {
    return task == 1 && request.has_go() && request.go().run().client() == 1002;
  };
  training.begin(1, 5);
  training.cluster.settle();
  training.begin(0, 5);
  Status status = training.cluster.finish(*training.clients[0]);
  EXPECT_TRUE(status.isOk()) << status.toString();
  training.cluster.hold = nullptr;
  status = training.cluster.finish(*training.clients[1]);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded) << status.toString();
  EXPECT_NE(status.message().find("the client has let the run go at "
                                  "/job:ps/task:0, but not here"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(training.read("w0"), 63);
  EXPECT_EQ(training.read("w1"), 63);
}

} // namespace
