// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models on GPUs, as a session runs them: the numbers are the CPU's.
#include "test/runtime/session/OpenModel.h"
#include "test/runtime/target/cuda/program/GpuModels.h"

#include <cmath>

using namespace graphc;
using namespace graphc::runtime;
using test::openModel;
using test::pointsFile;

namespace {

HostTensor floats(std::vector<int64_t> shape, std::vector<float> values) {
  return HostTensor::of<float>(std::move(shape), values);
}

/// The fetches of each step of graph "train", one after the other.
std::vector<float> train(Session &session, int64_t steps) {
  EXPECT_TRUE(session.initialize().isOk());
  EXPECT_TRUE(
      session.bindDataset("points", pointsFile("gpu-points.csv")).isOk());
  std::vector<float> values;
  RunRequest request;
  request.graph = "train";
  request.steps = steps;
  auto outcome = session.runSteps(request, [&](const StepView &view) {
    for (size_t i = 0; i < view.size(); ++i) {
      HostTensor tensor = view.tensor(i);
      for (float value : tensor.as<float>())
        values.push_back(value);
    }
    return true;
  });
  EXPECT_TRUE(outcome.isOk()) << outcome.status().message();
  return values;
}

SessionOptions onCpu() {
  SessionOptions options;
  options.virtualGpus = true;
  return options;
}

void expectNear(const std::vector<float> &values,
                const std::vector<float> &expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1e-5 * (1 + std::abs(expected[i])))
        << i;
}

test::ModelBuilder linearOnGpu() {
  return test::onDevice(test::withGpuCode(test::linearModel(0)), test::kGpu0);
}

TEST(GpuSession, TrainsLikeTheCpu) {
  auto gpu = openModel(linearOnGpu()), cpu = openModel(linearOnGpu(), onCpu());
  expectNear(train(*gpu, 20), train(*cpu, 20));
  EXPECT_NEAR(gpu->readVariable("w")->as<float>()[0],
              cpu->readVariable("w")->as<float>()[0], 1e-5);
}

TEST(GpuSession, RunsTheSameInstructionByInstruction) {
  SessionOptions options;
  options.isProfiled = true;
  auto replayed = openModel(linearOnGpu());
  auto stepwise = openModel(linearOnGpu(), options);
  EXPECT_EQ(train(*replayed, 20), train(*stepwise, 20));
  std::vector<LocalSession::InstructionTime> times = stepwise->profile("train");
  ASSERT_EQ(times.size(), 3u);
  for (const LocalSession::InstructionTime &time : times)
    EXPECT_GT(time.seconds, 0);
}

TEST(GpuSession, TwoGpusAndTheCpuAreOneStep) {
  test::ModelBuilder model = test::withGpuCode(test::towersModel(0));
  auto gpu = openModel(model), cpu = openModel(model, onCpu());
  expectNear(train(*gpu, 10), train(*cpu, 10));
  RunRequest mirror;
  mirror.graph = "mirror";
  EXPECT_EQ((*gpu->run(mirror))[0].as<float>()[0],
            gpu->readVariable("w")->as<float>()[0]);
}

TEST(GpuSession, ValuesGoFromGpuToGpuToCpuAndBack) {
  auto session = openModel(test::relayModel());
  HostTensor x = floats({2}, {1, -2});
  RunRequest request;
  request.graph = "relay";
  request.feeds = {{"x", x}};
  for (int step = 0; step < 3; ++step) {
    auto values = session->run(request);
    ASSERT_TRUE(values.isOk()) << values.status().message();
    EXPECT_EQ((*values)[0].as<float>()[0], 8);
    EXPECT_EQ((*values)[0].as<float>()[1], -16);
  }
}

TEST(GpuSession, FeedsAreReadInEachStep) {
  auto session = openModel(linearOnGpu());
  ASSERT_TRUE(session->writeVariable("w", floats({}, {3})).isOk());
  ASSERT_TRUE(session->initialize().isOk());
  ASSERT_TRUE(session->writeVariable("w", floats({}, {3})).isOk());
  for (float first : {1.0f, 2.0f, 5.0f}) {
    RunRequest request;
    request.graph = "predict";
    request.feeds = {{"x", floats({4}, {first, 0, 1, 2})}};
    auto values = session->run(request);
    ASSERT_TRUE(values.isOk()) << values.status().message();
    EXPECT_EQ((*values)[0].as<float>()[0], 3 * first);
    EXPECT_EQ((*values)[0].as<float>()[3], 6);
    EXPECT_EQ((*values)[1].as<float>()[0], 3);
  }
}

