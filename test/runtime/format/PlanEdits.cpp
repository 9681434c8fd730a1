// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/format/PlanEdits.h"

#include <algorithm>

namespace graphc::test {

namespace {

/// Gives each wait its new number; those that have none go away.
template <typename Renumber>
void renumberWaits(ProgramSpec &program, Renumber renumber) {
  for (InstructionSpec &instruction : program.instructions) {
    std::vector<uint32_t> waits;
    for (uint32_t wait : instruction.waits)
      if (std::optional<uint32_t> number = renumber(wait))
        waits.push_back(*number);
    instruction.waits = waits;
  }
}

} // namespace

size_t orderEntry(const GraphSpec &graph, uint32_t program, uint32_t index) {
  for (size_t i = 0; i < graph.order->size(); ++i)
    if ((*graph.order)[i] == program && index-- == 0)
      return i;
  return graph.order->size();
}

void removeInstruction(GraphSpec &graph, uint32_t program, uint32_t index) {
  ProgramSpec &spec = graph.program(program);
  graph.order->erase(graph.order->begin() +
                     ptrdiff_t(orderEntry(graph, program, index)));
  spec.instructions.erase(spec.instructions.begin() + index);
  renumberWaits(spec, [&](uint32_t wait) -> std::optional<uint32_t> {
    if (wait == index)
      return std::nullopt;
    return wait - (wait > index);
  });
  for (SlotSpec &slot : spec.slots) {
    slot.first = *slot.first - (*slot.first > index);
    slot.last = std::max(*slot.last - (*slot.last > index), *slot.first);
  }
}

void insertInstruction(GraphSpec &graph, uint32_t program, uint32_t index,
                       InstructionSpec instruction) {
  ProgramSpec &spec = graph.program(program);
  graph.order->insert(graph.order->begin() +
                          ptrdiff_t(orderEntry(graph, program, index)),
                      program);
  renumberWaits(spec, [&](uint32_t wait) -> std::optional<uint32_t> {
    return wait + (wait >= index);
  });
  spec.instructions.insert(spec.instructions.begin() + index,
                           std::move(instruction));
  for (SlotSpec &slot : spec.slots) {
    slot.first = *slot.first + (*slot.first >= index && *slot.first != 0);
    slot.last = *slot.last + (*slot.last >= index);
  }
}

void moveInstruction(GraphSpec &graph, uint32_t program, uint32_t from,
                     uint32_t to) {
  ProgramSpec &spec = graph.program(program);
  InstructionSpec moved = spec.instructions[from];
  spec.instructions.erase(spec.instructions.begin() + from);
  spec.instructions.insert(spec.instructions.begin() + to, moved);
  renumberWaits(spec, [&](uint32_t wait) -> std::optional<uint32_t> {
    if (wait == from)
      return to;
    uint32_t number = wait - (wait > from);
    return number + (number >= to);
  });
  for (SlotSpec &slot : spec.slots)
    slot.first = slot.last = std::nullopt;
  graph.order = findOrder(graph);
}

bool canRun(const GraphSpec &graph) {
  size_t count = 0;
  for (uint32_t p = 0; p < graph.programCount(); ++p)
    count += graph.program(p).instructions.size();
  return findOrder(graph).size() == count;
}

} // namespace graphc::test
