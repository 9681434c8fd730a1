// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of each task run apart from those of the others, and values
// cross in any order.
#include "test/runtime/executor/RandomGraph.h"
#include "test/runtime/executor/TestTasks.h"

#include <gtest/gtest.h>
#include <map>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::TestProgram;
using graphc::test::TestTasks;
using State = TaskEngine::State;

namespace {

constexpr const char *kWorker = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr const char *kPs = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr const char *kPsGpu = "/job:ps/replica:0/task:0/device:GPU:0";

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// Program 0, of the first task, sends x to program 1, which sends 2 x back.
struct PingPong {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t x, there, got, y, back;

  explicit PingPong(int64_t floats = 4) {
    uint32_t twice = program.kernel("twice", floats);
    graph.device = kWorker;
    x = program.floats("x", floats);
    graph.addFeed("x", x);
    there = graph.addProgram(kPs);
    got = graph.transfer(0, x, there);
    y = graph.program(there).addArena("y", {DType::Float32, {floats}});
    graph.program(there).addDispatch(twice, {got, y}, {y});
    graph.program(there).instructions.back().name = "Twice";
    back = graph.transfer(there, y, 0);
    graph.addFetch("y", back);
  }
};

TEST(TaskEngine, ValuesGoThereAndBack) {
  PingPong pingPong;
  TestTasks tasks(pingPong.program, {{0}, {1}});
  for (uint64_t step = 0; step < 5; ++step) {
    tasks.values(0, pingPong.x)[0] = 1 + static_cast<float>(step);
    tasks.run(step);
    EXPECT_EQ(tasks.values(0, pingPong.back)[0],
              2 + 2 * static_cast<float>(step));
  }
}

TEST(TaskEngine, TheEdgesOfATaskAreKnown) {
  PingPong pingPong;
  TestTasks tasks(pingPong.program, {{0}, {1}});
  const TaskEngine &worker = tasks.engine(0);
  ASSERT_EQ(worker.outgoing().size(), 1u);
  ASSERT_EQ(worker.incoming().size(), 1u);
  EXPECT_EQ(worker.outgoing()[0].edge, 0u);
  EXPECT_EQ(worker.outgoing()[0].peerProgram, 1u);
  EXPECT_EQ(worker.incoming()[0].edge, 1u);
  EXPECT_EQ(worker.incoming()[0].slot, pingPong.back);
  EXPECT_EQ(worker.incoming()[0].bytes.size(), 16u);
  EXPECT_EQ(worker.findIncoming(1), &worker.incoming()[0]);
  EXPECT_EQ(worker.findIncoming(0), nullptr);
  EXPECT_EQ(worker.findIncoming(2), nullptr);
  EXPECT_EQ(worker.instructions(), 2u);
  // Ports of other tasks have no bytes.
  EXPECT_FALSE(worker.slot(*worker.graph().fetches()->Get(0)).empty());
  EXPECT_TRUE(tasks.engine(1).slot(*worker.graph().fetches()->Get(0)).empty());
  EXPECT_TRUE(worker.keepsInput(*worker.graph().feeds()->Get(0)));
}

TEST(TaskEngine, AValueMayArriveBeforeItsProgramWantsIt) {
  PingPong pingPong;
  TestTasks tasks(pingPong.program, {{0}, {1}});
  TaskEngine &there = tasks.engine(1);
  EXPECT_EQ(there.state(), State::Idle);
  there.arrived(0); // no step has begun
  there.begin(0);
  EXPECT_EQ(there.state(), State::Waiting);
  there.arrived(0);
  there.arrived(0); // not twice
  there.arrived(1); // leaves, does not arrive
  there.arrived(99);
  EXPECT_EQ(there.advance(), State::Done);
  EXPECT_EQ(there.advance(), State::Done);
  EXPECT_EQ(tasks.sent(1), 1u);
}

TEST(TaskEngine, AValueThatComesTwiceIsNotTheOtherOne) {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  graph.device = kWorker;
  uint32_t other = graph.addProgram(kPs);
  uint32_t a = graph.program(other).addArena("a", {DType::Float32, {}}),
           b = graph.program(other).addArena("b", {DType::Float32, {}});
  graph.addFeed("a", a, other);
  graph.addFeed("b", b, other);
  uint32_t first = graph.transfer(other, a, 0),
           second = graph.transfer(other, b, 0);
  uint32_t sum = program.scalar("sum");
  graph.addDispatch(program.kernel("add"), {first, second, sum}, {sum});
  graph.addFetch("sum", sum);
  TestTasks tasks(program, {{0}, {1}});
  TaskEngine &here = tasks.engine(0);
  here.begin(0);
  EXPECT_EQ(here.advance(), State::Waiting);
  for (int i = 0; i < 3; ++i) {
    here.arrived(0);
    EXPECT_EQ(here.advance(), State::Waiting);
    EXPECT_EQ(here.awaited(), std::vector<uint32_t>{1});
  }
  here.arrived(1);
  EXPECT_EQ(here.advance(), State::Done);
}

TEST(TaskEngine, ARefusedValueIsOfferedAgain) {
  PingPong pingPong;
  TestTasks tasks(pingPong.program, {{0}, {1}});
  TaskEngine &here = tasks.engine(0);
  tasks.sender(0).refusals = 3;
  here.begin(7);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(here.advance(), State::Waiting);
    EXPECT_EQ(tasks.sent(0), 0u);
    EXPECT_TRUE(here.awaited().empty());
    EXPECT_TRUE(contains(here.whereWaiting(), kWorker));
  }
  EXPECT_EQ(here.advance(), State::Waiting);
  EXPECT_EQ(tasks.sent(0), 1u);
  EXPECT_EQ(tasks.sender(0).lastStep, 7u);
  EXPECT_EQ(here.awaited(), std::vector<uint32_t>{1});
  here.arrived(1);
  EXPECT_EQ(here.advance(), State::Done);
  EXPECT_EQ(here.step(), 7u);
}

