// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step takes nothing from the heap.
#include "test/runtime/executor/AllocationCount.h"
#include "test/runtime/executor/TestTasks.h"

#include <gtest/gtest.h>
#include <memory>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::allocationCount;
using graphc::test::TestProgram;

namespace {

TEST(StepAllocation, TheCountSeesAllocations) {
  if (!test::countsAllocations())
    GTEST_SKIP() << "a sanitizer owns the heap";
  uint64_t before = allocationCount();
  auto owned = std::make_unique<std::string>(1000, 'x');
  EXPECT_EQ(allocationCount(), before + 2) << owned->size();
}

/// One of each kind of instruction, on two threads, with a checked fetch.
TEST(StepAllocation, StepsAllocateNothing) {
  if (!test::countsAllocations())
    GTEST_SKIP() << "a sanitizer owns the heap";
  TestProgram program;
  uint32_t dataset =
      program.builder.addDataset({"d", {{"x", {DType::Float32, {8}}}}});
  program.batches.fieldElements = 8;
  uint32_t x = program.graph.addArena("x", {DType::Float32, {1, 8}});
  uint32_t sums = program.floats("sums", 500), loss = program.scalar("loss");
  uint32_t w = program.variable("w", 8);
  program.graph.addFetch("loss", loss);
  program.graph.addNextBatch(dataset, {x});
  program.graph.addFill(sums, {0});
  program.graph.addDispatch(program.kernel("scratch", 500, 4096), {sums},
                            {sums});
  program.graph.addDispatch(program.kernel("twice"), {sums, loss}, {loss});
  program.graph.addDispatch(program.kernel("add", 8), {w, x, w}, {w});
  program.finish(2);
  ASSERT_TRUE(program.executor().step(0).isOk());
  uint64_t before = allocationCount();
  bool isOk = true;
  for (uint64_t step = 1; step < 200; ++step)
    isOk &= program.executor().step(step).isOk();
  uint64_t after = allocationCount();
  EXPECT_TRUE(isOk);
  EXPECT_EQ(after, before);
}

/// Two tasks that send to each other, one of which stops before its updates.
TEST(StepAllocation, StepsOfTasksAllocateNothing) {
  if (!test::countsAllocations())
    GTEST_SKIP() << "a sanitizer owns the heap";
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t x = program.floats("x", 8), loss = program.scalar("loss");
  graph.addFetch("loss", loss);
  graph.addFill(x, {0, 0, 0, 0x3f});
  uint32_t there = graph.addProgram("/job:ps/replica:0/task:0/device:CPU:0");
  uint32_t got = graph.transfer(0, x, there);
  uint32_t w = graph.program(there).addVariable(
      "w", program.builder,
      program.builder.addVariable("w", {DType::Float32, {8}}));
  uint32_t sum = graph.program(there).addArena("sum", {DType::Float32, {8}});
  uint32_t add = program.kernel("add", 8);
  graph.program(there).addDispatch(add, {w, got, sum}, {sum});
  uint32_t back = graph.transfer(there, sum, 0);
  graph.addDispatch(program.kernel("twice"), {back, loss}, {loss});
  graph.program(there).addCopy(sum, w);
  test::TaskChanges changes;
  changes.stopsBeforeUpdate = true;
  test::TestTasks tasks(program, {{0}, {1}}, changes);
  auto run = [&](uint64_t step) {
    tasks.run(step);
    tasks.engine(1).permitUpdate();
    return tasks.engine(0).state() == TaskEngine::State::Done &&
           tasks.engine(1).advance() == TaskEngine::State::Done;
  };
  ASSERT_TRUE(run(0));
  uint64_t before = allocationCount();
  bool isOk = true;
  for (uint64_t step = 1; step < 200; ++step)
    isOk &= run(step);
  uint64_t after = allocationCount();
  EXPECT_TRUE(isOk);
  EXPECT_EQ(after, before);
}

/// The same with three programs on two threads.
TEST(StepAllocation, StepsOfSeveralProgramsAllocateNothing) {
  if (!test::countsAllocations())
    GTEST_SKIP() << "a sanitizer owns the heap";
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t loss = program.scalar("loss"), x = program.floats("x", 2000);
  graph.addFetch("loss", loss);
  graph.addFill(x, {0, 0, 0, 0x3f});
  uint32_t scratch = program.kernel("scratch", 500, 4096);
  uint32_t twice = program.kernel("twice");
  for (const char *device : {"GPU:0", "GPU:1"}) {
    uint32_t there = graph.addProgram(
        std::string("/job:localhost/replica:0/task:0/device:") + device);
    uint32_t got = graph.transfer(0, x, there);
    uint32_t sums =
        graph.program(there).addArena("sums", {DType::Float32, {500}});
    graph.program(there).addDispatch(scratch, {sums}, {sums});
    graph.program(there).addDispatch(twice, {got, sums}, {sums});
    uint32_t back = graph.transfer(there, sums, 0);
    graph.addDispatch(twice, {back, loss}, {loss});
  }
  for (uint32_t index = 0; index < graph.programCount(); ++index)
    graph.program(index).addWaits();
  program.finishEngine(2);
  ASSERT_TRUE(program.engine().step(0).isOk());
  uint64_t before = allocationCount();
  bool isOk = true;
  for (uint64_t step = 1; step < 200; ++step)
    isOk &= program.engine().step(step).isOk();
  uint64_t after = allocationCount();
  EXPECT_TRUE(isOk);
  EXPECT_EQ(after, before);
}

} // namespace
