// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of a training has its last whole checkpoint whatever happens, and
// keeps those that it is to keep.
#include "runtime/checkpoint/TrainDirectory.h"
#include "runtime/checkpoint/BackgroundWriter.h"
#include "runtime/checkpoint/ShardFile.h"
#include "test/runtime/checkpoint/CutFiles.h"
#include "test/runtime/data/FileBytes.h"

#include <atomic>
#include <fstream>
#include <set>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

namespace fs = std::filesystem;

/// Values that tell the step, in two shards.
std::vector<NamedTensor> valuesOf(uint64_t step) {
  float value = static_cast<float>(step);
  return {{"w", tensorOf<float>({3}, {value, value + 1, value + 2})},
          {"step", tensorOf<int64_t>({}, {static_cast<int64_t>(step)})}};
}

Status write(TrainDirectory &directory, uint64_t step,
             const RetentionPolicy &policy, double metric = 0) {
  std::vector<NamedTensor> values = valuesOf(step);
  std::vector<OwnedTensor> owned = {{&values[0], "/job:ps/task:0"},
                                    {&values[1], "/job:ps/task:1"}};
  CheckpointManifest manifest;
  manifest.graph = "train";
  manifest.step = step;
  manifest.metrics["loss"] = metric;
  manifest.texts["note"] = std::to_string(step);
  return directory.write(owned, manifest, policy);
}

/// The same by two others, each of which writes a shard.
Status writeByOthers(TrainDirectory &directory, FileLayer &files, uint64_t step,
                     const RetentionPolicy &policy) {
  GRAPHC_ASSIGN_OR_RETURN(PendingCheckpoint pending, directory.begin(step));
  std::vector<NamedTensor> values = valuesOf(step);
  CheckpointManifest manifest;
  manifest.graph = "train";
  manifest.step = step;
  manifest.texts["note"] = std::to_string(step);
  for (size_t i = 0; i < values.size(); ++i) {
    std::string file = shardName(i + 1, values.size());
    Status status = probeFolder(files, pending.folder, pending.token, file);
    auto shard = status.isOk() ? writeShard(files, pending.folder + "/" + file,
                                            {&values[i]})
                               : StatusOr<CheckpointManifest::Shard>(status);
    if (!shard.isOk()) {
      directory.abandon(pending);
      return shard.status();
    }
    shard->file = file;
    shard->owner = "/job:ps/task:" + std::to_string(i);
    manifest.shards.push_back(std::move(*shard));
  }
  return directory.commit(pending, manifest, 20, policy);
}

/// The step that the values of a checkpoint tell; nothing where they, or what
/// is beside them, are not of one step.
std::optional<uint64_t> stepOfValues(const std::string &folder) {
  StatusOr<std::unique_ptr<TensorReader>> reader = openCheckpoint(folder);
  if (!reader.isOk())
    return std::nullopt;
  auto values = readTensors(**reader);
  if (!values.isOk() || values->size() != 2)
    return std::nullopt;
  auto step = static_cast<uint64_t>((*values)[0].tensor.as<int64_t>()[0]);
  bool isSame =
      (*values)[1].tensor.as<float>()[2] == static_cast<float>(step + 2) &&
      (*reader)->texts().at("note") == std::to_string(step);
  return isSame ? std::optional(step) : std::nullopt;
}

std::vector<uint64_t> stepsIn(const std::string &directory) {
  std::vector<uint64_t> steps;
  for (const SavedCheckpoint &checkpoint : listCheckpoints(directory))
    steps.push_back(checkpoint.step);
  return steps;
}

class TrainDirectoryTest : public testing::Test {
protected:
  TrainDirectory open() {
    StatusOr<TrainDirectory> opened = TrainDirectory::open(path);
    EXPECT_TRUE(opened.isOk()) << opened.status().toString();
    return std::move(*opened);
  }
  TestDirectory directory;
  std::string path = directory / "train";
};

