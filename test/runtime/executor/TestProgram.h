// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model under construction that becomes an executor of its first graph, or an
// engine for all programs of that graph.
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_TESTPROGRAM_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_TESTPROGRAM_H

#include "runtime/executor/StepEngine.h"
#include "test/runtime/target/cpu/TestKernels.h"

#include <mutex>

namespace graphc::test {

/// Batches that count: field i of batch b is filled with floats b + 10 i.
class CountingBatches : public runtime::HostCalls {
public:
  runtime::Status nextBatch(const runtime::BatchCall &call,
                            std::span<std::byte *const> fields) override;

  /// OUT_OF_RANGE where no batch is left.
  runtime::Status beginStep(const format::Graph &graph) override;

  /// Counts what it would sleep.
  runtime::Status sleep(uint64_t millis) override;

  /// Keeps the line.
  void print(std::string_view line) override;

  std::mutex mutex;
  int calls = 0;
  uint64_t slept = 0; ///< milliseconds
  std::vector<std::string> printed;
  int limit = 1000;         ///< batches before the data end
  size_t fieldElements = 1; ///< floats of a field's batch
  float first = 1;          ///< the number of the first batch
  runtime::Status failure;  ///< given instead of a batch
};

/// Owns all that an executor needs.
class TestProgram {
public:
  ModelBuilder builder;
  GraphSpec &graph = builder.addGraph("train");
  CountingBatches batches;
  runtime::NumericsOptions numerics;
  uint64_t seed = 0;

  /// Adds kernels/<name>.c with as many units.
  uint32_t kernel(const std::string &name, int64_t units = 1,
                  uint64_t scratchBytes = 0);
  uint32_t floats(const std::string &name, int64_t count);
  uint32_t scalar(const std::string &name);
  /// A float variable of `count` elements and a slot that names it.
  uint32_t variable(const std::string &name, int64_t count = 1);
  /// Names the instruction added last.
  void nameLast(const std::string &name, uint32_t line);

  /// Makes the executor; the calls above come before.
  void finish(int threads = 1);

  /// Makes the engine instead. `change` may make the model a wrong one that no
  /// verifier sees.
  void finishEngine(int threads, const runtime::StepOptions &options = {},
                    void (*change)(const format::Model &) = nullptr);

  runtime::Executor &executor() { return *made; }
  runtime::StepEngine &engine() { return *madeEngine; }
  /// The floats of a slot of one of the engine's programs.
  std::span<float> values(uint32_t program, uint32_t slot) {
    std::span<std::byte> bytes = madeEngine->executor(program).slot(slot);
    return {reinterpret_cast<float *>(bytes.data()),
            bytes.size() / sizeof(float)};
  }
  /// The first element of a slot.
  float value(uint32_t slot) { return values<float>(slot)[0]; }
  template <typename T> std::span<T> values(uint32_t slot) {
    std::span<std::byte> bytes = made->slot(slot);
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Prepares the spec of an executor of the first graph; once.
  runtime::ExecutorSpec prepare(int threads);

private:
  std::shared_ptr<const runtime::Model> model;
  runtime::KernelImage image;
  std::unique_ptr<runtime::CpuDevice> device;
  std::vector<runtime::DeviceBuffer> variables;
  std::vector<std::byte *> addresses;
  std::unique_ptr<runtime::Executor> made;
  std::unique_ptr<runtime::StepEngine> madeEngine;
};

} // namespace graphc::test

#endif