TEST(TaskEngine, WhereItWaitsIsNamed) {
  PingPong pingPong;
  pingPong.graph.instructions.back().name = "Return";
  pingPong.graph.instructions.back().line = 12;
  TestTasks tasks(pingPong.program, {{0}, {1}});
  tasks.engine(0).begin(0);
  tasks.engine(0).advance();
  EXPECT_EQ(tasks.engine(0).whereWaiting(),
            std::string("program '") + kWorker + "' at op 'Return' (line 12)");
}

/// Exposes what each task makes; the memory of `edge` last.
struct Exposer {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::byte>> memory;
  test::TaskChanges changes() {
    test::TaskChanges changes;
    changes.exposure = [this](uint32_t task, uint32_t edge, size_t bytes) {
      auto &place = memory[{task, edge}];
      place.resize(bytes);
      return place.data();
    };
    return changes;
  }
};

TEST(TaskEngine, WhatATaskMakesIsExposed) {
  PingPong pingPong;
  Exposer exposer;
  TestTasks tasks(pingPong.program, {{0}, {1}}, exposer.changes());
  // x is fed: it stays where it is.
  EXPECT_TRUE(tasks.engine(0).exposed().empty());
  TaskEngine &there = tasks.engine(1);
  ASSERT_EQ(there.exposed().size(), 1u);
  EXPECT_EQ(there.exposed()[0].edge, 1u);
  std::vector<std::byte> &place = exposer.memory[{1, 1}];
  EXPECT_EQ(there.exposed()[0].address, place.data());
  EXPECT_EQ(there.outgoing()[0].bytes.data(), place.data());
  EXPECT_EQ(place.size(), 16u);

  tasks.values(0, pingPong.x)[0] = 3;
  for (uint64_t step = 0; step < 3; ++step) {
    tasks.engine(0).begin(step);
    there.begin(step);
    tasks.engine(0).advance();
    tasks.deliver();
    // The place may still be read.
    EXPECT_EQ(there.advance(), State::Waiting);
    EXPECT_EQ(tasks.sent(1), 0u);
    EXPECT_TRUE(contains(there.whereWaiting(), "op 'Twice'"));
    EXPECT_TRUE(there.awaited().empty());
    there.cameBack(0); // not exposed
    EXPECT_EQ(there.advance(), State::Waiting);
    there.cameBack(1);
    there.cameBack(1); // once is enough
    EXPECT_EQ(there.advance(), State::Done);
    EXPECT_EQ(reinterpret_cast<float *>(place.data())[0], 6);
    tasks.deliver();
    EXPECT_EQ(tasks.engine(0).advance(), State::Done);
  }
}

