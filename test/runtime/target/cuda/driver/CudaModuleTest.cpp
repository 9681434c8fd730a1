// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the choice of a model's code for a GPU.
#include "runtime/target/cuda/driver/CudaModule.h"
#include "test/runtime/format/TestPlans.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

std::shared_ptr<const Model> modelWith(std::vector<test::GpuImageSpec> images) {
  test::ModelBuilder builder = test::makeGpuModel();
  builder.gpuImages = std::move(images);
  auto model = Model::fromBytes(builder.finish(), "m.bin");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return *model;
}

/// "sm_80 ptx", or the failure.
std::string choice(const Model &model, int capability) {
  CudaDeviceFacts device;
  device.model = "Test GPU";
  device.capability = capability;
  StatusOr<ImageChoice> chosen = chooseImage(model, device);
  if (!chosen.isOk())
    return chosen.status().message();
  return chosen->image->arch()->str() +
         (chosen->isMachineCode ? " cubin" : " ptx");
}

TEST(CudaModule, PtxOfTheNewestArchitectureThatTheGpuRuns) {
  auto model =
      modelWith({{"sm_90", ".version 7.8"}, {"sm_80", ".version 7.0"}});
  EXPECT_EQ(choice(*model, 80), "sm_80 ptx");
  EXPECT_EQ(choice(*model, 89), "sm_80 ptx");
  EXPECT_EQ(choice(*model, 90), "sm_90 ptx");
  EXPECT_EQ(choice(*model, 120), "sm_90 ptx");
}

TEST(CudaModule, MachineCodeForJustThisGpu) {
  auto model = modelWith({{"sm_80", ".version 7.0",
                           "\x7f"
                           "ELF"},
                          {"sm_90", ".version 7.8"}});
  EXPECT_EQ(choice(*model, 80), "sm_80 cubin");
  EXPECT_EQ(choice(*model, 86), "sm_80 ptx");
  EXPECT_EQ(choice(*model, 90), "sm_90 ptx");
}

TEST(CudaModule, NothingThatTheGpuRuns) {
  auto model =
      modelWith({{"sm_80", ".version 7.0"}, {"sm_90", ".version 7.8"}});
  EXPECT_EQ(choice(*model, 75),
            "'m.bin' has GPU code for sm_80, sm_90, but GPU 0 (Test GPU) is "
            "sm_75; graphc makes code for sm_80 and later ones; let the CPU "
            "execute its programs with --virtual-gpus");
  auto newer = modelWith({{"sm_90", ".version 7.8"}});
  EXPECT_EQ(choice(*newer, 86),
            "'m.bin' has GPU code for sm_90, but GPU 0 (Test GPU) is sm_86; "
            "recompile with graphc --gpu-arch=sm_86");
}

} // namespace
