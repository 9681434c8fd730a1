// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients that run plans on tasks over gRPC.
#include "runtime/base/Clock.h"
#include "runtime/rpc/GrpcConnector.h"
#include "runtime/rpc/MakeCerts.h"
#include "runtime/rpc/server/GrpcTask.h"
#include "test/runtime/format/ModelBuilder.h"
#include "test/runtime/rpc/TempFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <numeric>
#include <thread>

namespace graphc::runtime {

namespace {

using graphc::test::GraphSpec;
using graphc::test::ModelBuilder;
using ::testing::HasSubstr;

constexpr int64_t kMaxNanos = 20'000'000'000;

/// Graph "relay": feed x goes from worker 0 to worker 1 and back: fetch y.
std::shared_ptr<const Model> relayModel(int64_t elements) {
  auto cpu = [](int task) {
    return "/job:worker/replica:0/task:" + std::to_string(task) +
           "/device:CPU:0";
  };
  ModelBuilder model;
  const TensorType type{DType::Float32, {elements}};
  GraphSpec &graph = model.addGraph("relay");
  graph.device = cpu(0);
  uint32_t other = graph.addProgram(cpu(1));
  uint32_t x = graph.addArena("x", type);
  graph.addFeed("x", x);
  uint32_t there = graph.transfer(0, x, other);
  uint32_t back = graph.transfer(other, there, 0);
  uint32_t y = graph.addArena("y", type);
  graph.addCopy(back, y);
  graph.addFetch("y", y);
  auto opened = Model::fromBytes(model.finish(), "relay");
  EXPECT_TRUE(opened.isOk()) << opened.status().toString();
  return opened.isOk() ? *opened : nullptr;
}

class GrpcClientTest : public ::testing::TestWithParam<Route>,
                       public ClientEnvironment {
protected:
  void startTasks(const Credentials &tls = {}) {
    taskTls = tls;
    std::vector<ClusterTask> list;
    for (uint32_t i = 0; i < 2; ++i)
      list.push_back({"worker", i, "unix:" + folder / std::to_string(i)});
    cluster = *ClusterSpec::make(list);
    for (TaskId i = 0; i < 2; ++i)
      startTask(i);
  }
  void startTask(TaskId self) {
    GrpcTaskOptions options;
    options.task.cluster = cluster;
    options.task.self = self;
    options.task.incarnation = nextIncarnation++;
    options.task.threads = 1;
    options.server.bind = *TaskAddress::parse(cluster.task(self).address);
    options.server.credentials = taskTls;
    options.route = GetParam();
    options.log = [](Severity, std::string_view) {};
    auto task = GrpcTask::start(std::move(options));
    ASSERT_TRUE(task.isOk()) << task.status().toString();
    tasks[self] = std::move(*task);
  }
  void connect(int64_t elements, const Credentials &tls = {}) {
    auto made = GrpcConnector::create(cluster, tls);
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    connector = std::move(*made);
    ClientOptions options;
    options.incarnation = 77;
    options.openNanos = openNanos;
    auto created =
        ClientMachine::create(relayModel(elements), cluster, options, *this);
    ASSERT_TRUE(created.isOk()) << created.status().toString();
    machine = std::move(*created);
    count = elements;
  }

  // ClientEnvironment
  int64_t nowNanos() const override { return runtime::nowNanos(); }
  void send(TaskId task, protocol::Request request) override {
    connector->send(task, std::move(request));
  }
  void status(std::string_view text) override { told += std::string(text); }

  Status finish() {
    int64_t until = nowNanos() + kMaxNanos;
    while (machine->isBusy()) {
      if (nowNanos() > until)
        return internalError("the operation does not end");
      if (nowNanos() >= machine->nextTimer())
        machine->onTimer();
      else
        connector->pump(*machine, std::min(machine->nextTimer(), until));
    }
    return machine->result();
  }
  Status open() {
    machine->beginOpen();
    return finish();
  }
  /// Each step's values must be those that were fed.
  Status relay(int64_t steps, float first) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), first);
    auto bytes = std::as_bytes(std::span(values));
    ClientMachine::Run run;
    run.graph = "relay";
    run.feeds = {{"x", HostTensor::of<float>({count}, values)}};
    run.steps = steps;
    int64_t seen = 0;
    machine->beginRun(run, [&](uint64_t, auto fetches) {
      EXPECT_EQ(fetches.size(), 1u);
      EXPECT_EQ(fetches[0].size(), bytes.size());
      EXPECT_EQ(std::memcmp(fetches[0].data(), bytes.data(), bytes.size()), 0);
      ++seen;
      return true;
    });
    GRAPHC_TRY(finish());
    EXPECT_EQ(seen, steps);
    return Status::ok();
  }
  static std::string text(const Status &status) { return status.toString(); }

  TempFolder folder;
  ClusterSpec cluster;
  Credentials taskTls;
  uint64_t nextIncarnation = 10;
  int64_t openNanos = kMaxNanos / 2;
  std::unique_ptr<GrpcTask> tasks[2];
  std::unique_ptr<TaskConnector> connector;
  std::unique_ptr<ClientMachine> machine;
  int64_t count = 0;
  std::string told;
};

