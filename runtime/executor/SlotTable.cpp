// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/SlotTable.h"

#include "runtime/format/InstructionUses.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {

constexpr size_t kAlignment = 64;

/// Time for which an input stays where the memory plan puts it.
enum class Stay {
  WholeStep, ///< nothing else is ever put there
  UntilUsed, ///< its bytes serve another value after its last use
  Shared     ///< another slot names the same bytes during its life
};

bool overlap(const format::Slot &a, const format::Slot &b) {
  return a.offset() < b.offset() + b.size() &&
         b.offset() < a.offset() + a.size();
}

Stay stayOf(const format::Program &program, uint32_t input) {
  const format::Slot &slot = *program.slots()->Get(input);
  Stay stay = Stay::WholeStep;
  for (uint32_t i = 0; i < program.slots()->size(); ++i) {
    const format::Slot &other = *program.slots()->Get(i);
    if (i == input || other.kind() != format::SlotKind::Arena ||
        !overlap(slot, other))
      continue;
    if (other.first() <= slot.last() && slot.first() <= other.last())
      return Stay::Shared;
    stay = Stay::UntilUsed;
  }
  return stay;
}

/// The slots that feeds and host calls write, each once.
std::set<uint32_t> inputSlots(const format::Graph &graph, uint32_t program) {
  std::set<uint32_t> slots;
  for (const format::Port *feed : *graph.feeds())
    if (feed->program() == program)
      slots.insert(feed->slot());
  for (const format::Instruction *instruction :
       *graph.programs()->Get(program)->instructions())
    if (const auto *call = instruction->action_as_HostCall())
      slots.insert(call->slots()->begin(), call->slots()->end());
  return slots;
}

/// The slots that instructions other than host calls write.
std::vector<bool> writtenSlots(const format::Program &program) {
  std::vector<bool> written(program.slots()->size());
  for (const format::Instruction *instruction : *program.instructions())
    if (!instruction->action_as_HostCall())
      forEachWrite(*instruction, [&](uint32_t slot) { written[slot] = true; });
  return written;
}

std::vector<DeviceSlots *> deviceSlotsOf(std::span<const SlotTable> tables) {
  std::vector<DeviceSlots *> programs;
  for (const SlotTable &table : tables)
    programs.push_back(table.onDevice());
  return programs;
}

} // namespace

Status SlotTable::makeStates(const format::Program &program) {
  std::set<uint32_t> replicas;
  for (const format::Slot *slot : *program.slots())
    if (slot->kind() == format::SlotKind::StepState)
      replicas.insert(slot->index());
  // On an accelerator, DeviceSlots has made them.
  GRAPHC_ASSIGN_OR_RETURN(
      state,
      DeviceBuffer::allocate(remote ? 0 : replicas.size() * sizeof(StepState),
                             "the step state"));
  size_t next = 0;
  for (uint32_t replica : replicas)
    states()[next++].replica = replica;
  return Status::ok();
}

std::byte *SlotTable::stateOf(uint32_t replica) const {
  auto isIts = [&](const StepState &each) { return each.replica == replica; };
  std::span<StepState> all = states();
  return reinterpret_cast<std::byte *>(
      &*std::find_if(all.begin(), all.end(), isIts));
}

void SlotTable::setSeed(uint64_t seed) {
  for (StepState &each : states())
    each.seed = seed;
}

void SlotTable::setStep(uint64_t step) {
  for (StepState &each : states())
    each.step = step;
}

Status SlotTable::placeInputs(const format::Graph &graph, uint32_t index) {
  const format::Program &program = *graph.programs()->Get(index);
  std::vector<bool> written = writtenSlots(program);
  std::vector<uint32_t> moved;
  size_t bytes = 0;
  for (uint32_t slot : inputSlots(graph, index)) {
    if (program.slots()->Get(slot)->kind() != format::SlotKind::Arena)
      continue;
    Stay stay = stayOf(program, slot);
    kept[slot] = stay != Stay::Shared && !written[slot];
    if (stay != Stay::UntilUsed)
      continue;
    moved.push_back(slot);
    bytes += (sizes[slot] + kAlignment - 1) / kAlignment * kAlignment;
  }
  GRAPHC_ASSIGN_OR_RETURN(inputs, DeviceBuffer::allocate(bytes, "the inputs"));
  std::byte *next = inputs.data();
  for (uint32_t slot : moved) {
    addresses[slot] = next;
    next += (sizes[slot] + kAlignment - 1) / kAlignment * kAlignment;
  }
  return Status::ok();
}

Status SlotTable::linkDevices(const format::Graph &graph,
                              std::span<const SlotTable> tables,
                              const ModelDevices *devices) {
  return devices ? devices->link(graph, deviceSlotsOf(tables)) : Status::ok();
}

StatusOr<std::unique_ptr<Collectives>>
SlotTable::findCollectives(const format::Graph &graph,
                           std::span<const SlotTable> tables,
                           const ModelDevices *devices) {
  if (!devices)
    return std::unique_ptr<Collectives>();
  return devices->findCollectives(graph, deviceSlotsOf(tables));
}

StatusOr<SlotTable> SlotTable::createOnDevice(const format::Graph &graph,
                                              uint32_t program,
                                              const ModelDevices &devices) {
  const format::Program &source = *graph.programs()->Get(program);
  SlotTable table;
  GRAPHC_ASSIGN_OR_RETURN(table.remote, devices.createSlots(graph, program));
  GRAPHC_TRY(table.makeStates(source));
  for (uint32_t slot = 0; slot < source.slots()->size(); ++slot) {
    table.addresses.push_back(table.remote->hostPlace(slot));
    table.sizes.push_back(source.slots()->Get(slot)->size());
    table.kept.push_back(table.remote->keepsInput(slot));
  }
  return table;
}

StatusOr<SlotTable> SlotTable::create(const Model &model,
                                      const format::Graph &graph,
                                      uint32_t program,
                                      std::span<std::byte *const> variables,
                                      const ModelDevices *devices) {
  const format::Program &source = *graph.programs()->Get(program);
  if (devices && devices->find(source))
    return createOnDevice(graph, program, *devices);
  SlotTable table;
  GRAPHC_ASSIGN_OR_RETURN(
      table.arena, DeviceBuffer::allocate(source.arena_bytes(),
                                          "the values of graph '" +
                                              graph.name()->str() + "'"));
  GRAPHC_TRY(table.makeStates(source));
  for (const format::Slot *slot : *source.slots()) {
    std::byte *address = nullptr;
    switch (slot->kind()) {
    case format::SlotKind::Arena:
      address = table.arena.data() + slot->offset();
      break;
    case format::SlotKind::Variable:
      address = variables[slot->index()];
      break;
    case format::SlotKind::Constant:
      // The verifier has seen that nothing writes a constant.
      address = const_cast<std::byte *>(model.blob(*slot->data()).data());
      break;
    case format::SlotKind::StepState:
      address = table.stateOf(slot->index());
      break;
    }
    table.addresses.push_back(address);
    table.sizes.push_back(slot->size());
  }
  table.kept.resize(table.size());
  GRAPHC_TRY(table.placeInputs(graph, program));
  return table;
}

} // namespace graphc::runtime
