// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule of what a file holds for GPUs refuses a file that breaks this rule
// only.
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace graphc;
using namespace graphc::test;

namespace {

enum Kernel { Product, Forward, Data, Filter, Relu };

/// The GPU model with one of its kernels changed.
template <typename Change> ModelBuilder with(Kernel kernel, Change change) {
  ModelBuilder model = makeGpuModel();
  change(model.gpuKernels[kernel]);
  return model;
}

GpuMatmulSpec &product(GpuKernelSpec &kernel) {
  return std::get<GpuMatmulSpec>(kernel.stages[0].call);
}
GpuConvolutionSpec &convolution(GpuKernelSpec &kernel) {
  return std::get<GpuConvolutionSpec>(kernel.stages[0].call);
}
GpuLaunchSpec &launch(GpuKernelSpec &kernel) {
  return std::get<GpuLaunchSpec>(kernel.stages[0].call);
}

TEST(GpuModel, IsAccepted) { EXPECT_EQ(refusal(makeGpuModel()), "accepted"); }

TEST(GpuImages, AreOfKnownArchitectures) {
  for (const char *arch : {"", "sm_", "sm_9", "sm_90a", "gfx900", "sm_99999"}) {
    ModelBuilder model = makeGpuModel();
    model.gpuImages[0].arch = arch;
    expectRefusal(model, "this is no architecture, such as sm_80");
  }
  ModelBuilder model = makeGpuModel();
  model.gpuImages[1].arch = "sm_80";
  expectRefusal(model, "GPU image 'sm_80': it is there twice");
  model = makeGpuModel();
  model.gpuImages[0].ptx.clear();
  expectRefusal(model, "GPU image 'sm_80': it has no PTX");
}

TEST(GpuImages, ComeWithAKernelForEach) {
  ModelBuilder model = makeGpuModel();
  model.gpuImages.clear();
  expectRefusal(model, "one without the other");
  model = makeGpuModel();
  model.gpuKernels.clear();
  expectRefusal(model, "one without the other");
  model = makeGpuModel();
  model.gpuKernels.pop_back();
  expectRefusal(model, "it has 4 kernels for GPUs but there are 5 kernels");
}

/// The code of an executable is one of the file's blobs.
TEST(GpuImages, LieInTheFile) {
  ModelBuilder model = makeGpuModel();
  model.gpuImages[0].cubin = std::string(24, 'c');
  EXPECT_EQ(refusal(model), "accepted");
  Bytes file = model.finish();
  auto valid = runtime::Model::fromBytes(file, "test");
  ASSERT_TRUE(valid.isOk());
  const format::Blob *code = (*valid)->index().executables()->Get(1)->code();
  format::Blob behind(file.size() + 64, code->size());
  auto *bytes = reinterpret_cast<const std::byte *>(code);
  auto place = std::search(file.begin(), file.end(), bytes,
                           bytes + sizeof(format::Blob));
  ASSERT_NE(place, file.end());
  std::memcpy(&*place, &behind, sizeof behind);
  restampDigest(file);
  expectRefusal(file, "executable 'cuda'");
}

/// A list of the code that ends after it is found before the list is read.
TEST(GpuImages, LieInTheirExecutable) {
  ModelBuilder model = makeGpuModel();
  model.gpuImages[0].cubin = std::string(24, 'c');
  Bytes file = model.finish();
  const std::string cubin(24, 'c');
  auto *begin = reinterpret_cast<const std::byte *>(cubin.data());
  auto place = std::search(file.begin(), file.end(), begin, begin + 24);
  ASSERT_NE(place, file.end());
  uint32_t count = 1 << 20;
  std::memcpy(&*(place - sizeof count), &count, sizeof count);
  restampDigest(file);
  expectRefusal(file, "executable 'cuda': its code is no valid FlatBuffer");
}

TEST(GpuImages, AreOfATargetThatIsKnown) {
  Bytes file = makeGpuModel().finish();
  const std::string name = "cuda";
  auto *begin = reinterpret_cast<const std::byte *>(name.data());
  auto place = std::search(file.begin(), file.end(), begin, begin + 4);
  ASSERT_NE(place, file.end());
  *place = std::byte{'f'};
  restampDigest(file);
  expectRefusal(file, "executable 'fuda': this target is not known");
}

TEST(GpuScratch, HoldsItsParts) {
  for (auto part :
       {format::GpuExtent(128, 8), format::GpuExtent(0, 1025),
        format::GpuExtent(1280, 0), format::GpuExtent(256, UINT64_MAX)})
    expectRefusal(with(Product, [&](auto &k) { k.scratch = {part}; }),
                  "does not lie in its 1024 bytes of scratch");
  expectRefusal(
      with(Product, [](auto &k) { k.scratchBytes = UINT64_MAX; }),
      "GPU kernel 'product': it wants 18446744073709551615 bytes of scratch");
  ModelBuilder model = makeGpuModel();
  model.graphs[0].gpuScratchBytes = 1023;
  expectRefusal(model, "needs 1024 bytes of scratch, but the program has 1023");
  model.graphs[0].gpuScratchBytes = UINT64_MAX;
  expectRefusal(model, "its GPU scratch has 18446744073709551615 bytes");
  model = makeGpuModel();
  model.graphs[0].device = kCpu0;
  expectRefusal(model, "it has scratch memory of a GPU, but is on another");
}

TEST(GpuLaunches, StayWithinTheLimits) {
  for (auto [grid, block] : {std::pair<uint32_t, uint32_t>{0, 32},
                             {0x80000000, 32},
                             {1, 0},
                             {1, 1025}})
    expectRefusal(with(Relu,
                       [&](auto &k) {
                         launch(k).grid = grid;
                         launch(k).block = block;
                       }),
                  "GPU kernel 'relu': stage 0: it has " + std::to_string(grid) +
                      " blocks of " + std::to_string(block) + " threads");
  for (const char *entry : {"", "a b", "a.b", "\n"})
    expectRefusal(with(Relu, [&](auto &k) { launch(k).entry = entry; }),
                  "is no name of PTX");
}

TEST(GpuStages, NameBuffersThatExist) {
  expectRefusal(with(Relu, [](auto &k) { k.stages[0].buffers[2] = 3; }),
                "buffer 3 does not exist; there are 3");
  expectRefusal(with(Product, [](auto &k) { k.stages[0].buffers.pop_back(); }),
                "it has 4 buffers; it needs 5");
  expectRefusal(with(Data, [](auto &k) { k.stages[0].buffers.push_back(0); }),
                "it has 5 buffers; it needs 4");
}

TEST(GpuMatmuls, FitTheirBuffers) {
  expectRefusal(with(Product, [](auto &k) { product(k).m = 3; }),
                "kernel 'product': buffer 0 has 24 bytes, but it needs 36");
  expectRefusal(
      with(Product,
           [](auto &k) { k.stages[0].buffers[3] = 0, product(k).n = 7; }),
      "buffer 1 has 48 bytes, but it needs 84");
  expectRefusal(with(Product,
                     [](auto &k) {
                       k.stages[0].buffers[2] = 4;
                       k.scratch = {{0, 31}, {256, 8}};
                       k.stages[0].buffers[4] = 5;
                     }),
                "buffer 4 has 31 bytes, but it needs 32");
  for (uint64_t extent : {uint64_t(0), uint64_t(1) << 31, UINT64_MAX})
    expectRefusal(with(Product, [&](auto &k) { product(k).k = extent; }),
                  "is not from 1 to 2147483647");
  expectRefusal(
      with(Product, [](auto &k) { product(k).m = product(k).k = 0x7fffffff; }),
      "an operand has more than");
}

TEST(GpuMatmuls, DoWhatLibrariesCan) {
  expectRefusal(with(Product, [](auto &k) { product(k).beta = 1; }),
                "it adds to its result, and has an epilogue");
  expectRefusal(with(Product,
                     [](auto &k) {
                       product(k).alpha =
                           std::numeric_limits<float>::infinity();
                     }),
                "its factors are not finite");
  expectRefusal(with(Product,
                     [](auto &k) {
                       product(k).epilogue =
                           static_cast<format::GpuEpilogue>(9);
                     }),
                "its epilogue is not known");
  expectRefusal(with(Product,
                     [](auto &k) {
                       product(k).precision =
                           static_cast<format::GpuPrecision>(9);
                     }),
                "its precision is not known");
}

TEST(GpuConvolutions, FitTheirBuffers) {
  for (Kernel kernel : {Forward, Data, Filter})
    expectRefusal(with(kernel, [](auto &k) { convolution(k).batch = 3; }),
                  "but it needs");
  expectRefusal(with(Forward, [](auto &k) { convolution(k).outHeight = 5; }),
                "windows of 3 over 4 pixels give no 5");
  expectRefusal(with(Forward, [](auto &k) { convolution(k).strideWidth = 0; }),
                "an extent of 0 is not from 1 to");
  expectRefusal(
      with(Forward, [](auto &k) { convolution(k).padWidth = UINT64_MAX; }),
      "windows of 3 over 4 pixels give no 4");
  expectRefusal(with(Data,
                     [](auto &k) {
                       convolution(k).epilogue = format::GpuEpilogue::Bias;
                     }),
                "it is a gradient, and has an epilogue");
  expectRefusal(with(Data,
                     [](auto &k) {
                       convolution(k).kind =
                           static_cast<format::GpuConvolutionKind>(3);
                     }),
                "its kind is not known");
}

TEST(GpuConvolutions, HaveABiasPerChannel) {
  auto addBias = [](auto &k) {
    convolution(k).epilogue = format::GpuEpilogue::Bias;
  };
  expectRefusal(with(Forward, addBias), "it has 4 buffers; it needs 5");
  expectRefusal(with(Forward,
                     [&](auto &k) {
                       addBias(k);
                       k.scratch.push_back({512, 7});
                       k.stages[0].buffers = {0, 1, 2, 4, 3};
                     }),
                "buffer 4 has 7 bytes, but it needs 8");
}

TEST(GpuDispatches, NameKernelsThatWereMadeForGpus) {
  expectRefusal(with(Relu, [](auto &k) { k.stages.clear(); }),
                "instruction #4: kernel 'relu' was not made for GPUs");
  expectRefusal(with(Relu, [](auto &k) { k.buffers = 3; }),
                "kernel 'relu' has 3 buffers on a GPU, but there are 2 slots");
}

/// CPUs run all kernels of a file, so a program there may dispatch any.
TEST(GpuDispatches, AreAboutProgramsOnGpus) {
  ModelBuilder model = makeGpuModel();
  model.graphs[0].device = kCpu0;
  model.graphs[0].gpuScratchBytes = 0;
  model.gpuKernels[Relu].stages.clear();
  EXPECT_EQ(refusal(model), "accepted");
}

} // namespace
