// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/verify/FileView.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"
#include "runtime/format/print/PlanText.h"

namespace graphc::runtime {

namespace {

SlotView viewOfSlot(const format::Slot &slot) {
  SlotView view;
  view.size = slot.size();
  switch (slot.kind()) {
  case format::SlotKind::Arena:
    view.offset = slot.offset();
    view.first = slot.first();
    view.last = slot.last();
    return view;
  case format::SlotKind::Variable:
    view.kind = SlotView::Kind::Variable;
    view.variable = slot.index();
    return view;
  default:
    view.kind = SlotView::Kind::ReadOnly;
    return view;
  }
}

InstructionView::Kind kindOf(const format::Instruction &instruction) {
  switch (instruction.action_type()) {
  case format::Action::HostCall:
    return nextBatchOf(instruction) ? InstructionView::Kind::NextBatch
                                    : InstructionView::Kind::HostCall;
  case format::Action::Send:
    return InstructionView::Kind::Send;
  case format::Action::Recv:
    return InstructionView::Kind::Recv;
  case format::Action::AllReduce:
    return InstructionView::Kind::AllReduce;
  default:
    return InstructionView::Kind::Compute;
  }
}

/// `scratch` is a list whose memory is used again.
InstructionView viewOfInstruction(const format::Instruction &instruction,
                                  ProgramView &program,
                                  std::vector<uint32_t> &scratch) {
  InstructionView view;
  view.kind = kindOf(instruction);
  view.serves = instruction.collective();
  if (const auto *reduce = instruction.action_as_AllReduce())
    view.allReduce = reduce->collective();
  if (const format::HostCall *call = nextBatchOf(instruction))
    view.batch = {call->index(), call->shard(), call->shards()};
  auto append = [&](uint32_t slot) { scratch.push_back(slot); };
  scratch.clear();
  forEachOperand(instruction, append);
  view.reads = program.add(scratch);
  scratch.clear();
  forEachWrite(instruction, append);
  view.writes = program.add(scratch);
  if (instruction.waits())
    view.waits = program.add(*instruction.waits());
  if (EdgeUses uses = edgesOf(instruction); uses.edges)
    view.edges = program.add(*uses.edges);
  return view;
}

ProgramView viewOfProgram(const format::Program &program) {
  ProgramView view;
  view.slots.reserve(program.slots()->size());
  for (const format::Slot *slot : *program.slots())
    view.slots.push_back(viewOfSlot(*slot));
  view.instructions.reserve(program.instructions()->size());
  std::vector<uint32_t> scratch;
  for (const format::Instruction *instruction : *program.instructions())
    view.instructions.push_back(viewOfInstruction(*instruction, view, scratch));
  return view;
}

std::vector<PortView>
viewOfPorts(const flatbuffers::Vector<flatbuffers::Offset<format::Port>> &ports,
            const ProgramSet &isHere) {
  std::vector<PortView> view;
  for (const format::Port *port : ports)
    if (isHere[port->program()])
      view.push_back({port->name()->str(), port->program(), port->slot()});
  return view;
}

} // namespace

PlanView viewOfFile(const format::Graph &graph, const ProgramSet &isHere) {
  PlanView view;
  for (const format::Program *program : *graph.programs())
    view.programs.push_back(viewOfProgram(*program));
  if (graph.edges())
    for (const format::Edge *edge : *graph.edges())
      view.collectives.push_back(edge->collective());
  if (graph.order())
    view.order.assign(graph.order()->begin(), graph.order()->end());
  view.feeds = viewOfPorts(*graph.feeds(), isHere);
  view.fetches = viewOfPorts(*graph.fetches(), isHere);
  for (bool here : isHere)
    view.isWhole &= here;
  return view;
}

std::string FileNames::program(uint32_t program) const {
  return programText(model, graph, program);
}

std::string FileNames::instruction(uint32_t program, uint32_t index) const {
  return instructionText(*graph.programs()->Get(program), index);
}

std::string FileNames::slot(uint32_t program, uint32_t index) const {
  return slotText(*graph.programs()->Get(program), index);
}

std::string FileNames::edge(uint32_t edge) const {
  return edgeText(model, graph, edge);
}

std::string FileNames::variable(uint32_t program, uint32_t slot) const {
  return quote(
      viewOf(graph.programs()->Get(program)->slots()->Get(slot)->name()));
}

} // namespace graphc::runtime