TEST_F(TrainDirectoryTest, KeepsTheLastOnesAndTheBest) {
  TrainDirectory train = open();
  RetentionPolicy policy{.last = 2, .best = 1, .metric = "loss"};
  double losses[] = {5, 1, 3, 4, 2, 6};
  for (uint64_t step = 1; step <= 6; ++step)
    ASSERT_TRUE(write(train, step * 10, policy, losses[step - 1]).isOk());
  EXPECT_EQ(stepsIn(path), (std::vector<uint64_t>{60, 50, 20}));
  EXPECT_EQ(bestCheckpoint(listCheckpoints(path), "loss", false)->step, 20u);
  EXPECT_EQ(bestCheckpoint(listCheckpoints(path), "loss", true)->step, 60u);
  EXPECT_FALSE(bestCheckpoint(listCheckpoints(path), "none", true));
  // What an evaluation found counts more.
  ASSERT_TRUE(addMetrics(systemFiles(), path + "/checkpoint-50",
                         {{"loss", 0.5}, {"bad", NAN}})
                  .isOk());
  EXPECT_EQ(bestCheckpoint(listCheckpoints(path), "loss", false)->step, 50u);
  EXPECT_EQ(metricsOf(path + "/checkpoint-50").count("bad"), 0u);
  EXPECT_EQ(stepOfValues(latestCheckpoint(path, nullptr)->folder), 60u);
}

TEST_F(TrainDirectoryTest, IsOneProcessesAtATime) {
  TrainDirectory train = open();
  expectFailure(TrainDirectory::open(path).status(),
                StatusCode::FailedPrecondition,
                {"another process trains in", "name another --train-dir"});
}

TEST_F(TrainDirectoryTest, TellsThatItHasEndedUntilItGoesOn) {
  {
    TrainDirectory train = open();
    EXPECT_FALSE(endOfTraining(path));
    ASSERT_TRUE(train.markEnd("after step 7: it is good").isOk());
  }
  EXPECT_EQ(endOfTraining(path), "after step 7: it is good");
  TrainDirectory again = open();
  EXPECT_FALSE(endOfTraining(path));
}

TEST_F(TrainDirectoryTest, PassesOverWhatIsDamaged) {
  {
    TrainDirectory train = open();
    for (uint64_t step : {1, 2, 3})
      ASSERT_TRUE(write(train, step, {}).isOk());
  }
  std::string first = path + "/checkpoint-3/model-00001-of-00002.safetensors";
  fs::resize_file(first, fs::file_size(first) - 1);
  fs::remove(path + "/checkpoint-2/model-00002-of-00002.safetensors");
  std::string notes;
  auto latest = latestCheckpoint(
      path, [&](const std::string &text) { notes += text + "\n"; });
  ASSERT_TRUE(latest.isOk()) << latest.status().toString();
  EXPECT_EQ(latest->step, 1u);
  EXPECT_NE(notes.find("checkpoint-3': "), std::string::npos) << notes;
  EXPECT_NE(notes.find("checkpoint-2': "), std::string::npos) << notes;
  fs::remove(path + "/checkpoint-1/manifest.json");
  expectFailure(latestCheckpoint(path, nullptr).status(), StatusCode::DataLoss,
                {"none of the 3 checkpoints", "bring back one of them"});
  expectFailure(latestCheckpoint(directory / "none", nullptr).status(),
                StatusCode::NotFound, {"has no checkpoint"});
}

