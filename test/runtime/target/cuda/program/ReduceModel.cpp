// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/target/cuda/program/ReduceModel.h"

#include "test/runtime/target/cpu/TestKernels.h"

namespace graphc::test {

namespace {

constexpr uint32_t kNumber = 1; ///< of the AllReduce

void addReduceGraph(ModelBuilder &model, const char *name, uint32_t gpus,
                    uint32_t add) {
  const TensorType two = {DType::Float32, {2}};
  GraphSpec &graph = model.addGraph(name);
  graph.device = gpuName(0);
  std::vector<uint32_t> x(gpus), own(gpus), received(gpus);
  for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
    if (gpu > 0)
      graph.addProgram(gpuName(gpu));
    ProgramSpec &program = graph.program(gpu);
    std::string number = std::to_string(gpu);
    x[gpu] = program.addArena("x" + number, two);
    own[gpu] = program.addArena("own" + number, two);
    graph.addFeed("x" + number, x[gpu], gpu);
    program.addDispatch(add, {x[gpu], x[gpu], own[gpu]}, {own[gpu]});
  }
  for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
    uint32_t to = (gpu + gpus - 1) % gpus;
    received[to] = graph.transfer(gpu, own[gpu], to);
    graph.program(gpu).instructions.back().collective = kNumber;
    graph.program(to).instructions.back().collective = kNumber;
  }
  for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
    ProgramSpec &program = graph.program(gpu);
    auto addSum = [&](const char *result, uint32_t a, uint32_t b) {
      uint32_t slot = program.addArena(result + std::to_string(gpu), two);
      program.addDispatch(add, {a, b, slot}, {slot});
      return slot;
    };
    uint32_t sum = addSum("sum", received[gpu], received[gpu]);
    program.instructions.back().collective = kNumber;
    program.addInstruction(
        {AllReduceSpec{kNumber, own[gpu], sum}, {}, "AllReduce", 9});
    uint32_t z = addSum("z", x[gpu], x[gpu]), y = addSum("y", sum, sum);
    graph.addFetch("y" + std::to_string(gpu), y, gpu);
    graph.addFetch("z" + std::to_string(gpu), z, gpu);
    program.addWaits();
  }
}

} // namespace

std::string gpuName(uint32_t number) {
  return "/job:localhost/replica:0/task:0/device:GPU:" + std::to_string(number);
}

ModelBuilder reduceModel(uint32_t gpus) {
  ModelBuilder model;
  KernelSpec spec{"add"};
  spec.units = 2;
  uint32_t add = model.addKernel(spec, testKernel("add"));
  for (const char *name : {"reduce", "again"})
    addReduceGraph(model, name, gpus, add);
  return withGpuCode(std::move(model));
}

} // namespace graphc::test
