// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs whose memory is used again later in a step are kept elsewhere, unless
// that would separate slots that are meant to be the same bytes.
#include "test/runtime/executor/TestProgram.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::TestProgram;

namespace {

/// x -> y -> z, where z is given the memory of x.
struct ReusedInput {
  TestProgram program;
  uint32_t x = program.floats("x", 4), y = program.floats("y", 4),
           z = program.floats("z", 4);

  ReusedInput() {
    uint32_t twice = program.kernel("twice", 4);
    program.graph.addFeed("x", x);
    program.graph.addFetch("z", z);
    program.graph.addDispatch(twice, {x, y}, {y});
    program.graph.addDispatch(twice, {y, z}, {z});
    program.graph.slots[z].offset = program.graph.slots[x].offset;
  }
};

TEST(SlotTable, AnOverwrittenInputIsKept) {
  ReusedInput reused;
  reused.program.finish();
  Executor &executor = reused.program.executor();
  EXPECT_TRUE(executor.keepsInput(reused.x));
  reused.program.values<float>(reused.x)[3] = 5;
  for (uint64_t step = 0; step < 2; ++step) {
    ASSERT_TRUE(executor.step(step).isOk());
    EXPECT_EQ(reused.program.values<float>(reused.z)[3], 20);
    EXPECT_EQ(reused.program.values<float>(reused.x)[3], 5);
  }
}

TEST(SlotTable, SlotsThatShareBytesStayTogether) {
  // z is a second name of x: it is read where x was written.
  TestProgram program;
  uint32_t x = program.floats("x", 4), y = program.floats("y", 4),
           z = program.graph.addArena("z", {DType::Float32, {2, 2}});
  program.graph.addFeed("x", x);
  program.graph.addFetch("y", y);
  program.graph.addDispatch(program.kernel("add", 4), {x, z, y}, {y});
  program.graph.slots[z].offset = program.graph.slots[x].offset;
  program.finish();
  EXPECT_FALSE(program.executor().keepsInput(x));
  program.values<float>(x)[1] = 3;
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.values<float>(y)[1], 6);
}

TEST(SlotTable, AnInputThatIsUpdatedInPlaceIsNotKept) {
  TestProgram program;
  uint32_t x = program.scalar("x");
  program.graph.addFeed("x", x);
  program.graph.addFetch("x", x);
  program.graph.addDispatch(program.kernel("add"), {x, x, x}, {x});
  program.finish();
  EXPECT_FALSE(program.executor().keepsInput(x));
  program.values<float>(x)[0] = 3;
  ASSERT_TRUE(program.executor().step(0).isOk());
  EXPECT_EQ(program.value(x), 6);
}

TEST(SlotTable, AnInputNobodyOverwritesIsKeptInTheArena) {
  TestProgram program;
  uint32_t x = program.scalar("x"), y = program.scalar("y");
  program.graph.addFeed("x", x);
  program.graph.addFetch("y", y);
  program.graph.addDispatch(program.kernel("twice"), {x, y}, {y});
  program.finish();
  EXPECT_TRUE(program.executor().keepsInput(x));
}

} // namespace
