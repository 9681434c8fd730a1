// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edges and order; the other parts of the proof are in AllReduceCheck.cpp,
// CollectiveCheck.cpp, SharingCheck.cpp and MemoryCheck.cpp.
#include "runtime/format/verify/PlanCheck.h"

#include "runtime/format/PlanParts.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/print/PlanText.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace graphc::runtime {

namespace {

std::string textOf(uint64_t number) { return std::to_string(number); }

class PlanChecker {
public:
  PlanChecker(const format::Graph &graph, const ProgramSet &isHere)
      : graph(graph), isHere(isHere), programs(*graph.programs()),
        edgeCount(graph.edges() ? graph.edges()->size() : 0), sends(edgeCount),
        recvs(edgeCount) {}

  Status check();

private:
  const format::Program &program(uint32_t index) const {
    return *programs.Get(index);
  }
  const format::Slot &slotAt(const End &end) const {
    return *program(end.program).slots()->Get(end.slot);
  }
  std::string where(const End &end) const { return endText(graph, end); }

  Status checkEdges();
  Status checkFrame(uint32_t at, uint32_t index, const EdgeFrame &frame);
  Status checkEnd(uint32_t edge, const End &end, bool isSend);
  Status checkTypes(uint32_t edge);
  Status checkOrder();

