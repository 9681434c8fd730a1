// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a model.bin in memory, for tests. The parts are plain structs: fill
// them with the helpers below, change any field to make the file wrong, and
// finish().
//
//   ModelBuilder model;
//   uint32_t w = model.addVariable("w", {DType::Float32, {4}});
//   uint32_t k = model.addKernel("scale", code);
//   GraphSpec &graph = model.addGraph("train");
//   uint32_t x = graph.addArena("x", {DType::Float32, {4}});
//   uint32_t y = graph.addArena("y", {DType::Float32, {4}});
//   graph.addFeed("x", x);
//   graph.addFetch("y", y);
//   graph.addDispatch(k, {x, graph.addVariable("w", model, w), y}, {y});
//   auto opened = Model::fromBytes(model.finish(), "test");
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_MODELBUILDER_H
#define GRAPHC_TEST_RUNTIME_FORMAT_MODELBUILDER_H

#include "runtime/base/DType.h"
#include "runtime/format/model_generated.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace graphc::test {

using runtime::DType;
using runtime::TensorType;
using Bytes = std::vector<std::byte>;

inline constexpr const char *kV3 = "x86-64-v3";
inline constexpr const char *kV4 = "x86-64-v4";

/// The bytes of some values, e.g. bytesOf<float>({1, 2}).
template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  auto begin = reinterpret_cast<const std::byte *>(values.data());
  return Bytes(begin, begin + values.size() * sizeof(T));
}

/// The table of a constant of strings, as model.fbs describes it.
Bytes stringTable(const std::vector<std::string> &strings);

struct VariableSpec {
  std::string name;
  TensorType type;
  bool trainable = true;
};

struct FieldSpec {
  std::string name;
  TensorType type; ///< of one example
};

struct DatasetSpec {
  std::string name;
  std::vector<FieldSpec> fields;
  int64_t batch = 1;
  int64_t shuffleBuffer = 0;
  uint64_t seed = 0;
  int64_t repeat = 1;
  int64_t prefetch = 2;
};

struct KernelSpec {
  std::string name;
  int64_t units = 1;
  uint64_t scratchBytes = 0;
  double flops = 0;
  double bytes = 0;
};

/// Machine code of one level; addKernel() fills it.
struct ImageSpec {
  Bytes code;
  std::vector<uint64_t> entries;
};

struct SlotSpec {
  format::SlotKind kind = format::SlotKind::Arena;
  std::string name;
  TensorType type;
  uint64_t size = 0;
  uint64_t offset = 0;
  uint32_t index = 0;
  Bytes data;                       ///< Constant: becomes a blob
  std::optional<format::Blob> blob; ///< written instead of the place of `data`
  /// Without a value: from the instructions and ports that use the slot.
  std::optional<uint32_t> first, last;
};

struct DispatchSpec {
  uint32_t kernel = 0;
  std::vector<uint32_t> slots, outputs;
};
struct CopySpec {
  uint32_t source = 0, target = 0;
};
struct FillSpec {
  uint32_t target = 0;
  std::vector<uint8_t> pattern;
};
struct HostCallSpec {
  format::HostFunction function = format::HostFunction::NextBatch;
  uint32_t index = 0;
  std::vector<uint32_t> slots;
};

struct InstructionSpec {
  std::variant<DispatchSpec, CopySpec, FillSpec, HostCallSpec> action;
  std::vector<uint32_t> waits = {};
  std::string name = {};
  uint32_t line = 0;
};

struct PortSpec {
  std::string name;
  TensorType type;
  uint32_t program = 0;
  uint32_t slot = 0;
};

class ModelBuilder;

/// A graph with one program. The helpers give the index of what they add.
struct GraphSpec {
  std::string name;
  std::string device = "/job:localhost/replica:0/task:0/device:CPU:0";
  std::vector<PortSpec> feeds, fetches;
  std::vector<SlotSpec> slots;
  std::vector<InstructionSpec> instructions;
  uint64_t arenaBytes = 0; ///< addArena() keeps it up to date
  uint64_t liveBytes = 0;  ///< of all slots, as addArena() reuses nothing

  uint32_t addArena(std::string name, TensorType type);
  uint32_t addVariable(std::string name, const ModelBuilder &model,
                       uint32_t variable);
  uint32_t addConstant(std::string name, TensorType type, Bytes data);
  uint32_t addStrings(std::string name,
                      const std::vector<std::string> &strings);
  uint32_t addStepState();

  void addFeed(std::string name, uint32_t slot);
  void addFetch(std::string name, uint32_t slot);

  uint32_t addDispatch(uint32_t kernel, std::vector<uint32_t> slots,
                       std::vector<uint32_t> outputs,
                       std::vector<uint32_t> waits = {});
  uint32_t addCopy(uint32_t source, uint32_t target,
                   std::vector<uint32_t> waits = {});
  uint32_t addFill(uint32_t target, std::vector<uint8_t> pattern,
                   std::vector<uint32_t> waits = {});
  uint32_t addNextBatch(uint32_t dataset, std::vector<uint32_t> slots,
                        std::vector<uint32_t> waits = {});

private:
  uint32_t addSlot(SlotSpec slot);
  uint32_t addInstruction(InstructionSpec instruction);
};

/// A model under construction. References to graphs stay valid.
class ModelBuilder {
public:
  std::string producer = "graphc test";
  std::string name = "test";
  std::string source = "module @test {}\n";
  std::vector<std::string> flags;
  std::vector<VariableSpec> variables;
  std::vector<DatasetSpec> datasets;
  std::vector<KernelSpec> kernels;
  std::map<std::string, ImageSpec> images; ///< by level
  std::deque<GraphSpec> graphs;

  uint32_t addVariable(std::string name, TensorType type,
                       bool trainable = true);
  uint32_t addDataset(DatasetSpec dataset);
  /// The same `code` for both levels, entered at its first byte.
  uint32_t addKernel(KernelSpec kernel, const Bytes &code);
  /// One code per level; every kernel needs the same levels.
  uint32_t addKernel(KernelSpec kernel,
                     const std::map<std::string, Bytes> &codes);
  uint32_t addKernel(std::string name, const Bytes &code) {
    return addKernel(KernelSpec{std::move(name)}, code);
  }
  GraphSpec &addGraph(std::string name);

  /// The whole file with its digest.
  Bytes finish() const;
};

/// A small valid model that has one of everything: the graph "init" fills
/// variable "w" with ones, "train" draws a batch, runs a kernel (which does
/// nothing) and copies to "w".
ModelBuilder makeSampleModel();

/// Writes the digest (and nothing else) again after bytes were changed.
void restampDigest(Bytes &file);

} // namespace graphc::test

#endif