/// A value and a half of it, each sent to a program of another task: `v` and
/// what begins 64 bytes after it.
TEST(TaskEngine, WhatLiesInOneAnotherIsExposedTogether) {
  for (bool isToOne : {true, false}) {
    TestProgram program;
    test::GraphSpec &graph = program.graph;
    graph.device = kWorker;
    uint32_t v = program.floats("v", 32);
    uint32_t half = program.floats("half", 16);
    graph.slots[half].offset = graph.slots[v].offset + 64;
    for (uint32_t slot : {v, half}) {
      graph.slots[slot].first = 0;
      graph.slots[slot].last = 2;
    }
    graph.addFill(v, {0, 0, 0x80, 0x3f});
    uint32_t first = graph.addProgram(kPs);
    uint32_t second = isToOne ? first : graph.addProgram(kPsGpu);
    graph.transfer(0, v, first);
    graph.transfer(0, half, second);
    graph.instructions.back().waits = {0};
    Exposer exposer;
    TestTasks tasks(program,
                    {{0},
                     isToOne ? std::vector<uint32_t>{first}
                             : std::vector<uint32_t>{first, second}},
                    exposer.changes());
    std::span<const ExposedEdge> exposed = tasks.engine(0).exposed();
    ASSERT_EQ(exposed.size(), isToOne ? 2u : 1u);
    if (isToOne)
      EXPECT_EQ(exposed[1].address, exposed[0].address + 64);
    EXPECT_EQ(tasks.engine(0).outgoing()[1].bytes.data(),
              exposed[0].address + 64);
    EXPECT_EQ(exposer.memory.size(), 1u);
  }
}

TEST(TaskEngine, WhatIsWrittenAfterItWasSentIsNotExposed) {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  graph.device = kWorker;
  uint32_t v = program.floats("v", 4);
  graph.addFill(v, {0, 0, 0x80, 0x3f});
  graph.transfer(0, v, graph.addProgram(kPs));
  graph.addFill(v, {0, 0, 0, 0});
  Exposer exposer;
  TestTasks tasks(program, {{0}, {1}}, exposer.changes());
  EXPECT_TRUE(tasks.engine(0).exposed().empty());
  EXPECT_TRUE(exposer.memory.empty());
}

TEST(TaskEngine, ARemoteValueIsReadElsewhere) {
  PingPong pingPong;
  TestTasks tasks(pingPong.program, {{0}, {1}});
  TaskEngine &there = tasks.engine(1);
  EXPECT_TRUE(there.mayReadRemotely(0));
  EXPECT_FALSE(there.mayReadRemotely(1)); // leaves
  EXPECT_FALSE(
      tasks.engine(0).mayReadRemotely(1)); // fetched: read after the step
  std::vector<float> remote = {5, 6, 7, 8};
  std::byte *receiveBuffer = there.incoming()[0].bytes.data();
  auto result = [&](uint64_t step) {
    there.begin(step);
    there.arrived(0);
    EXPECT_EQ(there.advance(), State::Done);
    float first = 0;
    std::memcpy(&first, there.outgoing()[0].bytes.data(), sizeof first);
    return first;
  };
  TaskEngine::RemoteRead remoteReads[] = {
      {0, reinterpret_cast<std::byte *>(remote.data())}, {1, nullptr}};
  there.readRemotely(remoteReads);
  EXPECT_EQ(there.incoming()[0].bytes.data(),
            reinterpret_cast<std::byte *>(remote.data()));
  EXPECT_EQ(result(0), 10);
  remoteReads[0].address = nullptr;
  there.readRemotely(remoteReads);
  EXPECT_EQ(there.incoming()[0].bytes.data(), receiveBuffer);
  reinterpret_cast<float *>(receiveBuffer)[0] = 9;
  EXPECT_EQ(result(1), 18);
}