  const format::Graph &graph;
  const ProgramSet &isHere;
  const flatbuffers::Vector<flatbuffers::Offset<format::Program>> &programs;
  uint32_t edgeCount;
  std::vector<std::optional<End>> sends, recvs; ///< by edge
};

Status PlanChecker::check() {
  GRAPHC_TRY(checkEdges());
  bool isWhole = std::find(isHere.begin(), isHere.end(), false) == isHere.end();
  GRAPHC_TRY(checkAllReduces(graph, isWhole));
  if (programs.size() == 1 && (!graph.order() || graph.order()->size() == 0))
    return Status::ok();
  if (isWhole) {
    GRAPHC_TRY(checkOrder());
    GRAPHC_TRY(checkCollectives(graph));
  }
  GRAPHC_TRY(checkSharing(graph, isWhole));
  for (uint32_t i = 0; i < programs.size(); ++i)
    if (isHere[i])
      GRAPHC_TRY(checkMemory(graph, i).annotate(programText(graph, i)));
  return Status::ok();
}

Status PlanChecker::checkEdges() {
  for (uint32_t i = 0; i < edgeCount; ++i) {
    const format::Edge &edge = *graph.edges()->Get(i);
    if (edge.source() >= programs.size() || edge.target() >= programs.size())
      return dataLoss(edgeText(graph, i) + ": there are only " +
                      textOf(programs.size()) + " programs");
    if (edge.source() == edge.target())
      return dataLoss(edgeText(graph, i) + ": it leads from a program to "
                                           "itself");
  }
  for (uint32_t p = 0; p < programs.size(); ++p)
    for (uint32_t i = 0; i < program(p).instructions()->size(); ++i) {
      EdgeFrame frame = frameOf(*program(p).instructions()->Get(i));
      if (frame.edges)
        GRAPHC_TRY(checkFrame(p, i, frame));
    }
  for (uint32_t i = 0; i < edgeCount; ++i)
    GRAPHC_TRY(checkTypes(i));
  return Status::ok();
}

Status PlanChecker::checkFrame(uint32_t at, uint32_t index,
                               const EdgeFrame &frame) {
  End end{at, index, 0};
  if (frame.edges->size() == 0 || frame.edges->size() != frame.slots->size())
    return dataLoss(where(end) + ": it has " + textOf(frame.edges->size()) +
                    " edges and " + textOf(frame.slots->size()) +
                    " slots; it needs as many, and at least one");
  const format::Edge &first = *graph.edges()->Get(frame.edges->Get(0));
  for (uint32_t i = 0; i < frame.edges->size(); ++i) {
    uint32_t edge = frame.edges->Get(i);
    const format::Edge &table = *graph.edges()->Get(edge);
    if (table.source() != first.source() || table.target() != first.target())
      return dataLoss(where(end) + ": " + edgeText(graph, edge) +
                      " does not join the same programs as " +
                      edgeText(graph, frame.edges->Get(0)));
    end.slot = frame.slots->Get(i);
    GRAPHC_TRY(checkEnd(edge, end, frame.isSend));
  }
  return Status::ok();
}

Status PlanChecker::checkEnd(uint32_t edge, const End &end, bool isSend) {
  const format::Edge &table = *graph.edges()->Get(edge);
  const char *verb = isSend ? "sends" : "receives";
  if ((isSend ? table.source() : table.target()) != end.program)
    return dataLoss(where(end) + ": it " + verb + " " + edgeText(graph, edge) +
                    ", which is another program's");
  std::optional<End> &known = isSend ? sends[edge] : recvs[edge];
  if (known)
    return dataLoss(where(end) + ": it " + verb + " " + edgeText(graph, edge) +
                    ", as " +
                    instructionText(program(end.program), known->instruction) +
                    " does already");
  known = end;
  const format::Slot &slot = slotAt(end);
  std::string place = where(end) + ": " +
                      slotText(program(end.program), end.slot) + " of " +
                      edgeText(graph, edge);
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

Status PlanChecker::checkTypes(uint32_t edge) {
  const format::Edge &table = *graph.edges()->Get(edge);
  if (!sends[edge] && isHere[table.source()])
    return dataLoss(edgeText(graph, edge) + ": no instruction of " +
                    programText(graph, table.source()) + " sends it");
  if (!recvs[edge] && isHere[table.target()])
    return dataLoss(edgeText(graph, edge) + ": no instruction of " +
                    programText(graph, table.target()) + " receives it");
  if (!sends[edge] || !recvs[edge])
    return Status::ok();
  const format::TensorType &sent = *slotAt(*sends[edge]).type();
  const format::TensorType &received = *slotAt(*recvs[edge]).type();
  if (!sameType(sent, received))
    return dataLoss(edgeText(graph, edge) + ": " + where(*sends[edge]) +
                    " sends " + toTensorType(sent).toString() + " but " +
                    where(*recvs[edge]) + " receives " +
                    toTensorType(received).toString());
  return Status::ok();
}

Status PlanChecker::checkOrder() {
  std::vector<uint32_t> next(programs.size(), 0);
  std::vector<bool> sent(edgeCount, false);
  const auto *order = graph.order();
  for (uint32_t i = 0; order && i < order->size(); ++i) {
    uint32_t p = order->Get(i);
    auto fail = [&](const std::string &cause) {
      return dataLoss("entry " + textOf(i) + " of its order: " + cause);
    };
    if (p >= programs.size())
      return fail("program " + textOf(p) + " does not exist; there are " +
                  textOf(programs.size()));
    if (next[p] == program(p).instructions()->size())
      return fail(programText(graph, p) + " has no more than " +
                  textOf(next[p]) + " instructions");
    End end{p, next[p]++, 0};
    EdgeFrame frame = frameOf(*program(p).instructions()->Get(end.instruction));
    for (uint32_t e = 0; frame.edges && e < frame.edges->size(); ++e) {
      uint32_t edge = frame.edges->Get(e);
      if (frame.isSend)
        sent[edge] = true;
      else if (!sent[edge])
        return fail(where(end) + " waits for " + edgeText(graph, edge) +
                    ", which " +
                    instructionText(program(sends[edge]->program),
                                    sends[edge]->instruction) +
                    " sends only later");
    }
  }
  for (uint32_t p = 0; p < programs.size(); ++p)
    if (next[p] != program(p).instructions()->size())
      return dataLoss("its order ends before " + where({p, next[p], 0}));
  return Status::ok();
}

} // namespace

Status checkPlan(const format::Graph &graph, const ProgramSet &isHere) {
  return PlanChecker(graph, isHere).check();
}

} // namespace graphc::runtime
