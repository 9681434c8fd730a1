// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of a graph run at the same time, give what one thread gives, and end
// together when one fails.
#include "test/runtime/executor/RandomGraph.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::RandomGraph;
using graphc::test::TestProgram;

namespace {

constexpr const char *kGpu = "/job:localhost/replica:0/task:0/device:GPU:";

void addWaits(test::GraphSpec &graph) {
  for (uint32_t program = 0; program < graph.programCount(); ++program)
    graph.program(program).addWaits();
}

bool contains(const Status &status, const std::string &text) {
  return status.message().find(text) != std::string::npos;
}

/// Program 0 sends x to each of some others, which send 2 x back; it adds up
/// what it gets.
struct Star {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t x, sum;

  Star(uint32_t others, int64_t floats) {
    uint32_t twice = program.kernel("twice", floats);
    uint32_t add = program.kernel("add", floats);
    x = program.floats("x", floats);
    sum = program.floats("sum", floats);
    graph.addFeed("x", x);
    graph.addFetch("sum", sum);
    graph.addFill(sum, {0});
    std::vector<uint32_t> results;
    for (uint32_t i = 0; i < others; ++i) {
      uint32_t there = graph.addProgram(kGpu + std::to_string(i));
      uint32_t got = graph.transfer(0, x, there);
      uint32_t y =
          graph.program(there).addArena("y", {DType::Float32, {floats}});
      graph.program(there).addDispatch(twice, {got, y}, {y});
      results.push_back(y);
    }
    for (uint32_t i = 0; i < others; ++i) {
      uint32_t back = graph.transfer(i + 1, results[i], 0);
      graph.addDispatch(add, {sum, back, sum}, {sum});
    }
    addWaits(graph);
  }
};

TEST(StepEngine, ValuesGoThereAndBack) {
  for (uint32_t others : {1, 3, 70})
    for (int threads : {1, 2, 4}) {
      Star star(others, 1500);
      star.program.finishEngine(threads);
      for (uint64_t step = 0; step < 20; ++step) {
        for (float &value : star.program.values(0, star.x))
          value = static_cast<float>(step);
        ASSERT_TRUE(star.program.engine().step(step).isOk());
        for (float value : star.program.values(0, star.sum))
          ASSERT_EQ(value, 2.0f * static_cast<float>(others * step));
      }
    }
}

TEST(StepEngine, ProgramsSleepInSlices) {
  TestProgram program;
  uint32_t other = program.graph.addProgram(kGpu + std::string("0"));
  program.graph.program(other).addInstruction(
      {test::HostCallSpec{format::HostFunction::Sleep, 0, {}, 0, 1, 25}});
  addWaits(program.graph);
  program.finishEngine(2);
  ASSERT_TRUE(program.engine().step(0).isOk());
  EXPECT_EQ(program.batches.slept, 25u);
}

TEST(StepEngine, IdleThreadsHelpWithKernels) {
  // One program has all the work, in kernels of many units.
  std::vector<float> expected;
  for (int threads : {1, 2, 5}) {
    TestProgram program;
    uint32_t scratch = program.kernel("scratch", 700, 4096);
    uint32_t y = program.floats("y", 700);
    uint32_t other = program.graph.addProgram(kGpu + std::string("0"));
    program.graph.addDispatch(scratch, {y}, {y});
    uint32_t got = program.graph.transfer(0, y, other);
    program.graph.addFetch("y", got, other);
    addWaits(program.graph);
    program.finishEngine(threads);
    for (uint64_t step = 0; step < 5; ++step)
      ASSERT_TRUE(program.engine().step(step).isOk());
    std::span<float> values = program.values(other, got);
    if (expected.empty())
      expected.assign(values.begin(), values.end());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), values.begin()))
        << threads;
  }
  EXPECT_EQ(expected[10], 55);
}

TEST(StepEngine, RandomGraphsGiveWhatCopiesOnOneThreadGive) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::vector<float> expected;
    for (size_t least : {size_t{1} << 30, size_t{1}})
      for (int threads : {1, 3}) {
        TestProgram program;
        RandomGraph graph(seed, program, kGpu);
        program.finishEngine(
            threads, {.edges = {.leastShared = least, .leastAwaited = least}});
        for (uint64_t step = 0; step < 4; ++step) {
          Status status = program.engine().step(step);
          ASSERT_TRUE(status.isOk()) << status.toString();
        }
        if (expected.empty())
          expected = graph.results(program);
        ASSERT_EQ(graph.results(program), expected)
            << seed << ", " << least << ", " << threads;
      }
  }
}

/// Two towers, each of which reads the data and sends it to program 0.
struct Readers {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t sum = program.floats("sum", 1);

