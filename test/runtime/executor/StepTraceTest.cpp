// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A NaN in a fetch stops the step before later instructions, and the message
// names the op that made it.
#include "test/runtime/executor/TestProgram.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::TestProgram;

namespace {

/// ratio = x / y (line 3), loss = 2 ratio (line 4, fetched), then w += w.
struct RatioProgram {
  TestProgram program;
  uint32_t x = program.scalar("x"), y = program.scalar("y"),
           ratio = program.scalar("ratio"), loss = program.scalar("loss"),
           w = program.variable("w");

  RatioProgram() {
    program.graph.addFeed("x", x);
    program.graph.addFeed("y", y);
    program.graph.addFetch("loss", loss);
  }
  void addForward() {
    program.graph.addDispatch(program.kernel("divide"), {x, y, ratio}, {ratio});
    program.nameLast("Div_2", 3);
    program.graph.addDispatch(program.kernel("twice"), {ratio, loss}, {loss});
    program.nameLast("Mul", 4);
  }
  void addUpdate() {
    program.graph.addDispatch(program.kernel("add"), {w, w, w}, {w});
    program.nameLast("Update", 5);
  }
  void finish(float xValue, float yValue) {
    program.finish();
    program.values<float>(x)[0] = xValue;
    program.values<float>(y)[0] = yValue;
    program.values<float>(w)[0] = 1;
  }
  Status step() { return program.executor().step(16); }
};

bool contains(const Status &status, const std::string &text) {
  return status.message().find(text) != std::string::npos;
}

TEST(StepTrace, NamesTheOpBehindANan) {
  RatioProgram test;
  test.addForward();
  test.addUpdate();
  test.finish(0, 0);
  Status status = test.step();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message().rfind("step 17: op 'Div_2' (line 3) made NaN; "
                                   "fetch 'loss' is NaN; ",
                                   0),
            0u)
      << status.message();
  EXPECT_TRUE(contains(status, "--nan=warn"));
  EXPECT_EQ(test.program.value(test.w), 1) << "the update must not run";
}

TEST(StepTrace, TellsInfFromNan) {
  RatioProgram test;
  test.addForward();
  test.finish(1, 0);
  EXPECT_TRUE(contains(test.step(), "op 'Div_2' (line 3) made Inf; fetch "
                                    "'loss' is Inf"));
}

TEST(StepTrace, FiniteStepsPass) {
  RatioProgram test;
  test.addForward();
  test.addUpdate();
  test.finish(1, 2);
  ASSERT_TRUE(test.step().isOk());
  EXPECT_EQ(test.program.value(test.loss), 1);
  EXPECT_EQ(test.program.value(test.w), 2);
}

TEST(StepTrace, OnlyNumbersAreLookedAt) {
  RatioProgram test;
  uint32_t list = test.program.graph.addArena("list", {DType::Float32, {1}});
  test.program.graph.addFetch("list", list);
  test.program.graph.addDispatch(test.program.kernel("divide"),
                                 {test.x, test.y, list}, {list});
  test.finish(0, 0);
  ASSERT_TRUE(test.step().isOk()) << test.step().message();
  EXPECT_TRUE(std::isnan(test.program.value(list)));
}

TEST(StepTrace, NamesTheFeedThatBroughtIt) {
  RatioProgram test;
  test.addForward();
  test.finish(NAN, 1);
  EXPECT_TRUE(contains(test.step(), "step 17: feed 'x' holds NaN; fetch "))
      << test.step().message();
}

TEST(StepTrace, NamesTheVariableThatHeldIt) {
  RatioProgram test;
  test.addForward();
  test.finish(0, 0);
  test.program.values<float>(test.w)[0] = INFINITY;
  EXPECT_TRUE(contains(test.step(), "variable 'w' held Inf before the step"));
}

TEST(StepTrace, SaysWhenAVariableWasUpdatedBefore) {
  RatioProgram test;
  test.addUpdate();
  test.addForward();
  test.finish(0, 0);
  Status status = test.step();
  EXPECT_TRUE(contains(status, "op 'Div_2' (line 3) made NaN"));
  EXPECT_TRUE(
      contains(status, "variable 'w' had already been updated in this step"));
}

