// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and data that tasks take, and where runs end with the data.
#include "runtime/format/PlanSlice.h"
#include "runtime/protocol/PlanManifest.h"
#include "test/runtime/task/PingCluster.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

std::shared_ptr<const Model> modelOf(const test::ModelBuilder &builder) {
  auto plan = Model::fromBytes(builder.finish(), "plan.bin");
  EXPECT_TRUE(plan.isOk()) << plan.status().toString();
  return plan.isOk() ? *plan : nullptr;
}

/// Two workers that take only this plan.
test::DirectOptions onlyPlan(const std::string &manifest) {
  return {test::makeCluster(0, 2), 1, false, [manifest](TaskOptions &task) {
            task.allowedPlans = {allowDigest(manifest)};
          }};
}

TEST(TaskMachine, PlansMustBeAllowed) {
  std::string list = *makePlanManifest(*modelOf(test::pingModel(3)));
  DirectCluster cluster(onlyPlan(list));
  ClientMachine &client = cluster.addClient(test::pingModel(3));
  client.beginOpen();
  EXPECT_TRUE(cluster.finish(client).isOk()) << client.result().toString();

  ClientMachine &other = cluster.addClient(test::pingModel(4));
  other.beginOpen();
  Status status = cluster.finish(other);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  std::string needed =
      allowDigest(*makePlanManifest(*modelOf(test::pingModel(4))));
  EXPECT_NE(status.message().find("start it with --allow=" + needed),
            std::string::npos)
      << status.message();
}

/// A client that speaks the protocol by hand brings other code.
TEST(TaskMachine, OtherBytesDoNotPassAsAnAllowedPlan) {
  auto allowed = modelOf(test::pingModel(3)),
       other = modelOf(test::pingModel(4));
  std::string list = *makePlanManifest(*allowed);
  DirectCluster cluster(onlyPlan(list));
  ClientId client = cluster.openConversation();
  uint64_t id = 0;
  auto load = [&](const Model &plan, const std::string &manifest) {
    std::vector<std::byte> part = *makeSlice(plan, "/job:worker/task:0");
    protocol::Request request;
    request.set_id(++id);
    request.mutable_load()->set_plan(planDigest(*allowed));
    request.mutable_load()->set_part_list(manifest);
    protocol::Chunk &chunk = *request.mutable_load()->mutable_part();
    chunk.set_total(part.size());
    chunk.set_data(part.data(), part.size());
    cluster.send(client, 0, request);
    protocol::Reply reply = cluster.replies(client).front();
    cluster.replies(client).pop_front();
    return reply.failure();
  };
  protocol::Failure forged = load(*other, list);
  EXPECT_EQ(forged.code(), int(StatusCode::PermissionDenied));
  EXPECT_NE(forged.message().find("is not the one that the allowed plan has "
                                  "for /job:worker/task:0"),
            std::string::npos)
      << forged.message();
  for (const std::string &wrong :
       {std::string(), *makePlanManifest(*other), list + list}) {
    protocol::Failure refused = load(*other, wrong);
    EXPECT_EQ(refused.code(), int(StatusCode::PermissionDenied));
    EXPECT_NE(
        refused.message().find(
            "is not allowed at /job:worker/task:0; start it with --allow"),
        std::string::npos)
        << refused.message();
  }
  EXPECT_EQ(load(*allowed, list).message(), "");
}

/// Parts of plans that come at the same time share the limit, and what is given
/// up gives its share back.
TEST(TaskMachine, PartsThatComeAreBoundedTogether) {
  DirectCluster cluster({test::makeCluster(0, 2), 1, false,
                         [](TaskOptions &task) { task.mostPartBytes = 1000; }});
  ClientId first = cluster.openConversation(),
           second = cluster.openConversation();
  auto send = [&](ClientId client, uint64_t id, size_t offset, size_t total) {
    protocol::Request request;
    request.set_id(id);
    request.mutable_load()->set_plan(std::to_string(id));
    protocol::Chunk &chunk = *request.mutable_load()->mutable_part();
    chunk.set_total(total);
    chunk.set_offset(offset);
    chunk.set_data(std::string(600, 'x'));
    cluster.send(client, 0, request);
    int code = 0;
    for (const protocol::Reply &reply : cluster.replies(client))
      code = reply.failure().code();
    cluster.replies(client).clear();
    return code;
  };
  EXPECT_EQ(send(first, 1, 0, 900), 0);
  EXPECT_EQ(send(second, 2, 0, 900), int(StatusCode::ResourceExhausted));
  EXPECT_EQ(send(first, 1, 0, 900), int(StatusCode::InvalidArgument));
  EXPECT_EQ(send(second, 3, 0, 900), 0);
}

