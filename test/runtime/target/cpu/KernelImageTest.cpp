// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code runs from its mapping, and the right image of a model is taken.
#include "runtime/target/cpu/KernelImage.h"
#include "runtime/target/cpu/LoadKernels.h"
#include "test/runtime/target/cpu/TestKernels.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::ModelBuilder;
using graphc::test::testKernel;

namespace {

float firstResult(const KernelImage &image, size_t kernel) {
  float x = 3, y = 0;
  void *buffers[] = {&x, &y};
  callKernel(image.function(kernel), buffers, nullptr, 0, 1);
  return y;
}

TEST(KernelImage, RunsFunctionsAtTheirEntries) {
  test::Bytes code(16); // zeros before the function
  for (std::byte byte : testKernel("twice"))
    code.push_back(byte);
  uint64_t entries[] = {16};
  StatusOr<KernelImage> image = KernelImage::map(code, entries);
  ASSERT_TRUE(image.isOk()) << image.status().message();
  ASSERT_EQ(image->size(), 1u);
  EXPECT_EQ(firstResult(*image, 0), 6);
}

TEST(KernelImage, SurvivesMoves) {
  uint64_t entries[] = {0};
  StatusOr<KernelImage> image = KernelImage::map(testKernel("twice"), entries);
  ASSERT_TRUE(image.isOk());
  KernelImage moved = std::move(image).value();
  KernelImage again;
  again = std::move(moved);
  EXPECT_EQ(firstResult(again, 0), 6);
}

TEST(KernelImage, RefusesAnEntryOutsideTheCode) {
  test::Bytes code(8);
  uint64_t entries[] = {8};
  StatusOr<KernelImage> image = KernelImage::map(code, entries);
  ASSERT_FALSE(image.isOk());
  EXPECT_EQ(image.status().code(), StatusCode::DataLoss);
}

std::shared_ptr<const Model> open(const ModelBuilder &builder) {
  auto model = Model::fromBytes(builder.finish(), "m.bin");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return *model;
}

TEST(LoadKernels, TakesTheHighestLevelThatTheCpuCanRun) {
  ModelBuilder builder;
  // Told apart by what they compute: v3 doubles, v4 adds.
  builder.addKernel(test::KernelSpec{"k"}, {{test::kV3, testKernel("twice")},
                                            {test::kV4, testKernel("add")}});
  builder.addGraph("g");
  std::shared_ptr<const Model> model = open(builder);
  StatusOr<KernelImage> v3 = loadKernels(*model, CpuLevel::V3);
  ASSERT_TRUE(v3.isOk());
  EXPECT_EQ(firstResult(*v3, 0), 6);
  StatusOr<KernelImage> v4 = loadKernels(*model, CpuLevel::V4);
  ASSERT_TRUE(v4.isOk());
  float x = 1, y = 2, z = 0;
  void *buffers[] = {&x, &y, &z};
  callKernel(v4->function(0), buffers, nullptr, 0, 1);
  EXPECT_EQ(z, 3);
}

TEST(LoadKernels, SaysWhichLevelsAModelHas) {
  ModelBuilder builder;
  builder.addKernel(test::KernelSpec{"k"}, {{test::kV4, testKernel("twice")}});
  builder.addGraph("g");
  StatusOr<KernelImage> image = loadKernels(*open(builder), CpuLevel::V3);
  ASSERT_FALSE(image.isOk());
  EXPECT_EQ(image.status().message(),
            "'m.bin' has no kernels for x86-64-v3; it has 'x86-64-v4'; "
            "recompile the model for this CPU");
}

TEST(LoadKernels, AModelWithoutKernelsNeedsNoImage) {
  ModelBuilder builder;
  builder.addGraph("g");
  StatusOr<KernelImage> image = loadKernels(*open(builder), CpuLevel::V3);
  ASSERT_TRUE(image.isOk());
  EXPECT_EQ(image->size(), 0u);
}

} // namespace