TEST(GpuSession, AGraphWithoutInstructionsGivesWhatItWasFed) {
  test::ModelBuilder builder = linearOnGpu();
  test::GraphSpec &graph = builder.addGraph("same");
  graph.device = test::kGpu0;
  uint32_t x = graph.addArena("x", {DType::Float32, {4}});
  graph.addFeed("x", x);
  graph.addFetch("x", x);
  auto session = openModel(builder);
  ASSERT_TRUE(session->initialize().isOk());
  RunRequest request;
  request.graph = "same";
  for (float first : {1.0f, 2.0f}) {
    request.feeds = {{"x", floats({4}, {first, 0, 1, 2})}};
    auto values = session->run(request);
    ASSERT_TRUE(values.isOk()) << values.status().message();
    EXPECT_EQ((*values)[0].as<float>()[0], first);
  }
}

TEST(GpuSession, StepStateAndConstantsReachTheGpu) {
  SessionOptions options;
  options.seed = 77;
  auto session = openModel(
      test::onDevice(test::withGpuCode(test::valuesModel()), test::kGpu0),
      options);
  RunRequest request;
  request.graph = "hello";
  request.fetches = {"state", "large", "yes"};
  for (int64_t step = 0; step < 3; ++step) {
    auto values = session->run(request);
    ASSERT_TRUE(values.isOk()) << values.status().message();
    EXPECT_EQ((*values)[0].as<int64_t>()[0], 77);
    EXPECT_EQ((*values)[0].as<int64_t>()[1], step);
    EXPECT_EQ((*values)[1].as<float>()[39], 39);
  }
}

TEST(GpuSession, NamesTheOpOfANan) {
  auto session = openModel(
      test::onDevice(test::withGpuCode(test::divideModel()), test::kGpu0));
  RunRequest request;
  request.graph = "divide";
  request.feeds = {{"x", floats({}, {1})}, {"y", floats({}, {2})}};
  ASSERT_TRUE(session->run(request).isOk());
  request.feeds = {{"x", floats({}, {0})}, {"y", floats({}, {0})}};
  Status status = session->run(request).status();
  EXPECT_TRUE(status.message().starts_with(
      "step 2: op 'Div' (line 3) made NaN; fetch 'z' is NaN"))
      << status.message();
}

TEST(GpuSession, VariablesAreSavedAndLoaded) {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder ? folder : "/tmp") + "/gpu.safetensors";
  auto session = openModel(linearOnGpu());
  train(*session, 3);
  ASSERT_TRUE(session->save(path).isOk());
  auto other = openModel(linearOnGpu());
  ASSERT_TRUE(other->load(path).isOk());
  EXPECT_EQ(other->readVariable("w")->as<float>()[0],
            session->readVariable("w")->as<float>()[0]);
}

TEST(GpuSession, LibrariesMultiplyRowMajorMatrices) {
  auto session = openModel(test::matmulModel());
  std::vector<float> a(15), b(20), bias = {0.5f, -1, 2, -40};
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 5) - 1;
  RunRequest request;
  request.graph = "matmul";
  request.feeds = {{"a", floats({3, 5}, a)},
                   {"b", floats({5, 4}, b)},
                   {"bias", floats({4}, bias)}};
  for (int step = 0; step < 2; ++step) {
    auto values = session->run(request);
    ASSERT_TRUE(values.isOk()) << values.status().message();
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 4; ++j) {
        float sum = bias[j];
        for (size_t k = 0; k < 5; ++k)
          sum += a[i * 5 + k] * b[k * 4 + j];
        EXPECT_EQ((*values)[0].as<float>()[i * 4 + j], std::max(sum, 0.0f));
      }
  }
}

} // namespace
