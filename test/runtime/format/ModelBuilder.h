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
//
// A graph for two devices:
//
//   uint32_t gpu = graph.addProgram("/job:localhost/replica:0/task:0/"
//                                   "device:GPU:0");
//   uint32_t xThere = graph.transfer(0, x, gpu);
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_MODELBUILDER_H
#define GRAPHC_TEST_RUNTIME_FORMAT_MODELBUILDER_H

#include "runtime/base/DType.h"
#include "runtime/format/model_generated.h"
#include "test/runtime/format/GpuSpecs.h"

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
  std::string device = {};            ///< empty: none is written
  std::optional<uint32_t> mirrorOf{}; ///< the variable it is a copy of
  std::string partOf = {};            ///< empty: it is whole
  uint64_t partRow = 0;
};

struct SummarySpec {
  format::SummaryKind kind = format::SummaryKind::Scalar;
  std::string tag;
  uint32_t fetch = 0, maxOutputs = 0, thresholds = 0;
  double sampleRate = 0;
};

struct FieldSpec {
  std::string name;
  TensorType type; ///< of one example
};

struct ModelDataset {
  std::string name;
  std::vector<FieldSpec> fields;
  int64_t batch = 1;
  int64_t shuffleBuffer = 0;
  uint64_t seed = 0;
  int64_t repeat = 1;
  int64_t prefetch = 2;
  bool perWorker = false;
  int64_t minAfterDequeue = -1, cycleLength = 1, blockLength = 1, cache = 0;
  int32_t mask = -1;
  struct Transform {
    uint32_t field = 0;
    std::vector<double> numbers;
  };
  std::vector<Transform> transforms{};
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
  uint32_t shard = 0, shards = 1;
  uint64_t value = 0;
  std::string text = {};
  std::vector<uint32_t> reads = {}; ///< empty: none are written
};
struct SendSpec {
  std::vector<uint32_t> edges, slots;
};
struct RecvSpec {
  std::vector<uint32_t> edges, slots;
};
struct AllReduceSpec {
  uint32_t collective = 0, source = 0, target = 0;
};

struct InstructionSpec {
  std::variant<DispatchSpec, CopySpec, FillSpec, HostCallSpec, SendSpec,
               RecvSpec, AllReduceSpec>
      action;
  std::vector<uint32_t> waits = {};
  std::string name = {};
  uint32_t line = 0;
  uint32_t collective = 0;           ///< the AllReduce that it serves
  std::vector<std::string> ops = {}; ///< of its kernel; none: that of its name
  std::vector<uint32_t> opLines = {};
  std::vector<float> opWork = {};
};

/// The slots that an instruction names, and those among them that it writes.
struct SlotUse {
  std::vector<uint32_t> all, writes;
};
SlotUse usesOf(const InstructionSpec &instruction);

struct PortSpec {
  std::string name;
  TensorType type;
  uint32_t program = 0;
  uint32_t slot = 0;
};

struct EdgeSpec {
  uint32_t source = 0, target = 0; ///< programs
  uint64_t size = 0;
  std::string name = {};
  uint32_t collective = 0;
  uint32_t line = 0;
};

inline constexpr const char *kCpu0 =
    "/job:localhost/replica:0/task:0/device:CPU:0";

/// Attributes that the replica graphs of workers share.
struct InstanceSpec {
  std::string of;
  uint32_t worker = 0, workers = 1;
  format::Coordination coordination = format::Coordination::None;
  std::string coordinator = {};
  uint32_t staleness = UINT32_MAX;
  uint32_t quorum = 0;
  std::string apply = {};
};

class ModelBuilder;

/// Program of one device. The helpers give the index of what they add.
struct ProgramSpec {
  std::string device = kCpu0;
  std::vector<SlotSpec> slots;
  std::vector<InstructionSpec> instructions;
  uint64_t arenaBytes = 0; ///< addArena() keeps it up to date
  uint64_t liveBytes = 0;  ///< of all slots, as addArena() reuses nothing
  uint32_t updatesFrom = UINT32_MAX;
  uint64_t gpuScratchBytes = 0;

