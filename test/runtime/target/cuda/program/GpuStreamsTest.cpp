// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies beside kernels, and a host that goes on after a Send. The emulator
// finds dependencies that are missing, and gives the host rubbish where it is
// too early.
#include "runtime/target/DeviceTargets.h"
#include "test/runtime/executor/AllocationCount.h"
#include "test/runtime/executor/TestTasks.h"
#include "test/runtime/target/cuda/program/OverlapModel.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using test::OverlapPorts;

namespace {

using Floats = std::vector<float>;

/// A function of the emulated driver; null: the driver is a real one.
template <typename Function> Function emulatorFunction(const char *name) {
  const char *driver = std::getenv("GRAPHC_CUDA_DRIVER");
  void *library = driver ? dlopen(driver, RTLD_NOW) : nullptr;
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

TEST(GpuStreams, StepsAreTheSameWhateverRunsBeside) {
  test::TestProgram program;
  OverlapPorts ports = test::addOverlaps(program);
  test::GpuSteps steps(program);
  for (float step = 1; step < 6; ++step)
    EXPECT_EQ(steps.run(ports, 10 * step),
              (Floats{80 * step + step, 80 * step + 8 + step}));
}

TEST(GpuStreams, TwoThreadsDoTheSame) {
  test::TestProgram program;
  OverlapPorts ports = test::addOverlaps(program);
  test::GpuSteps steps(program, 2);
  for (float step = 1; step < 20; ++step)
    EXPECT_EQ(steps.run(ports, step), (Floats{9 * step, 9 * step + 8}));
}

TEST(GpuStreams, ABatchWaitsForWhoeverReadsTheBytesThatItGets) {
  test::TestProgram program;
  OverlapPorts ports = test::addBatchInBytesOfAFeed(program);
  test::GpuSteps steps(program);
  for (float step = 1; step < 4; ++step)
    EXPECT_EQ(steps.run(ports, step), (Floats{3 * step, 3 * step + 2}));
}

TEST(GpuStreams, AValueIsPassedOnBeforeItsPlaceIsWrittenAgain) {
  test::TestProgram program;
  OverlapPorts ports = test::addTwoSendsOfAPlace(program);
  test::GpuSteps steps(program);
  Floats w = {3, 4};
  ASSERT_TRUE(
      steps.gpus().writeVariable(0, std::as_bytes(std::span(w))).isOk());
  // w is 3, 4, 5 before the steps.
  for (float step = 0; step < 3; ++step)
    EXPECT_EQ(steps.run(ports, 1, 1), (Floats{7 + 2 * step, 10 + 4 * step}));
}

TEST(GpuStreams, CopiesRunBesideKernels) {
  auto startTrace = emulatorFunction<void (*)()>("graphcEmulatorStartTrace");
  auto trace = emulatorFunction<const char *(*)()>("graphcEmulatorTrace");
  if (!startTrace)
    GTEST_SKIP() << "a real driver cannot be asked";
  test::TestProgram program;
  OverlapPorts ports = test::addOverlaps(program);
  test::GpuSteps steps(program);
  steps.run(ports, 1);
  steps.run(ports, 2);
  startTrace();
  steps.run(ports, 3);
  // x and a; a to the host, b; b to the host, c; d, which is the host's, and e;
  // f and g, g to the host.
  EXPECT_STREQ(trace(), "1 a copy to the device\n"
                        "2 kernel 'add'\n"
                        "3 a copy to the host\n"
                        "4 kernel 'add' beside 3\n"
                        "5 a copy to the host\n"
                        "6 kernel 'add' beside 5\n"
                        "7 a copy to the device beside 6\n"
                        "8 kernel 'add'\n"
                        "9 a copy to the device beside 6 8\n"
                        "10 kernel 'add'\n"
                        "11 a copy to the host\n");
}

TEST(GpuStreams, AFaultIsOfOneOfTheOpsThatWereNotWaitedFor) {
  bool isReal = test::hasRealGpus();
  if (isReal && testing::UnitTest::GetInstance()->test_to_run_count() > 1)
    GTEST_SKIP() << "it takes the GPU from the tests behind it";
  test::TestProgram program;
  OverlapPorts ports = test::addFaultBehindASend(program, 2);
  test::GpuSteps steps(program);
  steps.run(ports, 1);
  steps.run(ports, 1);
  Status status = steps.engine().step(2);
  // A real GPU may have done Twice before the fault is seen.
  std::string said =
      status.message().substr(0, status.message().find(" (--profile"));
  if (!isReal || !said.starts_with("step 3: one of 1 ops from op 'Wild'"))
    EXPECT_EQ(said, "step 3: one of 3 ops from op 'Twice' (line 5) to op "
                    "'Wild' (line 7)");
}

/// A task with the programs on GPUs of a graph, and a sender for what leaves
/// it.
struct GpuTask {
  GpuTask(test::TestProgram &program, std::vector<uint32_t> programs) {
    TaskEngineSpec spec;
    spec.executor = program.prepare(1);
    graph = spec.executor.graph;
    gpus = openDevices(*spec.executor.model, {test::kGpu0, test::kGpu1},
                       test::openOptions())
               .value();
    spec.executor.devices = gpus.get();
    spec.programs = std::move(programs);
    spec.sender = &sender;
    engine = TaskEngine::create(std::move(spec)).value();
  }

  /// Sets feeds, and with arrive() the edges that reach the task.
  void feed(float value) {
    for (const format::Port *port : *graph->feeds())
      std::memcpy(engine->slot(*port).data(), &value, sizeof(value));
  }
  void arrive(float value) {
    for (const RemoteEdge &edge : engine->incoming()) {
      std::memcpy(edge.bytes.data(), &value, sizeof(value));
      engine->arrived(edge.edge);
    }
  }
  static float first(std::span<const std::byte> bytes) {
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }

  const format::Graph *graph = nullptr;
  std::unique_ptr<ModelDevices> gpus;
  test::TestSender sender;
  std::unique_ptr<TaskEngine> engine;
};

TEST(GpuStreams, WhatLeavesTheTaskIsTakenInOrderWhenItIsThere) {
  test::TestProgram program;
  test::addOverlaps(program);
  GpuTask task(program, {0});
  TaskEngine &engine = *task.engine;
  for (uint64_t step = 0; step < 4; ++step) {
    task.sender.count = 0;
    // In the first step, programs wait at each instruction.
    task.sender.refusals = static_cast<int>(step);
    engine.begin(step);
    task.feed(5);
    for (uint64_t refused = 0; refused < step; ++refused) {
      EXPECT_EQ(engine.advance(), TaskEngine::State::Waiting);
      EXPECT_EQ(task.sender.count, 0u);
    }
    EXPECT_EQ(engine.advance(), TaskEngine::State::Waiting);
    ASSERT_EQ(task.sender.count, 2u);
    for (uint32_t edge = 0; edge < 2; ++edge) {
      EXPECT_EQ(task.sender.values[edge].edge, edge);
      EXPECT_EQ(task.first(task.sender.values[edge].bytes), 10);
    }
    task.arrive(100);
    EXPECT_EQ(engine.advance(), TaskEngine::State::Done)
        << engine.failure().message();
    EXPECT_EQ(task.first(engine.slot(*task.graph->fetches()->Get(0))),
              20 + 100 + step + 1);
  }
  // A step is left while values wait.
  task.sender.count = 0;
  task.sender.refusals = 1;
  engine.begin(4);
  EXPECT_EQ(engine.advance(), TaskEngine::State::Waiting);
  engine.abandon();
  engine.begin(5);
  task.feed(6);
  EXPECT_EQ(engine.advance(), TaskEngine::State::Waiting);
  ASSERT_EQ(task.sender.count, 2u);
  EXPECT_EQ(task.first(task.sender.values[1].bytes), 12);
}

TEST(GpuStreams, AThreadThatWalksSeveralGpusWaitsWhenAllHaveWork) {
  auto startTrace = emulatorFunction<void (*)()>("graphcEmulatorStartTrace");
  auto trace = emulatorFunction<const char *(*)()>("graphcEmulatorTrace");
  if (!startTrace)
    GTEST_SKIP() << "a real driver cannot be asked";
  test::TestProgram program;
  test::addTwoGpusThatWait(program);
  GpuTask task(program, {0, 1});
  for (uint64_t step = 0; step < 3; ++step) {
    task.sender.count = 0;
    startTrace();
    task.engine->begin(step);
    task.feed(7);
    EXPECT_EQ(task.engine->advance(), TaskEngine::State::Waiting);
    ASSERT_EQ(task.sender.count, 2u);
    EXPECT_EQ(task.first(task.sender.values[1].bytes), 14);
    // The second GPU has got all that it has to do before the host waits for
    // the first one.
    if (step > 0)
      EXPECT_STREQ(trace(), "1 a copy to the device\n"
                            "2 kernel 'add'\n"
                            "3 a copy to the host\n"
                            "4 a copy to the device beside 1 2 3\n"
                            "5 kernel 'add' beside 1 2 3\n"
                            "6 a copy to the host beside 1 2 3\n");
    task.arrive(1);
    EXPECT_EQ(task.engine->advance(), TaskEngine::State::Done)
        << task.engine->failure().message();
  }
}

TEST(GpuStreams, AStepThatFailsLeavesNothing) {
  test::TestProgram program;
  OverlapPorts ports = test::addOverlaps(program);
  test::GpuSteps steps(program);
  for (float step = 1; step < 4; ++step)
    EXPECT_EQ(steps.run(ports, step), (Floats{9 * step, 9 * step + 8}));
  // The batch is drawn after all Sends.
  program.batches.failure = Status(StatusCode::Unavailable, "no disk");
  EXPECT_EQ(steps.engine().step(3).code(), StatusCode::Unavailable);
  program.batches.failure = Status::ok();
  EXPECT_EQ(steps.run(ports, 4), (Floats{36, 44}));
}

TEST(GpuStreams, StepsAllocateNothing) {
  auto isInside = emulatorFunction<int (*)()>("graphcEmulatorIsInside");
  if (!test::countsAllocations() || !isInside)
    GTEST_SKIP() << "a sanitizer owns the heap, or a driver allocates";
  test::TestProgram program;
  OverlapPorts ports = test::addOverlaps(program);
  test::GpuSteps steps(program, 2);
  for (int step = 0; step < 3; ++step)
    steps.run(ports, 1);
  test::ignoreAllocations(isInside);
  uint64_t before = test::allocationCount();
  bool isOk = true;
  for (int step = 0; step < 50; ++step)
    isOk &= steps.engine().step(steps.next++).isOk();
  uint64_t after = test::allocationCount();
  test::ignoreAllocations(nullptr);
  EXPECT_TRUE(isOk);
  EXPECT_EQ(after, before);
}

} // namespace