/// Sends a received value on to a third task, from where it is read remotely.
TEST(TaskEngine, ARemoteValueGoesOn) {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  graph.device = kWorker;
  uint32_t v = program.floats("v", 4);
  graph.addFill(v, {0, 0, 0x80, 0x3f});
  uint32_t there = graph.addProgram(kPs);
  uint32_t got = graph.transfer(0, v, there);
  uint32_t last = graph.addProgram("/job:ps/replica:0/task:1/device:CPU:0");
  graph.transfer(there, got, last);
  TestTasks tasks(program, {{0}, {1}, {2}});
  TaskEngine &middle = tasks.engine(1);
  ASSERT_TRUE(middle.mayReadRemotely(0));
  std::vector<std::byte> remote(16);
  TaskEngine::RemoteRead remoteReads[] = {{0, remote.data()}};
  middle.readRemotely(remoteReads);
  EXPECT_EQ(middle.outgoing()[0].bytes.data(), remote.data());
  // Between programs of one task, values are copied from a place that is fixed.
  TestTasks together(program, {{0}, {1, 2}});
  EXPECT_FALSE(together.engine(1).mayReadRemotely(0));
}

/// Two values for one program in either order, of two tasks.
TEST(TaskEngine, ArrivalsInAnyOrder) {
  for (bool isReversed : {false, true}) {
    TestProgram program;
    test::GraphSpec &graph = program.graph;
    uint32_t add = program.kernel("add", 2);
    std::vector<uint32_t> got;
    for (uint32_t i = 0; i < 2; ++i) {
      uint32_t there = graph.addProgram(
          "/job:w/replica:0/task:" + std::to_string(i) + "/device:CPU:0");
      uint32_t v = graph.program(there).addArena("v", {DType::Float32, {2}});
      graph.program(there).addFill(v, {0, 0, uint8_t(0x80 - i), 0x3f});
      got.push_back(graph.transfer(there, v, 0));
    }
    uint32_t sum = program.floats("sum", 2);
    graph.addDispatch(add, {got[0], got[1], sum}, {sum});
    graph.addFetch("sum", sum);
    TestTasks tasks(program, {{0}, {1}, {2}});
    for (uint64_t step = 0; step < 3; ++step) {
      for (uint32_t task = 0; task < 3; ++task)
        tasks.engine(task).begin(step);
      tasks.engine(0).advance();
      EXPECT_EQ(tasks.engine(0).awaited().front(), 0u);
      for (uint32_t task : isReversed ? std::vector{2, 1} : std::vector{1, 2})
        EXPECT_EQ(tasks.engine(task).advance(), State::Done);
      tasks.deliver();
      EXPECT_EQ(tasks.engine(0).advance(), State::Done);
      EXPECT_EQ(tasks.values(0, sum)[1], 1 + 0.9960938f);
    }
  }
}

/// The whole graph in one engine is what StepEngine does.
TEST(TaskEngine, EdgesInsideATaskNeedNoSemaphore) {
  PingPong pingPong(3000);
  TestTasks tasks(pingPong.program, {{0, 1}});
  EXPECT_TRUE(tasks.engine(0).incoming().empty());
  EXPECT_TRUE(tasks.engine(0).outgoing().empty());
  for (uint64_t step = 0; step < 3; ++step) {
    for (float &value : tasks.values(0, pingPong.x))
      value = 3 + static_cast<float>(step);
    tasks.engine(0).begin(step);
    EXPECT_EQ(tasks.engine(0).advance(), State::Done);
    for (float value : tasks.values(0, pingPong.back))
      ASSERT_EQ(value, 2 * (3 + static_cast<float>(step)));
  }
}

