// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each task gets its own programs and no others', in a file that is verified
// like a whole one.
#include "runtime/format/PlanSlice.h"
#include "runtime/format/FileHeader.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/print/Print.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <regex>
#include <sstream>

using namespace graphc;
using namespace graphc::test;
using runtime::makeSlice;
using runtime::Model;
using runtime::StatusCode;

namespace {

constexpr const char *kHost = "/job:localhost/task:0";

std::shared_ptr<const Model> open(const Bytes &bytes) {
  auto model = Model::fromBytes(bytes, "test");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? *model : nullptr;
}

Bytes partOf(const Model &model, const std::string &task) {
  auto slice = makeSlice(model, task);
  EXPECT_TRUE(slice.isOk()) << slice.status().message();
  return slice.isOk() ? *slice : Bytes();
}

/// Puts the GPU of that number to a task of its own.
void spread(std::string &device) {
  for (uint32_t i = 0; i < 8; ++i)
    if (device == gpu(i))
      device = "/job:w/replica:0/task:" + std::to_string(i) + "/device:GPU:0";
}

ModelBuilder spread(ModelBuilder model) {
  for (VariableSpec &variable : model.variables)
    spread(variable.device);
  for (GraphSpec &graph : model.graphs)
    for (uint32_t i = 0; i < graph.programCount(); ++i)
      spread(graph.program(i).device);
  return model;
}

std::string textOf(const Model &model, const format::Graph &graph) {
  std::ostringstream out;
  runtime::printSchedule(model.index(), graph, out);
  runtime::printMemory(model.index(), graph, out, true);
  // Blobs have other places.
  static const std::regex place("at [0-9]+ of the file");
  return std::regex_replace(out.str(), place, "");
}

/// Everything that is printed of a model but for what a slice leaves out.
std::string textOf(const Model &model) {
  std::ostringstream out;
  runtime::printMetadata(model, out);
  runtime::printKernels(model, out);
  auto write = [&](const format::Blob *blob) {
    auto bytes = model.blob(*blob);
    out << std::string_view(reinterpret_cast<const char *>(bytes.data()),
                            bytes.size());
  };
  for (const format::Executable *executable : *model.index().executables()) {
    out << executable->target()->string_view();
    write(executable->code());
  }
  for (const format::Graph *graph : *model.index().graphs())
    out << textOf(model, *graph);
  return out.str();
}

bool contains(const Bytes &bytes, const std::string &text) {
  auto *begin = reinterpret_cast<const std::byte *>(text.data());
  return std::search(bytes.begin(), bytes.end(), begin, begin + text.size()) !=
         bytes.end();
}

TEST(PlanSlice, NamesOfTasks) {
  EXPECT_EQ(runtime::taskOfDevice("/job:ps/replica:0/task:3/device:CPU:0"),
            "/job:ps/task:3");
  EXPECT_EQ(runtime::taskOfDevice("/job:ps/task:3"), "/job:ps/task:3");
  EXPECT_EQ(runtime::taskOfDevice("/device:CPU:0"), "");
  EXPECT_EQ(runtime::taskOfDevice("nonsense"), "");
  auto model = open(spread(makeRingPlan(3)).finish());
  EXPECT_EQ(runtime::tasksOf(*model),
            (std::vector<std::string>{"/job:w/task:0", "/job:w/task:1",
                                      "/job:w/task:2"}));
}

TEST(PlanSlice, TasksAreInTheOrderOfTheirNumbers) {
  ModelBuilder model;
  GraphSpec &graph = model.addGraph("train");
  graph.device = "/job:w/replica:0/task:10/device:CPU:0";
  graph.addProgram("/job:w/replica:0/task:9/device:CPU:0");
  graph.addProgram("/job:w/replica:0/task:10/device:GPU:0");
  graph.addProgram("/job:w/replica:0/task:11/device:GPU:0"); // stays empty
  for (uint32_t i = 0; i < 3; ++i)
    graph.program(i).addInstruction(
        {HostCallSpec{format::HostFunction::Sleep, 0, {}}});
  EXPECT_EQ(runtime::tasksOf(*open(model.finish())),
            (std::vector<std::string>{"/job:w/task:9", "/job:w/task:10"}));
}

/// The sample, which checks and prints, too.
ModelBuilder makeReports() {
  ModelBuilder model = makeSampleModel();
  GraphSpec &graph = model.graphs[1];
  uint32_t flag = graph.addArena("flag", {DType::Bool, {}});
  graph.addInstruction({HostCallSpec{
      format::HostFunction::Check, 0, {}, 0, 1, 0, "no luck", {flag}}});
  graph.addInstruction(
      {HostCallSpec{format::HostFunction::Print, 0, {}, 0, 1, 2, "x: ", {0}}});
  return model;
}

/// A plan for one task is in its slice as a whole: nothing is lost on the way.
TEST(PlanSlice, TheSliceOfTheOnlyTaskSaysTheSame) {
  for (const ModelBuilder &plan :
       {makeSampleModel(), makeServerPlan(3), makeRingPlan(3), makeGpuModel(),
        makeReports()}) {
    auto whole = open(plan.finish());
    auto slice = open(partOf(*whole, kHost));
    std::string text = textOf(*slice);
    std::string line = "part for '/job:localhost/task:0'\n";
    ASSERT_NE(text.find(line), text.npos);
    EXPECT_TRUE(text.erase(text.find(line), line.size()) == textOf(*whole));
    EXPECT_EQ(runtime::planDigest(*slice), runtime::planDigest(*whole));
    EXPECT_EQ(runtime::digestText(whole->digest()),
              slice->index().part_of()->str());
    EXPECT_EQ(slice->index().part_task()->str(), kHost);
    EXPECT_EQ(slice->index().source(), nullptr);
  }
}

TEST(PlanSlice, EachTaskHasItsPrograms) {
  for (const ModelBuilder &plan :
       {spread(makeServerPlan(3)), spread(makeRingPlan(4))}) {
    auto whole = open(plan.finish());
    for (const std::string &task : runtime::tasksOf(*whole)) {
      auto slice = open(partOf(*whole, task));
      EXPECT_EQ(slice->index().variables()->size(),
                whole->index().variables()->size());
      for (const format::Graph *graph : *whole->index().graphs()) {
        const format::Graph &mine =
            *slice->findGraph(graph->name()->string_view());
        ASSERT_EQ(mine.programs()->size(), graph->programs()->size());
        for (uint32_t i = 0; i < graph->programs()->size(); ++i) {
          const format::Program &from = *graph->programs()->Get(i);
          const format::Program &to = *mine.programs()->Get(i);
          bool isHere = runtime::taskOfDevice(
                            runtime::deviceOf(whole->index(), from)) == task;
          EXPECT_EQ(runtime::deviceOf(slice->index(), to),
                    runtime::deviceOf(whole->index(), from));
          EXPECT_EQ(to.instructions()->size(),
                    isHere ? from.instructions()->size() : 0);
          EXPECT_EQ(to.slots()->size(), isHere ? from.slots()->size() : 0);
          EXPECT_EQ(to.arena_bytes(), isHere ? from.arena_bytes() : 0);
        }
        for (uint32_t i = 0; graph->edges() && i < graph->edges()->size();
             ++i) {
          EXPECT_EQ(mine.edges()->Get(i)->source(),
                    graph->edges()->Get(i)->source());
          EXPECT_EQ(mine.edges()->Get(i)->size(),
                    graph->edges()->Get(i)->size());
        }
      }
    }
  }
}

/// Two tasks, each with a constant, an edge between them, a coordinated graph.
ModelBuilder makePair() {
  ModelBuilder model;
  model.source = "the source text";
  model.report = "{\"the\": \"report\"}";
  GraphSpec &apply = model.addGraph("apply");
  apply.device = "/job:ps/replica:0/task:0/device:CPU:0";
  GraphSpec &graph = model.addGraph("train");
  graph.device = "/job:ps/replica:0/task:0/device:CPU:0";
  graph.instance =
      InstanceSpec{"train",          0, 2, format::Coordination::Quorum,
                   "/job:ps/task:0", 7, 2, "apply"};
  uint32_t there =
      graph.addProgram("/job:worker/replica:0/task:1/device:CPU:0");
  TensorType type{DType::UInt8, {16}};
  auto bytes = [](const char *text) {
    Bytes all(16);
    std::memcpy(all.data(), text, 16);
    return all;
  };
  uint32_t here = graph.addConstant("ours", type, bytes("secret of the ps"));
  uint32_t other = graph.program(there).addConstant("theirs", type,
                                                    bytes("secret of worker"));
  uint32_t copy = graph.program(there).addArena("copy", type);
  graph.program(there).addCopy(other, copy);
  graph.addFetch("theirs", graph.transfer(there, copy, 0));
  uint32_t got = graph.transfer(0, here, there);
  graph.addFetch("ours", got, there);
  graph.addInstruction(
      {HostCallSpec{format::HostFunction::Fail, 0, {}, 0, 1, 0, "why"}});
  graph.program(there).addInstruction(
      {HostCallSpec{format::HostFunction::Sleep, 0, {}, 0, 1, 20}});
  return model;
}

TEST(PlanSlice, NothingOfOtherTasksIsThere) {
  auto whole = open(makePair().finish());
  Bytes ps = partOf(*whole, "/job:ps/task:0");
  Bytes worker = partOf(*whole, "/job:worker/task:1");
  for (const std::string text : {"the source text", "report"}) {
    EXPECT_FALSE(contains(ps, text));
    EXPECT_FALSE(contains(worker, text));
  }
  EXPECT_TRUE(contains(ps, "secret of the ps"));
  EXPECT_FALSE(contains(ps, "secret of worker"));
  EXPECT_FALSE(contains(worker, "secret of the ps"));
  EXPECT_TRUE(contains(worker, "secret of worker"));
  EXPECT_EQ(ps, partOf(*whole, "/job:ps/task:0"));
}

TEST(PlanSlice, WhatTasksAgreeUponIsInEachSlice) {
  auto whole = open(makePair().finish());
  auto slice = open(partOf(*whole, "/job:worker/task:1"));
  const format::Graph &graph = *slice->findGraph("train");
  EXPECT_EQ(graph.instance()->of()->str(), "train");
  EXPECT_EQ(graph.instance()->workers(), 2u);
  EXPECT_EQ(graph.instance()->coordination(), format::Coordination::Quorum);
  EXPECT_EQ(graph.instance()->coordinator()->str(), "/job:ps/task:0");
  EXPECT_EQ(graph.instance()->staleness(), 7u);
  EXPECT_EQ(graph.instance()->quorum(), 2u);
  EXPECT_EQ(graph.instance()->apply()->str(), "apply");
  EXPECT_EQ(graph.fetches()->size(), 2u);
  std::ostringstream out;
  runtime::printSchedule(slice->index(), graph, out);
  EXPECT_NE(out.str().find("sleep 20 ms"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("why"), std::string::npos) << out.str();
}

TEST(PlanSlice, OtherTasksAndSlicesHaveNone) {
  auto whole = open(makePair().finish());
  auto none = makeSlice(*whole, "/job:worker/task:0");
  EXPECT_EQ(none.status().code(), StatusCode::NotFound);
  EXPECT_EQ(none.status().message(),
            "the plan has nothing on task '/job:worker/task:0'; it is for "
            "/job:ps/task:0, /job:worker/task:1");
  auto slice = open(partOf(*whole, "/job:ps/task:0"));
  EXPECT_EQ(makeSlice(*slice, "/job:ps/task:0").status().code(),
            StatusCode::InvalidArgument);
}

/// Changes bytes of the slice's index and seals it again.
template <typename Change> Bytes changed(Bytes slice, Change change) {
  change(slice);
  restampDigest(slice);
  return slice;
}

void replaceAll(Bytes &bytes, const std::string &from, const std::string &to) {
  auto *begin = reinterpret_cast<const std::byte *>(from.data());
  auto *with = reinterpret_cast<const std::byte *>(to.data());
  for (auto at = bytes.begin();; at += from.size()) {
    at = std::search(at, bytes.end(), begin, begin + from.size());
    if (at == bytes.end())
      return;
    std::copy(with, with + from.size(), at);
  }
}

TEST(PlanSlice, WrongSlicesAreRefused) {
  auto whole = open(makePair().finish());
  Bytes slice = partOf(*whole, "/job:ps/task:0");
  std::string digest = runtime::planDigest(*whole);
  std::string wrong = digest;
  wrong[3] = 'x';
  expectRefusal(changed(slice, [&](Bytes &b) { replaceAll(b, digest, wrong); }),
                "which is no digest");
  auto rename = [&](const std::string &to) {
    return changed(slice,
                   [&](Bytes &b) { replaceAll(b, "/job:ps/task:0", to); });
  };
  expectRefusal(rename("/job:ps/tusk:0"), "is no task");
  // Then the programs of the ps are not the slice's.
  expectRefusal(rename("/job:px/task:0"), "but has content");
  // A device of another task: its program is not where the edge begins.
  expectRefusal(changed(slice,
                        [](Bytes &b) {
                          replaceAll(b, "/job:worker/replica:0/task:1",
                                     "/job:ps/replica:0/task:0/////");
                        }),
                "");
}

TEST(PlanSlice, AWholePlanHasNoEmptyProgramsThatSend) {
  ModelBuilder model = makePair();
  GraphSpec &train = trainOf(model);
  train.others.front().instructions.clear();
  train.others.front().slots.clear();
  train.others.front().arenaBytes = 0;
  train.fetches.clear();
  train.order = std::vector<uint32_t>();
  expectRefusal(model, "sends it");
}

TEST(PlanSlice, WrongInstancesAreRefused) {
  auto expect = [](auto change, const std::string &cause) {
    ModelBuilder model = makePair();
    change(*trainOf(model).instance);
    expectRefusal(model, cause);
  };
  expect([](InstanceSpec &i) { i.worker = 2; }, "worker 2 does not exist");
  expect([](InstanceSpec &i) { i.workers = UINT32_MAX; }, "workers; 1 to");
  expect([](InstanceSpec &i) { i.coordination = format::Coordination(9); },
         "coordination 9 is not known");
  expect([](InstanceSpec &i) { i.coordinator = "/job:ps"; }, "is no task");
  expect([](InstanceSpec &i) { i.coordinator.clear(); }, "is no task");
  expect([](InstanceSpec &i) { i.quorum = 0; }, "quorum of 0");
  expect([](InstanceSpec &i) { i.quorum = 3; }, "quorum of 3");
  expect([](InstanceSpec &i) { i.apply = "none"; }, "graph 'none'");
}

/// Program 0 gets a value from program 1 and copies it to a variable.
TEST(PlanSlice, WrongUpdatesAreRefused) {
  auto refusalOf = [](uint32_t from, uint32_t fromThere) {
    ModelBuilder model;
    TensorType type{DType::Float32, {2}};
    uint32_t w = model.addVariable("w", type);
    GraphSpec &graph = model.addGraph("train");
    uint32_t there = graph.addProgram(gpu(0));
    uint32_t g = graph.program(there).addArena("g", type);
    graph.program(there).addFill(g, {0});
    uint32_t got = graph.transfer(there, g, 0);
    graph.addCopy(got, graph.addVariable("w", model, w));
    graph.updatesFrom = from;
    graph.program(there).updatesFrom = fromThere;
    return refusal(model);
  };
  auto expect = [&](uint32_t from, uint32_t fromThere,
                    const std::string &cause) {
    std::string message = refusalOf(from, fromThere);
    EXPECT_NE(message.find(cause), message.npos) << message;
  };
  EXPECT_EQ(refusalOf(1, UINT32_MAX), "accepted");
  EXPECT_EQ(refusalOf(1, 2), "accepted");
  expect(2, UINT32_MAX, "instruction #1 writes a variable before the updates");
  expect(0, UINT32_MAX, "instruction #0 is a transfer among the updates");
  expect(1, 1, "instruction #1 is a transfer among the updates");
  expect(1, 3, "instruction 3 does not exist; there are 2");
}

TEST(PlanSlice, WrongDebugCallsAreRefused) {
  auto expect = [](auto change, const std::string &cause) {
    ModelBuilder model = makePair();
    change(std::get<HostCallSpec>(trainOf(model).instructions.back().action));
    expectRefusal(model, cause);
  };
  expect([](HostCallSpec &c) { c.function = format::HostFunction(7); },
         "host function 7 is not known");
  expect([](HostCallSpec &c) { c.index = 1; }, "names slots or a dataset");
  expect([](HostCallSpec &c) { c.shards = 2; }, "names slots or a dataset");
  expect([](HostCallSpec &c) { c.slots = {0}; }, "names slots or a dataset");
  expect([](HostCallSpec &c) { c.value = 86'400'001; }, "it sleeps");
}

/// Damaged slices whose digest fits are refused or can be read to the end.
TEST(PlanSlice, DamagedSlicesDoNoHarm) {
  auto whole = open(spread(makeServerPlan(2)).finish());
  for (const std::string &task : runtime::tasksOf(*whole)) {
    Bytes slice = partOf(*whole, task);
    std::mt19937 random(5);
    int accepted = 0;
    for (int round = 0; round < 4000; ++round) {
      Bytes broken = slice;
      size_t place =
          sizeof(format::FileHeader) +
          random() % (broken.size() - sizeof(format::FileHeader) - 4);
      if (round % 2) {
        broken[place] ^= static_cast<std::byte>(1 << random() % 8);
      } else {
        static constexpr uint32_t numbers[] = {0, 1, 1u << 31, UINT32_MAX};
        std::memcpy(broken.data() + place / 4 * 4, &numbers[random() % 4], 4);
      }
      restampDigest(broken);
      auto model = Model::fromBytes(broken, "fuzz");
      if (!model.isOk())
        continue;
      ++accepted;
      textOf(**model);
      for (const std::string &each : runtime::tasksOf(**model))
        (void)makeSlice(**model, each);
    }
    EXPECT_GT(accepted, 100);
    EXPECT_LT(accepted, 4000);
  }
}

} // namespace