TEST(StepTrace, WarnsOnceAndGoesOn) {
  RatioProgram test;
  test.addForward();
  test.addUpdate();
  std::vector<std::string> warnings;
  test.program.numerics.policy = NanPolicy::Warn;
  test.program.numerics.warn = [&](const std::string &text) {
    warnings.push_back(text);
  };
  test.finish(0, 0);
  ASSERT_TRUE(test.step().isOk());
  ASSERT_TRUE(test.step().isOk());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("'Div_2'"), std::string::npos);
  EXPECT_EQ(test.program.value(test.w), 4) << "both updates run, once each";
}

TEST(StepTrace, AWarningUpdatesNoVariableTwice) {
  RatioProgram test;
  test.addUpdate();
  test.addForward();
  test.program.numerics.policy = NanPolicy::Warn;
  test.finish(0, 0);
  ASSERT_TRUE(test.step().isOk());
  EXPECT_EQ(test.program.value(test.w), 2);
}

TEST(StepTrace, IgnoreLooksAtNothing) {
  RatioProgram test;
  test.addForward();
  test.program.numerics.policy = NanPolicy::Ignore;
  test.program.numerics.checkAll = true;
  test.finish(0, 0);
  ASSERT_TRUE(test.step().isOk());
  EXPECT_TRUE(std::isnan(test.program.value(test.loss)));
}

TEST(StepTrace, ValuesThatAreNotFetchedMayBeInfinite) {
  RatioProgram test;
  test.program.graph.addDispatch(test.program.kernel("divide"),
                                 {test.x, test.y, test.ratio}, {test.ratio});
  test.program.graph.addDispatch(test.program.kernel("twice"),
                                 {test.x, test.loss}, {test.loss});
  test.finish(1, 0);
  EXPECT_TRUE(test.step().isOk());
}

TEST(StepTrace, CheckNumericsFindsThemAnyway) {
  RatioProgram test;
  test.program.graph.addDispatch(test.program.kernel("divide"),
                                 {test.x, test.y, test.ratio}, {test.ratio});
  test.program.nameLast("Div", 9);
  test.program.graph.addDispatch(test.program.kernel("twice"),
                                 {test.x, test.loss}, {test.loss});
  test.addUpdate();
  test.program.numerics.checkAll = true;
  test.finish(1, 0);
  EXPECT_TRUE(contains(test.step(), "step 17: op 'Div' (line 9) made Inf; "));
  EXPECT_EQ(test.program.value(test.w), 1);
  test.program.values<float>(test.y)[0] = 1;
  ASSERT_TRUE(test.step().isOk());
  EXPECT_EQ(test.program.value(test.w), 2);
}

TEST(StepTrace, ReplaysOnTheBatchOfTheStep) {
  // x / (x - x): the batch's memory is overwritten before the NaN is seen.
  TestProgram program;
  uint32_t dataset =
      program.builder.addDataset({"d", {{"x", {DType::Float32, {}}}}});
  uint32_t x = program.floats("x", 1), zero = program.scalar("zero"),
           ratio = program.scalar("ratio"), loss = program.scalar("loss");
  program.graph.addFetch("loss", loss);
  program.graph.addNextBatch(dataset, {x});
  program.graph.addFill(zero, {0});
  program.graph.addDispatch(program.kernel("divide"), {x, zero, ratio},
                            {ratio});
  program.nameLast("Div", 7);
  program.graph.addDispatch(program.kernel("add"), {zero, ratio, loss}, {loss});
  program.graph.slots[loss].offset = program.graph.slots[x].offset;
  program.finish();
  Status status = program.executor().step(0);
  EXPECT_TRUE(contains(status, "step 1: op 'Div' (line 7) made Inf"))
      << status.message();
  EXPECT_EQ(program.batches.calls, 1) << "no second batch is taken";
  EXPECT_EQ(program.value(x), 1);
}

TEST(StepTrace, NamesTheDatasetThatBroughtIt) {
  TestProgram program;
  uint32_t dataset =
      program.builder.addDataset({"points", {{"x", {DType::Float32, {}}}}});
  uint32_t x = program.floats("x", 1), loss = program.scalar("loss");
  program.graph.addFetch("loss", loss);
  program.graph.addNextBatch(dataset, {x});
  program.graph.addDispatch(program.kernel("twice"), {x, loss}, {loss});
  program.batches.first = NAN;
  program.finish();
  EXPECT_TRUE(contains(program.executor().step(0),
                       "the batch of dataset 'points' holds NaN"));
}

} // namespace
