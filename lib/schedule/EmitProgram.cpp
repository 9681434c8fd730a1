// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in the arena, waits, and the ops of a program.
#include "lib/schedule/Hazards.h"
#include "lib/schedule/ProgramBuilder.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

SmallVector<SmallVector<int64_t>> ProgramBuilder::findWaits() {
  Hazards arena;
  std::map<unsigned, Hazards> others;
  SmallVector<SmallVector<int64_t>> all;
  for (auto [at, instruction] : llvm::enumerate(instructions)) {
    std::set<int64_t> waits;
    if (instruction.after)
      waits.insert(*instruction.after);
    for (auto [position, number] : llvm::enumerate(instruction.slots)) {
      const Slot &slot = slots[number];
      bool writes = llvm::is_contained(instruction.writes,
                                       static_cast<int64_t>(position));
      if (slot.range >= 0) {
        const LiveRange &range = ranges[slot.range];
        int64_t begin = range.offset + slot.inside;
        int64_t bytes = exec::tensorBytes(slot.type);
        arena.use(begin, begin + std::max<int64_t>(bytes, 1), at, writes,
                  waits);
      } else {
        others[number].use(0, 1, at, writes, waits);
      }
    }
    all.emplace_back(waits.begin(), waits.end());
  }
  return all;
}

Operation *ProgramBuilder::create(OpBuilder &b, const Instruction &instruction,
                                  ArrayRef<Value> slots,
                                  ArrayRef<int64_t> waits) {
  using Kind = Instruction::Kind;
  Location loc = instruction.loc;
  IntegerAttr serves;
  if (instruction.serves)
    serves = b.getI64IntegerAttr(instruction.serves);
  switch (instruction.kind) {
  case Kind::Copy:
    return exec::CopyOp::create(b, loc, slots[0], slots[1], waits, serves);
  case Kind::Next:
    return exec::NextOp::create(b, loc, instruction.symbol, slots,
                                instruction.number, instruction.shards, waits,
                                serves);
  case Kind::Dispatch:
    return exec::DispatchOp::create(b, loc, instruction.symbol, slots,
                                    instruction.writes, waits, serves);
  case Kind::Fill:
    return exec::FillOp::create(b, loc, slots[0], instruction.value, waits,
                                serves);
  case Kind::AllReduce:
    return exec::AllReduceOp::create(b, loc, instruction.number, slots[0],
                                     slots[1], waits, serves);
  case Kind::Sleep:
    return exec::SleepOp::create(b, loc, instruction.number, waits, serves);
  case Kind::Fail:
    return exec::FailOp::create(b, loc, instruction.symbol, waits, serves);
  case Kind::Check:
    return exec::CheckOp::create(b, loc, slots[0], instruction.symbol, waits,
                                 serves);
  case Kind::Print:
    return exec::PrintOp::create(b, loc, slots[0], instruction.symbol,
                                 instruction.number, waits, serves);
  case Kind::Send:
    return exec::SendOp::create(
        b, loc, instruction.edges, slots, instruction.number,
        instruction.collectives.empty()
            ? DenseI64ArrayAttr()
            : b.getDenseI64ArrayAttr(instruction.collectives),
        waits, serves);
  case Kind::Recv:
    return exec::RecvOp::create(b, loc, instruction.edges, slots,
                                instruction.number, waits, serves);
  }
  llvm_unreachable("unknown kind of instruction");
}

exec::ProgramOp ProgramBuilder::emit() {
  ArenaPlan plan = planArena(ranges);
  SmallVector<SmallVector<int64_t>> waits = findWaits();
  OpBuilder b(graph);
  DeviceAttr device = graph.getDeviceAttr();
  if (!device) // nobody has placed the graph
    device = DeviceAttr::get(b.getContext(), {"localhost", 0, 0, "CPU", 0});
  auto op = exec::ProgramOp::create(b, graph.getLoc(), graph.getSymName(),
                                    graph.getWholeNameAttr().getValue(), device,
                                    plan.bytes, plan.live, graph.getOnHost());
  if (updatesFrom)
    op.setUpdatesFrom(*updatesFrom);
  b.setInsertionPointToStart(&op.getBody().emplaceBlock());
  auto number = [&](int64_t value) { return b.getI64IntegerAttr(value); };
  SmallVector<Value> values;
  for (const Slot &slot : slots) {
    bool isArena = slot.range >= 0;
    LiveRange range = isArena ? ranges[slot.range] : LiveRange{};
    auto created = exec::SlotOp::create(
        b, slot.loc, exec::SlotType::get(b.getContext(), slot.type), slot.kind,
        slot.variable.empty()
            ? FlatSymbolRefAttr()
            : FlatSymbolRefAttr::get(b.getContext(), slot.variable),
        isArena ? number(range.offset + slot.inside) : IntegerAttr(),
        isArena ? number(range.first) : IntegerAttr(),
        isArena ? number(range.last) : IntegerAttr(),
        slot.replica ? number(slot.replica) : IntegerAttr(), slot.value);
    setNodeName(created, b.getStringAttr(slot.name));
    values.push_back(created);
  }
  for (const Port &feed : feeds)
    exec::FeedOp::create(b, graph.getLoc(), feed.name, values[feed.slot],
                         feed.order);
  for (auto [instruction, wait] : llvm::zip(instructions, waits)) {
    SmallVector<Value> operands;
    for (unsigned slot : instruction.slots)
      operands.push_back(values[slot]);
    Operation *made = create(b, instruction, operands, wait);
    setNodeName(made, b.getStringAttr(instruction.name));
  }
  for (const Port &fetch : fetches)
    exec::FetchOp::create(b, graph.getLoc(), fetch.name, values[fetch.slot],
                          fetch.order);
  return op;
}

} // namespace graphc
