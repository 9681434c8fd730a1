// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each kind of instruction does what model.fbs says.
#include "test/runtime/executor/TestProgram.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::TestProgram;

namespace {

TEST(Executor, DispatchComputesFromFeedToFetch) {
  TestProgram program;
  uint32_t x = program.floats("x", 5), y = program.floats("y", 5);
  program.graph.addFeed("x", x);
  program.graph.addFetch("y", y);
  program.graph.addDispatch(program.kernel("twice", 5), {x, y}, {y});
  program.finish();
  for (int i = 0; i < 5; ++i)
    program.values<float>(x)[i] = static_cast<float>(i);
  ASSERT_TRUE(program.executor().step(0).isOk());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(program.values<float>(y)[i], 2.0f * static_cast<float>(i));
}

TEST(Executor, InstructionsRunInTheirOrder) {
  TestProgram program;
  uint32_t x = program.scalar("x"), y = program.scalar("y");
  uint32_t twice = program.kernel("twice");
  program.graph.addFeed("x", x);
  program.graph.addFetch("y", y);
  program.graph.addDispatch(twice, {x, y}, {y});
  program.graph.addDispatch(twice, {y, x}, {x});
  program.graph.addDispatch(twice, {x, y}, {y});
  program.finish();
  program.values<float>(x)[0] = 1;
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.value(y), 8);
}

TEST(Executor, CopiesBetweenConstantsValuesAndVariables) {
  TestProgram program;
  uint32_t constant = program.graph.addConstant(
      "c", {DType::Float32, {3}}, test::bytesOf<float>({1, 2, 3}));
  uint32_t variable = program.variable("w", 3);
  uint32_t y = program.floats("y", 3);
  program.graph.addFetch("y", y);
  program.graph.addCopy(constant, variable);
  program.graph.addCopy(variable, y);
  program.finish();
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.values<float>(y)[2], 3);
  EXPECT_EQ(program.values<float>(variable)[1], 2);
}

test::InstructionSpec debugCall(format::HostFunction function, uint64_t millis,
                                const std::string &text = "") {
  return {test::HostCallSpec{function, 0, {}, 0, 1, millis, text}};
}

TEST(Executor, Sleeps) {
  TestProgram program;
  program.graph.addInstruction(debugCall(format::HostFunction::Sleep, 250));
  program.finish();
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.batches.slept, 250u);
}

TEST(Executor, FailsOnPurpose) {
  TestProgram program;
  program.graph.addInstruction(
      debugCall(format::HostFunction::Fail, 0, "stop\n"));
  program.nameLast("stop", 9);
  program.finish();
  Status status = program.executor().step(2);
  EXPECT_EQ(status.code(), StatusCode::Aborted);
  EXPECT_EQ(status.message(), "step 3: op 'stop' (line 9): stop\\x0a");
}

test::InstructionSpec report(format::HostFunction function, uint32_t slot,
                             const std::string &text, uint64_t elements = 0) {
  return {test::HostCallSpec{function, 0, {}, 0, 1, elements, text, {slot}}};
}

TEST(Executor, ChecksABool) {
  TestProgram program;
  uint32_t flag = program.graph.addArena("flag", {DType::Bool, {}});
  program.graph.addFeed("flag", flag);
  program.graph.addInstruction(
      report(format::HostFunction::Check, flag, "no\n"));
  program.nameLast("c", 9);
  program.finish();
  program.values<uint8_t>(flag)[0] = 1;
  EXPECT_TRUE(program.executor().step(0).isOk());
  program.values<uint8_t>(flag)[0] = 255;
  EXPECT_TRUE(program.executor().step(1).isOk());
  program.values<uint8_t>(flag)[0] = 0;
  Status status = program.executor().step(2);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "step 3: op 'c' (line 9): assertion failed: no\\x0a");
}

TEST(Executor, PrintsAValue) {
  TestProgram program;
  uint32_t x = program.floats("x", 4);
  program.graph.addFeed("x", x);
  program.graph.addInstruction(
      report(format::HostFunction::Print, x, "x\t: ", 3));
  program.graph.addInstruction(report(format::HostFunction::Print, x, "", 4));
  program.finish();
  for (float i : {0, 1, 2, 3})
    program.values<float>(x)[i] = i + 0.5f;
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.batches.printed,
            (std::vector<std::string>{"x\\x09: [0.5 1.5 2.5...]",
                                      "[0.5 1.5 2.5 3.5]"}));
}

// The addresses are looked up again when slots are placed.
TEST(Executor, ReportsOnSlotsThatAreElsewhereNow) {
  TestProgram program;
  uint32_t x = program.floats("x", 1),
           flag = program.graph.addArena("flag", {DType::Bool, {}});
  program.graph.addFeed("x", x);
  program.graph.addFeed("flag", flag);
  program.graph.addInstruction(report(format::HostFunction::Print, x, "", 1));
  program.graph.addInstruction(report(format::HostFunction::Check, flag, "no"));
  program.finish();
  alignas(64) float other = 42;
  alignas(64) uint8_t holds = 1;
  std::vector<Executor::Place> places = {
      {x, reinterpret_cast<std::byte *>(&other)},
      {flag, reinterpret_cast<std::byte *>(&holds)}};
  program.executor().place(places);
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.batches.printed, std::vector<std::string>{"[42]"});
  holds = 0;
  EXPECT_FALSE(program.executor().step(1).isOk());
}

