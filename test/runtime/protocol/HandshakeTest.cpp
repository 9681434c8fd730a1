// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of everything that keeps tasks from running a plan together.
#include "runtime/protocol/Handshake.h"

#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/format/FileHeader.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/protocol/PlanManifest.h"
#include "test/runtime/format/ModelBuilder.h"

#include <gtest/gtest.h>

#include <set>

using namespace graphc::runtime;
using graphc::test::ModelBuilder;

namespace {

using Description = graphc::protocol::Reply::Description;

constexpr int64_t kNow = 1'700'000'000'000;
const std::string kWorker = "/job:worker/replica:0/task:0";
const std::string kGpu = kWorker + "/device:GPU:0";

/// A variable of 64 MiB on ps 0, a value on each of worker 0's two devices, and
/// kernels for v4 only where `isV4`; with code for GPUs of `archs`.
std::shared_ptr<const Model>
makePlan(bool isV4, const std::vector<std::string> &archs = {},
         const std::string &gpu = "/device:GPU:0") {
  ModelBuilder builder;
  uint32_t w = builder.addVariable("w", {DType::Float32, {1 << 24}});
  builder.variables[w].device = "/job:ps/replica:0/task:0/device:CPU:0";
  uint32_t kernel = builder.addKernel(graphc::test::KernelSpec{"k"},
                                      graphc::test::Bytes(16, std::byte{0xc3}));
  if (isV4)
    builder.images.erase(graphc::test::kV3);
  for (const std::string &arch : archs)
    builder.gpuImages.push_back({arch, ".version 7.8"});
  if (!archs.empty())
    builder.gpuKernels.push_back(
        {{{graphc::test::GpuLaunchSpec{"k", 1, 32}, {0}}}, 1});
  graphc::test::GraphSpec &graph = builder.addGraph("train");
  graph.device = builder.variables[w].device;
  graph.addFill(graph.addVariable("w", builder, w), {0});
  for (const std::string &device : {std::string("/device:CPU:0"), gpu}) {
    uint32_t number = graph.addProgram(kWorker + device);
    graphc::test::ProgramSpec &program = graph.program(number);
    uint32_t x = program.addArena("x", {DType::Float32, {4}});
    program.addDispatch(kernel, {x}, {x});
  }
  auto plan = Model::fromBytes(builder.finish(), "plan.bin");
  EXPECT_TRUE(plan.isOk()) << plan.status().toString();
  return plan.isOk() ? *plan : nullptr;
}

ClusterSpec makeCluster() {
  return *ClusterSpec::parse(
      R"({"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]})", "test");
}

/// Descriptions of four tasks that fit.
std::vector<Description> makeDescriptions(const ClusterSpec &cluster) {
  std::vector<Description> all;
  for (const ClusterTask &task : cluster.tasks()) {
    Description d;
    d.set_task(task.name());
    d.set_incarnation(1);
    d.set_protocol(kProtocolVersion);
    d.set_format_major(graphc::format::kFormatMajor);
    d.set_format_minor(graphc::format::kFormatMinor);
    d.set_cpu_level("x86-64-v4");
    d.add_devices("/job:" + task.job + "/replica:0/task:" +
                  std::to_string(task.index) + "/device:CPU:0");
    if (task.name() == "/job:worker/task:0")
      d.add_devices(kGpu);
    d.set_memory_bytes(1ull << 30);
    d.set_clock_ms(kNow);
    d.set_cluster_digest(cluster.digestText());
    d.set_plan_allowed(true);
    all.push_back(d);
  }
  return all;
}

class Handshake : public testing::Test {
protected:
  std::shared_ptr<const Model> plan = makePlan(/*isV4=*/true);
  ClusterSpec cluster = makeCluster();
  std::vector<Description> tasks = makeDescriptions(cluster);

  std::vector<Mismatch> find() {
    return findMismatches(*plan, cluster, tasks, kNow);
  }
  /// "task what expected found" of the only mismatch.
  std::string only() {
    std::vector<Mismatch> found = find();
    if (found.size() != 1)
      return std::to_string(found.size()) + " mismatches\n" +
             mismatchTable(found);
    EXPECT_FALSE(found[0].fix.empty());
    return found[0].task + " " + found[0].what + " " + found[0].expected +
           " | " + found[0].found;
  }
};

TEST_F(Handshake, TasksThatFit) {
  EXPECT_EQ(mismatchTable(find()), "task  what  expected  found  fix\n");
  EXPECT_TRUE(compareTasks(*plan, cluster, tasks, {}, kNow).isOk());
}

