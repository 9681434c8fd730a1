// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/target/cuda/program/GpuModels.h"

#include "test/runtime/target/cpu/TestKernels.h"

#include <fstream>
#include <map>
#include <sstream>

namespace graphc::test {

namespace {

const TensorType kScalar = {DType::Float32, {}};
const TensorType kTwo = {DType::Float32, {2}};

std::string ptxFor(const std::string &arch) {
  std::ifstream file(GRAPHC_TEST_GPU_PTX);
  std::stringstream text;
  text << file.rdbuf();
  std::string ptx = text.str();
  const std::string target = ".target sm_80";
  return ptx.replace(ptx.find(target), target.size(), ".target " + arch);
}

/// Threads of a kernel of kernels.ptx, and its buffers.
struct Shape {
  uint32_t threads, buffers;
};

const std::map<std::string, Shape> kShapes = {
    {"scale", {4, 3}}, {"add", {2, 3}},     {"divide", {1, 3}},
    {"loss4", {1, 4}}, {"update4", {1, 3}}, {"state", {1, 2}},
    {"wild", {1, 4}}};

GpuKernelSpec launchOf(const std::string &name) {
  Shape shape = kShapes.at(name);
  GpuStageSpec stage{GpuLaunchSpec{name, 1, shape.threads}, {}};
  for (uint32_t i = 0; i < shape.buffers; ++i)
    stage.buffers.push_back(i);
  return {{stage}, shape.buffers};
}

} // namespace

ModelBuilder withGpuCode(ModelBuilder model, const std::string &arch) {
  model.gpuImages = {{arch, ptxFor(arch)}};
  for (size_t i = model.gpuKernels.size(); i < model.kernels.size(); ++i)
    model.gpuKernels.push_back(launchOf(model.kernels[i].name));
  return model;
}

ModelBuilder onDevice(ModelBuilder model, const std::string &device) {
  for (GraphSpec &graph : model.graphs)
    for (uint32_t i = 0; i < graph.programCount(); ++i)
      if (graph.program(i).device == kCpu0)
        graph.program(i).device = device;
  return model;
}

ModelBuilder relayModel() {
  ModelBuilder model;
  KernelSpec spec{"add"};
  spec.units = 2;
  uint32_t add = model.addKernel(spec, testKernel("add"));
  GraphSpec &graph = model.addGraph("relay");
  graph.device = kGpu0;
  uint32_t other = graph.addProgram(kGpu1), host = graph.addProgram(kCpu0);
  uint32_t x = graph.addArena("x", kTwo);
  graph.addFeed("x", x);
  uint32_t program = 0, value = x;
  for (uint32_t next : {other, host, 0u}) {
    uint32_t received = graph.transfer(program, value, next);
    program = next;
    value = graph.program(next).addArena("sum" + std::to_string(next), kTwo);
    graph.program(next).addDispatch(add, {received, received, value}, {value});
  }
  graph.addFetch("y", value);
  for (uint32_t i = 0; i < graph.programCount(); ++i)
    graph.program(i).addWaits();
  return withGpuCode(std::move(model));
}

ModelBuilder faultModel(uint64_t firstFault) {
  ModelBuilder model;
  KernelSpec spec{"wild"};
  uint32_t wild = model.addKernel(spec, testKernel("divide"));
  GraphSpec &graph = model.addGraph("fault");
  graph.device = kGpu0;
  uint32_t x = graph.addArena("x", kScalar), z = graph.addArena("z", kScalar);
  uint32_t first = graph.addConstant("first", {DType::Int64, {}},
                                     bytesOf<uint64_t>({firstFault}));
  graph.addFeed("x", x);
  graph.addFetch("y", z);
  graph.addDispatch(wild, {graph.addStepState(), x, first, z}, {z});
  graph.instructions.back().name = "Wild";
  graph.instructions.back().line = 7;
  return withGpuCode(std::move(model));
}

ModelBuilder matmulModel() {
  ModelBuilder model;
  // The CPU is not asked to run this one.
  uint32_t product = model.addKernel("product", testKernel("add"));
  GraphSpec &graph = model.addGraph("matmul");
  graph.device = kGpu0;
  constexpr uint64_t kWorkspace = 1 << 20;
  graph.gpuScratchBytes = kWorkspace;
  auto floats = [&](const char *name, std::vector<int64_t> shape) {
    return graph.addArena(name, {DType::Float32, std::move(shape)});
  };
  uint32_t a = floats("a", {3, 5}), b = floats("b", {5, 4});
  uint32_t bias = floats("bias", {4}), c = floats("c", {3, 4});
  graph.addFeed("a", a);
  graph.addFeed("b", b);
  graph.addFeed("bias", bias);
  graph.addFetch("c", c);
  graph.addDispatch(product, {a, b, bias, c}, {c});
  GpuMatmulSpec spec{3, 4, 5};
  spec.epilogue = format::GpuEpilogue::BiasRelu;
  model.gpuKernels = {{{{spec, {0, 1, 3, 2, 4}}},
                       4,
                       {format::GpuExtent(0, kWorkspace)},
                       kWorkspace}};
  return withGpuCode(std::move(model));
}

} // namespace graphc::test
