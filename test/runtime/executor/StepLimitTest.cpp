// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that are ended early leave no half of an update.
#include "runtime/base/Clock.h"
#include "test/runtime/executor/TestProgram.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using test::TestProgram;

namespace {

constexpr const char *kGpu = "/job:localhost/replica:0/task:0/device:GPU:0";
constexpr const char *kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr uint64_t kDay = 24 * 3'600'000;

int64_t soon() { return nowNanos() + 10'000'000; }

/// A variable that each step adds 1 to, and an op 'nap' of a day before it or
/// after it, in the same program or in another one.
struct Napper {
  TestProgram program;
  uint32_t one = 0, w = 0;

  Napper(bool isFirst, bool isElsewhere) {
    test::GraphSpec &graph = program.graph;
    w = program.variable("w");
    one = graph.addConstant("one", {DType::Float32, {1}},
                            test::bytesOf<float>({1}));
    uint32_t napper = isElsewhere ? graph.addProgram(kGpu) : 0;
    if (isFirst && !isElsewhere)
      addNap(graph.program(napper));
    graph.addDispatch(program.kernel("add"), {w, one, w}, {w});
    if (isElsewhere || !isFirst)
      addNap(graph.program(napper));
  }

  static void addNap(test::ProgramSpec &at) {
    at.addInstruction(
        {test::HostCallSpec{format::HostFunction::Sleep, 0, {}, 0, 1, kDay}});
    at.instructions.back().name = "nap";
    at.instructions.back().line = 9;
  }

  float value() { return program.values(0, w)[0]; }
};

TEST(StepLimit, AProgramThatSleepsIsNamed) {
  for (bool isChecked : {false, true}) {
    Napper napper(/*isFirst=*/true, /*isElsewhere=*/false);
    napper.program.numerics.checkAll = isChecked;
    napper.program.finishEngine(1);
    Status status = napper.program.engine().step(2, soon());
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    EXPECT_EQ(status.message(), std::string("step 3: program '") + kCpu +
                                    "' is at op 'nap' (line 9)");
    EXPECT_EQ(napper.value(), 0);
  }
}

TEST(StepLimit, WhatHasBegunToWriteVariablesIsFinishedWithoutPauses) {
  for (bool isChecked : {false, true})
    for (bool isElsewhere : {false, true}) {
      Napper napper(/*isFirst=*/false, isElsewhere);
      napper.program.numerics.checkAll = isChecked;
      // One thread walks program 0 first.
      napper.program.finishEngine(1);
      Status status = napper.program.engine().step(0, soon());
      EXPECT_TRUE(status.isOk()) << status.message();
      EXPECT_EQ(napper.value(), 1);
      EXPECT_EQ(napper.program.engine().cutShort(),
                std::string("step 1: program '") + (isElsewhere ? kGpu : kCpu) +
                    "' was at op 'nap' (line 9), and did not sleep on");
      // The next one is late from its beginning.
      EXPECT_EQ(napper.program.engine().step(1, 1).code(),
                StatusCode::DeadlineExceeded);
      EXPECT_EQ(napper.value(), 1);
      EXPECT_EQ(napper.program.engine().cutShort(), "");
    }
}

TEST(StepLimit, ThreadsThatWaitForASleeperEndWithIt) {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t w = program.variable("w");
  uint32_t other = graph.addProgram(kGpu);
  uint32_t x = graph.program(other).addArena("x", {DType::Float32, {1}});
  graph.program(other).addFill(x, {0});
  Napper::addNap(graph.program(other));
  uint32_t got = graph.transfer(other, x, 0);
  graph.addDispatch(program.kernel("add"), {w, got, w}, {w});
  for (uint32_t i = 0; i < graph.programCount(); ++i)
    graph.program(i).addWaits();
  program.finishEngine(3);
  for (int i = 0; i < 3; ++i) {
    Status status = program.engine().step(0, soon());
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    EXPECT_NE(status.message().find("GPU:0' is at op 'nap' (line 9)"),
              std::string::npos)
        << status.message();
    EXPECT_NE(status.message().find("and waits for edge 0"), std::string::npos)
        << status.message();
  }
  EXPECT_EQ(program.values(0, w)[0], 0);
}

TEST(StepLimit, AProgramAloneCanBeCancelled) {
  Napper napper(/*isFirst=*/true, /*isElsewhere=*/false);
  napper.program.finishEngine(1);
  StepEngine &engine = napper.program.engine();
  engine.cancel();
  Status status = engine.step(0);
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_EQ(status.message(), "step 1 was cancelled");
  EXPECT_EQ(napper.value(), 0);
}

TEST(StepLimit, EitherTheStepStopsOrItWrites) {
  StepLimit limit;
  limit.begin(0);
  EXPECT_FALSE(limit.stops());
  limit.cancel();
  EXPECT_EQ(limit.due(), StepLimit::Cause::Cancelled);
  EXPECT_TRUE(limit.stops());
  EXPECT_TRUE(limit.stops()) << "for all programs";
  EXPECT_FALSE(limit.mayUpdate());
  limit.begin(0);
  EXPECT_TRUE(limit.mayUpdate());
  EXPECT_TRUE(limit.mayUpdate()) << "for all programs";
  EXPECT_FALSE(limit.stops());
  EXPECT_FALSE(limit.isStopped());
  limit.forgetCancel();
  limit.begin(1);
  EXPECT_EQ(limit.due(), StepLimit::Cause::Late);
}

} // namespace
