// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session gets one variant of each graph, under its plain name.
#include "runtime/format/HostVariant.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/target/cpu/format/CpuExecutable.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::test;
using runtime::checkHostCode;
using runtime::hasHostVariants;
using runtime::Model;
using runtime::StatusCode;
using runtime::takePlanVariant;
using runtime::takeVariant;

namespace {

const TensorType kFloats{DType::Float32, {4}};

std::shared_ptr<const Model> open(const ModelBuilder &builder) {
  auto model = Model::fromBytes(builder.finish(), "test");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? *model : nullptr;
}

/// A graph of one kernel on a GPU.
GraphSpec &addGraph(ModelBuilder &model, const std::string &name,
                    uint32_t kernel) {
  GraphSpec &graph = model.addGraph(name);
  graph.device = gpu(0);
  uint32_t x = graph.addArena("x", kFloats), y = graph.addArena("y", kFloats);
  graph.addDispatch(kernel, {x, y}, {y});
  graph.addFeed("x", x);
  graph.addFetch("y", y);
  return graph;
}

/// "train" with code for a GPU, "train#host" with code for the CPU, and
/// "plain", which has one form.
ModelBuilder makeVariants() {
  ModelBuilder model;
  Bytes code(16, std::byte{0xc3});
  model.gpuImages = {{"sm_80", ".version 7.0"}};
  uint32_t onGpu = model.addKernel("on_gpu", code);
  uint32_t onHost = model.addKernel("on_host", code);
  for (auto &[isa, image] : model.images)
    image.entries[onGpu] = runtime::kNoEntry;
  model.gpuKernels = {{{{GpuLaunchSpec{"on_gpu", 1, 32}, {0, 1}}}, 2, {}, 0},
                      {}};
  model.addVariable("unused", kFloats);
  addGraph(model, "train", onGpu);
  addGraph(model, "train#host", onHost).onHost = true;
  GraphSpec &plain = model.addGraph("plain");
  uint32_t x = plain.addArena("x", kFloats), y = plain.addArena("y", kFloats);
  plain.addDispatch(onHost, {x, y}, {y});
  return model;
}

std::vector<std::string> namesOf(const Model &model) {
  std::vector<std::string> names;
  for (const format::Graph *graph : *model.index().graphs())
    names.push_back(graph->name()->str());
  return names;
}

uint32_t kernelOf(const Model &model, const char *graph) {
  const format::Graph *found = model.findGraph(graph);
  return found->programs()
      ->Get(0)
      ->instructions()
      ->Get(0)
      ->action_as_Dispatch()
      ->kernel();
}

TEST(HostVariant, ASessionGetsOneVariant) {
  std::shared_ptr<const Model> whole = open(makeVariants());
  ASSERT_TRUE(whole && hasHostVariants(*whole));
  auto device = takeVariant(whole, /*onHost=*/false);
  auto host = takeVariant(whole, /*onHost=*/true);
  ASSERT_TRUE(device.isOk() && host.isOk());
  const std::vector<std::string> names{"train", "plain"};
  EXPECT_EQ(namesOf(**device), names);
  EXPECT_EQ(namesOf(**host), names);
  EXPECT_EQ(kernelOf(**device, "train"), 0u);
  EXPECT_EQ(kernelOf(**host, "train"), 1u);
  EXPECT_FALSE(hasHostVariants(**device));
  EXPECT_FALSE(hasHostVariants(**host));
  // A variable stays, whether a graph uses it or not.
  EXPECT_EQ((*host)->index().variables()->size(), 1u);
}

TEST(HostVariant, VariantsArePlansOfTheirOwn) {
  std::shared_ptr<const Model> whole = open(makeVariants());
  auto device = takeVariant(whole, /*onHost=*/false);
  auto host = takeVariant(whole, /*onHost=*/true);
  ASSERT_TRUE(device.isOk() && host.isOk());
  EXPECT_EQ(planDigest(**device), planDigest(*whole));
  EXPECT_NE(planDigest(**host), planDigest(*whole));
  EXPECT_EQ(planDigest(**host), planDigest(**takeVariant(whole, true)));
  EXPECT_EQ(planDigest(**host).size(), planDigest(*whole).size());
}

TEST(HostVariant, AModelWithoutVariantsStaysAsItIs) {
  std::shared_ptr<const Model> model = open(makeGpuModel());
  for (bool onHost : {false, true}) {
    auto taken = takeVariant(model, onHost);
    ASSERT_TRUE(taken.isOk());
    EXPECT_EQ(*taken, model);
  }
}

TEST(HostVariant, ThePlanVariantKeepsItsHostVariants) {
  ModelBuilder builder = makeVariants();
  builder.graphs[0].name = "train#2";
  builder.graphs[0].member = 2;
  builder.graphs[1].name = "train#host#2";
  builder.graphs[1].member = 2;
  std::shared_ptr<const Model> model = open(builder);
  // Either may be taken first.
  auto member = takePlanVariant(model, 2);
  ASSERT_TRUE(member.isOk()) << member.status().message();
  EXPECT_TRUE(hasHostVariants(**member));
  auto first = takeVariant(*member, /*onHost=*/true);
  auto variant = takeVariant(model, /*onHost=*/true);
  ASSERT_TRUE(first.isOk() && variant.isOk());
  EXPECT_EQ(namesOf(**variant), (std::vector<std::string>{"train#2", "plain"}));
  auto second = takePlanVariant(*variant, 2);
  ASSERT_TRUE(second.isOk());
  EXPECT_EQ(namesOf(**first), namesOf(**second));
  EXPECT_EQ(planDigest(**first), planDigest(**second));
  EXPECT_EQ(kernelOf(**second, "train"), 1u);
}

TEST(HostVariant, ProgramsForADeviceHaveNoCodeForTheHost) {
  std::shared_ptr<const Model> whole = open(makeVariants());
  auto device = takeVariant(whole, /*onHost=*/false);
  auto host = takeVariant(whole, /*onHost=*/true);
  ASSERT_TRUE(device.isOk() && host.isOk());
  EXPECT_TRUE(checkHostCode(**host, "").isOk());
  runtime::Status status = checkHostCode(**device, "recompile it");
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(),
            "the programs of graph 'train' on '" + gpu(0) +
                "' are code for that device, not for the host; recompile it");
}

TEST(HostVariant, CodeForTheHostIsThereWhereAProgramNeedsIt) {
  ModelBuilder builder = makeVariants();
  builder.graphs[1].instructions.clear();
  builder.graphs[1].addDispatch(0, {0, 1}, {1});
  expectRefusal(builder, "kernel 'on_gpu' has no code for the host");
}

} // namespace
