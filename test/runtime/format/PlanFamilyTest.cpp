// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The member of a family is what a plan for its workers alone would be.
#include "runtime/format/PlanFamily.h"
#include "runtime/format/ModelPart.h"
#include "runtime/format/print/Print.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace graphc;
using namespace graphc::test;
using runtime::Model;
using runtime::StatusCode;
using runtime::takeMember;

namespace {

constexpr TensorType kScalar{DType::Float32, {}};

std::string worker(uint32_t index) {
  return "/job:worker/replica:0/task:" + std::to_string(index) +
         "/device:CPU:0";
}

std::shared_ptr<const Model> open(const ModelBuilder &builder) {
  auto model = Model::fromBytes(builder.finish(), "test");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? *model : nullptr;
}

/// Fills a graph so that each of `workers` tasks sets its copy of the variable
/// and takes its shard of a batch.
void addWorkers(GraphSpec &graph, ModelBuilder &model, uint32_t workers,
                uint32_t rows) {
  graph.device = worker(0);
  for (uint32_t i = 1; i < workers; ++i)
    graph.addProgram(worker(i));
  for (uint32_t i = 0; i < workers; ++i) {
    ProgramSpec &program = graph.program(i);
    program.addFill(program.addVariable("w", model, i), {0, 0, 0, 0});
    program.addNextBatch(0, {program.addArena("x", {DType::Float32, {rows}})});
    auto &call = std::get<HostCallSpec>(program.instructions.back().action);
    call.shard = i;
    call.shards = workers;
  }
}

ModelBuilder makeBase(uint32_t workers) {
  ModelBuilder model;
  for (uint32_t i = 0; i < workers; ++i) {
    model.addVariable(i == 0 ? "w" : "w/mirror_" + std::to_string(i), kScalar);
    model.variables[i].device = worker(i);
    if (i > 0)
      model.variables[i].mirrorOf = 0;
  }
  model.addVariable("other", kScalar);
  model.variables.back().device = worker(0);
  model.addDataset({"data", {{"x", kScalar}}, 5});
  return model;
}

void addShared(ModelBuilder &model) {
  GraphSpec &shared = model.addGraph("reset");
  shared.device = worker(0);
  auto other = static_cast<uint32_t>(model.variables.size() - 1);
  shared.addFill(shared.addVariable("other", model, other), {0, 0, 0, 0});
}

/// Plans for two and for three workers, with mirrored variables.
ModelBuilder makeFamily() {
  ModelBuilder model = makeBase(3);
  model.datasets[0].perWorker = true;
  for (uint32_t workers : {3, 2}) {
    GraphSpec &graph = model.addGraph("train#" + std::to_string(workers));
    graph.member = workers;
    graph.replicas = workers;
    addWorkers(graph, model, workers, 5);
  }
  addShared(model);
  return model;
}

TEST(PlanFamily, Members) {
  EXPECT_EQ(runtime::membersOf(*open(makeFamily())),
            (std::set<uint32_t>{2, 3}));
  EXPECT_TRUE(runtime::membersOf(*open(makeSampleModel())).empty());
}

/// Task by task, the same as a plan that knows of no other number.
TEST(PlanFamily, AMemberIsThePlanForItsWorkers) {
  auto family = open(makeFamily());
  for (uint32_t workers : {2, 3}) {
    ModelBuilder alone = makeBase(workers);
    alone.datasets[0].batch = 5 * workers;
    GraphSpec &graph = alone.addGraph("train");
    graph.replicas = workers;
    addWorkers(graph, alone, workers, 5);
    addShared(alone);
    auto expected = open(alone);
    auto member = takeMember(family, workers);
    ASSERT_TRUE(member.isOk()) << member.status().message();
    EXPECT_EQ(runtime::tasksOf(**member), runtime::tasksOf(*expected));
    EXPECT_EQ((*member)->index().variables()->size(), workers + 1);
    EXPECT_EQ((*member)->index().datasets()->Get(0)->batch(), 5 * workers);
    EXPECT_FALSE((*member)->index().datasets()->Get(0)->per_worker());
    EXPECT_TRUE(runtime::membersOf(**member).empty());
    ASSERT_EQ((*member)->index().graphs()->size(), 2U);
    const format::Graph &mine = *(*member)->findGraph("train");
    EXPECT_EQ(mine.programs()->size(), workers);
    EXPECT_EQ(mine.member(), 0U);
    const format::Graph &reset = *(*member)->findGraph("reset");
    const format::Slot &slot = *reset.programs()->Get(0)->slots()->Get(0);
    EXPECT_EQ((*member)->index().variables()->Get(slot.index())->name()->str(),
              "other");
  }
}

TEST(PlanFamily, AMemberHasTheNameAndTheDigestOfTheFamily) {
  auto family = open(makeFamily());
  auto member = takeMember(family, 2);
  ASSERT_TRUE(member.isOk());
  EXPECT_EQ((*member)->name(), family->name());
  EXPECT_EQ(runtime::planDigest(**member), runtime::planDigest(*family));
  auto part = runtime::makePart(**member, "/job:worker/task:1");
  ASSERT_TRUE(part.isOk()) << part.status().message();
  auto opened = Model::fromBytes(*part, "part");
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  EXPECT_EQ(runtime::planDigest(**opened), runtime::planDigest(*family));
}

TEST(PlanFamily, AMemberHasTheCodeForGpus) {
  ModelBuilder builder = makeGpuModel();
  builder.graphs[0].name = "train#2";
  builder.graphs[0].member = 2;
  auto family = open(builder);
  auto member = takeMember(family, 2);
  ASSERT_TRUE(member.isOk()) << member.status().message();
  auto printed = [](const Model &model) {
    std::ostringstream out;
    runtime::printKernels(model, out);
    auto code = model.executable("cuda").bytes;
    out.write(reinterpret_cast<const char *>(code.data()),
              static_cast<std::streamsize>(code.size()));
    return out.str();
  };
  EXPECT_EQ(printed(**member), printed(*family));
  EXPECT_EQ((*member)
                ->index()
                .graphs()
                ->Get(0)
                ->programs()
                ->Get(0)
                ->device_scratch_bytes(),
            1024u);
}

TEST(PlanFamily, APlanForAnyNumberStaysAsItIs) {
  auto plan = open(makeSampleModel());
  auto taken = takeMember(plan, 7);
  ASSERT_TRUE(taken.isOk());
  EXPECT_EQ(*taken, plan);
  EXPECT_TRUE(runtime::checkNoFamily(*plan, "").isOk());
}

TEST(PlanFamily, WrongNumbersListTheMembers) {
  auto none = takeMember(open(makeFamily()), 4);
  EXPECT_EQ(none.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(none.status().message(),
            "model file 'test' has no plan for 4 workers, but for 2, 3; run it "
            "with as many workers as one of them, or compile it with --workers "
            "for more");
}

TEST(PlanFamily, OnlyMembersHaveParts) {
  auto part = runtime::makePart(*open(makeFamily()), "/job:worker/task:0");
  EXPECT_EQ(part.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(part.status().message(),
            "model file 'test' has plans for 2, 3 workers; parts are made from "
            "one of them");
}

TEST(PlanFamily, NamesSayForHowManyWorkersAGraphIs) {
  ModelBuilder model = makeFamily();
  model.graphs[0].name = "train";
  expectRefusal(model,
                "it is for 3 workers, but its name does not end in '#3'");
}

TEST(PlanFamily, BatchesPerWorkerAreOfMembers) {
  ModelBuilder model = makeFamily();
  model.graphs[0].member = 0;
  expectRefusal(model, "it takes a batch per worker, but is for no number");
  model = makeFamily();
  model.datasets[0].batch = 4;
  expectRefusal(model, "does not hold a batch of 4");
}

/// Proves for the variant that is used what the file itself leaves open.
TEST(PlanFamily, AMemberWritesAllOfItsMirrors) {
  ModelBuilder model = makeFamily();
  ProgramSpec &last = model.graphs[1].program(1);
  last.instructions.erase(last.instructions.begin());
  auto family = open(model);
  EXPECT_TRUE(takeMember(family, 3).isOk());
  auto member = takeMember(family, 2);
  EXPECT_EQ(member.status().code(), StatusCode::DataLoss);
  EXPECT_NE(member.status().message().find("it writes 1 of the 2 copies"),
            std::string::npos)
      << member.status().message();
}

} // namespace
