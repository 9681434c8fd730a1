// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shards of checkpoints that a task writes while it goes on.
#include "runtime/task/plans/ShardService.h"

#include "runtime/checkpoint/Safetensors.h"
#include "runtime/format/PlanSlice.h"
#include "test/runtime/data/FileBytes.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/FakeEnvironment.h"

#include <deque>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

using Request = protocol::Request::Snapshot;

constexpr const char *kToken = "0123456789abcdef";

TaskOptions taskOptions() {
  TaskOptions options;
  options.cluster = makeCluster(0, 2);
  options.threads = 1;
  return options;
}

/// Keeps its jobs until they are to be done.
struct SpareHost final : TaskHost {
  int64_t nowNanos() const override { return now; }
  void log(Severity, std::string_view line) override {
    text += std::string(line) + "\n";
  }
  void stop() override {}
  void doAside(std::function<void()> job, std::function<void()> done) override {
    jobs.emplace_back(std::move(job), std::move(done));
  }
  void doJobs() {
    for (; !jobs.empty(); jobs.pop_front()) {
      jobs.front().first();
      jobs.front().second();
    }
  }

  int64_t now = 1'000'000'000;
  std::string text;
  std::deque<std::pair<std::function<void()>, std::function<void()>>> jobs;
};

/// A disk that is full after so many bytes.
class FullFiles final : public FileLayer {
public:
  explicit FullFiles(size_t room) : room(room) {}
  StatusOr<std::unique_ptr<OutputFile>>
  create(const std::string &path) override {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> inner,
                            systemFiles().create(path));
    return std::unique_ptr<OutputFile>(new File(*this, std::move(inner)));
  }
  Status makeDirectory(const std::string &path) override {
    return systemFiles().makeDirectory(path);
  }
  Status rename(const std::string &from, const std::string &to) override {
    return systemFiles().rename(from, to);
  }
  Status removeTree(const std::string &path) override {
    return systemFiles().removeTree(path);
  }
  Status syncDirectory(const std::string &path) override {
    return systemFiles().syncDirectory(path);
  }

private:
  struct File final : OutputFile {
    File(FullFiles &disk, std::unique_ptr<OutputFile> inner)
        : disk(disk), inner(std::move(inner)) {}
    Status write(std::span<const std::byte> bytes) override {
      if (bytes.size() > disk.room)
        return resourceExhausted("the disk is full");
      disk.room -= bytes.size();
      return inner->write(bytes);
    }
    Status sync() override { return inner->sync(); }
    FullFiles &disk;
    std::unique_ptr<OutputFile> inner;
  };
  size_t room;
};

/// Variables a, b of one row each and c on task 0, and a folder with a token.
struct Shards {
  explicit Shards(FileLayer &files = systemFiles())
      : shards(host, requests, snapshots, files) {
    ModelBuilder builder = pingModel(3);
    builder.addVariable("a", {DType::Float32, {1, 2}});
    builder.addVariable("b", {DType::Float32, {1, 2}});
    builder.addVariable("c", {DType::Int64, {}});
    for (auto &variable : builder.variables)
      variable.device = "/job:worker/replica:0/task:0/device:CPU:0";
    auto model = Model::fromBytes(builder.finish(), "test.bin");
    EXPECT_TRUE(model.isOk()) << model.status().toString();
    plan = planDigest(**model);
    EXPECT_TRUE(plans.add(*model, "", false, std::nullopt).isOk());
    directory.write(kProbeName, kToken);
    set(1);
  }
  PlanState &state() { return **plans.use(plan); }
  /// a = {v, v}, b = {v + 1, v + 1}, c = v.
  void set(int value) {
    float v = static_cast<float>(value);
    std::vector<float> first = {v, v}, second = {v + 1, v + 1};
    int64_t third = value;
    EXPECT_TRUE(
        state().writeVariable("a", std::as_bytes(std::span(first))).isOk());
    EXPECT_TRUE(
        state().writeVariable("b", std::as_bytes(std::span(second))).isOk());
    EXPECT_TRUE(
        state().writeVariable("c", std::as_bytes(std::span(&third, 1))).isOk());
  }
  /// Tensor "rows" of the rows of a and b, and "c".
  static SnapshotStore::Tensors tensors() {
    SnapshotStore::Tensors list;
    Request::Tensor &rows = *list.Add();
    rows.set_name("rows");
    rows.add_parts("a");
    rows.add_parts("b");
    Request::Tensor &count = *list.Add();
    count.set_name("c");
    count.add_parts("c");
    return list;
  }
  void copy(RunKey id) {
    EXPECT_TRUE(snapshots.arm(id, 5, state(), tensors()).isOk());
    snapshots.take(state(), id);
  }
  Request request(RunKey id, int number) {
    Request made;
    made.set_plan(plan);
    made.mutable_id()->set_client(id.client);
    made.mutable_id()->set_number(id.number);
    std::string folder = directory / "";
    folder.pop_back();
    made.set_folder(folder);
    made.set_token(kToken);
    made.set_file(shardName(number, 2));
    return made;
  }
  Status write(uint64_t key, RunKey id, int64_t deadline = INT64_MAX) {
    return shards.write({5, key}, request(id, 1), deadline);
  }
  std::vector<NamedTensor> written() {
    auto found = loadSafetensors(directory / shardName(1, 2));
    EXPECT_TRUE(found.isOk()) << found.status().toString();
    return found.isOk() ? std::move(*found) : std::vector<NamedTensor>();
  }
  const protocol::Reply &last() { return environment.clients.last(); }
  int32_t failure() { return last().failure().code(); }

