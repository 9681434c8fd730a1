// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over GPUs that a library makes instead of the plan's instructions.
#include "runtime/executor/StepEngine.h"
#include "runtime/executor/TaskEngine.h"
#include "runtime/target/DeviceTargets.h"
#include "runtime/target/cpu/LoadKernels.h"
#include "runtime/target/cuda/driver/CudaDevice.h"
#include "runtime/target/cuda/program/CollectivePlan.h"
#include "test/runtime/session/OpenModel.h"
#include "test/runtime/target/cuda/program/ReduceModel.h"

#include <sys/mman.h>

using namespace graphc;
using namespace graphc::runtime;
using test::openModel;

namespace {

HostTensor two(float first, float second) {
  return HostTensor::of<float>({2}, std::vector<float>{first, second});
}

/// A library sums among GPUs that are there, each with one program.
#define NEEDS_GPUS(COUNT)                                                      \
  if (usableCudaDevices().size() < (COUNT))                                    \
  GTEST_SKIP() << (COUNT) << " GPUs are needed"

/// x of GPU k is {k + 1, scale}.
RunRequest requestFor(const char *graph, uint32_t gpus, float scale) {
  RunRequest request;
  request.graph = graph;
  for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    request.feeds.push_back(
        {"x" + std::to_string(gpu), two(static_cast<float>(gpu) + 1, scale)});
  for (const char *fetch : {"y", "z"})
    for (uint32_t gpu = 0; gpu < gpus; ++gpu)
      request.fetches.push_back(fetch + std::to_string(gpu));
  return request;
}

/// Runs a step of each graph and compares y and z.
void expectSums(Session &session, uint32_t gpus, float scale) {
  auto count = static_cast<float>(gpus);
  for (const char *graph : {"reduce", "again"}) {
    auto values = session.run(requestFor(graph, gpus, scale));
    ASSERT_TRUE(values.isOk()) << values.status().message();
    for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
      EXPECT_EQ((*values)[gpu].as<float>()[0], 2 * count * (count + 1));
      EXPECT_EQ((*values)[gpu].as<float>()[1], 4 * count * scale);
      EXPECT_EQ((*values)[gpus + gpu].as<float>()[1], 2 * scale);
    }
  }
}

TEST(GpuCollectives, ALibraryMakesTheSums) {
  NEEDS_GPUS(4u);
  for (uint32_t gpus : {2u, 4u}) {
    auto session = openModel(test::reduceModel(gpus));
    for (float scale : {1.0f, 3.0f, -2.0f})
      expectSums(*session, gpus, scale);
  }
}

TEST(GpuCollectives, InstructionByInstructionToo) {
  NEEDS_GPUS(4u);
  SessionOptions options;
  options.isProfiled = true;
  auto session = openModel(test::reduceModel(4), options);
  for (float scale : {1.0f, 3.0f, -2.0f})
    expectSums(*session, 4, scale);
  EXPECT_EQ(session->profile("reduce").size(), 4u * test::kReduceEnd);
}

TEST(GpuCollectives, AllValuesAreLookedAt) {
  NEEDS_GPUS(2u);
  SessionOptions options;
  options.numerics.checkAll = true;
  auto session = openModel(test::reduceModel(2), options);
  expectSums(*session, 2, 5);
  // 2e38 twice is finite, the sum is not.
  Status status = session->run(requestFor("reduce", 2, 1.5e38f)).status();
  EXPECT_TRUE(status.message().starts_with(
      "step 2: op 'AllReduce' (line 9) on '" + test::gpuName(1) + "' made Inf"))
      << status.message();
}

TEST(GpuCollectives, TheCpuDoesWhatThePlanSays) {
  SessionOptions options;
  options.virtualGpus = true;
  auto session = openModel(test::reduceModel(2), options);
  auto values = session->run(requestFor("reduce", 2, 3));
  ASSERT_TRUE(values.isOk()) << values.status().message();
  EXPECT_EQ((*values)[0].as<float>()[0], 16);
  EXPECT_EQ((*values)[1].as<float>()[0], 8);
  EXPECT_TRUE(session->describeDevices().empty());
}

/// A plan of two GPUs with an engine of one thread, so that program 0 comes
/// first.
class GpuEngine : public HostCalls {
public:
  explicit GpuEngine(const test::ModelBuilder &builder) {
    auto opened = Model::fromBytes(builder.finish(), "m.bin");
    EXPECT_TRUE(opened.isOk()) << opened.status().message();
    model = *opened;
    gpus = openDevices(*model, {test::gpuName(0), test::gpuName(1)},
                       test::openOptions())
               .value();
    kernels = loadKernels(*model, CpuLevel::V3).value();
    device = std::make_unique<CpuDevice>(ThreadPool::create(1).value());
  }

  ExecutorSpec spec() {
    ExecutorSpec spec;
    spec.model = model.get();
    spec.graph = &graph();
    spec.kernels = &kernels;
    spec.device = device.get();
    spec.devices = gpus.get();
    spec.host = this;
    return spec;
  }
  void start() { engine = StepEngine::create(spec()).value(); }

  const format::Graph &graph() const { return *model->findGraph("reduce"); }

  Status nextBatch(const BatchCall &, std::span<std::byte *const>) override {
    return Status::ok();
  }

  /// Program 1 begins with a pause, where its step may fail.
  Status sleep(uint64_t) override {
    return isToFail ? unavailable("it is to fail") : Status::ok();
  }