TEST(TaskMachine, DescribesTheDevicesThatItHas) {
  DirectCluster cluster({test::makeCluster(0, 2), 1, false,
                         [](TaskOptions &task) { task.virtualGpus = true; }});
  const std::string device = "/job:worker/replica:0/task:1/device:";
  test::ModelBuilder plan;
  test::GraphSpec &graph = plan.addGraph("run");
  graph.device = device + "CPU:1";
  uint32_t onGpu = graph.addProgram(device + "GPU:3");
  test::ProgramSpec &program = graph.program(onGpu);
  program.addFill(program.addArena("x", {DType::Float32, {4}}), {0});
  ClientMachine &client = cluster.addClient(plan);
  auto devices = [&] {
    protocol::Reply::Description text = cluster.task(1).describe("");
    return std::vector<std::string>(text.devices().begin(),
                                    text.devices().end());
  };
  std::vector<std::string> expected = {device + "CPU:0", device + "GPU:*"};
  EXPECT_EQ(devices(), expected);
  client.beginOpen();
  EXPECT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  expected.insert(expected.begin() + 1, device + "CPU:1");
  expected.push_back(device + "GPU:3");
  EXPECT_EQ(devices(), expected);
}

std::string pointsFile(int rows) {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder ? folder : "/tmp") + "/cluster-" +
                     std::to_string(rows) + ".csv";
  std::ofstream file(path);
  file << "x\n";
  for (int i = 0; i < rows; ++i)
    file << i << "\n";
  return path;
}

/// Any seed may be the first, and another one may come.
TEST(TaskMachine, DataAreBoundWithASeed) {
  DirectCluster cluster({test::makeCluster(1, 2), 1, false, {}});
  for (uint64_t seed : {5, 6, 6}) {
    ClientOptions options;
    options.seed = seed;
    ClientMachine &client = cluster.addClient(test::dataModel(2), options);
    client.beginOpen();
    ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
    client.beginBind("points", pointsFile(12));
    ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
    client.beginRun({"read", {}, {}, 2, false, {}},
                    [](uint64_t, auto) { return true; });
    ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
    cluster.removeClient(client);
  }
}

/// A client that wants another pass does not need the files again; those of
/// another name, and of a client that does not ask for that, are opened.
TEST(TaskMachine, DataAreRewoundWithoutTheirFiles) {
  DirectCluster cluster({test::makeCluster(1, 2), 1, false, {}});
  ClientMachine &client = cluster.addClient(test::dataModel(2), {});
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  std::string file = pointsFile(8);
  client.beginBind("points", file);
  ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  std::filesystem::remove(file);
  for (int pass = 0; pass < 3; ++pass) {
    int steps = 0;
    client.beginRun({"read", {}, {}, 0, false, {}}, [&](uint64_t, auto) {
      ++steps;
      return true;
    });
    ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
    EXPECT_GT(steps, 0);
    client.beginBind("points", file, 0, /*rewinds=*/true);
    ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
    EXPECT_EQ(client.bound().examples(), 8);
  }
  client.beginBind("points", file + ".other", 0, /*rewinds=*/true);
  EXPECT_FALSE(cluster.finish(client).isOk());
  client.beginBind("points", file);
  EXPECT_FALSE(cluster.finish(client).isOk());
}

