// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints of a training whose tasks write the values by themselves.
#include "runtime/session/ClusterSession.h"
#include "runtime/session/train/TrainStore.h"
#include "runtime/transport/LocalCluster.h"
#include "test/runtime/data/FileBytes.h"
#include "test/runtime/session/SessionModels.h"

#include <atomic>
#include <thread>

namespace graphc::runtime {
namespace {

/// One task with variable w, and a folder for its checkpoints.
struct Trained {
  explicit Trained(ClusterOptions options = {}) {
    test::ModelBuilder builder = test::linearModel(50);
    const char *device = "/job:worker/replica:0/task:0/device:CPU:0";
    for (test::GraphSpec &graph : builder.graphs)
      for (uint32_t i = 0; i < graph.programCount(); ++i)
        graph.program(i).device = device;
    for (test::VariableSpec &variable : builder.variables)
      variable.device = device;
    LocalClusterOptions local;
    local.cluster = *parseTaskCounts("worker:1");
    local.threads = 1;
    tasks = std::move(LocalCluster::start(std::move(local))).value();
    options.deadlineNanos = 20'000'000'000;
    session = std::move(ClusterSession::open(
                            *Model::fromBytes(builder.finish(), "m.bin"),
                            tasks->cluster(), tasks->connect().value(),
                            std::move(options)))
                  .value();
    EXPECT_TRUE(session->initialize().isOk());
    EXPECT_TRUE(
        session
            ->bindDataset("points", directory.write("points.csv", "x,y\n1,3\n"
                                                                  "2,6\n3,9\n"
                                                                  "4,12\n"))
            .isOk());
    TrainStoreOptions keeps;
    keeps.note = [this](const std::string &text) { notes += text + "\n"; };
    store = std::move(TrainStore::open(directory / "train", std::move(keeps)))
                .value();
  }
  float weight() { return session->readVariable("w")->as<float>()[0]; }
  Status run(int64_t steps) {
    return session
        ->runSteps({"train", {}, {}, steps},
                   [](const StepView &) { return true; })
        .status();
  }
  Status save(uint64_t step) {
    return store->write(*session, "train", step, {});
  }
  float saved(uint64_t step) {
    auto reader =
        openCheckpoint(directory / "train/checkpoint-" + std::to_string(step));
    EXPECT_TRUE(reader.isOk()) << reader.status().toString();
    return readTensors(**reader)->at(0).tensor.as<float>()[0];
  }

  test::TestDirectory directory;
  std::unique_ptr<LocalCluster> tasks;
  std::unique_ptr<ClusterSession> session;
  std::string notes;
  std::shared_ptr<TrainStore> store;
};

TEST(ClusterShards, AreOfTheStepThatTheyNameWhileOthersRun) {
  Trained trained;
  std::map<uint64_t, float> weights;
  for (uint64_t step = 0; step <= 40; step += 10) {
    weights[step] = trained.weight();
    ASSERT_TRUE(trained.save(step).isOk());
    ASSERT_TRUE(trained.run(10).isOk());
    EXPECT_NE(trained.weight(), weights[step]);
  }
  ASSERT_TRUE(trained.store->finish().isOk());
  EXPECT_EQ(trained.notes, "");
  for (const auto &[step, weight] : weights)
    EXPECT_EQ(trained.saved(step), weight) << step;
  StatusOr<CheckpointManifest> manifest =
      readManifest(trained.directory / "train/checkpoint-40");
  ASSERT_TRUE(manifest.isOk()) << manifest.status().toString();
  ASSERT_EQ(manifest->shards.size(), 1u);
  EXPECT_EQ(manifest->shards[0].owner, "/job:worker/replica:0/task:0");
  // And it goes on from the last one.
  ASSERT_TRUE(trained.store->load(*trained.session).isOk());
  EXPECT_EQ(trained.weight(), weights[40]);
}

PendingCheckpoint begin(TrainDirectory &directory) {
  StatusOr<PendingCheckpoint> pending = directory.begin(1);
  EXPECT_TRUE(pending.isOk()) << pending.status().toString();
  return std::move(*pending);
}

TEST(ClusterShards, AreGivenUpWhereTheSessionEnds) {
  Trained trained;
  auto train = TrainDirectory::open(trained.directory / "other");
  ASSERT_TRUE(train.isOk());
  auto capture = trained.session->captureTo(begin(*train));
  ASSERT_TRUE(capture.isOk()) << capture.status().toString();
  EXPECT_TRUE((*capture)->isOfShards());
  std::atomic<int> code{-1};
  std::thread writer(
      [&] { code = static_cast<int>((*capture)->await().status().code()); });
  trained.session.reset();
  writer.join();
  EXPECT_EQ(code.load(), static_cast<int>(StatusCode::Cancelled));
  (*capture)->help(); // nobody is there to help
}

TEST(ClusterShards, AreGivenUpWhereAStopIsRequested) {
  std::atomic<bool> isStopped{false};
  ClusterOptions options;
  options.isStopRequested = [&] { return isStopped.load(); };
  Trained trained(std::move(options));
  auto train = TrainDirectory::open(trained.directory / "other");
  ASSERT_TRUE(train.isOk());
  auto capture = trained.session->captureTo(begin(*train));
  ASSERT_TRUE(capture.isOk()) << capture.status().toString();
  isStopped = true;
  (*capture)->help();
  EXPECT_EQ((*capture)->await().status().code(), StatusCode::Cancelled);
  isStopped = false;
}

} // namespace
} // namespace graphc::runtime
