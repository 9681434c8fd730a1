// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/executor/TestProgram.h"

#include "runtime/target/cpu/LoadKernels.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace graphc::test {

using namespace runtime;

namespace {
void require(const Status &status) {
  if (status.isOk())
    return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::abort();
}
} // namespace

Status CountingBatches::nextBatch(const BatchCall &call,
                                  std::span<std::byte *const> fields) {
  std::lock_guard lock(mutex);
  if (!failure.isOk())
    return failure;
  if (calls == limit)
    return outOfRange("the data are at their end");
  float number = first + static_cast<float>(calls++);
  for (size_t field = 0; field < fields.size(); ++field)
    for (size_t i = 0; i < fieldElements; ++i) {
      float value = number + 10.0f * static_cast<float>(field);
      std::memcpy(fields[field] + i * sizeof(float), &value, sizeof value);
    }
  return Status::ok();
}

Status CountingBatches::sleep(uint64_t millis) {
  slept += millis;
  return Status::ok();
}

void CountingBatches::print(std::string_view line) {
  std::lock_guard lock(mutex);
  printed.emplace_back(line);
}

uint32_t TestProgram::kernel(const std::string &name, int64_t units,
                             uint64_t scratchBytes) {
  KernelSpec spec{name};
  spec.units = units;
  spec.scratchBytes = scratchBytes;
  return builder.addKernel(spec, testKernel(name));
}

uint32_t TestProgram::floats(const std::string &name, int64_t count) {
  return graph.addArena(name, {DType::Float32, {count}});
}

uint32_t TestProgram::scalar(const std::string &name) {
  return graph.addArena(name, {DType::Float32, {}});
}

uint32_t TestProgram::variable(const std::string &name, int64_t count) {
  uint32_t index = builder.addVariable(name, {DType::Float32, {count}});
  return graph.addVariable(name, builder, index);
}

void TestProgram::nameLast(const std::string &name, uint32_t line) {
  graph.instructions.back().name = name;
  graph.instructions.back().line = line;
}

Status CountingBatches::beginStep(const format::Graph &graph) {
  return calls == limit ? outOfRange("the data are at their end")
                        : Status::ok();
}

ExecutorSpec TestProgram::prepare(int threads) {
  auto opened = Model::fromBytes(builder.finish(), "test");
  require(opened.status());
  model = *opened;
  auto loaded = loadKernels(*model, CpuLevel::V3);
  require(loaded.status());
  image = std::move(loaded).value();
  auto pool = ThreadPool::create(threads);
  require(pool.status());
  device = std::make_unique<CpuDevice>(*pool);
  for (const VariableSpec &variable : builder.variables) {
    auto buffer =
        DeviceBuffer::allocate(variable.type.numBytes(), "a variable");
    require(buffer.status());
    variables.push_back(std::move(buffer).value());
    addresses.push_back(variables.back().data());
  }
  ExecutorSpec spec;
  spec.model = model.get();
  spec.graph = model->findGraph("train");
  spec.kernels = &image;
  spec.device = device.get();
  spec.variables = addresses;
  spec.host = &batches;
  spec.seed = seed;
  spec.numerics = numerics;
  return spec;
}

void TestProgram::finishEngine(int threads, const StepOptions &options,
                               void (*change)(const format::Model &)) {
  ExecutorSpec spec = prepare(threads);
  if (change) {
    // The memory of a model is read-only.
    std::span<const std::byte> bytes =
        model->blob(format::Blob(0, model->size()));
    ::mprotect(const_cast<std::byte *>(bytes.data()), bytes.size(),
               PROT_READ | PROT_WRITE);
    change(model->index());
  }
  auto engine = StepEngine::create(spec, options);
  require(engine.status());
  madeEngine = std::move(engine).value();
}

void TestProgram::finish(int threads) {
  auto executor = Executor::create(prepare(threads));
  require(executor.status());
  made = std::move(executor).value();
}

} // namespace graphc::test
