// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Training, evaluating, predicting, saving and loading through the C++ API.
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "test/runtime/session/OpenModel.h"
#include "test/runtime/session/SessionModels.h"

using namespace graphc;
using namespace graphc::runtime;
using test::openModel;
using test::pointsFile;
using test::temporary;

namespace {

std::unique_ptr<LocalSession> openLinear(int64_t repeat = 1) {
  std::unique_ptr<LocalSession> session = openModel(test::linearModel(repeat));
  EXPECT_TRUE(session->initialize().isOk());
  EXPECT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  return session;
}

float weightOf(Session &session) {
  return session.readVariable("w")->as<float>()[0];
}

float lossOf(const StepView &view) {
  return HostTensor(view.tensor(0)).as<float>()[0];
}

TEST(Session, TrainsUntilTheDataEnd) {
  std::unique_ptr<LocalSession> session = openLinear(50);
  EXPECT_EQ(weightOf(*session), 0.5f);
  std::vector<float> losses;
  auto outcome =
      session->runSteps({"train", {}, {}, 0}, [&](const StepView &view) {
        losses.push_back(lossOf(view));
        EXPECT_EQ(view.step(), losses.size());
        EXPECT_EQ(view.name(0), "loss");
        return true;
      });
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(outcome->steps, 150);
  EXPECT_EQ(outcome->end, RunOutcome::End::EndOfData);
  EXPECT_EQ(losses[0], 2.5f * 2.5f * 14 / 4);
  EXPECT_LT(losses.back(), 1e-6f);
  EXPECT_NEAR(weightOf(*session), 3, 1e-3);
}

/// The x of pointsFile() in the order in which the programs of towersModel()
/// read them, and in that of the file.
std::unique_ptr<LocalSession> openTowers(int threads) {
  SessionOptions options;
  options.threads = threads;
  options.virtualGpus = true;
  std::unique_ptr<LocalSession> session =
      openModel(test::towersModel(2), options);
  EXPECT_TRUE(session->initialize().isOk());
  EXPECT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  return session;
}

std::vector<float> mirrorOf(Session &session) {
  auto values = session.run({"mirror", {}, {}});
  EXPECT_TRUE(values.isOk()) << values.status().message();
  std::span<const float> mirror = (*values)[0].as<float>();
  return {mirror.begin(), mirror.end()};
}

TEST(Session, TowersShareTheBatchesAndEndTogether) {
  for (int threads : {1, 2, 4}) {
    std::unique_ptr<LocalSession> session = openTowers(threads);
    EXPECT_EQ(mirrorOf(*session), std::vector<float>({0.5f, 0.5f}));
    auto outcome =
        session->runSteps({"train", {}, {}, 0}, [&](const StepView &view) {
          EXPECT_EQ(view.size(), 3u);
          EXPECT_EQ(view.name(0), "x0");
          std::vector<float> read;
          for (size_t fetch : {0, 1}) {
            HostTensor half = view.tensor(fetch);
            read.insert(read.end(), half.as<float>().begin(),
                        half.as<float>().end());
          }
          EXPECT_EQ(read, std::vector<float>({0, 1, 2, 3}));
          EXPECT_EQ(view.tensor(2).as<float>()[1], 4);
          return true;
        });
    ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
    EXPECT_EQ(outcome->steps, 6);
    EXPECT_EQ(outcome->end, RunOutcome::End::EndOfData);
    EXPECT_EQ(weightOf(*session), 0.5f + 6 * 2);
    EXPECT_EQ(mirrorOf(*session), std::vector<float>({12.5f, 24.5f}));
  }
}

TEST(Session, MirrorsFollowTheirVariableAndAreNotSaved) {
  std::unique_ptr<LocalSession> session = openTowers(2);
  std::vector<float> values = {7, 8};
  ASSERT_TRUE(
      session->writeVariable("w", HostTensor::of<float>({2}, values)).isOk());
  EXPECT_EQ(mirrorOf(*session), values);
  std::string file = temporary("towers.safetensors");
  ASSERT_TRUE(session->save(file).isOk());
  auto saved = loadSafetensors(file);
  ASSERT_TRUE(saved.isOk());
  ASSERT_EQ(saved->size(), 1u);
  EXPECT_EQ(saved->front().name, "w");
  std::unique_ptr<LocalSession> other = openTowers(1);
  ASSERT_TRUE(other->load(file).isOk());
  EXPECT_EQ(mirrorOf(*other), values);
  EXPECT_EQ(session->readVariable("w/mirror_1").status().code(),
            StatusCode::NotFound);
}

TEST(Session, ProfilesAllPrograms) {
  SessionOptions options;
  options.isProfiled = true;
  options.virtualGpus = true;
  std::unique_ptr<LocalSession> session =
      openModel(test::towersModel(2), options);
  EXPECT_TRUE(session->initialize().isOk());
  EXPECT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  EXPECT_TRUE(session
                  ->runSteps({"train", {}, {}, 3},
                             [](const StepView &) { return true; })
                  .isOk());
  std::vector<LocalSession::InstructionTime> times = session->profile("train");
  // CPU: 2 receive, 2 compute, 1 sends; GPU:0: 2; GPU:1: 4.
  ASSERT_EQ(times.size(), 11u);
  EXPECT_EQ(times[3].instruction->name()->str(), "Update");
  EXPECT_EQ(times[5].number, 0u);
  EXPECT_EQ(deviceOf(session->model().index(), *times[5].program),
            "/job:localhost/replica:0/task:0/device:GPU:0");
}

TEST(Session, AfterItsDeadlineItGoesOnWhereItWas) {
  constexpr int64_t kSteps = 8;
  std::unique_ptr<LocalSession> undisturbed = openLinear(0);
  std::vector<float> weights = {weightOf(*undisturbed)};
  for (int64_t step = 0; step < kSteps; ++step) {
    ASSERT_TRUE(undisturbed->run({"train", {}, {}}).isOk());
    weights.push_back(weightOf(*undisturbed));
  }

  test::ModelBuilder model = test::linearModel(0);
  test::InstructionSpec nap = {
      test::HostCallSpec{format::HostFunction::Sleep, 0, {}, 0, 1, 30}};
  nap.name = "nap";
  auto &train = model.graphs[1].instructions;
  train.insert(train.begin() + 1, nap);
  SessionOptions options;
  options.deadlineNanos = 100'000'000;
  std::unique_ptr<LocalSession> session = openModel(model, options);
  ASSERT_TRUE(session->initialize().isOk());
  ASSERT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  int64_t done = 0;
  auto count = [&](const StepView &) { return ++done > 0; };
  Status status = session->runSteps({"train", {}, {}, 1000}, count).status();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_TRUE(status.message().starts_with(
      "running graph 'train' took longer than its deadline of 0.1 s: step " +
      std::to_string(done + 1) +
      ": program '/job:localhost/replica:0/task:0/device:CPU:0' is at op "))
      << status.message();
  ASSERT_LE(done, 3);
  EXPECT_EQ(weightOf(*session), weights[done]);
  GraphPosition position = session->position("train");
  EXPECT_EQ(position.step, static_cast<uint64_t>(done));
  EXPECT_EQ(position.data["points"].batches, static_cast<uint64_t>(done));
  // A loaded machine may need more than one call for a step.
  for (int calls = 0; calls < 100 && done < kSteps; ++calls)
    if (session->runSteps({"train", {}, {}, 1}, count).isOk())
      EXPECT_EQ(weightOf(*session), weights[done]) << done;
  EXPECT_EQ(done, kSteps);
}

TEST(Session, APartOfAPlanIsForServers) {
  auto whole = Model::fromBytes(test::linearModel(1).finish(), "m.bin");
  auto bytes = makeSlice(**whole, "/job:localhost/task:0");
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  auto part = Model::fromBytes(std::move(bytes).value(), "part.bin");
  ASSERT_TRUE(part.isOk()) << part.status().message();
  auto session = LocalSession::create(*part, {});
  EXPECT_EQ(session.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(session.status().message(),
            "model file 'part.bin' is only the part of task "
            "'/job:localhost/task:0'; give the whole model.bin, or serve it "
            "with graphc-server");
}

TEST(Session, SaysWhichDevicesAreMissing) {
  auto open = [](const test::ModelBuilder &builder) {
    auto model = Model::fromBytes(builder.finish(), "m.bin");
    EXPECT_TRUE(model.isOk()) << model.status().message();
    return LocalSession::create(*model, {}).status();
  };
  test::ModelBuilder towers = test::towersModel(1);
  Status status = open(towers);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(),
            "'m.bin' needs GPU:0 and GPU:1, which this process does not have; "
            "let the CPU execute their programs with --virtual-gpus, or "
            "recompile with --devices=cpu:0");

  test::ModelBuilder many = test::linearModel(1);
  for (int i = 0; i < 12; ++i)
    many.addGraph("g" + std::to_string(i)).device =
        "/job:localhost/replica:0/task:0/device:GPU:" + std::to_string(i);
  EXPECT_NE(
      open(many).message().find("needs GPU:0, GPU:1, GPU:2, GPU:3, GPU:4, "
                                "GPU:5, GPU:6 and 5 others,"),
      std::string::npos)
      << open(many).message();

  test::ModelBuilder cluster = test::linearModel(1);
  cluster.graphs[1].device = "/job:ps/replica:0/task:0/device:CPU:0";
  EXPECT_EQ(open(cluster).message(),
            "'m.bin' is compiled for the tasks /job:localhost/replica:0/task:0 "
            "and /job:ps/replica:0/task:0, and this process is one task; "
            "name the cluster that it is to run on: --target=ADDRESS of "
            "servers that run, --spawn=localhost:1,ps:1 for a server per task "
            "on this machine, or --local-cluster for tasks in this process "
            "(--virtual-gpus runs the programs of all without any cluster)");
}

TEST(Session, RunsAsManyStepsAsAsked) {
  std::unique_ptr<LocalSession> session = openLinear(0);
  auto outcome = session->runSteps({"train", {}, {}, 7},
                                   [](const StepView &) { return true; });
  ASSERT_TRUE(outcome.isOk());
  EXPECT_EQ(outcome->steps, 7);
  EXPECT_EQ(outcome->end, RunOutcome::End::AllSteps);
}

TEST(Session, ACallbackEndsTheRunAtAStepBoundary) {
  std::unique_ptr<LocalSession> session = openLinear(0);
  auto outcome =
      session->runSteps({"train", {}, {}, 1000},
                        [](const StepView &view) { return view.step() < 3; });
  ASSERT_TRUE(outcome.isOk());
  EXPECT_EQ(outcome->steps, 3);
  EXPECT_EQ(outcome->end, RunOutcome::End::Stopped);
}

TEST(Session, GraphsShareVariables) {
  std::unique_ptr<LocalSession> session = openLinear();
  ASSERT_TRUE(
      session->writeVariable("w", HostTensor::of<float>({}, {{2.0f}})).isOk());
  std::vector<float> x = {1, 2, 3, 4};
  auto values = session->run(
      {"predict", {{"x", HostTensor::of<float>({4}, x)}}, {"y", "w"}, 1});
  ASSERT_TRUE(values.isOk()) << values.status().message();
  ASSERT_EQ(values->size(), 2u);
  EXPECT_EQ((*values)[0].as<float>()[3], 8);
  EXPECT_EQ((*values)[1].as<float>()[0], 2);
}

TEST(Session, FeedsStayForAllSteps) {
  std::unique_ptr<LocalSession> session = openModel(test::divideModel());
  RunRequest request{"divide",
                     {{"x", HostTensor::of<float>({}, {{6.0f}})},
                      {"y", HostTensor::of<float>({}, {{2.0f}})}},
                     {},
                     5};
  int steps = 0;
  auto outcome = session->runSteps(request, [&](const StepView &view) {
    EXPECT_EQ(lossOf(view), 3);
    return ++steps > 0;
  });
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(steps, 5);
}

TEST(Session, EachGraphCountsItsSteps) {
  SessionOptions options;
  options.seed = 5;
  std::unique_ptr<LocalSession> session =
      openModel(test::valuesModel(), options);
  for (int64_t step = 0; step < 3; ++step) {
    auto values = session->run({"hello", {}, {"state"}, 1});
    ASSERT_TRUE(values.isOk());
    EXPECT_EQ((*values)[0].as<int64_t>()[0], 5);
    EXPECT_EQ((*values)[0].as<int64_t>()[1], step);
  }
}

TEST(Session, SavesAndLoadsAllVariables) {
  std::unique_ptr<LocalSession> session = openLinear();
  std::string path = temporary("w.safetensors");
  ASSERT_TRUE(
      session->writeVariable("w", HostTensor::of<float>({}, {{7.0f}})).isOk());
  ASSERT_TRUE(session->save(path).isOk());
  std::unique_ptr<LocalSession> other = openModel(test::linearModel(1));
  Status loaded = other->load(path);
  ASSERT_TRUE(loaded.isOk()) << loaded.message();
  EXPECT_EQ(weightOf(*other), 7);
}

TEST(Session, VariablesNeedValuesFirst) {
  std::unique_ptr<LocalSession> session = openModel(test::linearModel(1));
  ASSERT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  auto values = session->run({"train", {}, {}, 1});
  ASSERT_FALSE(values.isOk());
  EXPECT_EQ(values.status().message(), "the variables have no values yet; call "
                                       "initialize() or load() first");
}

TEST(Session, InitializeAgainStartsOver) {
  std::unique_ptr<LocalSession> session = openLinear(0);
  ASSERT_TRUE(session->run({"train", {}, {}, 1}).isOk());
  EXPECT_NE(weightOf(*session), 0.5f);
  ASSERT_TRUE(session->initialize().isOk());
  EXPECT_EQ(weightOf(*session), 0.5f);
}

TEST(Session, ADatasetCanBeBoundAgain) {
  std::unique_ptr<LocalSession> session = openLinear(1);
  for (int step = 0; step < 3; ++step)
    ASSERT_TRUE(session->run({"eval", {}, {}, 1}).isOk());
  auto ended = session->run({"eval", {}, {}, 1});
  EXPECT_EQ(ended.status().code(), StatusCode::OutOfRange);
  ASSERT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  EXPECT_TRUE(session->run({"eval", {}, {}, 1}).isOk());
}

TEST(Session, ANanStopsBeforeTheUpdate) {
  std::unique_ptr<LocalSession> session = openLinear(0);
  float infinite = std::numeric_limits<float>::infinity();
  ASSERT_TRUE(
      session->writeVariable("w", HostTensor::of<float>({}, {{infinite}}))
          .isOk());
  auto values = session->run({"train", {}, {}, 1});
  ASSERT_FALSE(values.isOk());
  EXPECT_NE(values.status().message().find("variable 'w' held Inf"),
            std::string::npos)
      << values.status().message();
}

TEST(Session, ThreadsAreShared) {
  SessionOptions two;
  two.threads = 2;
  std::unique_ptr<LocalSession> first = openModel(test::divideModel(), two);
  std::unique_ptr<LocalSession> second = openModel(test::divideModel());
  EXPECT_EQ(first->threads(), 2);
  EXPECT_EQ(second->threads(), 2);
}

void expectFailure(Session &session, const RunRequest &request,
                   const std::string &text) {
  auto values = session.run(request);
  ASSERT_FALSE(values.isOk()) << text;
  EXPECT_EQ(values.status().message(), text);
}

TEST(Session, RequestsThatDoNotFitAreExplained) {
  std::unique_ptr<LocalSession> session = openModel(test::linearModel(0));
  ASSERT_TRUE(session->initialize().isOk());
  expectFailure(*session, {"trian", {}, {}, 1},
                "'m.bin' has no graph 'trian'; it has 'train', 'eval', "
                "'predict'; did you mean 'train'?");
  expectFailure(*session, {"train", {}, {"los"}, 1},
                "graph 'train' has no fetch 'los'; it has 'loss'; did you mean "
                "'loss'?");
  expectFailure(*session, {"train", {}, {}, 1},
                "dataset 'points' of graph 'train' has no data; name its files "
                "(--data points=FILE[,FILE...])");
  ASSERT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  auto endless = session->runSteps({"train", {}, {}, 0},
                                   [](const StepView &) { return true; });
  EXPECT_EQ(endless.status().message(), "the data of graph 'train' have no "
                                        "end; say how many steps to run "
                                        "(--steps=N)");
  auto negative = session->runSteps({"train", {}, {}, -1},
                                    [](const StepView &) { return true; });
  EXPECT_EQ(negative.status().code(), StatusCode::InvalidArgument);
}

} // namespace
