// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/ExposedSlots.h"

#include "runtime/executor/EdgePlan.h"
#include "runtime/format/InstructionUses.h"

#include <algorithm>
#include <optional>

namespace graphc::runtime {

namespace {

/// True when two slots of an arena share bytes while both are in use.
bool nameSameBytes(const format::Slot &a, const format::Slot &b) {
  return a.kind() == format::SlotKind::Arena &&
         b.kind() == format::SlotKind::Arena &&
         a.offset() < b.offset() + b.size() &&
         b.offset() < a.offset() + a.size() && a.first() <= b.last() &&
         b.first() <= a.last();
}

bool isFetched(const format::Graph &graph, uint32_t program, uint32_t slot) {
  return std::any_of(graph.fetches()->begin(), graph.fetches()->end(),
                     [&](const format::Port *port) {
                       return port->program() == program &&
                              port->slot() == slot;
                     });
}

/// Slots that move together, and where to.
struct Group {
  std::vector<uint32_t> slots;
  uint64_t begin = UINT64_MAX, end = 0; ///< in the arena
  uint32_t reader = 0;                  ///< program
  std::byte *address = nullptr;         ///< null: they stay
};

class SlotExposer {
public:
  SlotExposer(const format::Graph &graph, uint32_t number,
              const Exposure &exposure, SlotTable &table)
      : graph(graph), number(number), program(*graph.programs()->Get(number)),
        exposure(exposure), table(table), groupOf(table.size(), kNone) {
    findFixed();
  }

  void expose(uint32_t edge, uint32_t slot, uint32_t send);
  std::vector<ExposedEdge> take() { return std::move(exposed); }

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void findFixed();
  std::optional<uint32_t> writerOf(uint32_t slot, uint32_t send) const;
  Group makeGroup(uint32_t slot);
  void move(Group &group, uint32_t edge);

  const format::Graph &graph;
  uint32_t number;
  const format::Program &program;
  const Exposure &exposure;
  SlotTable &table;
  std::vector<bool> isFixed;     ///< by slot
  std::vector<uint32_t> groupOf; ///< by slot
  std::vector<Group> groups;
  std::vector<ExposedEdge> exposed;
};

/// Others know the places of what comes from outside the program.
void SlotExposer::findFixed() {
  isFixed.resize(table.size());
  for (const format::Port *feed : *graph.feeds())
    if (feed->program() == number)
      isFixed[feed->slot()] = true;
  for (const format::Instruction *instruction : *program.instructions())
    if (instruction->action_as_HostCall() || instruction->action_as_Recv())
      forEachWrite(*instruction, [&](uint32_t slot) { isFixed[slot] = true; });
}

/// The first instruction that writes the slot's bytes while they are its own;
/// nothing where one does so after the Send.
std::optional<uint32_t> SlotExposer::writerOf(uint32_t slot,
                                              uint32_t send) const {
  std::optional<uint32_t> first;
  for (uint32_t i = 0; i < program.instructions()->size(); ++i) {
    bool writes = false;
    forEachWrite(*program.instructions()->Get(i), [&](uint32_t output) {
      writes |= nameSameBytes(*program.slots()->Get(slot),
                              *program.slots()->Get(output));
    });
    if (writes && i > send)
      return std::nullopt;
    if (writes && !first)
      first = i;
  }
  return first;
}

Group SlotExposer::makeGroup(uint32_t slot) {
  Group group;
  auto add = [&](uint32_t member) {
    const format::Slot &each = *program.slots()->Get(member);
    groupOf[member] = groups.size();
    group.slots.push_back(member);
    group.begin = std::min(group.begin, each.offset());
    group.end = std::max(group.end, each.offset() + each.size());
  };
  add(slot);
  for (size_t i = 0; i < group.slots.size(); ++i)
    for (uint32_t other = 0; other < table.size(); ++other)
      if (groupOf[other] == kNone &&
          nameSameBytes(*program.slots()->Get(group.slots[i]),
                        *program.slots()->Get(other)))
        add(other);
  return group;
}

void SlotExposer::move(Group &group, uint32_t edge) {
  for (uint32_t slot : group.slots)
    if (isFixed[slot])
      return;
  group.reader = graph.edges()->Get(edge)->target();
  group.address = exposure.memory(edge, group.end - group.begin);
  if (!group.address)
    return;
  for (uint32_t slot : group.slots)
    table.place(slot, group.address + program.slots()->Get(slot)->offset() -
                          group.begin);
}

void SlotExposer::expose(uint32_t edge, uint32_t slot, uint32_t send) {
  if (table.bytes(slot).size() < exposure.minBytes)
    return;
  std::optional<uint32_t> writer = writerOf(slot, send);
  if (!writer)
    return;
  if (groupOf[slot] == kNone) {
    groups.push_back(makeGroup(slot));
    move(groups.back(), edge);
  }
  const Group &group = groups[groupOf[slot]];
  if (group.address && group.reader == graph.edges()->Get(edge)->target())
    exposed.push_back({edge, table.address(slot), {number, *writer}});
}

} // namespace

std::vector<ExposedEdge> exposeSlots(const format::Graph &graph,
                                     uint32_t program,
                                     const std::vector<bool> &isLocal,
                                     const Exposure &exposure,
                                     SlotTable &table) {
  SlotExposer exposer(graph, program, exposure, table);
  const auto &instructions = *graph.programs()->Get(program)->instructions();
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const auto *send = instructions.Get(i)->action_as_Send();
    for (uint32_t at = 0; send && at < send->edges()->size(); ++at)
      if (uint32_t edge = send->edges()->Get(at);
          !isLocal[graph.edges()->Get(edge)->target()])
        exposer.expose(edge, send->slots()->Get(at), i);
  }
  return exposer.take();
}

bool mayReadRemotely(const format::Graph &graph, uint32_t index, uint32_t slot,
                     const std::vector<bool> &isLocal) {
  const format::Program &program = *graph.programs()->Get(index);
  if (program.slots()->Get(slot)->kind() != format::SlotKind::Arena ||
      sharesMemory(program, slot) || isFetched(graph, index, slot))
    return false;
  uint32_t writers = 0;
  bool goesOn = false;
  for (const format::Instruction *instruction : *program.instructions()) {
    forEachWrite(*instruction,
                 [&](uint32_t output) { writers += output == slot; });
    const auto *send = instruction->action_as_Send();
    for (uint32_t i = 0; send && i < send->edges()->size(); ++i)
      goesOn |= send->slots()->Get(i) == slot &&
                isLocal[graph.edges()->Get(send->edges()->Get(i))->target()];
  }
  return writers == 1 && !goesOn;
}

} // namespace graphc::runtime
