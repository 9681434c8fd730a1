// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edges of a file: their table, and the instructions at their endpoints. What
// the programs do with them is checked on a view (runtime/format/check).
#include "runtime/format/verify/PlanCheck.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/print/PlanText.h"
#include "runtime/format/verify/FileView.h"

#include <optional>
#include <vector>

namespace graphc::runtime {

namespace {

std::string textOf(uint64_t number) { return std::to_string(number); }

/// Slot at one endpoint of an edge.
struct Endpoint {
  uint32_t program, instruction, slot;
};

/// Checks that each edge has one Send and one Recv, over slots of its size and
/// name, of one type.
class EdgeChecker {
public:
  EdgeChecker(const format::Model &model, const format::Graph &graph,
              const ProgramSet &isHere)
      : model(model), graph(graph), isHere(isHere), programs(*graph.programs()),
        edgeCount(graph.edges() ? graph.edges()->size() : 0), sends(edgeCount),
        recvs(edgeCount) {}

  Status check();

private:
  const format::Program &program(uint32_t index) const {
    return *programs.Get(index);
  }
  const format::Slot &slotAt(const Endpoint &end) const {
    return *program(end.program).slots()->Get(end.slot);
  }
  std::string where(const Endpoint &end) const {
    return programText(model, graph, end.program) + ": " +
           instructionText(program(end.program), end.instruction);
  }

  Status checkFrame(uint32_t at, uint32_t index, const EdgeUses &frame);
  Status checkEnd(uint32_t edge, const Endpoint &end, bool isSend);
  Status checkTypes(uint32_t edge);

  const format::Model &model;
  const format::Graph &graph;
  const ProgramSet &isHere;
  const flatbuffers::Vector<flatbuffers::Offset<format::Program>> &programs;
  uint32_t edgeCount;
  std::vector<std::optional<Endpoint>> sends, recvs; ///< by edge
};

Status EdgeChecker::check() {
  for (uint32_t i = 0; i < edgeCount; ++i) {
    const format::Edge &edge = *graph.edges()->Get(i);
    if (edge.source() >= programs.size() || edge.target() >= programs.size())
      return dataLoss(edgeText(model, graph, i) + ": there are only " +
                      textOf(programs.size()) + " programs");
    if (edge.source() == edge.target())
      return dataLoss(edgeText(model, graph, i) +
                      ": it leads from a program to "
                      "itself");
  }
  for (uint32_t p = 0; p < programs.size(); ++p)
    for (uint32_t i = 0; i < program(p).instructions()->size(); ++i) {
      EdgeUses frame = edgesOf(*program(p).instructions()->Get(i));
      if (frame.edges)
        GRAPHC_TRY(checkFrame(p, i, frame));
    }
  for (uint32_t i = 0; i < edgeCount; ++i)
    GRAPHC_TRY(checkTypes(i));
  return Status::ok();
}

Status EdgeChecker::checkFrame(uint32_t at, uint32_t index,
                               const EdgeUses &frame) {
  Endpoint end{at, index, 0};
  if (frame.edges->size() == 0 || frame.edges->size() != frame.slots->size())
    return dataLoss(where(end) + ": it has " + textOf(frame.edges->size()) +
                    " edges and " + textOf(frame.slots->size()) +
                    " slots; it needs as many, and at least one");
  const format::Edge &first = *graph.edges()->Get(frame.edges->Get(0));
  for (uint32_t i = 0; i < frame.edges->size(); ++i) {
    uint32_t edge = frame.edges->Get(i);
    const format::Edge &table = *graph.edges()->Get(edge);
    if (table.source() != first.source() || table.target() != first.target())
      return dataLoss(where(end) + ": " + edgeText(model, graph, edge) +
                      " does not join the same programs as " +
                      edgeText(model, graph, frame.edges->Get(0)));
    end.slot = frame.slots->Get(i);
    GRAPHC_TRY(checkEnd(edge, end, frame.isSend));
  }
  return Status::ok();
}

Status EdgeChecker::checkEnd(uint32_t edge, const Endpoint &end, bool isSend) {
  const format::Edge &table = *graph.edges()->Get(edge);
  const char *verb = isSend ? "sends" : "receives";
  if ((isSend ? table.source() : table.target()) != end.program)
    return dataLoss(where(end) + ": it " + verb + " " +
                    edgeText(model, graph, edge) +
                    ", which is another program's");
  std::optional<Endpoint> &known = isSend ? sends[edge] : recvs[edge];
  if (known)
    return dataLoss(where(end) + ": it " + verb + " " +
                    edgeText(model, graph, edge) + ", as " +
                    instructionText(program(end.program), known->instruction) +
                    " does already");
  known = end;
  const format::Slot &slot = slotAt(end);
  std::string place = where(end) + ": " +
                      slotText(program(end.program), end.slot) + " of " +
                      edgeText(model, graph, edge);
  if (slot.size() != table.size())
    return dataLoss(place + " has " + textOf(slot.size()) +
                    " bytes but the edge carries " + textOf(table.size()));
  if (viewOf(slot.name()) != viewOf(table.name()))
    return dataLoss(place + " holds another value than the edge's name says");
  if (slot.type()->dtype() == format::DType::String)
    return dataLoss(place + " has the type string, which is not sent");
  if (!isSend && slot.kind() != format::SlotKind::Arena)
    return dataLoss(place + " is not in the arena, where values land");
  return Status::ok();
}

Status EdgeChecker::checkTypes(uint32_t edge) {
  const format::Edge &table = *graph.edges()->Get(edge);
  if (!sends[edge] && isHere[table.source()])
    return dataLoss(edgeText(model, graph, edge) + ": no instruction of " +
                    programText(model, graph, table.source()) + " sends it");
  if (!recvs[edge] && isHere[table.target()])
    return dataLoss(edgeText(model, graph, edge) + ": no instruction of " +
                    programText(model, graph, table.target()) + " receives it");
  if (!sends[edge] || !recvs[edge])
    return Status::ok();
  const format::TensorType &sent = *slotAt(*sends[edge]).type();
  const format::TensorType &received = *slotAt(*recvs[edge]).type();
  if (!sameType(sent, received))
    return dataLoss(edgeText(model, graph, edge) + ": " + where(*sends[edge]) +
                    " sends " + toTensorType(sent).toString() + " but " +
                    where(*recvs[edge]) + " receives " +
                    toTensorType(received).toString());
  return Status::ok();
}

} // namespace

Status checkPlan(const format::Model &model, const format::Graph &graph,
                 const ProgramSet &isHere) {
  GRAPHC_TRY(EdgeChecker(model, graph, isHere).check());
  FileNames names(model, graph);
  PlanResult finding = checkPlanView(viewOfFile(graph, isHere), names);
  return finding ? dataLoss(finding->text(names)) : Status::ok();
}

} // namespace graphc::runtime
