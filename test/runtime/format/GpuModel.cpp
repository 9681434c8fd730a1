// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model for a GPU that calls everything that a GPU's kernel may call.
#include "test/runtime/format/TestPlans.h"

namespace graphc::test {

namespace {

const format::GpuExtent kWorkspace(0, 1024);

GpuConvolutionSpec convolution(format::GpuConvolutionKind kind) {
  GpuConvolutionSpec conv;
  conv.kind = kind;
  conv.batch = 2;
  conv.inHeight = conv.inWidth = 4;
  conv.inChannels = 1;
  conv.kernelHeight = conv.kernelWidth = 3;
  conv.outHeight = conv.outWidth = 4;
  conv.outChannels = 2;
  conv.padHeight = conv.padWidth = 1;
  return conv;
}

} // namespace

ModelBuilder makeGpuModel() {
  ModelBuilder model;
  Bytes code(16, std::byte{0xc3});
  model.gpuImages = {{"sm_80", ".version 7.0 // sm_80"},
                     {"sm_90", ".version 7.8 // sm_90",
                      "\x7f"
                      "ELF"}};
  GraphSpec &graph = model.addGraph("train");
  graph.device = gpu(0);
  graph.gpuScratchBytes = 1024;
  auto floats = [&](const char *name, std::vector<int64_t> shape) {
    return graph.addArena(name, {DType::Float32, std::move(shape)});
  };
  uint32_t a = floats("a", {2, 3}), b = floats("b", {3, 4});
  uint32_t c = floats("c", {2, 4}), bias = floats("bias", {4});
  uint32_t x = floats("x", {2, 4, 4, 1}), f = floats("f", {2, 3, 3, 1});
  uint32_t y = floats("y", {2, 4, 4, 2});
  auto add = [&](const char *name, GpuStageSpec stage,
                 std::vector<uint32_t> slots, uint32_t output) {
    uint32_t kernel = model.addKernel(name, code);
    model.gpuKernels.push_back({{std::move(stage)},
                                static_cast<uint32_t>(slots.size()),
                                {kWorkspace},
                                1024});
    graph.addDispatch(kernel, slots, {output});
  };
  GpuMatmulSpec product{2, 4, 3};
  product.epilogue = format::GpuEpilogue::Bias;
  add("product", {product, {0, 1, 3, 2, 4}}, {a, b, bias, c}, c);
  using Kind = format::GpuConvolutionKind;
  add("forward", {convolution(Kind::Forward), {0, 1, 2, 3}}, {x, f, y}, y);
  add("data", {convolution(Kind::BackwardData), {0, 1, 2, 3}}, {y, f, x}, x);
  add("filter", {convolution(Kind::BackwardFilter), {0, 1, 2, 3}}, {x, y, f},
      f);
  add("relu", {GpuLaunchSpec{"relu", 1, 32}, {0, 1, 2}}, {a, c}, c);
  graph.addFeed("a", a);
  graph.addFeed("b", b);
  graph.addFeed("bias", bias);
  graph.addFeed("x", x);
  graph.addFeed("f", f);
  graph.addFetch("c", c);
  return model;
}

} // namespace graphc::test