TEST_P(GrpcClientTest, RunsStepsOneByOneAndMany) {
  startTasks();
  connect(4);
  ASSERT_EQ(text(open()), "OK");
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(text(relay(1, float(i))), "OK");
  EXPECT_EQ(text(relay(1000, 7)), "OK");
}

TEST_P(GrpcClientTest, CarriesLargeValues) {
  startTasks();
  connect(3'000'001);
  ASSERT_EQ(text(open()), "OK");
  EXPECT_EQ(text(relay(3, 1)), "OK");
}

TEST_P(GrpcClientTest, WaitsForTasksThatComeLater) {
  startTasks();
  tasks[1].reset();
  connect(4);
  machine->beginOpen();
  int64_t end = nowNanos() + kMaxNanos;
  while (told.empty() && nowNanos() < end) {
    if (nowNanos() >= machine->nextTimer())
      machine->onTimer();
    connector->pump(*machine,
                    std::min(machine->nextTimer(), nowNanos() + 50'000'000));
  }
  EXPECT_THAT(told, HasSubstr("/job:worker/task:1"));
  startTask(1);
  EXPECT_EQ(text(finish()), "OK");
  EXPECT_EQ(text(relay(5, 1)), "OK");
}

TEST_P(GrpcClientTest, NamesATaskThatHasGoneAndFindsItAgain) {
  startTasks();
  connect(4);
  ASSERT_EQ(text(open()), "OK");
  ASSERT_EQ(text(relay(5, 1)), "OK");
  tasks[1].reset();
  Status lost = relay(5, 1);
  EXPECT_EQ(lost.code(), StatusCode::Unavailable) << text(lost);
  EXPECT_THAT(lost.message(), HasSubstr("/job:worker/task:1"));
  startTask(1);
  EXPECT_EQ(text(open()), "OK");
  // The other task waits for a link to this process.
  EXPECT_EQ(text(relay(5, 1)), "OK");
}

TEST_P(GrpcClientTest, RunsUnderTls) {
  ASSERT_TRUE(makeCertificates(folder / "c", {}).isOk());
  startTasks(*Credentials::load(folder / "c/task"));
  connect(400'000, *Credentials::load(folder / "c/client"));
  ASSERT_EQ(text(open()), "OK");
  EXPECT_EQ(text(relay(5, 1)), "OK");
}

TEST_P(GrpcClientTest, SaysThatCertificatesDoNotFit) {
  ASSERT_TRUE(makeCertificates(folder / "c", {}).isOk());
  ASSERT_TRUE(makeCertificates(folder / "other", {}).isOk());
  startTasks(*Credentials::load(folder / "c/task"));
  connect(4, *Credentials::load(folder / "other/client"));
  Status refused = open();
  EXPECT_EQ(refused.code(), StatusCode::PermissionDenied) << text(refused);
  EXPECT_THAT(refused.message(), HasSubstr("certificates do not fit"));
}

TEST_P(GrpcClientTest, SendsNoPlanToAServerThatIsNoTask) {
  ASSERT_TRUE(makeCertificates(folder / "c", {}).isOk());
  startTasks(*Credentials::load(folder / "c/client"));
  connect(4, *Credentials::load(folder / "c/client"));
  Status refused = open();
  EXPECT_EQ(refused.code(), StatusCode::PermissionDenied) << text(refused);
  EXPECT_THAT(refused.message(),
              HasSubstr("has the role 'client', but a server needs the role "
                        "'task'"));
}

TEST_P(GrpcClientTest, InterruptEndsAWait) {
  startTasks();
  connect(4);
  ASSERT_EQ(text(open()), "OK");
  std::thread other([this] { connector->interrupt(); });
  int64_t before = nowNanos();
  connector->pump(*machine, before + kMaxNanos);
  other.join();
  EXPECT_LT(nowNanos() - before, kMaxNanos / 2);
}

INSTANTIATE_TEST_SUITE_P(Routes, GrpcClientTest,
                         ::testing::Values(Route::Auto, Route::Grpc));

} // namespace

} // namespace graphc::runtime
