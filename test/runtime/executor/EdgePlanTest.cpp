// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values are shared where nothing overwrites them too early, and copied else.
#include "test/runtime/executor/TestProgram.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::TestProgram;

namespace {

constexpr int64_t kFloats = 1100;
constexpr const char *kGpu = "/job:localhost/replica:0/task:0/device:GPU:0";
const TensorType kType = {DType::Float32, {kFloats}};

/// Program 0 is fed x, makes y = 2 x and sends y to program 1, which makes
/// z = 2 y.
struct OneEdge {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t twice = program.kernel("twice", kFloats);
  uint32_t gpu = graph.addProgram(kGpu);
  uint32_t x = program.floats("x", kFloats), y = program.floats("y", kFloats);
  uint32_t there = 0, z = 0;

  OneEdge() {
    graph.addFeed("x", x);
    graph.addDispatch(twice, {x, y}, {y});
  }
  void send() {
    there = graph.transfer(0, y, gpu);
    z = graph.program(gpu).addArena("z", kType);
  }
  void read() { graph.program(gpu).addDispatch(twice, {there, z}, {z}); }
  /// Runs three steps and expects z = 4 x; whether the value was shared.
  bool isShared(const EdgeOptions &options = {}) {
    graph.addFetch("z", z, gpu);
    for (uint32_t p = 0; p < graph.programCount(); ++p)
      graph.program(p).addWaits();
    StepOptions step;
    step.edges = options;
    program.finishEngine(3, step);
    StepEngine &engine = program.engine();
    for (float value = 1; value < 4; ++value) {
      for (float &each : program.values(0, x))
        each = value;
      EXPECT_TRUE(engine.step(static_cast<uint64_t>(value)).isOk());
      for (float each : program.values(gpu, z))
        EXPECT_EQ(each, 4 * value);
    }
    return program.values(0, y).data() == program.values(gpu, there).data();
  }
};

const EdgeOptions kAwaitAll = {.leastShared = 1, .leastAwaited = 1};

TEST(EdgePlan, SharesWhatNobodyOverwrites) {
  OneEdge test;
  test.send();
  test.read();
  EXPECT_TRUE(test.isShared());
}

TEST(EdgePlan, CopiesWhatIsSmall) {
  OneEdge test;
  test.send();
  test.read();
  EXPECT_FALSE(test.isShared({.leastShared = 4 * kFloats + 1}));
}

TEST(EdgePlan, CopiesWhatTheSenderOverwrites) {
  OneEdge test;
  test.send();
  test.read();
  test.graph.addFill(test.y, {0});
  EXPECT_FALSE(test.isShared());
}

TEST(EdgePlan, ASenderMayWaitBeforeItOverwrites) {
  OneEdge test;
  test.send();
  test.read();
  test.graph.addFill(test.y, {0});
  EXPECT_TRUE(test.isShared(kAwaitAll));
}

TEST(EdgePlan, SharesWhatIsReadBeforeAnAnswer) {
  // The sender overwrites after it has received what was made of the value.
  OneEdge test;
  test.send();
  test.read();
  test.graph.transfer(test.gpu, test.z, 0);
  test.graph.addFill(test.y, {0});
  EXPECT_TRUE(test.isShared());
}

TEST(EdgePlan, CopiesWhereAWaitWouldCloseACycle) {
  // The receiver reads the value only after something that the sender sends
  // after overwriting it.
  OneEdge test;
  test.send();
  test.graph.addFill(test.y, {0});
  uint32_t late = test.graph.transfer(0, test.y, test.gpu);
  test.read();
  EXPECT_FALSE(test.isShared(kAwaitAll));
  EXPECT_NE(late, test.there);
}

TEST(EdgePlan, CopiesWhatTheReceiverWrites) {
  OneEdge test;
  test.send();
  test.graph.program(test.gpu).addDispatch(test.twice, {test.there, test.z},
                                           {test.z});
  test.graph.program(test.gpu).addFill(test.there, {0});
  EXPECT_FALSE(test.isShared(kAwaitAll));
}

TEST(EdgePlan, CopiesAFetchThatTheSenderOverwrites) {
  OneEdge test;
  test.send();
  test.read();
  test.graph.addFetch("there", test.there, test.gpu);
  test.graph.addFill(test.y, {0});
  EXPECT_FALSE(test.isShared(kAwaitAll));
}

TEST(EdgePlan, CopiesWhatIsPassedOn) {
  // there is shared; what it is sent on as is a copy.
  OneEdge test;
  test.send();
  test.read();
  uint32_t back = test.graph.transfer(test.gpu, test.there, 0);
  EXPECT_TRUE(test.isShared(kAwaitAll));
  EXPECT_NE(test.program.values(0, back).data(),
            test.program.values(test.gpu, test.there).data());
  EXPECT_EQ(test.program.values(0, back)[7], 6);
}

TEST(EdgePlan, EdgesMayHaveAnyNumbers) {
  // The edge by which the value goes on has a lower number than the one that
  // brings it.
  OneEdge test;
  test.there = test.graph.program(test.gpu).addArena("y", kType);
  uint32_t onward = test.graph.addEdge(test.gpu, 0, test.there);
  uint32_t edge = test.graph.addEdge(0, test.gpu, test.y);
  ASSERT_LT(onward, edge);
  test.graph.program(0).addSend({edge}, {test.y});
  test.graph.program(test.gpu).addRecv({edge}, {test.there});
  test.z = test.graph.program(test.gpu).addArena("z", kType);
  test.read();
  test.graph.program(test.gpu).addSend({onward}, {test.there});
  uint32_t back = test.graph.program(0).addArena("y", kType);
  test.graph.program(0).addRecv({onward}, {back});
  EXPECT_TRUE(test.isShared(kAwaitAll));
  EXPECT_EQ(test.program.values(0, back)[7], 6);
}

TEST(EdgePlan, VariablesAreSharedUntilTheirUpdate) {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t twice = program.kernel("twice", kFloats);
  uint32_t gpu = graph.addProgram(kGpu);
  uint32_t w = program.variable("w", kFloats);
  uint32_t there = graph.transfer(0, w, gpu);
  uint32_t z = graph.program(gpu).addArena("z", kType);
  graph.program(gpu).addDispatch(twice, {there, z}, {z});
  uint32_t back = graph.transfer(gpu, z, 0);
  graph.addCopy(back, w);
  for (uint32_t p = 0; p < 2; ++p)
    graph.program(p).addWaits();
  program.finishEngine(2);
  program.values(0, w)[3] = 1;
  for (uint64_t step = 0; step < 5; ++step)
    ASSERT_TRUE(program.engine().step(step).isOk());
  EXPECT_EQ(program.values(0, w)[3], 32);
  EXPECT_EQ(program.values(0, w).data(), program.values(gpu, there).data());
}

} // namespace