TEST_F(Handshake, EachMismatchAlone) {
  auto planted = [&](void (*change)(std::vector<Description> &)) {
    tasks = makeDescriptions(cluster);
    change(tasks);
    return only();
  };
  using All = std::vector<Description>;
  const std::string minor = std::to_string(graphc::format::kFormatMinor);
  EXPECT_EQ(planted([](All &all) { all[1].set_protocol(9); }),
            "/job:ps/task:1 protocol 2 | 9");
  EXPECT_EQ(planted([](All &all) { all[1].set_format_major(3); }),
            "/job:ps/task:1 format 2." + minor + " | 3." + minor);
  EXPECT_EQ(planted([](All &all) { all[1].set_format_minor(0); }),
            "/job:ps/task:1 format 2." + minor + " or later | 2.0");
  EXPECT_EQ(planted([](All &all) { all[1].set_cluster_digest("77"); }),
            "/job:ps/task:1 cluster " + cluster.digestText() + " | 77");
  EXPECT_EQ(planted([](All &all) { all[0].set_cpu_level("x86-64-v3"); }),
            "/job:ps/task:0 cpu x86-64-v4 | x86-64-v3");
  EXPECT_EQ(planted([](All &all) { all[2].mutable_devices()->RemoveLast(); }),
            "/job:worker/task:0 device " + kGpu + " | not there");
  EXPECT_EQ(planted([](All &all) { all[0].set_memory_bytes(64u << 19); }),
            "/job:ps/task:0 memory 64 MiB | 32 MiB free");
  EXPECT_EQ(planted([](All &all) { all[3].set_clock_ms(kNow - 5001); }),
            "/job:worker/task:1 clock within 5 s | -5.001 s");
  EXPECT_EQ(planted([](All &all) { all[0].set_task("/job:ps/task:1"); }),
            "/job:ps/task:0 task /job:ps/task:0 | /job:ps/task:1");
  EXPECT_EQ(planted([](All &all) { all[2].set_plan_allowed(false); }),
            "/job:worker/task:0 plan " + planDigest(*plan) + " | not allowed");
  EXPECT_EQ(find()[0].fix,
            "start it with --allow=" + allowDigest(*makePlanManifest(*plan)));
  EXPECT_EQ(planted([](All &all) { all[2] = Description(); }),
            "/job:worker/task:0 task an answer | none");
}

TEST_F(Handshake, APlanThatATaskListsIsAllowed) {
  tasks[2].set_plan_allowed(false);
  tasks[2].add_allowed("77");
  EXPECT_EQ(find().size(), 1u);
  tasks[2].add_allowed(allowDigest(*makePlanManifest(*plan)));
  EXPECT_EQ(find().size(), 0u);
}

TEST_F(Handshake, VirtualGpusAreAllGpus) {
  tasks[2].mutable_devices()->RemoveLast();
  EXPECT_EQ(find().size(), 1u);
  tasks[2].add_devices("/job:worker/replica:0/task:0/device:GPU:*");
  EXPECT_EQ(find().size(), 0u);
}

TEST_F(Handshake, CodeForTheGpusOfATask) {
  plan = makePlan(/*isV4=*/true, {"sm_90", "sm_100"});
  EXPECT_EQ(find().size(), 0u) << "an older task says nothing of its GPUs";
  auto archs = [&](std::vector<std::string> all) {
    tasks[2].clear_gpu_archs();
    for (std::string &arch : all)
      tasks[2].add_gpu_archs(std::move(arch));
  };
  archs({"sm_90"});
  EXPECT_EQ(find().size(), 0u);
  archs({"sm_120"});
  EXPECT_EQ(find().size(), 0u) << "PTX runs on newer ones";
  archs({"sm_90", "sm_86"});
  EXPECT_EQ(find().size(), 0u) << "the plan has nothing on the second";
  archs({"what is this"});
  EXPECT_EQ(find().size(), 0u);
  archs({"sm_86", "sm_90"});
  EXPECT_EQ(only(), "/job:worker/task:0 gpu sm_90, sm_100 | sm_86 (GPU:0)");
  EXPECT_EQ(find()[0].fix, "recompile with graphc --gpu-arch=sm_86");
  archs({"sm_75"});
  EXPECT_EQ(find()[0].fix,
            "graphc makes code for sm_80 and later ones; let the CPU execute "
            "its programs with --virtual-gpus");
  tasks[2].set_has_plan(true);
  EXPECT_EQ(find().size(), 0u) << "it runs there already";
}

TEST_F(Handshake, SharedGpusStandForOthersInTurn) {
  plan = makePlan(/*isV4=*/true, {"sm_90"}, "/device:GPU:3");
  tasks[2].add_devices("/job:worker/replica:0/task:0/device:GPU:*");
  tasks[2].add_gpu_archs("sm_90");
  tasks[2].add_gpu_archs("sm_86");
  EXPECT_EQ(only(), "/job:worker/task:0 gpu sm_90 | sm_86 (GPU:1)");
}

TEST_F(Handshake, APlanWithoutCodeForGpus) {
  tasks[2].add_gpu_archs("sm_90");
  EXPECT_EQ(only(), "/job:worker/task:0 gpu no architecture | sm_90 (GPU:0)");
}