  Readers() {
    uint32_t dataset =
        program.builder.addDataset({"d", {{"x", {DType::Float32, {}}}}, 2});
    uint32_t add = program.kernel("add");
    graph.addFetch("sum", sum);
    graph.addFill(sum, {0});
    for (uint32_t tower = 0; tower < 2; ++tower) {
      uint32_t index = graph.addProgram(kGpu + std::to_string(tower));
      test::ProgramSpec &there = graph.program(index);
      uint32_t x = there.addArena("x", {DType::Float32, {1}});
      test::HostCallSpec call;
      call.slots = {x};
      call.index = dataset;
      call.shard = tower;
      call.shards = 2;
      there.addInstruction({call, {}, "Next", 12 + tower});
      uint32_t got = graph.transfer(index, x, 0);
      graph.addDispatch(add, {sum, got, sum}, {sum});
    }
    addWaits(graph);
  }
};

TEST(StepEngine, ShardsAreReadAtTheSameTime) {
  Readers readers;
  readers.program.finishEngine(3);
  for (uint64_t step = 0; step < 10; ++step)
    ASSERT_TRUE(readers.program.engine().step(step).isOk());
  // Batches 19 and 20 of the last step.
  EXPECT_EQ(readers.program.values(0, readers.sum)[0], 39);
}

TEST(StepEngine, AFailureEndsTheStepForAllAndTheNextOneStartsAfresh) {
  Readers readers;
  readers.program.finishEngine(2);
  StepEngine &engine = readers.program.engine();
  ASSERT_TRUE(engine.step(0).isOk());
  readers.program.batches.failure = dataLoss("the file shrank");
  for (uint64_t step = 1; step < 50; ++step) {
    Status status = engine.step(step);
    EXPECT_EQ(status.code(), StatusCode::DataLoss);
    EXPECT_TRUE(contains(status, "step " + std::to_string(step + 1) +
                                     ": op 'Next' (line 1"))
        << status.message();
    EXPECT_TRUE(contains(status, ": the file shrank"));
  }
  readers.program.batches.failure = Status::ok();
  EXPECT_TRUE(engine.step(50).isOk());
}

TEST(StepEngine, TheEndOfTheDataIsSeenBeforeAnyProgramStarts) {
  Readers readers;
  readers.program.batches.limit = 4;
  readers.program.finishEngine(2);
  StepEngine &engine = readers.program.engine();
  ASSERT_TRUE(engine.step(0).isOk());
  ASSERT_TRUE(engine.step(1).isOk());
  readers.program.values(0, readers.sum)[0] = 99;
  EXPECT_EQ(engine.step(2).code(), StatusCode::OutOfRange);
  EXPECT_EQ(readers.program.values(0, readers.sum)[0], 99);
}

/// Puts a program's last two instructions in the other order, which no verifier
/// would let pass.
void swapLastTwo(const format::Model &model) {
  for (const format::Program *program : *model.graphs()->Get(0)->programs()) {
    const auto &list = *program->instructions();
    if (list.size() < 2)
      continue;
    // Offsets count from their own place.
    auto *words =
        reinterpret_cast<uint32_t *>(const_cast<uint8_t *>(list.Data()));
    uint32_t &a = words[list.size() - 2], &b = words[list.size() - 1];
    uint32_t old = a;
    a = b + sizeof(uint32_t);
    b = old - sizeof(uint32_t);
  }
}

TEST(StepEngine, SaysWhoWaitsForWhomWhenNoProgramCanGoOn) {
  for (int threads : {1, 2, 4}) {
    TestProgram program;
    test::GraphSpec &graph = program.graph;
    uint32_t gpu = graph.addProgram(kGpu + std::string("0"));
    uint32_t x = program.floats("x", 4);
    uint32_t y = graph.program(gpu).addArena("y", {DType::Float32, {4}});
    graph.addFeed("x", x);
    graph.addFeed("y", y, gpu);
    graph.transfer(0, x, gpu);
    graph.edges.back().line = 3;
    // Program 0: send x, recv y; program 1: send y, recv x.
    graph.transfer(gpu, y, 0);
    auto &there = graph.program(gpu).instructions;
    std::swap(there[0], there[1]);
    addWaits(graph);
    program.finishEngine(threads, {}, swapLastTwo);
    for (uint64_t step = 0; step < 3; ++step) {
      Status status = program.engine().step(step);
      EXPECT_EQ(status.code(), StatusCode::Internal);
      for (const char *text :
           {": the programs wait for each other: ",
            "device:CPU:0' is at op without a name and waits for edge 1 'y' "
            "from program '/job:localhost/replica:0/task:0/device:GPU:0'",
            "device:GPU:0' is at op without a name and waits for edge 0 'x' "
            "(line 3) from program",
            "compile the model again"})
        EXPECT_TRUE(contains(status, text)) << status.message();
    }
  }
}

