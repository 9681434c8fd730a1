// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints that two parameter servers write by themselves while workers
// train.
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/checkpoint/ShardFile.h"
#include "test/runtime/data/FileBytes.h"
#include "test/runtime/task/Training.h"

#include <optional>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

using Phase = protocol::Request::Snapshot;
constexpr const char *kToken = "0123456789abcdef";

/// A folder to which the tasks of a training may write.
struct Folder {
  Folder() { directory.write(kProbeName, kToken); }
  ShardPlace place() const {
    std::string folder = directory / "";
    folder.pop_back();
    return {folder, kToken};
  }
  OnShards onEnd() {
    return [this](const Status &status, const std::vector<WrittenShard> &all) {
      ++ends;
      ended = status;
      shards = all;
    };
  }
  float value(size_t shard, const char *name) const {
    auto found = loadSafetensors(directory / shards[shard].file);
    EXPECT_TRUE(found.isOk()) << found.status().toString();
    for (const NamedTensor &named : *found)
      if (named.name == name)
        return named.tensor.as<float>()[0];
    ADD_FAILURE() << name;
    return 0;
  }

  TestDirectory directory;
  int ends = 0;
  Status ended;
  std::vector<WrittenShard> shards;
};

TEST(TaskShards, AreOfOneMomentWhileWorkersTrain) {
  bool isWithin = false;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Training training(test::updateModel(2, kQuorum, 2), 2, seed);
    ClientOptions options;
    options.isChief = false;
    ClientMachine &saver =
        training.cluster.addClient(test::updateModel(2, kQuorum, 2), options);
    saver.beginOpen();
    ASSERT_TRUE(training.cluster.finish(saver).isOk());
    training.begin(0, 300);
    training.begin(1, 300);
    ASSERT_TRUE(training.cluster.runUntil([&] { return training.seen > 40; }));
    Folder folder;
    saver.beginShards(folder.place(), folder.onEnd());
    ASSERT_TRUE(training.cluster.finish(saver).isOk())
        << saver.result().toString();
    EXPECT_TRUE(saver.areShardsAccepted());
    ASSERT_TRUE(training.cluster.runUntil([&] { return folder.ends == 1; }));
    EXPECT_FALSE(saver.isWritingShards());
    EXPECT_LT(training.seen, 600); // they still train
    ASSERT_TRUE(folder.ended.isOk()) << folder.ended.toString();
    ASSERT_EQ(folder.shards.size(), 2u);
    EXPECT_EQ(folder.shards[0].file, "model-00001-of-00002.safetensors");
    float first = folder.value(0, "w0"), second = folder.value(1, "w1");
    EXPECT_EQ(first, second) << seed;
    EXPECT_EQ(folder.shards[0].written.tensors().count("sum0"), 1u);
    isWithin |= first > 1 && first < 1 + 300 * 3;
    training.finishAll();
    EXPECT_EQ(training.read("w0"), 1 + 300 * 3);
  }
  EXPECT_TRUE(isWithin);
}

/// A client of the two servers with a run between whose parts it saves.
struct Saver {
  Saver() : training(test::updateModel(2, kAsync), 2, 1) {}
  ClientMachine &client() { return *training.clients[0]; }
  Status begin() {
    client().beginShards(folder.place(), folder.onEnd());
    return training.cluster.finish(client());
  }
  /// Phases of requests that servers have received.
  int count(Phase::Phase phase) const {
    return static_cast<int>(std::ranges::count(phases, phase));
  }
  void watch() {
    training.cluster.seeRequest = [this](const protocol::Request &request,
                                         TaskId) {
      if (request.has_snapshot())
        phases.push_back(request.snapshot().phase());
    };
  }
  void expectNothingLeft() {
    training.cluster.settle();
    EXPECT_FALSE(client().isWritingShards());
    training.begin(0, 2);
    EXPECT_TRUE(training.cluster.finish(client()).isOk());
  }

  Training training;
  Folder folder;
  std::vector<Phase::Phase> phases;
};