/// However the programs are given to tasks, results are the same.
TEST(TaskEngine, RandomGraphsGiveWhatOneProcessGives) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    TestProgram program;
    test::RandomGraph graph(seed, program,
                            "/job:w/replica:0/task:", "/device:CPU:0");
    program.finishEngine(1);
    for (uint64_t step = 0; step < 3; ++step)
      ASSERT_TRUE(program.engine().step(step).isOk());
    std::vector<float> expected = graph.results(program);
    for (uint32_t count : {2u, graph.programs()}) {
      TestProgram again;
      test::RandomGraph same(seed, again,
                             "/job:w/replica:0/task:", "/device:CPU:0");
      std::vector<std::vector<uint32_t>> tasks(count);
      for (uint32_t i = 0; i < same.programs(); ++i)
        tasks[i * count / same.programs()].push_back(i);
      test::TaskChanges changes;
      changes.haveParts = count == same.programs();
      changes.threads = 2;
      TestTasks split(again, tasks, changes);
      for (uint64_t step = 0; step < 3; ++step)
        split.run(step);
      ASSERT_EQ(same.results(split), expected) << seed << ", " << count;
    }
  }
}

TEST(TaskEngine, AnAbandonedStepLeavesNothing) {
  PingPong pingPong;
  TestTasks tasks(pingPong.program, {{0}, {1}});
  TaskEngine &here = tasks.engine(0);
  here.begin(0);
  here.advance();
  here.abandon();
  EXPECT_EQ(here.state(), State::Idle);
  here.arrived(1); // late
  EXPECT_EQ(here.advance(), State::Idle);
  EXPECT_TRUE(here.awaited().empty());
  here.begin(1);
  EXPECT_EQ(here.advance(), State::Waiting) << "the late value does not count";
  here.arrived(1);
  EXPECT_EQ(here.advance(), State::Done);
}

TEST(TaskEngine, ValuesLandWhereTheOwnerWants) {
  PingPong pingPong;
  std::vector<float> place(4, -1);
  test::TaskChanges changes;
  changes.receiveBuffer = [&](uint32_t task, uint32_t edge, size_t bytes) {
    EXPECT_EQ(bytes, 16u);
    return task == 1 && edge == 0 ? reinterpret_cast<std::byte *>(place.data())
                                  : nullptr;
  };
  TestTasks tasks(pingPong.program, {{0}, {1}}, changes);
  EXPECT_EQ(tasks.engine(1).findIncoming(0)->bytes.data(),
            reinterpret_cast<std::byte *>(place.data()));
  tasks.values(0, pingPong.x)[3] = 21;
  tasks.run(0);
  EXPECT_EQ(place[3], 21);
  EXPECT_EQ(tasks.values(0, pingPong.back)[3], 42);
}

/// The worker sends a gradient; the ps adds it to w, which is on two devices,
/// the second of which gets what the first has updated.
struct Update {
  TestProgram program;
  test::GraphSpec &graph = program.graph;
  uint32_t g, ps, gpu, w, seen;

  Update() {
    uint32_t add = program.kernel("add", 2);
    graph.device = kWorker;
    g = program.floats("g", 2);
    graph.addFeed("g", g);
    ps = graph.addProgram(kPs);
    gpu = graph.addProgram(kPsGpu);
    uint32_t index = program.builder.addVariable("w", {DType::Float32, {2}});
    w = graph.program(ps).addVariable("w", program.builder, index);
    uint32_t got = graph.transfer(0, g, ps);
    graph.program(ps).addDispatch(add, {w, got, w}, {w});
    seen = graph.transfer(ps, w, gpu);
    graph.addFetch("seen", seen, gpu);
  }
};

TEST(TaskEngine, ItStopsBeforeUpdates) {
  Update update;
  test::TaskChanges changes;
  changes.stopsBeforeUpdate = true;
  TestTasks tasks(update.program, {{0}, {1, 2}}, changes);
  TaskEngine &ps = tasks.engine(1);
  float expected = 0;
  for (uint64_t step = 0; step < 6; ++step) {
    tasks.values(0, update.g)[0] = 1;
    ps.begin(step);
    EXPECT_EQ(ps.advance(), State::Waiting) << "the gradient is not there";
    EXPECT_EQ(ps.awaited(), std::vector<uint32_t>{0});
    tasks.engine(0).begin(step);
    EXPECT_EQ(tasks.engine(0).advance(), State::Done)
        << "a program without variables runs to its end";
    tasks.deliver();
    EXPECT_EQ(ps.advance(), State::AtUpdate);
    EXPECT_EQ(ps.advance(), State::AtUpdate);
    EXPECT_EQ(tasks.values(1, update.w)[0], expected);
    if (step % 3 == 2) {
      ps.skipUpdate();
    } else {
      ps.permitUpdate();
      EXPECT_EQ(ps.advance(), State::Done);
      expected += 1;
      EXPECT_EQ(tasks.values(2, update.seen)[0], expected);
    }
    EXPECT_EQ(ps.state(), State::Done);
    EXPECT_EQ(tasks.values(1, update.w)[0], expected);
  }
}