TEST_F(TrainDirectoryTest, NoticesEveryChangedByte) {
  {
    TrainDirectory train = open();
    ASSERT_TRUE(write(train, 7, {}).isOk());
  }
  size_t tried = 0;
  for (const fs::directory_entry &file :
       fs::directory_iterator(path + "/checkpoint-7")) {
    if (file.path().filename() == "model.safetensors.index.json")
      continue; // for other programs
    std::string bytes;
    {
      std::ifstream in(file.path(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    for (size_t at = 0; at < bytes.size(); ++at, ++tried) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 4);
      std::ofstream(file.path(), std::ios::binary) << changed;
      EXPECT_EQ(stepOfValues(path + "/checkpoint-7"), std::nullopt)
          << file.path() << " byte " << at;
    }
    std::ofstream(file.path(), std::ios::binary) << bytes;
  }
  EXPECT_GT(tried, 800u);
  EXPECT_EQ(stepOfValues(path + "/checkpoint-7"), 7u);
}

TEST_F(TrainDirectoryTest, HasTheLastWholeOneAfterAnyPowerCut) {
  std::mt19937 random(1);
  size_t cuts = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::string place = directory / ("cut-" + std::to_string(seed));
    CutFiles files(1 + random() % 12000, directory / "trash", seed);
    uint64_t durable = 0, begun = 0;
    {
      StatusOr<TrainDirectory> train = TrainDirectory::open(place, files);
      for (uint64_t step = 1; train.isOk() && step <= 8 && !files.isCut();
           step += random() % 3 != 0) { // some steps are written twice
        begun = step;
        bool isByOthers = random() % 2 == 0;
        Status status = isByOthers
                            ? writeByOthers(*train, files, step, {.last = 2})
                            : write(*train, step, {.last = 2});
        if (status.isOk())
          durable = step;
      }
    }
    cuts += files.isCut();
    files.lose();
    fs::remove_all(directory / "trash");
    // What a process finds that only looks, and one that goes on.
    for (bool goesOn : {false, true}) {
      if (goesOn)
        ASSERT_TRUE(TrainDirectory::open(place).isOk());
      StatusOr<SavedCheckpoint> latest = latestCheckpoint(place, nullptr);
      if (durable == 0 && latest.status().code() == StatusCode::NotFound)
        continue;
      ASSERT_TRUE(latest.isOk()) << seed << ": " << latest.status().toString();
      EXPECT_EQ(stepOfValues(latest->folder), latest->step) << seed;
      EXPECT_GE(latest->step, durable) << seed;
      EXPECT_LE(latest->step, begun) << seed;
    }
    fs::remove_all(place);
  }
  EXPECT_GT(cuts, 150u);
}

TEST_F(TrainDirectoryTest, IsWrittenByOthers) {
  TrainDirectory train = open();
  ASSERT_TRUE(writeByOthers(train, systemFiles(), 4, {}).isOk());
  EXPECT_EQ(stepOfValues(path + "/checkpoint-4"), 4u);
  auto namesIn = [](const std::string &folder) {
    std::set<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      names.insert(entry.path().filename());
    return names;
  };
  // As if it was written here.
  ASSERT_TRUE(write(train, 5, {}).isOk());
  EXPECT_EQ(namesIn(path + "/checkpoint-4"), namesIn(path + "/checkpoint-5"));
  EXPECT_EQ(namesIn(path),
            (std::set<std::string>{"checkpoint-4", "checkpoint-5", "lock"}));
  // Over one of the same step.
  ASSERT_TRUE(writeByOthers(train, systemFiles(), 5, {.last = 1}).isOk());
  EXPECT_EQ(stepOfValues(path + "/checkpoint-5"), 5u);
  EXPECT_EQ(namesIn(path), (std::set<std::string>{"checkpoint-5", "lock"}));
}

/// Until it is committed there is none, and what was begun goes.
TEST_F(TrainDirectoryTest, ForgetsWhatOthersDoNotComplete) {
  std::string left;
  {
    TrainDirectory train = open();
    ASSERT_TRUE(write(train, 1, {}).isOk());
    StatusOr<PendingCheckpoint> first = train.begin(2), second = train.begin(2);
    ASSERT_TRUE(first.isOk() && second.isOk());
    EXPECT_NE(first->folder, second->folder); // whoever is late finds nothing
    EXPECT_NE(first->token, second->token);
    EXPECT_FALSE(fs::exists(first->folder));
    EXPECT_EQ(stepsIn(path), (std::vector<uint64_t>{1}));
    train.abandon(*second);
    EXPECT_FALSE(fs::exists(second->folder));
    left = train.begin(3)->folder; // and the process is killed
    EXPECT_TRUE(fs::exists(left));
  }
  TrainDirectory train = open();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(stepOfValues(latestCheckpoint(path, nullptr)->folder), 1u);
}