TEST(TaskShards, AreWrittenWhileTheClientRunsSteps) {
  Saver saver;
  saver.training.cluster.seeRequest = [&](const protocol::Request &request,
                                          TaskId) {
    saver.training.cluster.holdsJobs =
        request.has_snapshot() && request.snapshot().phase() == Phase::WRITE;
  };
  ASSERT_TRUE(saver.begin().isOk());
  EXPECT_TRUE(saver.client().isWritingShards());
  ASSERT_TRUE(saver.training.cluster.runUntil(
      [&] { return saver.training.cluster.holdsJobs; }));
  saver.training.cluster.settle();
  saver.training.cluster.seeRequest = nullptr;
  EXPECT_TRUE(saver.training.cluster.holdsJobs);
  saver.training.begin(0, 5);
  ASSERT_TRUE(saver.training.cluster.finish(saver.client()).isOk());
  EXPECT_TRUE(saver.client().isWritingShards());
  EXPECT_EQ(saver.folder.ends, 0);
  saver.training.cluster.doJobs();
  ASSERT_TRUE(
      saver.training.cluster.runUntil([&] { return saver.folder.ends == 1; }));
  ASSERT_TRUE(saver.folder.ended.isOk()) << saver.folder.ended.toString();
  EXPECT_EQ(saver.folder.value(0, "w0"), 1); // before the steps
  EXPECT_EQ(saver.folder.value(1, "w1"), 1);
}

TEST(TaskShards, AreGivenUpWhereATaskIsLost) {
  for (TaskId lost : {TaskId(0), TaskId(1)}) {
    Saver saver;
    saver.training.cluster.hold = [&](const protocol::Request &request,
                                      TaskId task) {
      return task == lost && request.has_snapshot() &&
             request.snapshot().phase() == Phase::WRITE;
    };
    ASSERT_TRUE(saver.begin().isOk());
    saver.watch();
    saver.training.cluster.kill(lost);
    ASSERT_TRUE(saver.training.cluster.runUntil(
        [&] { return saver.folder.ends == 1; }));
    EXPECT_EQ(saver.folder.ended.code(), StatusCode::Unavailable);
    EXPECT_NE(saver.folder.ended.message().find("lost /job:ps/task:" +
                                                std::to_string(lost)),
              std::string::npos)
        << saver.folder.ended.message();
    EXPECT_TRUE(saver.folder.shards.empty());
    saver.training.cluster.settle();
    EXPECT_FALSE(saver.client().isWritingShards());
    EXPECT_GE(saver.count(Phase::DROP), 1); // the other forgets its copy
  }
}