/// Reads variables for the update only when the update is permitted.
TEST(TaskEngine, UpdatesBeginWhereTheProgramSaysSo) {
  TestProgram program;
  uint32_t w = program.variable("w"), x = program.floats("x", 1);
  program.graph.addFetch("x", x);
  program.graph.addCopy(w, x);
  program.graph.addDispatch(program.kernel("add"), {x, x, w}, {w});
  program.graph.updatesFrom = 0;
  test::TaskChanges changes;
  changes.stopsBeforeUpdate = true;
  TestTasks tasks(program, {{0}}, changes);
  tasks.engine(0).begin(0);
  EXPECT_EQ(tasks.engine(0).advance(), State::AtUpdate);
  tasks.values(0, w)[0] = 5; // another worker's update
  tasks.engine(0).permitUpdate();
  EXPECT_EQ(tasks.engine(0).advance(), State::Done);
  EXPECT_EQ(tasks.values(0, w)[0], 10);
}

TEST(TaskEngine, UpdatesMayBePermittedEarly) {
  Update update;
  test::TaskChanges changes;
  changes.stopsBeforeUpdate = true;
  TestTasks tasks(update.program, {{0}, {1, 2}}, changes);
  tasks.engine(1).begin(0);
  tasks.engine(1).advance();
  tasks.engine(1).skipUpdate(); // it is not there
  EXPECT_EQ(tasks.engine(1).state(), State::Waiting);
  tasks.engine(1).permitUpdate();
  tasks.engine(1).arrived(0);
  EXPECT_EQ(tasks.engine(1).advance(), State::Done);
}

TEST(TaskEngine, AFailureEndsTheStep) {
  TestProgram program;
  uint32_t dataset =
      program.builder.addDataset({"d", {{"x", {DType::Float32, {2}}}}});
  uint32_t x = program.graph.addArena("x", {DType::Float32, {1, 2}});
  program.graph.addNextBatch(dataset, {x});
  program.nameLast("next", 3);
  program.batches.fieldElements = 2;
  TestTasks tasks(program, {{0}});
  TaskEngine &engine = tasks.engine(0);
  engine.begin(0);
  EXPECT_EQ(engine.advance(), State::Done);
  program.batches.failure = internalError("the disk is gone");
  engine.begin(1);
  EXPECT_EQ(engine.advance(), State::Failed);
  EXPECT_EQ(engine.failure().message(),
            "step 2: op 'next' (line 3): the disk is gone");
  EXPECT_EQ(engine.advance(), State::Failed);
  program.batches.failure = Status::ok();
  engine.begin(2);
  EXPECT_EQ(engine.advance(), State::Done);
  program.batches.limit = program.batches.calls;
  engine.begin(3);
  EXPECT_EQ(engine.state(), State::Failed);
  EXPECT_EQ(engine.failure().code(), StatusCode::OutOfRange);
}

TEST(TaskEngine, AFetchThatIsNoNumberIsNamed) {
  for (bool looksAtAll : {false, true}) {
    TestProgram program;
    test::GraphSpec &graph = program.graph;
    graph.device = kWorker;
    uint32_t x = program.scalar("x");
    graph.addFeed("x", x);
    uint32_t there = graph.addProgram(kPs);
    uint32_t got = graph.transfer(0, x, there);
    uint32_t loss = graph.program(there).addArena("loss", {DType::Float32, {}});
    graph.program(there).addDispatch(program.kernel("twice"), {got, loss},
                                     {loss});
    graph.program(there).instructions.back().name = "Twice";
    graph.addFetch("loss", loss, there);
    program.numerics.checkAll = looksAtAll;
    TestTasks tasks(program, {{0}, {1}});
    tasks.values(0, x)[0] = std::numeric_limits<float>::quiet_NaN();
    tasks.engine(0).begin(0);
    tasks.engine(0).advance();
    tasks.engine(1).begin(0);
    tasks.deliver();
    EXPECT_EQ(tasks.engine(1).advance(), State::Failed);
    std::string text = tasks.engine(1).failure().message();
    EXPECT_TRUE(contains(text, "step 1: op 'Twice'")) << text;
    EXPECT_TRUE(contains(text, looksAtAll ? "made NaN on '/job:ps"
                                          : "fetch 'loss' is NaN"))
        << text;
  }
}