TEST(Executor, ASleepEndsWhenItIsCancelled) {
  struct Calls final : HostCalls {
    Status nextBatch(const BatchCall &, std::span<std::byte *const>) override {
      return Status::ok();
    }
    bool isCancelled() const override { return ++asked > 1; }
    mutable int asked = 0;
  } calls;
  EXPECT_TRUE(calls.sleep(0).isOk());
  EXPECT_EQ(calls.sleep(3'600'000).code(), StatusCode::Cancelled);
  EXPECT_EQ(calls.asked, 2);
}

TEST(Executor, VariablesOutliveSteps) {
  TestProgram program;
  uint32_t w = program.variable("w"),
           one = program.graph.addConstant("one", {DType::Float32, {1}},
                                           test::bytesOf<float>({1}));
  program.graph.addDispatch(program.kernel("add"), {w, one, w}, {w});
  program.finish();
  for (uint64_t step = 0; step < 7; ++step)
    ASSERT_TRUE(program.executor().step(step).isOk());
  EXPECT_EQ(program.value(w), 7);
}

TEST(Executor, FillsWithPatternsOfEachSize) {
  TestProgram program;
  uint32_t bytes = program.graph.addArena("b", {DType::UInt8, {5}});
  uint32_t words = program.graph.addArena("w", {DType::Int32, {7}});
  uint32_t longs = program.graph.addArena("l", {DType::Int64, {3}});
  uint32_t none = program.graph.addArena("n", {DType::Int32, {0}});
  program.graph.addFetch("b", bytes);
  program.graph.addFetch("w", words);
  program.graph.addFetch("l", longs);
  program.graph.addFill(bytes, {7});
  program.graph.addFill(words, {1, 2, 0, 0});
  program.graph.addFill(longs, {1, 0, 0, 0, 0, 0, 0, 1});
  program.graph.addFill(none, {1, 2, 3, 4});
  program.finish();
  ASSERT_TRUE(program.executor().step(0).isOk());
  for (uint8_t value : program.values<uint8_t>(bytes))
    EXPECT_EQ(value, 7);
  for (int32_t value : program.values<int32_t>(words))
    EXPECT_EQ(value, 0x201);
  for (int64_t value : program.values<int64_t>(longs))
    EXPECT_EQ(value, 0x0100000000000001);
}

TEST(Executor, KernelsFindSeedAndStep) {
  TestProgram program;
  uint32_t state = program.graph.addStepState();
  uint32_t out = program.graph.addArena("out", {DType::Int64, {3}});
  program.graph.addFetch("out", out);
  program.graph.addDispatch(program.kernel("state"), {state, out}, {out});
  program.seed = 99;
  program.finish();
  for (int64_t step : {0, 1, 41}) {
    ASSERT_TRUE(program.executor().step(step).isOk());
    EXPECT_EQ(program.values<int64_t>(out)[0], 99);
    EXPECT_EQ(program.values<int64_t>(out)[1], step);
    EXPECT_EQ(program.values<int64_t>(out)[2], 0);
  }
}

TEST(Executor, ReadsABatchPerStep) {
  TestProgram program;
  uint32_t dataset = program.builder.addDataset(
      {"d", {{"x", {DType::Float32, {}}}, {"y", {DType::Float32, {}}}}});
  uint32_t x = program.floats("x", 1), y = program.floats("y", 1);
  program.graph.addFetch("x", x);
  program.graph.addFetch("y", y);
  program.graph.addNextBatch(dataset, {x, y});
  program.batches.limit = 2;
  program.finish();
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.value(x), 1);
  EXPECT_EQ(program.value(y), 11);
  ASSERT_TRUE(program.executor().step(1).isOk());
  EXPECT_EQ(program.value(x), 2);
  // It is an end, and no op is reported for it.
  Status end = program.executor().step(2);
  EXPECT_EQ(end.code(), StatusCode::OutOfRange);
  EXPECT_EQ(end.message(), "the data are at their end");
}

TEST(Executor, AFailureNamesStepAndOp) {
  TestProgram program;
  uint32_t dataset =
      program.builder.addDataset({"d", {{"x", {DType::Float32, {}}}}});
  uint32_t x = program.floats("x", 1);
  program.graph.addNextBatch(dataset, {x});
  program.nameLast("Next", 12);
  program.batches.failure = dataLoss("the file shrank");
  program.finish();
  Status status = program.executor().step(4);
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_EQ(status.message(), "step 5: op 'Next' (line 12): the file shrank");
}

TEST(Executor, ThreadsDoNotChangeResults) {
  std::vector<float> expected;
  for (int threads : {1, 2, 5}) {
    TestProgram program;
    uint32_t y = program.floats("y", 700);
    program.graph.addFetch("y", y);
    program.graph.addDispatch(program.kernel("scratch", 700, 4096), {y}, {y});
    program.finish(threads);
    ASSERT_TRUE(program.executor().step(0).isOk());
    std::span<float> values = program.values<float>(y);
    if (expected.empty())
      expected.assign(values.begin(), values.end());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), values.begin()))
        << threads;
  }
  EXPECT_EQ(expected[10], 55);
}

} // namespace
