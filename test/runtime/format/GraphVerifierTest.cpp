// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule about graphs refuses a file that breaks this rule only.
#include "runtime/format/FileHeader.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <cmath>
#include <cstring>

using namespace graphc;
using namespace graphc::test;

namespace {

constexpr const char *kTrain = "graph 'train': program 0 "
                               "'/job:localhost/replica:0/task:0/device:CPU:0'"
                               ": ";

/// The slots of the sample's graph "train".
enum : uint32_t { kX, kY, kImages, kLabels, kTwo, kNames, kState, kW };
/// Its instructions.
enum : uint32_t { kBatch, kMul, kSave };

/// The sample after a change to its graph "train".
template <typename Change> ModelBuilder changed(Change change) {
  ModelBuilder model = makeSampleModel();
  change(model.graphs[1]);
  return model;
}

/// Expects a refusal after a change to slot `index`.
template <typename Change>
void expectSlotRefusal(uint32_t index, Change change, const std::string &part) {
  ModelBuilder model =
      changed([&](GraphSpec &graph) { change(graph.slots[index]); });
  expectRefusal(model, std::string(kTrain) + "slot %" + std::to_string(index));
  expectRefusal(model, part);
}

/// Expects a refusal after a change to the action of instruction `index`.
template <typename T, typename Change>
void expectActionRefusal(uint32_t index, Change change,
                         const std::string &part) {
  ModelBuilder model = changed([&](GraphSpec &graph) {
    change(std::get<T>(graph.instructions[index].action));
  });
  expectRefusal(model, "instruction #" + std::to_string(index));
  expectRefusal(model, part);
}

TEST(Sample, IsAccepted) { EXPECT_EQ(refusal(makeSampleModel()), "accepted"); }

TEST(Graphs, HaveUniqueNames) {
  expectRefusal(changed([](GraphSpec &g) { g.name = "init"; }),
                "graph 'init': its name is used twice");
  expectRefusal(changed([](GraphSpec &g) { g.name = ""; }),
                "graph '': its name is empty");
  expectRefusal(changed([](GraphSpec &g) { g.device = ""; }),
                "graph 'train': program 0: device 4294967295 does not exist");
}

TEST(Slots, HaveKnownKindsAndExactSizes) {
  expectSlotRefusal(
      kX, [](SlotSpec &s) { s.kind = format::SlotKind(9); },
      "slots of kind 9 are not known");
  expectSlotRefusal(
      kX, [](SlotSpec &s) { s.size = 20; },
      "its size is 20 bytes but its type has 24");
  expectSlotRefusal(
      kX, [](SlotSpec &s) { s.type.dtype = DType::String; },
      "only a constant may have the type string");
  expectSlotRefusal(
      kX, [](SlotSpec &s) { s.type.dtype = DType(99); },
      "element type 99 is not known");
  expectSlotRefusal(
      kState, [](SlotSpec &s) { s.size = 16, s.type.shape = {16}; },
      "the state of a step has 32 bytes, not 16");
}

TEST(ArenaSlots, LieInTheArena) {
  expectRefusal(
      changed([](GraphSpec &g) { g.arenaBytes = (uint64_t(1) << 40) + 64; }),
      "its arena has 1099511627840 bytes");
  expectSlotRefusal(
      kY, [](SlotSpec &s) { s.offset = 8; }, "is not a multiple of 64");
  expectSlotRefusal(
      kY, [](SlotSpec &s) { s.offset = 256; },
      "its 24 bytes at offset 256 do not fit into the arena of 256 bytes");
  expectSlotRefusal(
      kY, [](SlotSpec &s) { s.offset = UINT64_MAX - 63; }, "do not fit");
  expectSlotRefusal(
      kY, [](SlotSpec &s) { s.first = 2, s.last = 1; },
      "its lifetime #2 to #1 is no range of instructions");
  expectSlotRefusal(kY, [](SlotSpec &s) { s.last = 4; }, "its lifetime");
}

TEST(VariableSlots, MatchTheirVariable) {
  expectSlotRefusal(
      kW, [](SlotSpec &s) { s.index = 1; },
      "variable 1 does not exist; there are 1");
  expectSlotRefusal(
      kW, [](SlotSpec &s) { s.type.shape = {3, 2}; },
      "its type is float32[3,2] but variable 'w' has float32[2,3]");
}

TEST(ConstantSlots, MatchTheirBlob) {
  expectSlotRefusal(
      kTwo, [](SlotSpec &s) { s.size = 28; },
      "its size is 28 bytes but its blob has 24");
  expectSlotRefusal(
      kTwo, [](SlotSpec &s) { s.type.shape = {7}; },
      "its size is 24 bytes but its type has 28");
}

/// Replaces number `index` of the table of strings.
void expectTableRefusal(size_t index, uint64_t value, const std::string &part) {
  expectSlotRefusal(
      kNames,
      [&](SlotSpec &s) {
        std::memcpy(s.data.data() + 8 * index, &value, sizeof(value));
      },
      part);
}

TEST(StringConstants, HaveAscendingOffsets) {
  // 3, then 40, 44, 44, 47, then "zerotwo".
  expectTableRefusal(0, 2, "holds 2 strings where the type asks for 3");
  expectTableRefusal(1, 39, "offset 0 of its table of strings");
  expectTableRefusal(2, 46, "offset 2 of its table of strings");
  expectTableRefusal(4, 48, "offset 3 of its table of strings");
  expectTableRefusal(4, UINT64_MAX, "offset 3 of its table of strings");
  for (int64_t count : {7, 1 << 20})
    expectSlotRefusal(
        kNames, [&](SlotSpec &s) { s.type.shape = {count}; },
        "strings does not fit into the blob");
}

TEST(Instructions, WaitForEarlierOnes) {
  expectRefusal(
      changed([](GraphSpec &g) { g.instructions[kMul].waits = {kMul}; }),
      "instruction #1 'dense/mul': it waits for #1, which does not come");
  expectRefusal(
      changed([](GraphSpec &g) { g.instructions[kMul].waits = {999}; }),
      "it waits for #999");
}

TEST(Instructions, HaveOpsWithLinesAndWork) {
  auto with = [](std::vector<uint32_t> lines, std::vector<float> work) {
    return changed([&](GraphSpec &g) {
      InstructionSpec &mul = g.instructions[kMul];
      mul.ops = {"dense/mul", "dense/add"};
      mul.opLines = lines;
      mul.opWork = work;
    });
  };
  EXPECT_EQ(refusal(with({3, 0}, {6, 0})), "accepted");
  expectRefusal(with({3}, {6, 0}),
                "'dense/mul': it has 2 ops, 1 lines and 2 amounts of work");
  expectRefusal(with({3, 4}, {6}), "2 ops, 2 lines and 1 amounts of work");
  for (float work : {-1.0f, INFINITY, NAN})
    expectRefusal(with({3, 4}, {6, work}),
                  "the work of its ops is no finite positive number");
}

TEST(Instructions, AreOfKnownKinds) {
  Bytes bytes = makeSampleModel().finish();
  const auto *program =
      format::GetModel(bytes.data() + 64)->graphs()->Get(1)->programs()->Get(0);
  const auto *copy = program->instructions()->Get(kSave);
  const auto *table = reinterpret_cast<const flatbuffers::Table *>(copy);
  const uint8_t *kind =
      table->GetAddressOf(format::Instruction::VT_ACTION_TYPE);
  for (uint8_t value : {0, 9}) {
    *const_cast<uint8_t *>(kind) = value;
    restampDigest(bytes);
    expectRefusal(bytes, "instruction #2: instructions of kind " +
                             std::to_string(value) + " are not known");
  }
}

TEST(Dispatches, NameKernelsAndSlots) {
  using D = DispatchSpec;
  expectActionRefusal<D>(
      kMul, [](D &d) { d.kernel = 1; }, "kernel 1 does not exist; there are 1");
  expectActionRefusal<D>(
      kMul, [](D &d) { d.slots[0] = 8; }, "slot 8 does not exist; there are 8");
  expectActionRefusal<D>(
      kMul, [](D &d) { d.outputs[0] = 8; }, "slot 8 does not exist");
  expectActionRefusal<D>(
      kMul, [](D &d) { d.outputs = {kW}; },
      "its output %7 is not one of its slots");
  for (uint32_t slot : {kTwo, kState})
    expectActionRefusal<D>(
        kMul, [&](D &d) { d.outputs = {slot}; },
        "it writes slot %" + std::to_string(slot) + ", which is read-only");
}

TEST(Copies, KeepTheSize) {
  using C = CopySpec;
  expectActionRefusal<C>(
      kSave, [](C &c) { c.source = kLabels; },
      "it copies 16 bytes to a slot of 24");
  expectActionRefusal<C>(
      kSave, [](C &c) { c.source = 8; }, "slot 8 does not exist");
  expectActionRefusal<C>(
      kSave, [](C &c) { c.target = kTwo; }, "it writes slot %4");
}

TEST(Fills, RepeatAWholePattern) {
  auto filled = [](uint32_t target, std::vector<uint8_t> pattern) {
    return changed([&](GraphSpec &g) { g.addFill(target, pattern); });
  };
  EXPECT_EQ(refusal(filled(kX, {1})), "accepted");
  EXPECT_EQ(refusal(filled(kX, {1, 2, 3, 4, 5, 6, 7, 8})), "accepted");
  expectRefusal(filled(kX, {}), "its pattern has 0 bytes");
  expectRefusal(filled(kX, {1, 2, 3}), "its pattern has 3 bytes");
  expectRefusal(filled(kTwo, {1}), "it writes slot %4");
  expectRefusal(filled(8, {1}), "slot 8 does not exist");
  expectRefusal(changed([](GraphSpec &g) {
                  g.addFill(g.addArena("a", {DType::Float32, {3}}),
                            std::vector<uint8_t>(8, 0));
                }),
                "its pattern of 8 bytes does not divide the slot's 12");
}

TEST(HostCalls, MatchTheirDataset) {
  using H = HostCallSpec;
  expectActionRefusal<H>(
      kBatch, [](H &h) { h.function = format::HostFunction(9); },
      "host function 9 is not known");
  expectActionRefusal<H>(
      kBatch, [](H &h) { h.index = 1; }, "dataset 1 does not exist");
  expectActionRefusal<H>(
      kBatch, [](H &h) { h.slots.pop_back(); },
      "it has 1 slots but dataset 'digits' has 2 fields");
  expectActionRefusal<H>(
      kBatch, [](H &h) { std::swap(h.slots[0], h.slots[1]); },
      "slot %3 does not hold a batch of 2 of field 'image'");
  expectActionRefusal<H>(
      kBatch, [](H &h) { h.slots[0] = kTwo; }, "it writes slot %4");
  ModelBuilder model = makeSampleModel();
  model.datasets[0].fields[0].type.dtype = DType::Int32;
  expectRefusal(model, "slot %2 does not hold a batch");
}

TEST(HostCalls, ReadWhatTheyShow) {
  using H = HostCallSpec;
  using F = format::HostFunction;
  uint32_t flag = 8;
  auto called = [&](F function, std::vector<uint32_t> reads, uint64_t value,
                    auto change) {
    return changed([&](GraphSpec &g) {
      EXPECT_EQ(g.addArena("flag", {DType::Bool, {}}), flag);
      H call{function, 0, {}, 0, 1, value, "text", std::move(reads)};
      change(call);
      g.addInstruction({call});
    });
  };
  auto keep = [](H &) {};
  EXPECT_EQ(refusal(called(F::Check, {flag}, 0, keep)), "accepted");
  EXPECT_EQ(refusal(called(F::Print, {flag}, 1, keep)), "accepted");
  EXPECT_EQ(refusal(called(F::Print, {kTwo}, 6, keep)), "accepted");
  EXPECT_EQ(refusal(called(F::Print, {kX}, 0, keep)), "accepted");
  for (F function : {F::Check, F::Print}) {
    auto expect = [&](std::vector<uint32_t> reads, auto change,
                      const char *part) {
      expectRefusal(called(function, std::move(reads), 0, change), part);
    };
    expect({}, keep, "it checks or prints, but not one slot");
    expect({flag, flag}, keep, "it checks or prints, but not one slot");
    expect({9}, keep, "slot 9 does not exist; there are 9");
    expect({flag}, [](H &h) { h.slots = {kX}; }, "names slots to write");
    expect({flag}, [](H &h) { h.index = 1; }, "or a dataset");
    expect({flag}, [](H &h) { h.shard = 1; }, "or a dataset");
    expect({flag}, [](H &h) { h.shards = 2; }, "or a dataset");
  }
  expectRefusal(called(F::Check, {kX}, 0, keep),
                "it checks slot %0, which is not one bool");
  expectRefusal(called(F::Check, {flag}, 1, keep),
                "it checks, but has a number");
  expectRefusal(called(F::Print, {kX}, 7, keep),
                "it prints 7 elements of slot %0, which has 6");
  expectRefusal(called(F::Print, {kNames}, 0, keep),
                "it prints slot %5, which has strings");
  for (F function : {F::Sleep, F::Fail})
    expectRefusal(called(function, {flag}, 0, keep),
                  "it reads slots, which it has no use for");
  expectActionRefusal<H>(
      kBatch, [](H &h) { h.reads = {kX}; },
      "it reads slots, which it has no use for");
}

// The host would read an address of the device.
TEST(HostCalls, ShowNothingThatIsOnADevice) {
  ModelBuilder model = makeGpuModel();
  EXPECT_EQ(refusal(model), "accepted");
  model.graphs[0].addInstruction(
      {HostCallSpec{format::HostFunction::Print, 0, {}, 0, 1, 0, "text", {0}}});
  expectRefusal(model, "it reads slot %0, which is in the memory of a device");
}

TEST(Ports, NameSlotsOfTheirType) {
  auto feed = [](auto change) {
    return changed([&](GraphSpec &g) { change(g.feeds[0]); });
  };
  auto fetch = [](auto change) {
    return changed([&](GraphSpec &g) { change(g.fetches[0]); });
  };
  expectRefusal(feed([](PortSpec &p) { p.name = ""; }),
                "graph 'train': feed 0: its name is empty");
  expectRefusal(feed([](PortSpec &p) { p.program = 1; }),
                "feed 0 'x': program 1 does not exist");
  expectRefusal(feed([](PortSpec &p) { p.slot = 8; }),
                "feed 0 'x': slot 8 does not exist");
  expectRefusal(feed([](PortSpec &p) { p.type.shape = {6}; }),
                "its type is float32[6] but slot %0 has float32[2,3]");
  expectRefusal(feed([](PortSpec &p) { p.slot = kTwo; }),
                "slot %4 cannot be fed: it is not in the arena");
  expectRefusal(feed([](PortSpec &p) { p.slot = kW; }), "cannot be fed");
  expectRefusal(fetch([](PortSpec &p) { p.name = "names"; }),
                "fetch 1 'names': its name is used twice");
  expectRefusal(fetch([](PortSpec &p) { p.slot = kState; }),
                "slot %6 cannot be fetched");
  expectRefusal(fetch([](PortSpec &p) { p.type.dtype = DType(99); }),
                "fetch 0 'y': element type 99 is not known");
}

/// A file whose many instructions share one long list of waits.
Bytes sharedWaits() {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<uint32_t> zeros(100000, 0);
  auto waits = builder.CreateVector(zeros);
  auto type = format::CreateTensorTypeDirect(builder, format::DType::UInt8);
  std::vector<flatbuffers::Offset<format::Slot>> slots = {
      format::CreateSlot(builder, format::SlotKind::Arena, 0, type, 1)};
  std::vector<uint8_t> pattern = {0};
  auto fill = format::CreateFillDirect(builder, 0, &pattern).Union();
  std::vector<flatbuffers::Offset<format::Instruction>> instructions;
  for (int i = 0; i < 100000; ++i)
    instructions.push_back(format::CreateInstruction(
        builder, format::Action::Fill, fill, i == 0 ? 0 : waits));
  std::vector<flatbuffers::Offset<format::Program>> programs = {
      format::CreateProgramDirect(builder, 0, 64, 64, &slots, &instructions)};
  std::vector<flatbuffers::Offset<format::Port>> none;
  std::vector<flatbuffers::Offset<format::Graph>> graphs = {
      format::CreateGraphDirect(builder, "g", &none, &none, &programs)};
  std::vector<flatbuffers::Offset<format::Variable>> variables;
  std::vector<flatbuffers::Offset<format::Dataset>> datasets;
  std::vector<flatbuffers::Offset<format::Kernel>> kernels;
  std::vector<flatbuffers::Offset<format::Executable>> executables;
  std::vector<flatbuffers::Offset<format::Device>> devices = {
      format::CreateDeviceDirect(builder, kCpu0)};
  format::FinishModelBuffer(
      builder,
      format::CreateModelDirect(builder, "test", nullptr, nullptr, nullptr,
                                &variables, &datasets, &kernels, &executables,
                                &graphs, nullptr, nullptr, nullptr, &devices));
  uint64_t indexSize = format::alignUp(builder.GetSize());
  Bytes file(64 + indexSize);
  std::memcpy(file.data() + 64, builder.GetBufferPointer(), builder.GetSize());
  format::sealFile(file, indexSize);
  return file;
}

// 4 MB that describe 10^10 waits: without a bound this would take a minute.
TEST(Lists, AreNotWalkedWithoutEnd) {
  expectRefusal(sharedWaits(), "lists are longer than the index");
}

} // namespace
