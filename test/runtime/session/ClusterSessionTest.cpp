// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions on clusters in this process, and on tasks that do not answer: no
// call outlives its deadline.
#include "runtime/session/ClusterSession.h"

#include "runtime/base/Clock.h"
#include "runtime/transport/LocalCluster.h"
#include "test/runtime/session/SessionModels.h"

#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

namespace graphc::runtime {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

/// The model with its CPU on worker 0, GPU:0 on worker 1, GPU:1 on worker 2.
std::shared_ptr<const Model> overTasks(test::ModelBuilder builder) {
  auto move = [](std::string &device) {
    std::string task = device.find("GPU:0") != std::string::npos   ? "1"
                       : device.find("GPU:1") != std::string::npos ? "2"
                                                                   : "0";
    device = "/job:worker/replica:0/task:" + task + "/device:CPU:0";
  };
  for (test::GraphSpec &graph : builder.graphs)
    for (uint32_t i = 0; i < graph.programCount(); ++i)
      move(graph.program(i).device);
  for (test::VariableSpec &variable : builder.variables)
    move(variable.device);
  auto model = Model::fromBytes(builder.finish(), "m.bin");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return *model;
}

/// Twelve points of y = 3 x.
std::string pointsFile() {
  std::string path = testing::TempDir() + "cluster-session-points.csv";
  std::ofstream file(path);
  file << "x,y\n";
  for (int i = 0; i < 12; ++i)
    file << i % 4 << "," << 3 * (i % 4) << "\n";
  return path;
}

std::unique_ptr<LocalCluster> startTasks(const char *counts) {
  LocalClusterOptions options;
  options.cluster = *parseTaskCounts(counts);
  options.threads = 1;
  auto cluster = LocalCluster::start(std::move(options));
  EXPECT_TRUE(cluster.isOk()) << cluster.status().message();
  return std::move(cluster).value();
}

ClusterOptions bounded() {
  ClusterOptions options;
  options.deadlineNanos = 20'000 * kMillisecond;
  return options;
}

std::unique_ptr<ClusterSession> openOn(LocalCluster &cluster,
                                       std::shared_ptr<const Model> model,
                                       ClusterOptions options = bounded()) {
  auto session =
      ClusterSession::open(std::move(model), cluster.cluster(),
                           cluster.connect().value(), std::move(options));
  EXPECT_TRUE(session.isOk()) << session.status().message();
  return std::move(session).value();
}

float weightOf(ClusterSession &session) {
  auto value = session.readVariable("w");
  EXPECT_TRUE(value.isOk()) << value.status().message();
  return value->as<float>()[0];
}

TEST(ClusterSessionTest, TrainsUntilTheDataEnd) {
  auto tasks = startTasks("worker:1");
  auto session = openOn(*tasks, overTasks(test::linearModel(50)));
  ASSERT_TRUE(session->initialize().isOk());
  EXPECT_EQ(weightOf(*session), 0.5f);
  auto bound = session->bindDataset("points", pointsFile());
  ASSERT_TRUE(bound.isOk()) << bound.status().message();
  EXPECT_EQ(bound->examples, 12);
  uint64_t steps = 0;
  auto outcome =
      session->runSteps({"train", {}, {}, 0}, [&](const StepView &view) {
        EXPECT_EQ(view.step(), ++steps);
        EXPECT_EQ(view.name(0), "loss");
        return true;
      });
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(outcome->steps, 150);
  EXPECT_EQ(outcome->end, RunOutcome::End::EndOfData);
  EXPECT_NEAR(weightOf(*session), 3, 1e-3);
}

TEST(ClusterSessionTest, SavesAndLoads) {
  auto tasks = startTasks("worker:1");
  auto model = overTasks(test::linearModel(50));
  std::string path = testing::TempDir() + "cluster-session.safetensors";
  {
    auto session = openOn(*tasks, model);
    ASSERT_TRUE(session->initialize().isOk());
    std::vector<float> seven = {7};
    ASSERT_TRUE(
        session->writeVariable("w", HostTensor::of<float>({}, seven)).isOk());
    ASSERT_TRUE(session->save(path, {{"step", "12"}}).isOk());
    EXPECT_FALSE(session->readVariable("v").isOk());
  }
  auto other = startTasks("worker:1");
  auto session = openOn(*other, model);
  std::map<std::string, std::string> texts;
  Status loaded = session->load(path, &texts);
  ASSERT_TRUE(loaded.isOk()) << loaded.message();
  EXPECT_EQ(texts["step"], "12");
  EXPECT_EQ(weightOf(*session), 7);
  std::vector<float> x = {1, 2, 3, 4};
  auto values =
      session->run({"predict", {{"x", HostTensor::of<float>({4}, x)}}, {}, 1});
  ASSERT_TRUE(values.isOk()) << values.status().message();
  EXPECT_EQ((*values)[0].as<float>()[3], 28);
}

TEST(ClusterSessionTest, VariablesStayForTheNextClient) {
  auto tasks = startTasks("worker:1");
  auto model = overTasks(test::linearModel(50));
  {
    auto session = openOn(*tasks, model);
    ASSERT_TRUE(session->initialize().isOk());
    std::vector<float> seven = {7};
    ASSERT_TRUE(
        session->writeVariable("w", HostTensor::of<float>({}, seven)).isOk());
  }
  auto session = openOn(*tasks, model);
  ASSERT_TRUE(session->initialize().isOk());
  EXPECT_EQ(weightOf(*session), 7);
}

TEST(ClusterSessionTest, ThreeTasksWithAMirror) {
  auto tasks = startTasks("worker:3");
  auto session = openOn(*tasks, overTasks(test::towersModel(2)));
  ASSERT_TRUE(session->initialize().isOk());
  // The mirror gets its value from its variable.
  auto mirror = session->run({"mirror", {}, {}, 1});
  ASSERT_TRUE(mirror.isOk()) << mirror.status().message();
  auto bound = session->bindDataset("points", pointsFile());
  ASSERT_TRUE(bound.isOk()) << bound.status().message();
  std::vector<float> sums;
  auto outcome =
      session->runSteps({"train", {}, {"sum"}, 0}, [&](const StepView &view) {
        HostTensor sum = view.tensor(0);
        sums.push_back(sum.as<float>()[0]);
        return true;
      });
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(outcome->steps, 6);
  EXPECT_EQ(sums.size(), 6u);
}

TEST(ClusterSessionTest, CallbackEndsTheRun) {
  auto tasks = startTasks("worker:1");
  auto session = openOn(*tasks, overTasks(test::linearModel(0)));
  ASSERT_TRUE(session->initialize().isOk());
  ASSERT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  auto outcome =
      session->runSteps({"train", {}, {}, 1'000'000'000},
                        [](const StepView &view) { return view.step() < 10; });
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(outcome->end, RunOutcome::End::Stopped);
  // The session goes on.
  auto next = session->runSteps({"train", {}, {}, 5},
                                [](const StepView &) { return true; });
  ASSERT_TRUE(next.isOk()) << next.status().message();
  EXPECT_EQ(next->steps, 5);
}

std::vector<float> lossesOf(ClusterSession &session, int64_t steps,
                            std::optional<uint64_t> firstStep) {
  std::vector<float> losses;
  auto outcome = session.runSteps(
      {"eval", {}, {"loss"}, steps},
      [&](const StepView &view) {
        HostTensor loss = view.tensor(0);
        losses.push_back(loss.as<float>()[0]);
        return true;
      },
      firstStep);
  EXPECT_TRUE(outcome.isOk()) << outcome.status().message();
  return losses;
}

TEST(ClusterSessionTest, SeekDataGoesToTheBatchOfAStep) {
  std::string path = testing::TempDir() + "cluster-session-seek.csv";
  std::ofstream file(path);
  file << "x,y\n";
  for (int i = 0; i < 24; ++i)
    file << i << "," << i << "\n";
  file.close();
  auto tasks = startTasks("worker:1");
  auto session = openOn(*tasks, overTasks(test::linearModel(2)));
  ASSERT_TRUE(session->initialize().isOk());
  ASSERT_TRUE(session->bindDataset("points", path).isOk());
  std::vector<float> all = lossesOf(*session, 12, std::nullopt);
  ASSERT_EQ(all.size(), 12u);
  EXPECT_NE(all[4], all[5]);
  ASSERT_TRUE(session->seekData("eval", 4).isOk());
  std::vector<float> rest = lossesOf(*session, 0, 4);
  EXPECT_EQ(rest, std::vector<float>(all.begin() + 4, all.end()));
  // Behind the end there is nothing to go to.
  EXPECT_EQ(session->seekData("eval", 13).code(), StatusCode::OutOfRange);
}

TEST(ClusterSessionTest, LoadGoesOnWhereSaveWas) {
  auto model = overTasks(test::linearModel(50));
  std::string path = testing::TempDir() + "cluster-session-half.safetensors";
  auto train = [&](ClusterSession &session, int64_t steps) {
    std::vector<float> losses;
    auto outcome = session.runSteps({"train", {}, {"loss"}, steps},
                                    [&](const StepView &view) {
                                      HostTensor loss = view.tensor(0);
                                      losses.push_back(loss.as<float>()[0]);
                                      return true;
                                    });
    EXPECT_TRUE(outcome.isOk()) << outcome.status().message();
    return losses;
  };
  auto begin = [&](LocalCluster &tasks) {
    auto session = openOn(tasks, model);
    EXPECT_TRUE(session->initialize().isOk());
    EXPECT_TRUE(session->bindDataset("points", pointsFile()).isOk());
    return session;
  };
  auto first = startTasks("worker:1");
  std::vector<float> whole = train(*begin(*first), 7);
  auto second = startTasks("worker:1");
  auto half = begin(*second);
  train(*half, 4);
  ASSERT_TRUE(half->save(path).isOk());
  auto third = startTasks("worker:1");
  auto rest = begin(*third);
  ASSERT_TRUE(rest->load(path).isOk());
  EXPECT_EQ(rest->position("train").step, 4u);
  EXPECT_EQ(rest->position("train").data["points"].batches, 4u);
  EXPECT_EQ(train(*rest, 3),
            std::vector<float>(whole.begin() + 4, whole.end()));
  EXPECT_EQ(rest->position("train").step, 7u);
}

TEST(ClusterSessionTest, ValuesAreMadeAnewWhereThatIsAskedFor) {
  auto tasks = startTasks("worker:1");
  auto model = overTasks(test::linearModel(0));
  auto session = openOn(*tasks, model);
  ASSERT_TRUE(session->initialize().isOk());
  EXPECT_TRUE(session->madeFirstValues());
  std::vector<float> seven = {7};
  ASSERT_TRUE(
      session->writeVariable("w", HostTensor::of<float>({}, seven)).isOk());
  ASSERT_TRUE(session->initialize().isOk());
  EXPECT_FALSE(session->madeFirstValues());
  EXPECT_EQ(weightOf(*session), 7);
  ASSERT_TRUE(session->initialize(true).isOk());
  EXPECT_EQ(weightOf(*session), 0.5f);
}

TEST(ClusterSessionTest, WrongRequestsAreRefusedHere) {
  auto tasks = startTasks("worker:1");
  auto session = openOn(*tasks, overTasks(test::linearModel(1)));
  EXPECT_EQ(session->checkRequest({"trian", {}, {}, 1}).code(),
            StatusCode::NotFound);
  EXPECT_EQ(session->checkRequest({"train", {}, {"lost"}, 1}).code(),
            StatusCode::NotFound);
  EXPECT_FALSE(session->checkRequest({"predict", {}, {}, 1}).isOk());
}

TEST(ClusterSessionTest, ALostTaskIsNamed) {
  auto tasks = startTasks("worker:3");
  auto session = openOn(*tasks, overTasks(test::towersModel(0)));
  ASSERT_TRUE(session->initialize().isOk());
  ASSERT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  int64_t begin = nowNanos();
  auto outcome = session->runSteps({"train", {}, {}, 1'000'000'000},
                                   [&](const StepView &view) {
                                     if (view.step() == 10)
                                       tasks->stop(2, "test");
                                     return true;
                                   });
  ASSERT_FALSE(outcome.isOk());
  EXPECT_NE(outcome.status().message().find("/job:worker/task:2"),
            std::string::npos)
      << outcome.status().message();
  EXPECT_LT(nowNanos() - begin, 10'000 * kMillisecond);
}

/// Takes requests and never answers.
class SilentConnector final : public TaskConnector {
public:
  explicit SilentConnector(std::atomic<int> &requests) : requests(requests) {}
  void send(TaskId, protocol::Request) override { ++requests; }
  void pump(ClientMachine &, int64_t untilNanos) override {
    while (nowNanos() < untilNanos && !isInterrupted.exchange(false))
      std::this_thread::yield();
  }
  void interrupt() override { isInterrupted = true; }

private:
  std::atomic<int> &requests;
  std::atomic<bool> isInterrupted{false};
};

Status openSilent(ClusterOptions options, std::atomic<int> &requests) {
  return ClusterSession::open(
             overTasks(test::linearModel(1)), *parseTaskCounts("worker:1"),
             std::make_unique<SilentConnector>(requests), std::move(options))
      .status();
}

TEST(ClusterSessionTest, DeadlineEndsOpening) {
  ClusterOptions options;
  options.deadlineNanos = 200 * kMillisecond;
  std::atomic<int> requests{0};
  int64_t begin = nowNanos();
  Status status = openSilent(std::move(options), requests);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded) << status.message();
  EXPECT_LT(nowNanos() - begin, 1'200 * kMillisecond);
  EXPECT_GT(requests.load(), 0);
}

TEST(ClusterSessionTest, StopRequestEndsOpening) {
  ClusterOptions options;
  int64_t begin = nowNanos();
  options.isStopRequested = [&] {
    return nowNanos() - begin > 100 * kMillisecond;
  };
  std::atomic<int> requests{0};
  Status status = openSilent(std::move(options), requests);
  EXPECT_EQ(status.code(), StatusCode::Cancelled) << status.message();
  EXPECT_LT(nowNanos() - begin, 1'200 * kMillisecond);
}

} // namespace
} // namespace graphc::runtime
