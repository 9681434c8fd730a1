// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/target/cuda/program/OverlapModel.h"

#include "runtime/target/DeviceTargets.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace graphc::test {

using namespace runtime;

namespace {

/// Gives the slot the bytes of another whose value is not used any more.
uint32_t inBytesOf(GraphSpec &graph, uint32_t slot, uint32_t other) {
  graph.slots[slot].offset = graph.slots[other].offset;
  return slot;
}

/// Floats "f", two for each step.
uint32_t addBatches(TestProgram &program) {
  ModelDataset data{"data", {{"f", {DType::Float32, {}}}}};
  data.batch = 2;
  program.batches.fieldElements = 2;
  return program.builder.addDataset(data);
}

/// Makes instructions wait for each other, since slots share bytes.
void runInOrder(GraphSpec &graph) {
  graph.keepsWaits = true;
  for (uint32_t i = 0; i < graph.instructions.size(); ++i)
    for (uint32_t before = 0; before < i; ++before)
      graph.instructions[i].waits.push_back(before);
}

template <typename T> T require(StatusOr<T> made) {
  if (made.isOk())
    return std::move(made).value();
  std::fprintf(stderr, "%s\n", made.status().message().c_str());
  std::abort();
}

} // namespace

OverlapPorts addOverlaps(TestProgram &program) {
  GraphSpec &graph = program.graph;
  uint32_t cpu = graph.addProgram(kCpu0);
  graph.device = kGpu0;
  uint32_t dataset = addBatches(program), add = program.kernel("add", 2);
  auto sum = [&](ProgramSpec &on, uint32_t a, uint32_t b, uint32_t c) {
    on.addDispatch(add, {a, b, c}, {c});
    return c;
  };
  auto floats = [&](const char *name) { return program.floats(name, 2); };
  ProgramSpec &host = graph.program(cpu);

  uint32_t x = floats("x");
  graph.addFeed("x", x);
  uint32_t a = sum(graph, x, x, floats("a"));
  uint32_t receivedA = graph.transfer(0, a, cpu);
  uint32_t b = sum(graph, x, x, floats("b"));
  uint32_t receivedB = graph.transfer(0, b, cpu);
  uint32_t made = sum(host, receivedA, receivedB,
                      host.addArena("made", {DType::Float32, {2}}));
  uint32_t c = sum(graph, b, b, inBytesOf(graph, floats("c"), a));
  uint32_t d = graph.transfer(cpu, made, 0);
  uint32_t e = sum(graph, c, d, inBytesOf(graph, floats("e"), b));
  uint32_t f = inBytesOf(graph, floats("f"), x);
  graph.addNextBatch(dataset, {f});
  uint32_t g = sum(graph, e, f, floats("g"));
  graph.addFetch("g", g);
  host.addWaits();
  runInOrder(graph);
  program.builder = withGpuCode(std::move(program.builder));
  return {x, g};
}

OverlapPorts addBatchInBytesOfAFeed(TestProgram &program) {
  GraphSpec &graph = program.graph;
  graph.device = kGpu0;
  uint32_t dataset = addBatches(program), add = program.kernel("add", 2);
  uint32_t x = program.floats("x", 2), a = program.floats("a", 2);
  uint32_t f = inBytesOf(graph, program.floats("f", 2), x);
  uint32_t g = program.floats("g", 2);
  graph.addFeed("x", x);
  graph.addDispatch(add, {x, x, a}, {a});
  graph.addNextBatch(dataset, {f});
  graph.addDispatch(add, {a, f, g}, {g});
  graph.addFetch("g", g);
  runInOrder(graph);
  program.builder = withGpuCode(std::move(program.builder));
  return {x, g};
}

void addTwoGpusThatWait(TestProgram &program) {
  GraphSpec &graph = program.graph;
  uint32_t other = graph.addProgram(kGpu1), cpu = graph.addProgram(kCpu0);
  graph.device = kGpu0;
  uint32_t add = program.kernel("add", 2);
  for (uint32_t gpu : {0u, other}) {
    ProgramSpec &on = graph.program(gpu);
    uint32_t x = on.addArena("x", {DType::Float32, {2}});
    uint32_t a = on.addArena("a", {DType::Float32, {2}});
    graph.addFeed("x" + std::to_string(gpu), x, gpu);
    on.addDispatch(add, {x, x, a}, {a});
    graph.transfer(cpu, graph.transfer(gpu, a, cpu), gpu);
  }
  program.builder = withGpuCode(std::move(program.builder));
}

OverlapPorts addTwoSendsOfAPlace(TestProgram &program) {
  GraphSpec &graph = program.graph;
  uint32_t cpu = graph.addProgram(kCpu0);
  graph.device = kGpu0;
  uint32_t add = program.kernel("add", 2);
  uint32_t x = program.floats("x", 2), w = program.variable("w", 2);
  graph.addFeed("x", x);
  uint32_t before = graph.transfer(0, w, cpu);
  graph.addDispatch(add, {w, x, w}, {w});
  uint32_t after = graph.transfer(0, w, cpu);
  ProgramSpec &host = graph.program(cpu);
  uint32_t sum = host.addArena("sum", {DType::Float32, {2}});
  host.addDispatch(add, {before, after, sum}, {sum});
  graph.addFetch("sum", sum, cpu);
  program.builder = withGpuCode(std::move(program.builder));
  return {x, sum};
}

OverlapPorts addFaultBehindASend(TestProgram &program, uint64_t firstFault) {
  GraphSpec &graph = program.graph;
  uint32_t cpu = graph.addProgram(kCpu0);
  graph.device = kGpu0;
  uint32_t add = program.kernel("add", 2);
  uint32_t wild = program.builder.addKernel("wild", testKernel("divide"));
  uint32_t x = program.floats("x", 2), twice = program.floats("twice", 2);
  uint32_t z = program.scalar("z");
  uint32_t first = graph.addConstant("first", {DType::Int64, {}},
                                     bytesOf<uint64_t>({firstFault}));
  graph.addFeed("x", x);
  graph.addDispatch(add, {x, x, twice}, {twice});
  program.nameLast("Twice", 5);
  graph.transfer(0, twice, cpu);
  graph.addDispatch(wild, {graph.addStepState(), x, first, z}, {z});
  program.nameLast("Wild", 7);
  program.builder = withGpuCode(std::move(program.builder));
  return {x, x};
}

GpuSteps::GpuSteps(TestProgram &program, int threads) {
  ExecutorSpec spec = program.prepare(threads);
  opened = require(openDevices(*spec.model, {kGpu0}, openOptions()));
  spec.devices = opened.get();
  made = require(StepEngine::create(spec));
}

std::vector<float> GpuSteps::run(OverlapPorts ports, float first,
                                 uint32_t program) {
  float fed[] = {first, first + 1};
  std::memcpy(made->executor(0).slot(ports.feed).data(), fed, sizeof(fed));
  Status status = made->step(next++);
  if (!status.isOk()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return {};
  }
  std::vector<float> values(2);
  std::memcpy(values.data(), made->executor(program).slot(ports.fetch).data(),
              sizeof(fed));
  return values;
}

} // namespace graphc::test