TEST(TaskMachine, AllTasksStopWhereTheDataEnd) {
  DirectCluster cluster({test::makeCluster(1, 2), 1, false, {}});
  ClientMachine &client = cluster.addClient(test::dataModel(2));
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  std::vector<float> sums;
  auto onStep = [&](uint64_t, auto values) {
    sums.push_back(firstOf(values[0]));
    return true;
  };
  client.beginRun({"read", {}, {}, 0, false, {}}, onStep);
  Status status = cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find("dataset 'points'"), std::string::npos);

  client.beginBind("points", pointsFile(12));
  ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  EXPECT_EQ(client.bound().examples(), 12);
  client.beginRun({"read", {}, {}, 2, false, {}}, onStep);
  ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  EXPECT_FALSE(client.outcome().isEndOfData);
  client.beginRun({"read", {}, {}, 0, false, {}}, onStep);
  ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  EXPECT_TRUE(client.outcome().isEndOfData);
  EXPECT_EQ(client.outcome().steps, 4);
  EXPECT_EQ(sums, (std::vector<float>{2, 10, 18, 2, 10, 18}));
  client.beginRun({"read", {}, {}, 5, false, {}}, onStep);
  ASSERT_TRUE(cluster.finish(client).isOk());
  EXPECT_TRUE(client.outcome().isEndOfData);
  EXPECT_EQ(client.outcome().steps, 0);
}

/// Binds the rows of a file at one task, as its worker's own client does.
void bindAt(DirectCluster &cluster, const ClientMachine &client, TaskId task,
            int64_t rows) {
  ClientId id = cluster.openConversation();
  protocol::Request request;
  request.set_id(1);
  request.mutable_bind()->set_plan(planDigest(client.plan()));
  request.mutable_bind()->set_dataset("points");
  request.mutable_bind()->set_files(pointsFile(rows));
  cluster.send(id, task, request);
  ASSERT_TRUE(cluster.runUntil([&] { return !cluster.replies(id).empty(); }));
  EXPECT_FALSE(cluster.replies(id).front().has_failure());
}

TEST(TaskMachine, ARunNeedsTheSameDataAtItsTasksAndNoClientBefore) {
  DirectCluster cluster({test::makeCluster(1, 2), 1, false, {}});
  ClientMachine &client = cluster.addClient(test::dataModel(1));
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  bindAt(cluster, client, 1, 12);
  bindAt(cluster, client, 2, 16);
  client.beginRun({"read", {}, {}, 0, false, {}},
                  [](uint64_t, auto) { return true; });
  Status status = cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  for (const char *part : {"dataset 'points' has other data at /job:worker/",
                           "/job:worker/task:0", "/job:worker/task:1"})
    EXPECT_NE(status.message().find(part), std::string::npos)
        << status.message();

  // What others have left there does not keep the next client out.
  ClientMachine &next = cluster.addClient(test::dataModel(1));
  next.beginOpen();
  ASSERT_TRUE(cluster.finish(next).isOk()) << next.result().toString();
  next.beginBind("points", pointsFile(12));
  ASSERT_TRUE(cluster.finish(next).isOk()) << next.result().toString();
  next.beginRun({"read", {}, {}, 0, false, {}},
                [](uint64_t, auto) { return true; });
  ASSERT_TRUE(cluster.finish(next).isOk()) << next.result().toString();
  EXPECT_EQ(next.outcome().steps, 3);
}

TEST(TaskMachine, OthersMayListenToARunOfTheChief) {
  DirectCluster cluster({test::makeCluster(1, 2), 3, false, {}});
  ClientOptions other;
  other.isChief = false;
  other.worker = 1;
  test::ModelBuilder model = test::dataModel(0);
  model.graphs[0].addFetch("mine", 0, 2);
  ClientMachine &chief = cluster.addClient(model);
  ClientMachine &listener = cluster.addClient(model, other);
  chief.beginOpen();
  ASSERT_TRUE(cluster.finish(chief).isOk());
  listener.beginOpen();
  ASSERT_TRUE(cluster.finish(listener).isOk());
  chief.beginBind("points", pointsFile(12));
  ASSERT_TRUE(cluster.finish(chief).isOk());
  std::vector<float> mine;
  listener.beginRun({"read", {}, {}, 5, false, {}}, [&](uint64_t, auto values) {
    mine.push_back(firstOf(values[0]));
    return true;
  });
  cluster.settle();
  EXPECT_TRUE(listener.isBusy());
  chief.beginRun({"read", {}, {"sum"}, 5, false, {}},
                 [](uint64_t, auto) { return true; });
  ASSERT_TRUE(cluster.finish(chief).isOk()) << chief.result().toString();
  ASSERT_TRUE(cluster.finish(listener).isOk()) << listener.result().toString();
  EXPECT_EQ(mine, (std::vector<float>{2, 6, 10, 2, 6}));
}

} // namespace