TEST_F(TrainDirectoryTest, DoesNotCommitAnotherFileThanWasWritten) {
  TrainDirectory train = open();
  StatusOr<PendingCheckpoint> pending = train.begin(2);
  ASSERT_TRUE(pending.isOk());
  NamedTensor value{"w", tensorOf<float>({2}, {1, 2})};
  std::string file = shardName(1, 1);
  auto shard =
      writeShard(systemFiles(), pending->folder + "/" + file, {&value});
  ASSERT_TRUE(shard.isOk());
  shard->file = file;
  CheckpointManifest manifest;
  manifest.step = 2;
  manifest.shards.push_back(*shard);
  fs::resize_file(pending->folder + "/" + file, shard->size - 4);
  EXPECT_EQ(train.commit(*pending, manifest, 8, {}).code(),
            StatusCode::DataLoss);
  EXPECT_FALSE(fs::exists(pending->folder));
  EXPECT_TRUE(stepsIn(path).empty());
  pending = train.begin(2);
  expectFailure(train.commit(*pending, manifest, 8, {}), StatusCode::NotFound,
                {file.c_str()});
}

TEST(ShardFile, IsProbedBeforeItIsWritten) {
  TestDirectory directory;
  std::string folder = directory / "";
  folder.pop_back();
  std::string token = "0123456789abcdef", file = shardName(2, 3);
  auto probe = [&](const std::string &where, const std::string &what,
                   const std::string &name) {
    return probeFolder(systemFiles(), where, what, name);
  };
  EXPECT_EQ(file, "model-00002-of-00003.safetensors");
  expectFailure(probe(folder, token, file), StatusCode::FailedPrecondition,
                {"does not see the folder '", folder.c_str(), "probe"});
  directory.write(kProbeName, "fedcba9876543210");
  expectFailure(probe(folder, token, file), StatusCode::FailedPrecondition,
                {"is another one than that of the training"});
  EXPECT_FALSE(fs::exists(folder + "/" + file));
  directory.write(kProbeName, token);
  EXPECT_TRUE(probe(folder, token, file).isOk());
  EXPECT_TRUE(fs::exists(folder + "/" + file));
  // Nothing else is overwritten, nor what a link of the name leads to.
  for (const char *name :
       {"probe", "../model-1.safetensors", "x.safetensors", "model-1", ""})
    EXPECT_EQ(probe(folder, token, name).code(), StatusCode::InvalidArgument)
        << name;
  EXPECT_EQ(probe("train", token, file).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(probe(folder, "short", file).code(), StatusCode::InvalidArgument);
  std::string victim = directory.write("victim", "x");
  fs::create_symlink(victim, folder + "/" + shardName(1, 3));
  EXPECT_FALSE(probe(folder, token, shardName(1, 3)).isOk());
  EXPECT_EQ(fs::file_size(victim), 1u);
}

TEST(ShardFile, EndsWhereItIsCancelled) {
  TestDirectory directory;
  NamedTensor value{"w", tensorOf<float>({2}, {1, 2})};
  std::atomic<bool> isCancelled{true};
  EXPECT_EQ(
      writeShard(systemFiles(), directory / "shard", {&value}, &isCancelled)
          .status()
          .code(),
      StatusCode::Cancelled);
}

TEST_F(TrainDirectoryTest, TellsWhyItCannotBeWritten) {
  std::string file = directory.write("file", "x");
  EXPECT_FALSE(TrainDirectory::open(file + "/train").isOk());
  TrainDirectory train = open();
  fs::create_directory(path + "/checkpoint-1.tmp");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_exec);
  if (::access(path.c_str(), W_OK) != 0) // not for root
    expectFailure(write(train, 1, {}), StatusCode::PermissionDenied,
                  {"check the permissions"});
  fs::permissions(path, fs::perms::owner_all);
}

TEST(BackgroundWriter, TellsEachStatusOnce) {
  BackgroundWriter writer;
  EXPECT_TRUE(writer.start([] { return dataLoss("one"); }).isOk());
  EXPECT_EQ(writer.start([] { return Status::ok(); }).message(), "one");
  EXPECT_TRUE(writer.finish().isOk());
  EXPECT_TRUE(writer.start([] { return dataLoss("two"); }).isOk());
  EXPECT_EQ(writer.finish().message(), "two");
  EXPECT_TRUE(writer.finish().isOk());
}

} // namespace
