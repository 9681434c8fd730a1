// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the cut of a program into graph segments for replay.
#include "runtime/target/DeviceTargets.h"
#include "runtime/target/cuda/program/CudaProgram.h"
#include "test/runtime/target/cuda/program/GpuModels.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

/// The programs of a graph that are on GPUs.
struct Opened {
  Opened(const test::ModelBuilder &builder, const char *graphName) {
    auto made = Model::fromBytes(builder.finish(), "m.bin");
    EXPECT_TRUE(made.isOk()) << made.status().message();
    model = *made;
    const format::Graph &graph = *model->findGraph(graphName);
    auto opened =
        openDevices(*model, {test::kGpu0, test::kGpu1}, test::openOptions());
    EXPECT_TRUE(opened.isOk()) << opened.status().message();
    gpus = std::move(*opened);
    for (uint32_t i = 0; i < graph.programs()->size(); ++i) {
      slots.emplace_back();
      if (gpus->find(*graph.programs()->Get(i)))
        slots.back() = CudaSlots::create(*model, graph, i, *gpus).value();
    }
    std::vector<CudaSlots *> pointers;
    for (auto &each : slots)
      pointers.push_back(each.get());
    EXPECT_TRUE(linkCudaSlots(graph, pointers).isOk());
    for (uint32_t i = 0; i < slots.size(); ++i) {
      programs.emplace_back();
      if (slots[i])
        programs.back() = CudaProgram::create({model.get(), &graph, i,
                                               slots[i].get(), UINT32_MAX})
                              .value();
    }
  }

  std::shared_ptr<const Model> model;
  std::unique_ptr<ModelDevices> gpus;
  std::vector<std::unique_ptr<CudaSlots>> slots;
  std::vector<std::unique_ptr<CudaProgram>> programs;
};

TEST(GpuProgram, AStepOfOneProgramIsOneGraph) {
  Opened opened(
      test::onDevice(test::withGpuCode(test::linearModel(0)), test::kGpu0),
      "train");
  CudaProgram &program = *opened.programs[0];
  program.setStepwise(true);
  program.beginStep();
  for (uint32_t instruction = 0; instruction < 3; ++instruction)
    ASSERT_TRUE(program.submit(instruction).isOk());
  EXPECT_EQ(program.graphs(), 0u);
  program.capture();
  EXPECT_EQ(program.graphs(), 1u);
  EXPECT_TRUE(program.captureFailure().isOk())
      << program.captureFailure().message();
}

TEST(GpuProgram, NothingIsSubmittedBeforeASegmentIsWhole) {
  Opened opened(
      test::onDevice(test::withGpuCode(test::linearModel(0)), test::kGpu0),
      "predict");
  CudaProgram &program = *opened.programs[0];
  program.beginStep();
  ASSERT_TRUE(program.submit(0).isOk());
  EXPECT_EQ(program.submitted(), 1u);
  EXPECT_EQ(program.waitedFor(), 0u);
  ASSERT_TRUE(program.finish().isOk());
  EXPECT_EQ(program.waitedFor(), 1u);
}

TEST(GpuProgram, GpusOfAProcessGiveValuesToEachOtherAlone) {
  Opened opened(test::relayModel(), "relay");
  ASSERT_TRUE(opened.slots[0] && opened.slots[1] && !opened.slots[2]);
  // From GPU:0 to GPU:1 without the host; from there to the CPU over it.
  const GpuTransfer *transfer = opened.slots[0]->transfer(0);
  ASSERT_TRUE(transfer);
  EXPECT_EQ(transfer->copies.size(), 1u);
  EXPECT_EQ(transfer->copies[0].bytes, 8u);
  EXPECT_EQ(transfer->event->handle(), opened.slots[1]->arrival(0)->handle());
  EXPECT_EQ(opened.slots[1]->transfer(2), nullptr);
  EXPECT_EQ(opened.slots[0]->arrival(2), nullptr);
}

TEST(GpuProgram, OnlyWhatTheHostSeesHasAPlaceThere) {
  Opened opened(
      test::onDevice(test::withGpuCode(test::linearModel(0)), test::kGpu0),
      "train");
  const CudaSlots &slots = *opened.slots[0];
  // x, y: the batch; loss: fetched; the weight stays where it is.
  for (uint32_t slot : {0u, 1u, 2u})
    EXPECT_TRUE(slots.hostPlace(slot)) << slot;
  EXPECT_FALSE(slots.hostPlace(3));
  EXPECT_EQ(slots.address(3), opened.gpus->variable(0));
}

} // namespace