  TestDirectory directory;
  TaskOptions options = taskOptions();
  FakeEnvironment environment;
  SpareHost host;
  PlanStore plans{options, host, environment.peers};
  OpenRequests requests{environment.clients, "/job:worker/task:0"};
  VariableService service{plans, requests, environment.clients};
  SnapshotStore snapshots{requests, service, 2};
  ShardService shards;
  std::string plan;
  const RunKey id{9, 1};
};

TEST(ShardService, WritesTheCopyWhileVariablesChange) {
  Shards all;
  all.copy(all.id);
  all.set(7);
  ASSERT_TRUE(all.write(1, all.id).isOk());
  EXPECT_TRUE(all.shards.pump());
  EXPECT_FALSE(all.shards.pump());
  EXPECT_TRUE(all.environment.clients.sent.empty()); // on the spare thread
  EXPECT_TRUE(all.requests.isOpen({5, 1}));
  all.host.doJobs();
  ASSERT_TRUE(all.last().has_shard()) << all.last().failure().message();
  EXPECT_TRUE(all.last().last());
  std::vector<NamedTensor> found = all.written();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "c");
  EXPECT_EQ(found[0].tensor.as<int64_t>()[0], 1);
  EXPECT_EQ(found[1].name, "rows");
  EXPECT_EQ(found[1].tensor.type.shape, (std::vector<int64_t>{2, 2}));
  std::vector<float> rows = {1, 1, 2, 2};
  EXPECT_TRUE(std::ranges::equal(found[1].tensor.as<float>(), rows));
  // The answer has all that the manifest needs.
  const protocol::Reply::Shard &shard = all.last().shard();
  EXPECT_EQ(shard.size(),
            std::filesystem::file_size(all.directory / shardName(1, 2)));
  EXPECT_EQ(shard.tensor_bytes(), 24u);
  TensorDigest digest = digestOf(found[1].tensor.bytes);
  EXPECT_EQ(shard.tensors().at("rows").low(), digest[0]);
  EXPECT_EQ(shard.tensors().at("rows").high(), digest[1]);
  EXPECT_NE(all.host.text.find("wrote " + (all.directory / shardName(1, 2))),
            std::string::npos)
      << all.host.text;
  // The copy is gone, and its memory is that of the next one.
  EXPECT_EQ(all.write(2, all.id).code(), StatusCode::NotFound);
  all.copy({9, 2});
  ASSERT_TRUE(all.write(3, {9, 2}).isOk());
  all.shards.pump();
  all.host.doJobs();
  EXPECT_EQ(all.written()[0].tensor.as<int64_t>()[0], 7);
}

