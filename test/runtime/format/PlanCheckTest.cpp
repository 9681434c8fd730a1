// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule about plans refuses a plan that breaks this rule only, and says
// where.
#include "test/runtime/format/PlanEdits.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <map>

using namespace graphc;
using namespace graphc::test;

namespace {

constexpr const char *kTask = "/job:localhost/replica:0/task:0";

/// The plan of one tower after a change to its graph. Program 0 takes a batch
/// (#0), sends the variables (#1) and the batch (#2), receives two gradients
/// and the loss (#3), and uses them (#4, #5); the tower, program 1, receives
/// twice (#0, #1), computes (#2) and sends (#3).
template <typename Change> ModelBuilder changed(Change change) {
  ModelBuilder model = makeServerPlan(1);
  change(trainOf(model));
  return model;
}

template <typename T> T &actionOf(ProgramSpec &program, uint32_t index) {
  return std::get<T>(program.instructions[index].action);
}

TEST(Plans, AreAccepted) {
  for (uint32_t n : {1, 2, 3, 8})
    EXPECT_EQ(refusal(makeServerPlan(n)), "accepted") << n;
  for (uint32_t n : {2, 3, 8})
    EXPECT_EQ(refusal(makeRingPlan(n)), "accepted") << n;
}

TEST(Edges, JoinTwoPrograms) {
  expectRefusal(changed([](GraphSpec &g) { g.edges[0].target = 2; }),
                "graph 'train': edge 0 'w' at line 7 from program 0 '" +
                    std::string(kTask) +
                    "/device:CPU:0' to program 2: there are only 2 programs");
  expectRefusal(changed([](GraphSpec &g) { g.edges[0].target = 0; }),
                "it leads from a program to itself");
  expectRefusal(
      changed([](GraphSpec &g) { g.edges[0].size = (uint64_t(1) << 40) + 1; }),
      "edge 0 'w': it carries more than");
}

TEST(Frames, NameEdgesAndSlots) {
  auto sent = [](auto change) {
    return changed([&](GraphSpec &g) { change(actionOf<SendSpec>(g, 1)); });
  };
  expectRefusal(sent([](SendSpec &s) { s.edges[0] = 7; }),
                "instruction #1: edge 7 does not exist; there are 7");
  expectRefusal(sent([](SendSpec &s) { s.slots[0] = 99; }),
                "slot 99 does not exist");
  expectRefusal(sent([](SendSpec &s) { s.slots.pop_back(); }),
                "it has 2 edges and 1 slots");
  expectRefusal(sent([](SendSpec &s) { s.edges.clear(), s.slots.clear(); }),
                "it has 0 edges and 0 slots");
  expectRefusal(sent([](SendSpec &s) { s.edges[1] = 4; }),
                "does not join the same programs as edge 0 'w'");
  expectRefusal(sent([](SendSpec &s) { s.edges[1] = 0, s.slots[1] = 0; }),
                "it sends edge 0 'w' at line 7 from program 0");
  ModelBuilder model = changed(
      [](GraphSpec &g) { actionOf<RecvSpec>(g.program(1), 0).edges = {4, 5}; });
  expectRefusal(model, "it receives edge 4 'tower_0/dw'");
  expectRefusal(model, "which is another program's");
}

TEST(Edges, HaveOneSendAndOneRecv) {
  expectRefusal(
      changed([](GraphSpec &g) { actionOf<SendSpec>(g, 1) = {{0}, {0}}; }),
      "no instruction of program 0 '" + std::string(kTask) +
          "/device:CPU:0' sends it");
  expectRefusal(changed([](GraphSpec &g) {
                  auto &recv = actionOf<RecvSpec>(g.program(1), 0);
                  recv = {{0}, {recv.slots[0]}};
                }),
                "/device:GPU:0' receives it");
  expectRefusal(changed([](GraphSpec &g) { g.addSend({0}, {0}); }),
                "instruction #6: it sends edge 0 'w' at line 7 from program 0");
}

TEST(Edges, CarryOneValueOfOneType) {
  expectRefusal(changed([](GraphSpec &g) { g.edges[0].size = 64; }),
                "slot %0 'w' of edge 0 'w'");
  expectRefusal(changed([](GraphSpec &g) { g.edges[0].size = 64; }),
                "has 128 bytes but the edge carries 64");
  expectRefusal(changed([](GraphSpec &g) { g.edges[0].name = "b"; }),
                "holds another value than the edge's name says");
  ModelBuilder model = changed([](GraphSpec &g) {
    uint32_t received = actionOf<RecvSpec>(g.program(1), 0).slots[0];
    g.program(1).slots[received].type.shape = {8, 4};
  });
  expectRefusal(model, "instruction #1 sends float32[4,8] but program 1");
  expectRefusal(model, "instruction #0 receives float32[8,4]");
  expectRefusal(changed([](GraphSpec &g) {
                  uint32_t text = g.addStrings("w", {""});
                  g.edges[0].size = g.slots[text].size;
                  actionOf<SendSpec>(g, 1).slots[0] = text;
                }),
                "has the type string, which is not sent");
  model = makeServerPlan(1);
  ProgramSpec &tower = trainOf(model).program(1);
  model.variables[0].device.clear();
  actionOf<RecvSpec>(tower, 0).slots[0] = tower.addVariable("w", model, 0);
  expectRefusal(model, "is not in the arena, where values land");
}

TEST(Order, RunsEachInstructionOnce) {
  auto ordered = [](std::vector<uint32_t> order) {
    return changed([&](GraphSpec &g) { g.order = order; });
  };
  EXPECT_EQ(refusal(ordered({0, 0, 1, 0, 1, 1, 1, 0, 0, 0})), "accepted");
  expectRefusal(ordered({0, 2}),
                "entry 1 of its order: program 2 does not exist");
  expectRefusal(ordered({0, 0, 0, 1, 1, 1, 1, 1}),
                "entry 7 of its order: program 1 '" + std::string(kTask) +
                    "/device:GPU:0' has no more than 4 instructions");
  expectRefusal(ordered({0, 0, 0, 1, 1, 1, 1, 0, 0}),
                "its order ends before program 0");
  expectRefusal(ordered({}), "its order ends before program 0");
  expectRefusal(ordered({0, 1, 0, 0, 1, 1, 1, 0, 0, 0}),
                "instruction #0 waits for edge 0 'w'");
  expectRefusal(ordered({0, 1, 0, 0, 1, 1, 1, 0, 0, 0}),
                "which instruction #1 sends only later");
}

/// Two programs that each wait for the other have no order.
TEST(Order, ProvesThatNobodyWaitsForEver) {
  ModelBuilder model;
  GraphSpec &g = model.addGraph("g");
  g.addProgram(gpu(0));
  uint32_t here = g.addArena("x", {DType::Float32, {2}});
  uint32_t there = g.program(1).addArena("y", {DType::Float32, {2}});
  uint32_t forth = g.addEdge(0, 1, here), back = g.addEdge(1, 0, there);
  g.edges[back].name = "y";
  uint32_t fromThere = g.addArena("y", {DType::Float32, {2}});
  uint32_t fromHere = g.program(1).addArena("x", {DType::Float32, {2}});
  g.addFill(here, {0});
  g.addRecv({back}, {fromThere});
  g.addSend({forth}, {here});
  g.program(1).addFill(there, {0});
  g.program(1).addRecv({forth}, {fromHere});
  g.program(1).addSend({back}, {there});
  expectRefusal(model, "its order ends before program 0");
  std::swap(g.instructions[1], g.instructions[2]);
  EXPECT_EQ(refusal(model), "accepted");
}

TEST(Collectives, AreMetInOneOrder) {
  EXPECT_EQ(refusal(makeRingPlan(2)), "accepted");
  ModelBuilder model = makeRingPlan(2);
  GraphSpec &g = trainOf(model);
  // Of program 1: its first sends of the two collectives trade places.
  std::vector<uint32_t> sends;
  for (uint32_t i = 0; i < g.program(1).instructions.size(); ++i)
    if (auto *send =
            std::get_if<SendSpec>(&g.program(1).instructions[i].action))
      if (g.edges[send->edges[0]].collective == 1 + sends.size())
        sends.push_back(i);
  ASSERT_EQ(sends.size(), 2u);
  InstructionSpec second = g.program(1).instructions[sends[1]];
  g.program(1).instructions.erase(g.program(1).instructions.begin() + sends[1]);
  g.program(1).instructions.insert(g.program(1).instructions.begin() + sends[0],
                                   second);
  expectRefusal(model, "collective 1: program 1");
  expectRefusal(model, "begins it before or after another collective");
}

TEST(Collectives, AreLeftInOneOrder) {
  ModelBuilder model = makeRingPlan(2);
  GraphSpec &g = trainOf(model);
  // Of program 1: the last Recv of the first collective goes after that of the
  // second, whose Send went out in order.
  std::map<uint32_t, uint32_t> last; // instruction by collective
  for (uint32_t i = 0; i < g.program(1).instructions.size(); ++i)
    if (auto *recv =
            std::get_if<RecvSpec>(&g.program(1).instructions[i].action))
      last[g.edges[recv->edges[0]].collective] = i;
  ASSERT_LT(last[1], last[2]);
  moveInstruction(g, 1, last[1], last[2]);
  expectRefusal(model, "ends it before or after another collective");
}

TEST(Variables, AreOneProgramsBusiness) {
  ModelBuilder model = makeServerPlan(1);
  ProgramSpec &tower = trainOf(model).program(1);
  tower.addFill(tower.addVariable("w", model, 0), {0});
  expectRefusal(model, "variable 'w' is on '" + std::string(kCpu0) +
                           "', out of the program's reach");
  model.variables[0].device.clear();
  expectRefusal(model, "variable 'w': program 1");
  expectRefusal(model, "instruction #4 writes it while program 0");
  expectRefusal(model, "instruction #5 'apply' at line 20 writes it");
}

TEST(Shards, AreAllTakenOnceAndBelongToOneProgram) {
  auto call = [](auto change) {
    ModelBuilder model = makeServerPlan(2);
    change(actionOf<HostCallSpec>(trainOf(model), 0));
    return model;
  };
  expectRefusal(call([](HostCallSpec &h) { h.shard = 2; }),
                "it takes shard 2 of 2 of a batch of 4");
  expectRefusal(call([](HostCallSpec &h) { h.shards = 3; }),
                "it takes shard 0 of 3 of a batch of 4");
  expectRefusal(call([](HostCallSpec &h) { h.shards = 0; }), "shard 0 of 0");
  expectRefusal(call([](HostCallSpec &h) { h.shards = 1; }),
                "does not hold a batch of 4 of field 'image'");
  expectRefusal(call([](HostCallSpec &h) { h.shard = 1; }),
                "no instruction takes shard 0 of 2");
  ModelBuilder model = makeServerPlan(2);
  GraphSpec &g = trainOf(model);
  HostCallSpec again = actionOf<HostCallSpec>(g, 0);
  g.addInstruction({again});
  expectRefusal(model, "shard 1 is taken 1 times but shard 0 2 times");
  model = makeServerPlan(1);
  ProgramSpec &tower = trainOf(model).program(1);
  tower.addNextBatch(0, {tower.addArena("a", {DType::Float32, {2, 4}}),
                         tower.addArena("b", {DType::Int32, {2}})});
  expectRefusal(model, "one shard belongs to one program");
}

TEST(Replicas, Exist) {
  expectRefusal(changed([](GraphSpec &g) { g.replicas = 0; }),
                "graph 'train': it has 0 replicas");
  ModelBuilder model = makeServerPlan(2);
  trainOf(model).replicas = 1;
  expectRefusal(model, "replica 1 does not exist; there are 1");
}

TEST(Memory, IsWrittenBeforeItIsRead) {
  expectRefusal(changed([](GraphSpec &g) {
                  g.addCopy(g.addArena("a", {DType::Float32, {2}}),
                            g.addArena("b", {DType::Float32, {2}}));
                }),
                "instruction #6: it reads slot %8 'a', which nothing has "
                "written before");
  expectRefusal(changed([](GraphSpec &g) {
                  g.addFetch("never", g.addArena("a", {DType::Float32, {2}}));
                }),
                "fetch never: it reads slot %8 'a', which nothing has");
}

TEST(Memory, IsNotSharedByValuesInUse) {
  auto moved = [](auto change) {
    return changed([&](GraphSpec &g) {
      uint32_t a = g.addArena("a", {DType::Float32, {16}});
      uint32_t b = g.addArena("b", {DType::Float32, {16}});
      g.addFill(a, {0});
      g.addFill(b, {0});
      g.addCopy(a, b);
      change(g, a, b);
    });
  };
  EXPECT_EQ(refusal(moved([](GraphSpec &, uint32_t, uint32_t) {})), "accepted");
  expectRefusal(moved([](GraphSpec &g, uint32_t a, uint32_t b) {
                  g.slots[b].offset = g.slots[a].offset;
                }),
                "slot %9 'b' lies in bytes of slot %8 'a' while both are in "
                "use, at instruction #7");
  expectRefusal(
      moved([](GraphSpec &g, uint32_t a, uint32_t) { g.slots[a].first = 7; }),
      "it uses slot %8 'a' outside of its lifetime, #7 to #8");
  expectRefusal(moved([](GraphSpec &g, uint32_t a, uint32_t) {
                  g.addFetch("a", a);
                  g.slots[a].last = 7;
                  g.instructions.pop_back();
                  g.addFill(g.addArena("c", {DType::Float32, {1}}), {0});
                  g.addFill(g.addArena("d", {DType::Float32, {1}}), {0});
                }),
                "fetch a: slot %8 'a' is not kept to the end");
}

TEST(Memory, IsOrderedByWaits) {
  ModelBuilder model = makeServerPlan(1);
  GraphSpec &g = trainOf(model);
  for (uint32_t p : {0, 1})
    g.program(p).addWaits();
  g.keepsWaits = true;
  EXPECT_EQ(refusal(model), "accepted");
  g.instructions[5].waits = {};
  expectRefusal(model, "instruction #5 'apply' at line 20: it does not wait "
                       "for instruction #3");
  // The update must not overtake the Send of the old weights either.
  g.instructions[5].waits = {3};
  expectRefusal(model, "it does not wait for instruction #1, which uses the "
                       "bytes of slot %0 'w' before it");
}

TEST(Memory, OfAVariableIsUsedBehindItsUpdate) {
  auto refuses = [](auto addUse) {
    ModelBuilder model = makeServerPlan(1);
    GraphSpec &g = trainOf(model);
    addUse(g);
    for (uint32_t p : {0, 1})
      g.program(p).addWaits();
    g.keepsWaits = true;
    EXPECT_EQ(refusal(model), "accepted");
    g.instructions.back().waits = {};
    expectRefusal(model, "instruction #6: it does not wait for instruction #5");
  };
  refuses([](GraphSpec &g) {
    uint32_t copy = g.addArena("copy", g.slots[0].type);
    g.addCopy(0, copy);
  });
  refuses([](GraphSpec &g) { g.addFill(0, {0}); });
}

TEST(Memory, OfWhatArrivesIsKeptFromTheStart) {
  auto received = [](GraphSpec &g) -> uint32_t {
    return actionOf<RecvSpec>(g, 3).slots[0];
  };
  expectRefusal(
      changed([&](GraphSpec &g) { g.slots[received(g)].first = 2; }),
      "is in use from instruction #2 on, but its bytes may arrive before");
  expectRefusal(changed([&](GraphSpec &g) {
                  g.instructions.insert(
                      g.instructions.begin(),
                      InstructionSpec{FillSpec{received(g), {0}}});
                }),
                "'tower_0/dw' is written by instruction #0 while its bytes "
                "may arrive already");
  expectRefusal(changed([&](GraphSpec &g) { g.addFeed("dw", received(g)); }),
                "'tower_0/dw' is fed and received");
  expectRefusal(changed([&](GraphSpec &g) {
                  uint32_t x = g.addArena("x", {DType::Float32, {2}});
                  g.addFeed("x", x);
                  g.addFeed("y", x);
                }),
                "feed y: slot %8 'x' is fed twice");
}

/// A slot inside another with the same lifetime is a view of it.
TEST(Memory, HasViews) {
  auto viewed = [](bool isWritten) {
    return changed([&](GraphSpec &g) {
      uint32_t whole = g.addArena("whole", {DType::Float32, {32}});
      SlotSpec part = g.slots[whole];
      part.name = "part";
      part.type.shape = {16};
      part.size = 64;
      part.offset += 64;
      g.slots.push_back(part);
      uint32_t b = g.addArena("b", {DType::Float32, {16}});
      if (isWritten)
        g.addFill(whole, {0});
      else
        g.addFill(b, {0});
      g.addCopy(g.slots.size() - 2, b);
      uint32_t first = g.instructions.size() - 2;
      for (uint32_t i : {whole, whole + 1}) {
        g.slots[i].first = first;
        g.slots[i].last = first + 1;
      }
      g.instructions.back().waits = {first};
    });
  };
  EXPECT_EQ(refusal(viewed(true)), "accepted");
  expectRefusal(viewed(false), "it reads slot %9 'part', which nothing has");
}

TEST(Memory, IsWrittenOnceByAnInstruction) {
  auto written = [](uint64_t offset) {
    return changed([&](GraphSpec &g) {
      uint32_t whole = g.addArena("whole", {DType::Float32, {32}});
      SlotSpec part = g.slots[whole];
      part.name = "part";
      part.type.shape = {16};
      part.size = 64;
      part.offset += offset;
      g.slots.push_back(part);
      if (offset >= g.slots[whole].size)
        g.arenaBytes = g.liveBytes = part.offset + part.size;
      g.addDispatch(0, {whole, whole + 1}, {whole, whole + 1});
      uint32_t number = g.instructions.size() - 1;
      for (uint32_t i : {whole, whole + 1})
        g.slots[i].first = g.slots[i].last = number;
    });
  };
  EXPECT_EQ(refusal(written(128)), "accepted");
  expectRefusal(written(64), "it writes the bytes of slot %9 'part' twice");
}

TEST(Mirrors, AreCopiesOnOtherDevices) {
  auto changedMirror = [](auto change) {
    ModelBuilder model = makeRingPlan(2);
    EXPECT_EQ(model.variables[1].name, "w/mirror_1");
    change(model.variables[1]);
    return model;
  };
  expectRefusal(changedMirror([](VariableSpec &v) { v.mirrorOf = 9; }),
                "variable 'w/mirror_1': it is a mirror of variable 9");
  expectRefusal(changedMirror([](VariableSpec &v) { v.mirrorOf = 3; }),
                "variable 'b/mirror_1', which is a mirror itself");
  expectRefusal(changedMirror([](VariableSpec &v) { v.type.shape = {2, 4}; }),
                "variable 'w', whose type is float32[8]");
  expectRefusal(changedMirror([](VariableSpec &v) { v.device = gpu(0); }),
                "variable 'w' on the same device");
  expectRefusal(changedMirror([](VariableSpec &v) { v.device = "/gpu:0"; }),
                "device '/gpu:0': it is no full name of a device");
}

TEST(Parts, GiveOneWholeTensor) {
  auto changed = [](auto change) {
    ModelBuilder model;
    for (uint64_t i = 0; i < 2; ++i)
      model.variables.push_back({.name = "w/part_" + std::to_string(i),
                                 .type = {DType::Float32, {2, 4}},
                                 .partOf = "w",
                                 .partRow = 2 * i});
    model.variables.push_back({.name = "b", .type = {DType::Float32, {8}}});
    model.addGraph("g");
    change(model.variables);
    return model;
  };
  using Variables = std::vector<VariableSpec>;
  EXPECT_EQ(refusal(changed([](Variables &) {})), "accepted");
  expectRefusal(changed([](Variables &v) { v[1].partRow = 3; }),
                "variable 'w/part_1': it begins with row 3 of 'w' in place of "
                "2");
  expectRefusal(changed([](Variables &v) { v[1].type.shape = {2, 3}; }),
                "variable 'w/part_1': it is float32[2,3], and the part before "
                "it float32[2,4]");
  expectRefusal(changed([](Variables &v) { v[1].type.shape = {2}; }),
                "it is float32[2], and the part before it float32[2,4]");
  expectRefusal(changed([](Variables &v) { v[0].type.shape = {}; }),
                "variable 'w/part_0': a scalar or a mirror is no part");
  expectRefusal(changed([](Variables &v) { v[0].partRow = 1; }),
                "variable 'w/part_0': it follows no part of 'w', and is not "
                "the first");
  expectRefusal(changed([](Variables &v) { std::swap(v[1], v[2]); }),
                "variable 'w/part_1': it follows no part of 'w'");
  expectRefusal(changed([](Variables &v) { v[2].name = "w"; }),
                "variable 'w/part_0'");
  // Without elements there is no other bound on rows.
  expectRefusal(changed([](Variables &v) {
                  v[0].type.shape = v[1].type.shape = {INT32_MAX, 0};
                  v[1].partRow = INT32_MAX;
                }),
                "rows up to 2147483647 of 'w' leave it no room below "
                "2147483647");
}

TEST(Mirrors, AreWrittenTogether) {
  ModelBuilder model = makeRingPlan(2);
  GraphSpec &init = model.addGraph("init");
  init.device = gpu(0);
  init.addFill(init.addVariable("w", model, 0), {0});
  expectRefusal(model, "graph 'init': it writes 1 of the 2 copies of variable "
                       "'w'; they must stay equal");
}

/// A graph of one program may give an order, and then all is checked.
TEST(OneProgram, MayHaveAnOrder) {
  ModelBuilder model = makeSampleModel();
  model.graphs[1].addWaits();
  EXPECT_EQ(refusal(model), "accepted");
  model.graphs[1].order = {0, 0, 0};
  EXPECT_EQ(refusal(model), "accepted");
  model.graphs[1].order = {0, 0};
  expectRefusal(model, "graph 'train': its order ends before program 0");
}

} // namespace