TEST_F(Handshake, AllAtOnce) {
  tasks[0].set_protocol(0);
  tasks[0].set_format_major(0);
  tasks[0].set_memory_bytes(1);
  tasks[0].set_plan_allowed(false);
  tasks[1].set_format_minor(0);
  tasks[1].set_cluster_digest("");
  tasks[1].set_clock_ms(kNow + 3'600'000);
  tasks[2].set_cpu_level("x86-64-v3");
  tasks[2].clear_devices();
  tasks[3].set_task("/job:worker/task:9");
  tasks[2].set_plan_allowed(false);
  Status status = compareTasks(*plan, cluster, tasks, {}, kNow);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find("'plan.bin': 11 mismatches\n"),
            std::string::npos)
      << status.message();
  std::set<std::string> kinds;
  for (const Mismatch &mismatch : find())
    kinds.insert(mismatch.what);
  EXPECT_EQ(kinds.size(), 9u) << status.message();
}

TEST_F(Handshake, DataOfEarlierClientsDoNotMatter) {
  tasks[2].set_data_digest("a share of worker 0");
  tasks[3].set_data_digest("a share of worker 1");
  EXPECT_EQ(find().size(), 0u);
}

TEST_F(Handshake, ColumnsAreAligned) {
  tasks[1].set_protocol(9);
  tasks[3].set_clock_ms(kNow + 7250);
  EXPECT_EQ(
      mismatchTable(find()),
      "task                what      expected    found     fix\n"
      "/job:ps/task:1      protocol  2           9         install the same "
      "version of graphc at both ends\n"
      "/job:worker/task:1  clock     within 5 s  +7.250 s  set the machine's "
      "clock by NTP\n");
}

TEST_F(Handshake, AllowedKindsOnlyWarn) {
  tasks[3].set_clock_ms(kNow + 7250);
  tasks[2].clear_devices();
  std::vector<std::string> allowed = {"clock", "device"};
  std::string warnings;
  EXPECT_TRUE(
      compareTasks(*plan, cluster, tasks, allowed, kNow, &warnings).isOk());
  EXPECT_NE(warnings.find("+7.250 s"), std::string::npos);
  allowed.pop_back();
  Status status = compareTasks(*plan, cluster, tasks, allowed, kNow);
  EXPECT_NE(status.message().find("1 mismatch\n"), std::string::npos);
  EXPECT_EQ(status.message().find("clock"), std::string::npos);
}

TEST_F(Handshake, OnlyTasksOfThePlanMustAnswer) {
  tasks[1] = tasks[3] = Description();
  EXPECT_EQ(mismatchTable(find()), mismatchTable({}));
  tasks.resize(2);
  EXPECT_EQ(only(), "/job:worker/task:0 task an answer | none");
}

TEST_F(Handshake, TasksThatTheClusterLacks) {
  cluster = *ClusterSpec::parse(R"({"ps": ["a:1"]})", "test");
  tasks = makeDescriptions(cluster);
  EXPECT_EQ(only(), "/job:worker/task:0 task in the cluster | not there");
}

TEST_F(Handshake, LowestLevelOfTheKernelsCounts) {
  plan = makePlan(/*isV4=*/false);
  for (Description &task : tasks)
    task.set_cpu_level("x86-64-v3");
  EXPECT_EQ(mismatchTable(find()), mismatchTable({}));
  tasks[0].set_cpu_level("pdp-11");
  EXPECT_EQ(only(), "/job:ps/task:0 cpu x86-64-v3 | pdp-11");
}

TEST_F(Handshake, WithoutAClockTheMedianCounts) {
  for (Description &task : tasks)
    task.set_clock_ms(5);
  tasks[0].set_clock_ms(INT64_MIN);
  std::vector<Mismatch> found = findMismatches(*plan, cluster, tasks);
  ASSERT_EQ(found.size(), 1u) << mismatchTable(found);
  EXPECT_EQ(found[0].task, "/job:ps/task:0");
}

/// Their difference is the one number that has no absolute value.
TEST_F(Handshake, TheFarthestClockIsFarToo) {
  for (Description &task : tasks)
    task.set_clock_ms(0);
  for (int64_t clock : {INT64_MIN, INT64_MIN + 1, INT64_MAX}) {
    tasks[0].set_clock_ms(clock);
    EXPECT_EQ(findMismatches(*plan, cluster, tasks, {}, 0).size(), 1u) << clock;
  }
}

TEST_F(Handshake, TextsOfPeersAreMadeSafe) {
  tasks[0].set_cluster_digest("\x1b[2J\n" + std::string(100000, 'x'));
  std::vector<Mismatch> found = find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].found, "?[2J?" + std::string(75, 'x') + "...");
}

} // namespace