TEST(ShardService, WaitsForTheFence) {
  Shards all;
  ASSERT_TRUE(
      all.snapshots.arm(all.id, 5, all.state(), Shards::tensors()).isOk());
  ASSERT_TRUE(all.write(1, all.id).isOk());
  EXPECT_FALSE(all.shards.pump());
  all.set(3);
  all.snapshots.take(all.state(), all.id);
  all.set(4);
  EXPECT_TRUE(all.shards.pump());
  all.host.doJobs();
  EXPECT_EQ(all.written()[0].tensor.as<int64_t>()[0], 3);
  // One that does not come up in time.
  RunKey late{9, 2};
  ASSERT_TRUE(
      all.snapshots.arm(late, 5, all.state(), Shards::tensors()).isOk());
  ASSERT_TRUE(all.write(2, late, 2'000'000'000).isOk());
  EXPECT_EQ(all.shards.nextDeadline(), 2'000'000'000);
  all.shards.expire(2'000'000'000);
  EXPECT_EQ(all.failure(), static_cast<int>(StatusCode::DeadlineExceeded));
  // One that is no shard's, or nobody's.
  ASSERT_TRUE(all.snapshots.arm({9, 3}, 5, all.state()).isOk());
  EXPECT_EQ(all.write(3, {9, 3}).code(), StatusCode::NotFound);
  EXPECT_EQ(all.write(4, {9, 4}).code(), StatusCode::NotFound);
}

TEST(ShardService, EndsWhatIsDroppedOrWhoseClientIsGone) {
  Shards all;
  all.copy(all.id);
  ASSERT_TRUE(all.write(1, all.id).isOk());
  all.shards.pump();
  all.shards.drop(all.id);
  all.snapshots.drop(all.id);
  EXPECT_EQ(all.failure(), static_cast<int>(StatusCode::Cancelled));
  all.host.doJobs();
  EXPECT_EQ(all.environment.clients.sent.size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(all.directory / shardName(1, 2)));
  RunKey second{9, 2};
  all.copy(second);
  ASSERT_TRUE(all.write(2, second).isOk());
  all.shards.pump();
  all.requests.dropClient(5);
  all.shards.dropClient(5);
  all.snapshots.dropClient(5);
  all.host.doJobs();
  EXPECT_EQ(all.environment.clients.sent.size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(all.directory / shardName(1, 2)));
}

TEST(ShardService, TellsWhetherItSharesTheFolder) {
  Shards all;
  ASSERT_TRUE(all.shards.probe({5, 1}, all.request(all.id, 1)).isOk());
  EXPECT_TRUE(all.environment.clients.sent.empty());
  all.host.doJobs();
  EXPECT_FALSE(all.last().has_failure());
  Request other = all.request(all.id, 2);
  other.set_token("fedcba9876543210");
  ASSERT_TRUE(all.shards.probe({5, 2}, other).isOk());
  all.host.doJobs();
  EXPECT_EQ(all.failure(), static_cast<int>(StatusCode::FailedPrecondition));
  // It may have gone since.
  all.copy(all.id);
  std::filesystem::remove(all.directory / kProbeName);
  ASSERT_TRUE(all.write(3, all.id).isOk());
  all.shards.pump();
  all.host.doJobs();
  EXPECT_EQ(all.failure(), static_cast<int>(StatusCode::FailedPrecondition));
}

TEST(ShardService, TellsThatTheDiskIsFull) {
  FullFiles disk(30);
  Shards all(disk);
  all.copy(all.id);
  ASSERT_TRUE(all.write(1, all.id).isOk());
  all.shards.pump();
  all.host.doJobs();
  EXPECT_EQ(all.failure(), static_cast<int>(StatusCode::ResourceExhausted));
  EXPECT_NE(all.host.text.find("cannot write a shard of a checkpoint: "),
            std::string::npos);
  EXPECT_EQ(all.write(2, all.id).code(), StatusCode::NotFound); // it is gone
}

TEST(ShardService, RefusesTensorsThatAreNotHere) {
  Shards all;
  auto arm = [&](std::vector<std::string> parts) {
    SnapshotStore::Tensors list;
    Request::Tensor &tensor = *list.Add();
    tensor.set_name("x");
    tensor.mutable_parts()->Assign(parts.begin(), parts.end());
    return all.snapshots.arm(all.id, 5, all.state(), list).code();
  };
  EXPECT_EQ(arm({"none"}), StatusCode::NotFound);
  EXPECT_EQ(arm({"a", "none"}), StatusCode::NotFound);
  EXPECT_EQ(arm({"a", "c"}), StatusCode::InvalidArgument);
  EXPECT_EQ(arm({}), StatusCode::InvalidArgument);
  EXPECT_EQ(arm({"a", "b"}), StatusCode::Ok);
}

} // namespace