  uint32_t addArena(std::string name, TensorType type);
  uint32_t addVariable(std::string name, const ModelBuilder &model,
                       uint32_t variable);
  uint32_t addConstant(std::string name, TensorType type, Bytes data);
  uint32_t addStrings(std::string name,
                      const std::vector<std::string> &strings);
  uint32_t addStepState(uint32_t replica = 0);

  uint32_t addDispatch(uint32_t kernel, std::vector<uint32_t> slots,
                       std::vector<uint32_t> outputs,
                       std::vector<uint32_t> waits = {});
  uint32_t addCopy(uint32_t source, uint32_t target,
                   std::vector<uint32_t> waits = {});
  uint32_t addFill(uint32_t target, std::vector<uint8_t> pattern,
                   std::vector<uint32_t> waits = {});
  uint32_t addNextBatch(uint32_t dataset, std::vector<uint32_t> slots,
                        std::vector<uint32_t> waits = {});
  uint32_t addSend(std::vector<uint32_t> edges, std::vector<uint32_t> slots,
                   std::vector<uint32_t> waits = {});
  uint32_t addRecv(std::vector<uint32_t> edges, std::vector<uint32_t> slots,
                   std::vector<uint32_t> waits = {});
  uint32_t addInstruction(InstructionSpec instruction);

  /// Adds to each instruction those before it that use one of its slots and
  /// write it, or read what it writes.
  void addWaits();

private:
  uint32_t addSlot(SlotSpec slot);
};

/// A graph is its own first program; more may be added.
struct GraphSpec : ProgramSpec {
  std::string name;
  std::vector<PortSpec> feeds, fetches;
  std::deque<ProgramSpec> others; ///< programs from 1 on
  std::vector<EdgeSpec> edges;
  /// Without a value: found by running all programs, as far as that goes.
  std::optional<std::vector<uint32_t>> order;
  uint32_t replicas = 1;
  std::optional<InstanceSpec> instance;
  uint32_t member = 0;
  bool onHost = false;
  std::vector<SummarySpec> summaries;
  /// Without it, the instructions of several programs get the waits of
  /// addWaits().
  bool keepsWaits = false;

  /// The number of a new program; references to programs stay valid.
  uint32_t addProgram(std::string programDevice);
  uint32_t programCount() const { return 1 + others.size(); }
  ProgramSpec &program(uint32_t index);
  const ProgramSpec &program(uint32_t index) const;

  /// The number of a new edge for the value in a slot of program `source`.
  uint32_t addEdge(uint32_t source, uint32_t target, uint32_t sourceSlot,
                   uint32_t collective = 0);
  /// Sends a slot's value: an edge, a Send at the end of `source` and a Recv
  /// at the end of `target`. Gives the new slot in `target`.
  uint32_t transfer(uint32_t source, uint32_t slot, uint32_t target,
                    uint32_t collective = 0);

  void addFeed(std::string name, uint32_t slot, uint32_t program = 0);
  void addFetch(std::string name, uint32_t slot, uint32_t program = 0);
};

/// Runs all programs in turn, each until it waits for an edge that is not sent
/// yet. Gives the order of the instructions that could run.
std::vector<uint32_t> findOrder(const GraphSpec &graph);

/// A model under construction. References to graphs stay valid.
class ModelBuilder {
public:
  std::string producer = "graphc test";
  std::string name = "test";
  std::string source = "module @test {}\n";
  std::string report; ///< JSON as docs/report.md says; empty: none
  std::vector<std::string> flags;
  std::vector<VariableSpec> variables;
  std::vector<ModelDataset> datasets;
  std::vector<KernelSpec> kernels;
  std::map<std::string, ImageSpec> images; ///< by level
  std::vector<GpuImageSpec> gpuImages;
  std::vector<GpuKernelSpec> gpuKernels; ///< one per kernel; none: no list
  std::deque<GraphSpec> graphs;

  uint32_t addVariable(std::string name, TensorType type,
                       bool trainable = true);
  uint32_t addDataset(ModelDataset dataset);
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

/// Writes the digests (and nothing else) again after bytes were changed.
void restampDigest(Bytes &file);

} // namespace graphc::test

#endif
