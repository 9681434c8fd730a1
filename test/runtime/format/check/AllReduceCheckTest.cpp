// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that a library may make, and what serves them: each rule refuses a plan
// that breaks it.
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <algorithm>

using namespace graphc;
using namespace graphc::test;

namespace {

/// The plan of two devices after a change; see makeLibraryPlan().
template <typename Change> ModelBuilder changed(Change change) {
  ModelBuilder model = makeLibraryPlan(2);
  change(trainOf(model));
  return model;
}

AllReduceSpec &reduceOf(ProgramSpec &program, uint32_t index) {
  return std::get<AllReduceSpec>(program.instructions[index].action);
}

uint32_t addFloats(ProgramSpec &program, std::vector<int64_t> shape) {
  return program.addArena("other", {DType::Float32, std::move(shape)});
}

void insert(ProgramSpec &program, uint32_t place, InstructionSpec made) {
  program.instructions.insert(program.instructions.begin() + place,
                              std::move(made));
}

TEST(Sums, AreAccepted) {
  for (uint32_t n : {2, 3, 8})
    EXPECT_EQ(refusal(makeLibraryPlan(n)), "accepted") << n;
}

TEST(Sums, AreOfOneSizeAndOfFloats) {
  expectRefusal(changed([](GraphSpec &g) { reduceOf(g, 4).source = 99; }),
                "instruction #4 'AllReduce': slot 99 does not exist");
  expectRefusal(changed([](GraphSpec &g) {
                  reduceOf(g, 4).target =
                      g.addConstant("c", {DType::Float32, {4}}, Bytes(16));
                }),
                "which is read-only");
  expectRefusal(
      changed([](GraphSpec &g) { reduceOf(g, 4).target = addFloats(g, {5}); }),
      "it adds up 16 bytes to a slot of 20");
  expectRefusal(changed([](GraphSpec &g) {
                  reduceOf(g, 4).target = g.addArena("n", {DType::Int32, {4}});
                }),
                "it adds up int32[4]; only float32 is possible");
  expectRefusal(changed([](GraphSpec &g) {
                  reduceOf(g, 4).target = reduceOf(g, 4).source;
                }),
                "share bytes; an AllReduce needs its terms and its sum apart");
}

TEST(Sums, HaveEqualTermsInSeveralPrograms) {
  expectRefusal(changed([](GraphSpec &g) { reduceOf(g, 4).collective = 0; }),
                "it is an AllReduce without a number; they count from 1");
  expectRefusal(changed([](GraphSpec &g) { reduceOf(g, 8).collective = 1; }),
                "it is AllReduce 1, as program 0");
  ModelBuilder model = changed([](GraphSpec &g) {
    g.instructions.resize(1);
    g.program(1).instructions.resize(1);
    g.edges.clear();
    g.addInstruction({AllReduceSpec{7, addFloats(g, {4}), addFloats(g, {4})}});
  });
  expectRefusal(model, "AllReduce 7 is in no other program");
  ProgramSpec &other = trainOf(model).program(1);
  other.addInstruction(
      {AllReduceSpec{7, addFloats(other, {3}), addFloats(other, {3})}});
  expectRefusal(model, "it adds 12 bytes to AllReduce 7, but program 0");
}

TEST(Servants, StandBeforeWhatTheyServe) {
  auto serving = [](uint32_t index, uint32_t number) {
    return changed(
        [=](GraphSpec &g) { g.instructions[index].collective = number; });
  };
  expectRefusal(serving(3, 9),
                "it serves AllReduce 9, which is not after it in its program");
  expectRefusal(serving(9, 1),
                "it serves AllReduce 1, which is not after it in its program");
  expectRefusal(
      serving(4, 2),
      "it serves AllReduce 2, but is not a Dispatch, Copy, Fill, Send "
      "or Recv");
}

TEST(Servants, HaveNoOtherEffect) {
  expectRefusal(changed([](GraphSpec &g) {
                  ModelBuilder model = makeLibraryPlan(2);
                  uint32_t w = g.addVariable("w", model, 0);
                  InstructionSpec fill{FillSpec{w, {0}}};
                  fill.collective = 1;
                  insert(g, 1, fill);
                }),
                "it serves AllReduce 1 alone, but writes a variable");
  // The sum of the first is read by what serves the second.
  expectRefusal(
      changed([](GraphSpec &g) {
        std::get<DispatchSpec>(g.instructions[7].action).slots.front() =
            std::get<RecvSpec>(g.instructions[2].action).slots[0];
      }),
      "it reads slot %3 'tower_1/dw', which instruction #2 makes for AllReduce "
      "1 alone");
  expectRefusal(changed([](GraphSpec &g) {
                  g.addFetch(
                      "landed",
                      std::get<RecvSpec>(g.instructions[2].action).slots[0]);
                }),
                "makes for AllReduce 1 alone");
}

TEST(Servants, AreBothEndsOfATransfer) {
  expectRefusal(changed([](GraphSpec &g) { g.instructions[1].collective = 0; }),
                "does not serve the same AllReduce");
  expectRefusal(changed([](GraphSpec &g) { g.instructions[2].collective = 2; }),
                "does not serve the same AllReduce");
}

/// Program 1 adds up in the other order, as it may where nobody waits.
TEST(Libraries, MeetProgramsInOneOrder) {
  ModelBuilder model = changed([](GraphSpec &g) {
    auto begin = g.program(1).instructions.begin();
    std::rotate(begin + 1, begin + 5, begin + 9);
  });
  expectRefusal(model, "instruction #4 'AllReduce' at line 30: it is in a "
                       "deadlock where a library does each AllReduce");
}

/// Finds the deadlock where a program's AllReduce needs what another one sends
/// after its own.
TEST(Libraries, DoNotWaitForThemselves) {
  auto sendsAt = [](uint32_t place) {
    return changed([=](GraphSpec &g) {
      uint32_t x = addFloats(g, {4}), received = addFloats(g.program(1), {4});
      uint32_t edge = g.addEdge(0, 1, x);
      insert(g, place, {SendSpec{{edge}, {x}}});
      insert(g, 0, {FillSpec{x, {0}}});
      insert(g.program(1), 4, {RecvSpec{{edge}, {received}}});
    });
  };
  EXPECT_EQ(refusal(sendsAt(4)), "accepted");
  expectRefusal(sendsAt(5), "is in a deadlock where a library does each");
}

} // namespace