/// Warns once of a NaN that stays: of the fetch, and of the op that made it
/// where all values are checked.
TEST(TaskEngine, ValuesThatAreNoNumbersAreWarnedOfOnce) {
  for (bool looksAtAll : {false, true}) {
    TestProgram program;
    test::GraphSpec &graph = program.graph;
    graph.device = kWorker;
    uint32_t x = program.scalar("x"), y = program.scalar("y"),
             loss = program.scalar("loss");
    graph.addFeed("x", x);
    uint32_t twice = program.kernel("twice");
    graph.addDispatch(twice, {x, y}, {y});
    graph.addDispatch(twice, {y, loss}, {loss});
    graph.addFetch("loss", loss);
    int warnings = 0;
    program.numerics.checkAll = looksAtAll;
    program.numerics.policy = NanPolicy::Warn;
    program.numerics.warn = [&](const std::string &) { ++warnings; };
    TestTasks tasks(program, {{0}});
    for (uint64_t step = 0; step < 3; ++step) {
      tasks.values(0, x)[0] = std::numeric_limits<float>::quiet_NaN();
      tasks.engine(0).begin(step);
      EXPECT_EQ(tasks.engine(0).advance(), State::Done);
    }
    EXPECT_EQ(warnings, looksAtAll ? 2 : 1);
  }
}

TEST(TaskEngine, SleepersArePutAsideWhereThereIsAClock) {
  TestProgram program;
  program.graph.addInstruction(
      {test::HostCallSpec{format::HostFunction::Sleep, 0, {}, 0, 1, 20}});
  int64_t now = 1000;
  test::TaskChanges changes;
  changes.clock = [&] { return now; };
  TestTasks tasks(program, {{0}}, changes);
  TaskEngine &engine = tasks.engine(0);
  for (uint64_t step = 0; step < 2; ++step) {
    engine.begin(step);
    EXPECT_EQ(engine.advance(), State::Waiting);
    EXPECT_EQ(engine.wakeNanos(), now + 20'000'000);
    now += 19'999'999;
    EXPECT_EQ(engine.advance(), State::Waiting);
    ++now;
    EXPECT_EQ(engine.advance(), State::Done);
    EXPECT_EQ(engine.wakeNanos(), std::nullopt);
  }
}

TEST(TaskEngine, DebugFailures) {
  TestProgram program;
  program.graph.addInstruction({test::HostCallSpec{
      format::HostFunction::Fail, 0, {}, 0, 1, 0, "on purpose"}});
  program.nameLast("stop", 4);
  TestTasks tasks(program, {{0}});
  tasks.engine(0).begin(4);
  EXPECT_EQ(tasks.engine(0).advance(), State::Failed);
  EXPECT_EQ(tasks.engine(0).failure().code(), StatusCode::Aborted);
  EXPECT_EQ(tasks.engine(0).failure().message(),
            "step 5: op 'stop' (line 4): on purpose");
}

TEST(TaskEngine, WrongProgramsAreRefused) {
  PingPong pingPong;
  TaskEngineSpec spec;
  spec.executor = pingPong.program.prepare(1);
  for (std::vector<uint32_t> programs :
       {std::vector<uint32_t>{}, {2}, {1, 0}, {0, 0}}) {
    spec.programs = programs;
    EXPECT_EQ(TaskEngine::create(spec).status().code(),
              StatusCode::InvalidArgument);
  }
  spec.programs = {0};
  auto engine = TaskEngine::create(spec);
  EXPECT_TRUE(contains(engine.status().message(), "nobody takes them"));
}

} // namespace
