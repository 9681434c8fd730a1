// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables on two parameter servers while workers train: as snapshots see
// them, and after links were lost.
#include "test/runtime/task/Training.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

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

/// Decides what a lost link had carried when there is another.
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
