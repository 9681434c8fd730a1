// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes one program of a model, step by step.
#ifndef GRAPHC_RUNTIME_EXECUTOR_EXECUTOR_H
#define GRAPHC_RUNTIME_EXECUTOR_EXECUTOR_H

#include "runtime/device/CpuDevice.h"
#include "runtime/executor/Numerics.h"
#include "runtime/executor/SlotTable.h"
#include "runtime/format/Model.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// What an instruction of kind HostCall asks of whoever owns the executor.
class HostCalls {
public:
  virtual ~HostCalls() = default;

  /// Writes the next batch of the model's dataset number `dataset`, one address
  /// per field; OUT_OF_RANGE at the end of the data.
  virtual Status nextBatch(uint32_t dataset,
                           std::span<std::byte *const> fields) = 0;
};

/// What an executor is made from; all of it must outlive the executor.
struct ExecutorSpec {
  const Model *model = nullptr;
  const format::Graph *graph = nullptr;
  uint32_t program = 0;
  const KernelImage *kernels = nullptr; ///< of this model
  CpuDevice *device = nullptr;
  std::span<std::byte *const> variables; ///< the model's, by index
  HostCalls *host = nullptr;
  uint64_t seed = 0;
  NumericsOptions numerics;
  bool isProfiled = false; ///< measure what each instruction takes
};

/// A program as a flat table of what to do; a step is one walk over it that
/// allocates nothing, looks nothing up and ends with the first failure.
/// Thread-safety: one call at a time.
class Executor {
public:
  static StatusOr<std::unique_ptr<Executor>> create(const ExecutorSpec &spec);

  /// The bytes of a slot: feeds are written there before a step, fetches are
  /// read there after it.
  std::span<std::byte> slot(uint32_t index) const { return slots.bytes(index); }

  /// Whether what was fed to a slot is still there after a step.
  bool keepsInput(uint32_t index) const { return slots.keepsInput(index); }

  /// The seconds that each instruction took in all steps but the first; empty
  /// unless the executor is profiled.
  std::span<const double> profile() const { return seconds; }

  /// Runs one step. `step` counts from 0; messages count from 1, as users do.
  Status step(uint64_t step);

private:
  friend class StepTrace;

  enum class Kind : uint8_t { Launch, LaunchInline, Copy, Fill, NextBatch };

  struct Entry {
    Kind kind = Kind::Copy;
    uint8_t patternSize = 0; ///< Fill: 1, 4 or 8
    bool isChecked = false;  ///< writes a fetch that must be finite
    uint32_t dataset = 0;    ///< NextBatch
    KernelFunction function = nullptr;
    size_t firstBuffer = 0; ///< Launch, NextBatch: index into `buffers`
    uint32_t bufferCount = 0;
    int64_t units = 0; ///< Launch
    size_t size = 0;   ///< Copy, Fill: in bytes
    std::byte *target = nullptr;
    const std::byte *source = nullptr; ///< Copy: bytes, Fill: pattern
  };

  /// A fetched float scalar and the instruction after which it is complete.
  struct Check {
    size_t instruction;
    const format::Port *fetch;
    bool isReported = false;
  };

  explicit Executor(const ExecutorSpec &spec, SlotTable slots);
  const format::Program &program() const;
  Status addEntries();
  Entry makeEntry(const format::Instruction &instruction);
  void addBuffers(Entry &entry, const flatbuffers::Vector<uint32_t> &indices);
  void addChecks();
  Status execute(const Entry &entry);
  Status executeTimed(size_t instruction);
  Status runChecks(size_t instruction, uint64_t step);
  Status atInstruction(const Status &failure, size_t instruction) const;

  ExecutorSpec spec;
  SlotTable slots;
  std::vector<Entry> entries;
  std::vector<std::byte *> buffers; ///< the arrays that kernels are given
  std::vector<Check> checks;
  std::vector<double> seconds; ///< profile
  bool isWarm = false;         ///< the first step is done
  bool isReported = false;     ///< checkAll has given its one warning
};

} // namespace graphc::runtime

#endif
