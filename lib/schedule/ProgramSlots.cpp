// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of a program's values.
#include "lib/lowering/Views.h"
#include "lib/schedule/ProgramBuilder.h"
#include "lib/target/common/KernelAttrs.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

std::string givenName(Operation *op) {
  auto name = getNodeName(op);
  return name ? name.getValue().str() : "";
}

std::string givenName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
    return cast<StringAttr>(graph.getFeedNames()[argument.getArgNumber()])
        .getValue()
        .str();
  }
  unsigned result = cast<OpResult>(value).getResultNumber();
  if (auto launch = value.getDefiningOp<exec::LaunchOp>();
      launch && launch.getResultNames())
    return cast<StringAttr>((*launch.getResultNames())[result])
        .getValue()
        .str();
  std::string text = givenName(value.getDefiningOp());
  return result ? text + ":" + std::to_string(result) : text;
}

void ProgramBuilder::use(unsigned slot, int64_t at) {
  if (slots[slot].range < 0)
    return;
  LiveRange &range = ranges[slots[slot].range];
  range.first = std::min(range.first, at);
  range.last = std::max(range.last, at);
}

unsigned ProgramBuilder::addArena(RankedTensorType type, StringRef name,
                                  Location loc) {
  Slot slot{exec::SlotKind::Arena, type, name.str(), loc, {}, {}, 0};
  slot.range = ranges.size();
  ranges.push_back(
      {exec::tensorBytes(type), std::numeric_limits<int64_t>::max(), -1});
  slots.push_back(slot);
  return slots.size() - 1;
}

/// The bytes of a slot, or those from byte `inside` on, as another type.
unsigned ProgramBuilder::addView(unsigned slot, RankedTensorType type,
                                 int64_t inside) {
  inside += slots[slot].inside;
  auto isIt = [&](const Slot &other) {
    return other.type == type && other.inside == inside;
  };
  if (isIt(slots[slot]))
    return slot;
  for (unsigned i = 0; i < slots.size(); ++i)
    if (isIt(slots[i]) && slots[slot].range >= 0 &&
        slots[i].range == slots[slot].range)
      return i;
  Slot view = slots[slot];
  view.type = type;
  view.inside = inside;
  slots.push_back(view);
  return slots.size() - 1;
}

/// The place of a value that is written over that of another one: a slot of the
/// arena is given once more, with the name of the new value.
unsigned ProgramBuilder::addAlias(unsigned slot, Value value) {
  if (slots[slot].range < 0)
    return slot;
  Slot alias = slots[slot];
  alias.name = givenName(value);
  alias.loc = value.getLoc();
  slots.push_back(alias);
  return slots.size() - 1;
}

unsigned ProgramBuilder::variableSlot(StringRef variable, RankedTensorType type,
                                      Location loc) {
  auto [it, isNew] = variables.try_emplace(variable, slots.size());
  if (isNew)
    slots.push_back({exec::SlotKind::Variable,
                     type,
                     variable.str(),
                     loc,
                     it->first(),
                     {},
                     -1});
  return it->second;
}

unsigned ProgramBuilder::stepStateSlot(int64_t replica, Location loc) {
  auto [it, isNew] = stepStates.try_emplace(replica, slots.size());
  if (isNew) {
    auto words = RankedTensorType::get(
        {kStepStateWords}, IntegerType::get(graph.getContext(), 32));
    slots.push_back({exec::SlotKind::StepState,
                     words,
                     "step_state",
                     loc,
                     {},
                     {},
                     -1,
                     replica});
  }
  return it->second;
}

/// The slot of a value while instructions run: that of its storage, unless it
/// is a part of it.
unsigned ProgramBuilder::slotOf(Value value) {
  View view = viewOf(value);
  unsigned slot = storageSlotOf(view.storage);
  bool isPart = exec::tensorBytes(tensorType(value)) !=
                exec::tensorBytes(tensorType(view.storage));
  if (!isPart)
    return slot;
  slot = addView(slot, tensorType(value), view.offset);
  if (std::string name = givenName(value); !name.empty())
    slots[slot].name = name;
  slots[slot].loc = value.getLoc();
  return slot;
}

unsigned ProgramBuilder::storageSlotOf(Value storage) {
  if (auto it = places.find(storage); it != places.end())
    return it->second;
  RankedTensorType type = tensorType(storage);
  Location loc = storage.getLoc();
  unsigned slot;
  Operation *op = storage.getDefiningOp();
  if (auto read = dyn_cast_if_present<ReadOp>(op)) {
    slot = variableSlot(read.getVariable(), type, loc);
  } else if (auto constant = dyn_cast_if_present<ConstOp>(op)) {
    slots.push_back({exec::SlotKind::Constant,
                     type,
                     givenName(storage),
                     loc,
                     {},
                     constant.getValue(),
                     -1});
    slot = slots.size() - 1;
  } else if (auto state = dyn_cast_if_present<StepStateOp>(op)) {
    slot = stepStateSlot(state.getReplica(), loc);
  } else if (const Assignment *assignment = step.inPlaceOf(storage)) {
    AssignOp assign = assignment->op;
    slot =
        variableSlot(assign.getVariable(), tensorType(assign.getValue()), loc);
  } else {
    slot = addArena(type, givenName(storage), loc);
  }
  places[storage] = slot;
  return slot;
}

/// The slot that holds a value when all instructions have run, with its type.
unsigned ProgramBuilder::endSlotOf(Value value) {
  unsigned slot = staged.count(storageOf(value))
                      ? staged.lookup(storageOf(value))
                      : slotOf(value);
  return addView(slot, tensorType(value));
}

} // namespace graphc