TEST(StepEngine, CanBeCancelled) {
  Star star(3, 100);
  star.program.finishEngine(2);
  StepEngine &engine = star.program.engine();
  ASSERT_TRUE(engine.step(0).isOk());
  engine.cancel();
  Status status = engine.step(1);
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_EQ(status.message(), "step 2 was cancelled");
  EXPECT_TRUE(engine.step(2).isOk());
}

TEST(StepEngine, KeepsItsDeadline) {
  Star star(3, 1000);
  star.program.finishEngine(2);
  Status status = star.program.engine().step(0, 1);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_TRUE(contains(status, "step 1: program ")) << status.message();
  EXPECT_TRUE(star.program.engine().step(0, INT64_MAX).isOk());
}

TEST(StepEngine, EachReplicaFindsItsNumber) {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t kernel = program.kernel("state");
  uint32_t gpu = graph.addProgram(kGpu + std::string("0"));
  graph.replicas = 11;
  uint32_t outs[3];
  for (uint32_t i = 0; i < 3; ++i) {
    test::ProgramSpec &at = graph.program(i == 2 ? gpu : 0);
    uint32_t state = at.addStepState(i * 5);
    outs[i] = at.addArena("out", {DType::Int64, {3}});
    at.addDispatch(kernel, {state, outs[i]}, {outs[i]});
    graph.addFetch("out" + std::to_string(i), outs[i], i == 2 ? gpu : 0);
  }
  addWaits(graph);
  program.seed = 77;
  program.finishEngine(2);
  ASSERT_TRUE(program.engine().step(6).isOk());
  for (uint32_t i = 0; i < 3; ++i) {
    auto *values = reinterpret_cast<const int64_t *>(
        program.values(i == 2 ? gpu : 0, outs[i]).data());
    EXPECT_EQ(values[0], 77);
    EXPECT_EQ(values[1], 6);
    EXPECT_EQ(values[2], i * 5);
  }
}

/// Program 1 makes a = x / y and sends it to program 0, which fetches 2 a and
/// updates w.
struct Ratio {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t gpu = graph.addProgram(kGpu + std::string("0"));
  uint32_t x, y, w, loss;

  explicit Ratio(NanPolicy policy, bool checkAll = false) {
    test::ProgramSpec &there = graph.program(gpu);
    x = there.addArena("x", {DType::Float32, {}});
    y = there.addArena("y", {DType::Float32, {}});
    uint32_t a = there.addArena("a", {DType::Float32, {}});
    w = program.variable("w");
    loss = program.scalar("loss");
    graph.addFeed("x", x, gpu);
    graph.addFeed("y", y, gpu);
    graph.addFetch("loss", loss);
    there.addDispatch(program.kernel("divide"), {x, y, a}, {a});
    there.instructions.back().name = "Div_2";
    there.instructions.back().line = 3;
    uint32_t got = graph.transfer(gpu, a, 0);
    graph.addDispatch(program.kernel("twice"), {got, loss}, {loss});
    graph.addDispatch(program.kernel("add"), {w, got, w}, {w});
    addWaits(graph);
    program.numerics.policy = policy;
    program.numerics.checkAll = checkAll;
    program.numerics.warn = [this](const std::string &text) {
      warnings.push_back(text);
    };
    program.finishEngine(2);
  }
  std::vector<std::string> warnings;
};

TEST(StepEngine, NamesTheOpAndTheDeviceBehindANan) {
  Ratio test(NanPolicy::Error);
  Status status = test.program.engine().step(4);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_TRUE(contains(status, "step 5: op 'Div_2' (line 3) on '/job:localhost/"
                               "replica:0/task:0/device:GPU:0' made NaN; fetch "
                               "'loss' is NaN"))
      << status.message();
  EXPECT_EQ(test.program.values(0, test.w)[0], 0);
  test.program.values(test.gpu, test.y)[0] = 1;
  EXPECT_TRUE(test.program.engine().step(5).isOk());
}

TEST(StepEngine, WarnsOncePerFetch) {
  Ratio test(NanPolicy::Warn);
  for (uint64_t step = 0; step < 3; ++step)
    ASSERT_TRUE(test.program.engine().step(step).isOk());
  ASSERT_EQ(test.warnings.size(), 1u);
  EXPECT_EQ(test.warnings[0].rfind("step 1: op without a name on ", 0), 0u)
      << test.warnings[0];
}

TEST(StepEngine, LooksAtAllValuesWhereAsked) {
  Ratio test(NanPolicy::Error, true);
  Status status = test.program.engine().step(0);
  EXPECT_TRUE(contains(status, "step 1: op 'Div_2' (line 3) on "))
      << status.message();
  EXPECT_TRUE(contains(status, "GPU:0' made NaN; keep its inputs"));
  test.program.values(test.gpu, test.y)[0] = 1;
  EXPECT_TRUE(test.program.engine().step(1).isOk());
}

} // namespace