  /// The sum of {first, 1} and {first, 2}, times two.
  std::vector<float> run(uint64_t step, float first) {
    for (uint32_t program : {0u, 1u}) {
      const format::Port &x = *graph().feeds()->Get(program);
      auto *values = reinterpret_cast<float *>(engine->slot(x).data());
      values[0] = first;
      values[1] = static_cast<float>(program) + 1;
    }
    status = engine->step(step);
    auto *y = reinterpret_cast<const float *>(
        engine->slot(*graph().fetches()->Get(0)).data());
    return status.isOk() ? std::vector<float>(y, y + 2) : std::vector<float>();
  }

  std::shared_ptr<const Model> model;
  std::unique_ptr<ModelDevices> gpus;
  KernelImage kernels;
  std::unique_ptr<CpuDevice> device;
  std::unique_ptr<StepEngine> engine;
  bool isToFail = false;
  Status status;
};

TEST(GpuCollectives, AStepThatWasGivenUpLeavesNothingBehind) {
  NEEDS_GPUS(2u);
  test::ModelBuilder model = test::reduceModel(2);
  test::HostCallSpec sleep;
  sleep.function = format::HostFunction::Sleep;
  sleep.value = 1;
  auto &late = model.graphs[0].program(1).instructions;
  late.insert(late.begin(), {sleep, {}, "Sleep"});
  GpuEngine engine(model);
  engine.start();
  using Floats = std::vector<float>;
  EXPECT_EQ(engine.run(0, 1), Floats({8, 12}));
  for (uint64_t step : {1, 3}) {
    // Program 0 has come to the sum, and waits.
    engine.isToFail = true;
    EXPECT_EQ(engine.run(step, 5), Floats());
    EXPECT_EQ(engine.status.message(), "step " + std::to_string(step + 1) +
                                           ": op 'Sleep': it is to fail");
    engine.isToFail = false;
    EXPECT_EQ(engine.run(step + 1, 2), Floats({16, 12}));
  }
}

TEST(GpuCollectives, AStepMayEndBeforeItsSumIsUsed) {
  NEEDS_GPUS(2u);
  test::ModelBuilder model = test::reduceModel(2);
  for (uint32_t program : {0u, 1u})
    model.graphs[0].program(program).updatesFrom = test::kReduceUse;
  GpuEngine parts(model);
  TaskEngineSpec spec;
  spec.executor = parts.spec();
  spec.programs = {0, 1};
  spec.stopsBeforeUpdate = true;
  auto engine = TaskEngine::create(std::move(spec)).value();
  auto slot = [&](const format::Port &port) {
    return reinterpret_cast<float *>(engine->slot(port).data());
  };
  using State = TaskEngine::State;
  for (uint64_t step = 0; step < 6; ++step) {
    for (const format::Port *x : *parts.graph().feeds())
      slot(*x)[0] = slot(*x)[1] = static_cast<float>(step);
    engine->begin(step);
    ASSERT_EQ(engine->advance(), State::AtUpdate);
    if (step % 2 == 0) {
      engine->skipUpdate();
    } else {
      engine->permitUpdate();
      engine->advance();
      EXPECT_EQ(slot(*parts.graph().fetches()->Get(0))[0], 8.0f * step);
    }
    ASSERT_EQ(engine->state(), State::Done) << engine->failure().message();
  }
}

/// Exchanges an instruction of a program with the next one.
void exchange(const format::Program &program, uint32_t instruction) {
  // Offsets count from their own place.
  auto *words = reinterpret_cast<uint32_t *>(
      const_cast<uint8_t *>(program.instructions()->Data()));
  uint32_t &a = words[instruction], &b = words[instruction + 1];
  uint32_t old = a;
  a = b + sizeof(uint32_t);
  b = old - sizeof(uint32_t);
}

TEST(GpuCollectives, SaysWhoDoesNotComeToASum) {
  NEEDS_GPUS(2u);
  test::ModelBuilder builder = test::reduceModel(2);
  test::GraphSpec &graph = builder.graphs[0];
  // Program 1 receives y of program 0 right after its AllReduce.
  uint32_t y = graph.fetches[0].slot;
  graph.transfer(0, y, 1);
  auto &there = graph.program(1).instructions;
  std::rotate(there.begin() + test::kReduceElse, there.end() - 1, there.end());
  GpuEngine engine(builder);
  std::span<const std::byte> bytes =
      engine.model->blob(format::Blob(0, engine.model->size()));
  ::mprotect(const_cast<std::byte *>(bytes.data()), bytes.size(),
             PROT_READ | PROT_WRITE);
  // No verifier has seen that it now wants y before.
  exchange(*engine.graph().programs()->Get(1), test::kReduceSum);
  engine.start();
  engine.run(0, 1);
  std::string message = engine.status.message();
  EXPECT_NE(message.find("and waits until program '" + test::gpuName(1) +
                         "' comes to op 'AllReduce' (line 9)"),
            std::string::npos)
      << message;
}

TEST(GpuCollectives, OtherWorkGoesOnMeanwhile) {
  NEEDS_GPUS(2u);
  GpuEngine engine(test::reduceModel(2));
  std::map<uint32_t, SumTerms> sums =
      collectivesOf(engine.graph(), *engine.gpus);
  ASSERT_EQ(sums.size(), 1u);
  for (const SumTerm &term : sums[1]) {
    EXPECT_EQ(term.reduce, test::kReduceSum);
    EXPECT_EQ(term.use, test::kReduceUse);
  }
  EXPECT_EQ(describeCollectives(*engine.model, *engine.gpus).size(), 1u);
}

} // namespace
