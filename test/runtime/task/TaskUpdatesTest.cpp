// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that update variables on two parameter servers: asynchronously, with
// a bound on staleness, with a quorum; and what failures leave.
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using test::DirectCluster;

namespace {

constexpr auto kAsync = format::Coordination::Async;
constexpr auto kQuorum = format::Coordination::Quorum;

float firstOf(std::span<const std::byte> bytes) {
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Two ps, two or three workers, each with a client of its own.
struct Training {
  Training(const test::ModelBuilder &model, uint32_t workers, uint64_t seed,
           int64_t stallSeconds = 60,
           std::function<void(TaskOptions &)> change = {})
      : cluster({test::makeCluster(2, workers), seed, false, change}) {
    for (uint32_t worker = 0; worker < workers; ++worker) {
      ClientOptions options;
      options.stallNanos = stallSeconds * 1'000'000'000;
      options.worker = worker;
      options.isChief = worker == 0;
      clients.push_back(&cluster.addClient(model, options));
      clients.back()->beginOpen();
    }
    finishAll();
    for (ClientMachine *client : clients)
      client->beginInitialize();
    finishAll();
  }

  void finishAll() {
    for (ClientMachine *client : clients) {
      Status status = cluster.finish(*client);
      EXPECT_TRUE(status.isOk()) << status.toString() << cluster.log;
    }
  }

  void begin(uint32_t worker, int64_t steps) {
    clients[worker]->beginRun(
        {"train", {}, {}, steps, false, {}}, [this](uint64_t, auto values) {
          // No update is seen in part.
          isTorn |= firstOf(values[0]) != firstOf(values[1]);
          ++seen;
          return true;
        });
  }

  float read(const char *name) {
    clients[0]->beginRead(name);
    EXPECT_TRUE(cluster.finish(*clients[0]).isOk())
        << clients[0]->result().toString();
    return clients[0]->value().as<float>()[0];
  }

  DirectCluster cluster;
  std::vector<ClientMachine *> clients;
  bool isTorn = false;
  int seen = 0;
};

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
    EXPECT_EQ(training.cluster.residue().parkedBytes, 0u);
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
    training.clients[1]->endRuns();
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
    training.clients[other]->endRuns();
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
    EXPECT_EQ(residue.parkedBytes, 0u);
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

/// What fails once is tried again by the runs that come later.
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

/// Values of both servers, read by a client of its own while workers train.
std::pair<float, float> readDuringTraining(uint64_t seed, bool isSnapshot) {
  Training training(test::updateModel(2, kQuorum, 2), 2, seed);
  ClientOptions options;
  options.isChief = false;
  ClientMachine &reader =
      training.cluster.addClient(test::updateModel(2, kQuorum, 2), options);
  reader.beginOpen();
  EXPECT_TRUE(training.cluster.finish(reader).isOk());
  training.begin(0, 300);
  training.begin(1, 300);
  EXPECT_TRUE(training.cluster.runUntil([&] { return training.seen > 40; }));
  if (isSnapshot) {
    reader.beginSnapshot();
    EXPECT_TRUE(training.cluster.finish(reader).isOk());
  }
  std::pair<float, float> values;
  for (float *value : {&values.first, &values.second}) {
    reader.beginRead(value == &values.first ? "w0" : "w1");
    Status status = training.cluster.finish(reader);
    EXPECT_TRUE(status.isOk()) << status.toString();
    *value = status.isOk() ? reader.value().as<float>()[0] : 0;
  }
  reader.endSnapshot();
  EXPECT_LT(training.seen, 600); // they still train
  training.finishAll();
  EXPECT_EQ(training.read("w0"), 1 + 300 * 3);
  return values;
}

TEST(TaskUpdates, ASnapshotIsBetweenTheSameTwoUpdates) {
  int torn = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto [first, second] = readDuringTraining(seed, true);
    EXPECT_EQ(first, second) << seed;
    EXPECT_GT(first, 1) << seed;
    auto [plain, other] = readDuringTraining(seed, false);
    torn += plain != other;
  }
  EXPECT_GT(torn, 0); // else the first half says nothing
}

/// Else a checkpoint at the start is torn by workers that are faster.
TEST(TaskUpdates, ASnapshotIsWholeWhereTrainingBeginsMeanwhile) {
  Training training(test::updateModel(2, kAsync), 2, 1);
  ClientMachine &client = *training.clients[0];
  client.beginSnapshot();
  ASSERT_TRUE(training.cluster.finish(client).isOk());
  EXPECT_EQ(training.read("w0"), 1);
  training.begin(1, 3);
  ASSERT_TRUE(training.cluster.finish(*training.clients[1]).isOk());
  EXPECT_EQ(training.read("w1"), 1);
  client.endSnapshot();
  EXPECT_GT(training.read("w1"), 1);
}

TEST(TaskUpdates, ASnapshotWaitsForTheLinkThatItsOrderNeeds) {
  Training training(test::updateModel(2, kAsync), 2, 1);
  ClientMachine &client = *training.clients[0];
  training.cluster.cutLink(0, 1);
  client.beginSnapshot();
  int64_t begin = training.cluster.now();
  training.cluster.runUntil(
      [&] { return training.cluster.now() > begin + 1'000'000'000; });
  EXPECT_TRUE(client.isBusy());
  training.cluster.mendLink(0, 1);
  EXPECT_TRUE(training.cluster.finish(client).isOk());
  client.endSnapshot();
  // Else it fails with what is missing.
  training.cluster.cutLink(0, 1);
  client.beginSnapshot();
  Status status = training.cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_NE(status.message().find("no link to /job:ps/task:1"),
            std::string::npos)
      << status.message();
}

/// What a link that was lost had carried is decided when there is another.
void expectEqualAfterALostLink(const test::ModelBuilder &model, uint64_t seed) {
  Training training(model, 2, seed);
  training.begin(0, 40);
  training.begin(1, 40);
  uint64_t end = training.cluster.turns() + 20 + 7 * seed;
  training.cluster.runUntil([&] { return training.cluster.turns() >= end; });
  training.cluster.cutLink(0, 1);
  auto areOver = [&] {
    return std::ranges::none_of(training.clients, &ClientMachine::isBusy);
  };
  EXPECT_TRUE(training.cluster.runUntil(areOver)) << training.cluster.log;
  training.cluster.settle();
  EXPECT_EQ(training.cluster.residue().runs, 0u) << training.cluster.log;
  training.cluster.mendLink(0, 1);
  training.cluster.settle();
  EXPECT_EQ(training.read("w0"), training.read("w1")) << seed;
  EXPECT_EQ(training.cluster.residue().runs, 0u)
      << seed << training.cluster.log;
  for (ClientMachine *client : training.clients)
    client->beginOpen();
  training.finishAll();
  training.begin(0, 3);
  training.begin(1, 3);
  training.finishAll();
  EXPECT_EQ(training.read("w0"), training.read("w1")) << seed;
}

TEST(TaskUpdates, AnUpdateOnALostLinkIsMadeEverywhereOrNowhere) {
  for (uint64_t seed = 1; seed <= 60; ++seed)
    expectEqualAfterALostLink(test::updateModel(2, kAsync), seed);
}

TEST(TaskUpdates, AQuorumsUpdateOnALostLinkIsMadeEverywhereOrNowhere) {
  for (uint64_t seed = 1; seed <= 60; ++seed)
    expectEqualAfterALostLink(test::updateModel(2, kQuorum, 2), seed);
}

TEST(TaskUpdates, AServerThatWasStoppedMakesTheUpdatesOfTheOther) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Training training(test::updateModel(2, kAsync), 2, seed, 4);
    training.begin(0, 40);
    training.begin(1, 40);
    uint64_t end = training.cluster.turns() + 20 + 7 * seed;
    training.cluster.runUntil([&] { return training.cluster.turns() >= end; });
    training.cluster.stop(1);
    int64_t until = training.cluster.now() + 6'000'000'000;
    training.cluster.runUntil([&] { return training.cluster.now() >= until; });
    training.cluster.clock = std::max(training.cluster.clock, until);
    training.cluster.goOn(1);
    EXPECT_TRUE(training.cluster.runUntil([&] {
      return std::ranges::none_of(training.clients, &ClientMachine::isBusy);
    })) << training.cluster.log;
    training.cluster.settle();
    EXPECT_EQ(training.read("w0"), training.read("w1")) << seed;
  }
}

TEST(TaskUpdates, MirrorsAndPartsAreOneVariableEach) {
  DirectCluster cluster({test::makeCluster(2, 0), 1, false, {}});
  ClientMachine &client = cluster.addClient(test::dividedModel());
  auto finish = [&] {
    Status status = cluster.finish(client);
    EXPECT_TRUE(status.isOk()) << status.toString();
  };
  float seen = 0;
  auto look = [&] {
    client.beginRun({"look", {}, {}, 1, false, {}}, [&](uint64_t, auto values) {
      seen = firstOf(values[0]);
      return true;
    });
    finish();
    return seen;
  };
  client.beginOpen();
  finish();
  client.beginInitialize();
  finish();
  EXPECT_EQ(look(), 1);
  float five = 5;
  client.beginWrite("w", HostTensor::of<float>({}, std::span(&five, 1)));
  finish();
  EXPECT_EQ(look(), 5);
  client.beginRead("w");
  finish();
  EXPECT_EQ(client.value().as<float>()[0], 5);
  std::vector<float> rows = {1, 2, 3, 4};
  client.beginRead("rows");
  finish();
  EXPECT_EQ(client.value().as<float>()[3], 1);
  client.beginWrite(
      "rows", HostTensor::of<float>({2, 2}, std::span<const float>(rows)));
  finish();
  client.beginRead("rows");
  finish();
  EXPECT_TRUE(std::ranges::equal(client.value().as<float>(), rows));
  // It has values already.
  client.beginInitialize();
  finish();
  EXPECT_EQ(look(), 5);
}

} // namespace
