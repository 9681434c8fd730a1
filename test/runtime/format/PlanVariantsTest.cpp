// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan variant is what a plan for its workers alone would be.
#include "runtime/format/PlanVariants.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/print/Print.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace graphc;
using namespace graphc::test;
using runtime::Model;
using runtime::StatusCode;
using runtime::takePlanVariant;

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
ModelBuilder makeVariants() {
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

TEST(PlanVariants, AreListed) {
  EXPECT_EQ(runtime::planVariantsOf(*open(makeVariants())),
            (std::set<uint32_t>{2, 3}));
  EXPECT_TRUE(runtime::planVariantsOf(*open(makeSampleModel())).empty());
}

/// Task by task, the same as a plan that knows of no other number.
TEST(PlanVariants, AVariantIsThePlanForItsWorkers) {
  auto model = open(makeVariants());
  for (uint32_t workers : {2, 3}) {
    ModelBuilder alone = makeBase(workers);
    alone.datasets[0].batch = 5 * workers;
    GraphSpec &graph = alone.addGraph("train");
    graph.replicas = workers;
    addWorkers(graph, alone, workers, 5);
    addShared(alone);
    auto expected = open(alone);
    auto member = takePlanVariant(model, workers);
    ASSERT_TRUE(member.isOk()) << member.status().message();
    EXPECT_EQ(runtime::tasksOf(**member), runtime::tasksOf(*expected));
    EXPECT_EQ((*member)->index().variables()->size(), workers + 1);
    EXPECT_EQ((*member)->index().datasets()->Get(0)->batch(), 5 * workers);
    EXPECT_FALSE((*member)->index().datasets()->Get(0)->per_worker());
    EXPECT_TRUE(runtime::planVariantsOf(**member).empty());
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

TEST(PlanVariants, AVariantHasTheNameAndTheDigestOfTheModel) {
  auto model = open(makeVariants());
  auto member = takePlanVariant(model, 2);
  ASSERT_TRUE(member.isOk());
  EXPECT_EQ((*member)->name(), model->name());
  EXPECT_EQ(runtime::planDigest(**member), runtime::planDigest(*model));
  auto slice = runtime::makeSlice(**member, "/job:worker/task:1");
  ASSERT_TRUE(slice.isOk()) << slice.status().message();
  auto opened = Model::fromBytes(*slice, "part");
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  EXPECT_EQ(runtime::planDigest(**opened), runtime::planDigest(*model));
}

TEST(PlanVariants, AVariantHasTheCodeForGpus) {
  ModelBuilder builder = makeGpuModel();
  builder.graphs[0].name = "train#2";
  builder.graphs[0].member = 2;
  auto model = open(builder);
  auto member = takePlanVariant(model, 2);
  ASSERT_TRUE(member.isOk()) << member.status().message();
  auto printed = [](const Model &model) {
    std::ostringstream out;
    runtime::printKernels(model, out);
    auto code = model.executable("cuda").bytes;
    out.write(reinterpret_cast<const char *>(code.data()),
              static_cast<std::streamsize>(code.size()));
    return out.str();
  };
  EXPECT_EQ(printed(**member), printed(*model));
  EXPECT_EQ((*member)
                ->index()
                .graphs()
                ->Get(0)
                ->programs()
                ->Get(0)
                ->device_scratch_bytes(),
            1024u);
}

TEST(PlanVariants, APlanForAnyNumberStaysAsItIs) {
  auto plan = open(makeSampleModel());
  auto taken = takePlanVariant(plan, 7);
  ASSERT_TRUE(taken.isOk());
  EXPECT_EQ(*taken, plan);
  EXPECT_TRUE(runtime::checkNoPlanVariants(*plan, "").isOk());
}

TEST(PlanVariants, WrongNumbersListTheVariants) {
  auto none = takePlanVariant(open(makeVariants()), 4);
  EXPECT_EQ(none.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(none.status().message(),
            "model file 'test' has no plan for 4 workers, but for 2, 3; run it "
            "with as many workers as one of them, or compile it with --workers "
            "for more");
}

TEST(PlanVariants, OnlyVariantsHaveSlices) {
  auto slice = runtime::makeSlice(*open(makeVariants()), "/job:worker/task:0");
  EXPECT_EQ(slice.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(
      slice.status().message(),
      "model file 'test' has plans for 2, 3 workers; slices are made from "
      "one of them");
}

TEST(PlanVariants, NamesSayForHowManyWorkersAGraphIs) {
  ModelBuilder model = makeVariants();
  model.graphs[0].name = "train";
  expectRefusal(model,
                "it is for 3 workers, but its name does not end in '#3'");
}

TEST(PlanVariants, BatchesPerWorkerAreOfVariants) {
  ModelBuilder model = makeVariants();
  model.graphs[0].member = 0;
  expectRefusal(model, "it takes a batch per worker, but is for no number");
  model = makeVariants();
  model.datasets[0].batch = 4;
  expectRefusal(model, "does not hold a batch of 4");
}

/// Proves for the variant that is used what the file itself leaves open.
TEST(PlanVariants, AVariantWritesAllOfItsMirrors) {
  ModelBuilder builder = makeVariants();
  ProgramSpec &last = builder.graphs[1].program(1);
  last.instructions.erase(last.instructions.begin());
  auto model = open(builder);
  EXPECT_TRUE(takePlanVariant(model, 3).isOk());
  auto member = takePlanVariant(model, 2);
  EXPECT_EQ(member.status().code(), StatusCode::DataLoss);
  EXPECT_NE(member.status().message().find("it writes 1 of the 2 copies"),
            std::string::npos)
      << member.status().message();
}

} // namespace