TEST(TaskShards, AreGivenUpWhereATaskIsSilent) {
  Saver saver;
  saver.training.cluster.hold = [&](const protocol::Request &request, TaskId) {
    return request.has_snapshot() && request.snapshot().phase() == Phase::WRITE;
  };
  ASSERT_TRUE(saver.begin().isOk());
  saver.training.cluster.clock = saver.client().nextTimer();
  saver.client().onTimer();
  EXPECT_EQ(saver.folder.ends, 1);
  EXPECT_EQ(saver.folder.ended.code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(saver.client().nextTimer(), INT64_MAX);
}

TEST(TaskShards, AnotherCheckpointTakesThePlaceOfOne) {
  Saver saver;
  bool isHeld = true;
  saver.training.cluster.hold = [&](const protocol::Request &request, TaskId) {
    return isHeld && request.has_snapshot() &&
           request.snapshot().phase() == Phase::WRITE;
  };
  ASSERT_TRUE(saver.begin().isOk());
  Folder other;
  isHeld = false;
  saver.client().beginShards(other.place(), other.onEnd());
  EXPECT_EQ(saver.folder.ends, 1);
  EXPECT_EQ(saver.folder.ended.code(), StatusCode::Cancelled);
  ASSERT_TRUE(saver.training.cluster.finish(saver.client()).isOk());
  ASSERT_TRUE(saver.training.cluster.runUntil([&] { return other.ends == 1; }));
  EXPECT_TRUE(other.ended.isOk()) << other.ended.toString();
  EXPECT_EQ(saver.folder.ends, 1);
  saver.expectNothingLeft();
}

/// Nothing was copied, and nobody waits.
void expectRefusal(Saver &saver, const char *why) {
  saver.watch();
  Status status = saver.begin();
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_FALSE(saver.client().areShardsAccepted());
  EXPECT_NE(saver.client().shardRefusal().find(why), std::string::npos)
      << saver.client().shardRefusal();
  EXPECT_EQ(saver.folder.ends, 0);
  EXPECT_EQ(saver.count(Phase::COPY) + saver.count(Phase::WRITE), 0);
  saver.expectNothingLeft();
}

TEST(TaskShards, AreRefusedWhereTheFolderIsNotShared) {
  Saver saver;
  saver.folder.directory.write(kProbeName, "fedcba9876543210");
  expectRefusal(saver, "is another one than that of the training");
}

/// Who shares the folder is asked once, until a task is lost or cannot write.
TEST(TaskShards, AreProbedOnce) {
  Saver saver;
  saver.watch();
  auto save = [&] {
    int before = saver.folder.ends;
    EXPECT_TRUE(saver.begin().isOk());
    EXPECT_TRUE(saver.training.cluster.runUntil(
        [&] { return saver.folder.ends > before; }));
    return saver.folder.ended.isOk();
  };
  EXPECT_TRUE(save());
  EXPECT_TRUE(save());
  EXPECT_EQ(saver.count(Phase::PROBE), 2); // at each server
  // Now a task notices it only when it writes.
  saver.folder.directory.write(kProbeName, "fedcba9876543210");
  EXPECT_FALSE(save());
  EXPECT_NE(saver.folder.ended.message().find("is another one"),
            std::string::npos);
  EXPECT_TRUE(saver.begin().isOk());
  EXPECT_FALSE(saver.client().areShardsAccepted());
  EXPECT_EQ(saver.count(Phase::PROBE), 4);
  saver.folder.directory.write(kProbeName, kToken);
  EXPECT_TRUE(save());
  EXPECT_EQ(saver.count(Phase::PROBE), 6);
}

TEST(TaskShards, AreRefusedByAnOlderServer) {
  Saver saver;
  saver.training.cluster.changeReply = [&](protocol::Reply &reply,
                                           TaskId task) {
    if (task != 1 || saver.phases.empty() ||
        saver.phases.back() != Phase::PROBE || reply.has_failure())
      return;
    *reply.mutable_failure() = protocol::Failure();
    reply.mutable_failure()->set_code(
        static_cast<int>(StatusCode::InvalidArgument));
    reply.mutable_failure()->set_message("a snapshot has no such phase");
    reply.mutable_failure()->set_task("/job:ps/task:1");
  };
  expectRefusal(saver, "an older version of graphc serves /job:ps/task:1");
}

TEST(TaskShards, AreRefusedWhereAVariableIsAtSeveralTasks) {
  DirectCluster cluster({test::makeCluster(2, 0), 1, false, {}});
  Folder folder;
  for (bool hasRows : {true, false}) {
    ClientMachine &client = cluster.addClient(test::dividedModel(hasRows));
    client.beginOpen();
    ASSERT_TRUE(cluster.finish(client).isOk());
    client.beginInitialize();
    ASSERT_TRUE(cluster.finish(client).isOk());
    client.beginShards(folder.place(), folder.onEnd());
    ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
    EXPECT_EQ(client.areShardsAccepted(), !hasRows);
    EXPECT_EQ(client.shardRefusal(),
              hasRows ? "variable 'rows' is divided over several tasks" : "");
  }
  // Mirrors are no shards: the variable itself is.
  ASSERT_TRUE(cluster.runUntil([&] { return folder.ends == 1; }));
  ASSERT_EQ(folder.shards.size(), 1u);
  EXPECT_EQ(folder.value(0, "w"), 1);
}

} // namespace
