// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edges of a file: their table, and the instructions at their endpoints. What
// the programs do with them is checked on a view (runtime/format/check).
#include "runtime/format/verify/PlanCheck.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/check/EdgeCheck.h"
#include "runtime/format/print/PlanText.h"
#include "runtime/format/verify/FileView.h"
#include "runtime/format/verify/VerifyTexts.h"

#include <vector>

namespace graphc::runtime {

namespace {

/// Slot at one endpoint of an edge.
struct Endpoint {
  uint32_t program, instruction, slot;
};

/// Verifies the table of edges, and the slots at their endpoints: each is of
/// the edge's size and name.
class EdgeVerifier {
public:
  EdgeVerifier(const format::Model &model, const format::Graph &graph,
               const ProgramSet &isHere)
      : model(model), graph(graph), programs(*graph.programs()),
        edgeCount(graph.edges() ? graph.edges()->size() : 0) {
    view.isHere = isHere;
  }

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
  std::string edgeName(uint32_t edge) const {
    return edgeText(model, graph, edge);
  }

  Status addTable();
  Status addFrame(uint32_t at, uint32_t index, const EdgeUses &frame);
  Status checkSlot(size_t endpoint) const;
  Status refuse(const EdgeFinding &finding) const;
  Status refuseMissing(const EdgeFinding &finding) const;

  const format::Model &model;
  const format::Graph &graph;
  const flatbuffers::Vector<flatbuffers::Offset<format::Program>> &programs;
  uint32_t edgeCount;
  EdgesView view;
  std::vector<Endpoint> endpoints; ///< of the view
};

Status EdgeVerifier::check() {
  GRAPHC_TRY(addTable());
  EdgeChecker checker(view);
  if (EdgeResult finding = checker.checkEdges())
    return refuse(*finding);
  for (uint32_t p = 0; p < programs.size(); ++p)
    for (uint32_t i = 0; i < program(p).instructions()->size(); ++i) {
      EdgeUses frame = edgesOf(*program(p).instructions()->Get(i));
      if (frame.edges)
        GRAPHC_TRY(addFrame(p, i, frame));
    }
  if (EdgeResult finding = checker.checkEndpoints())
    return refuse(*finding);
  for (size_t i = 0; i < endpoints.size(); ++i)
    GRAPHC_TRY(checkSlot(i));
  EdgeResult finding = checker.checkTypes([&](size_t send, size_t recv) {
    return sameType(*slotAt(endpoints[send]).type(),
                    *slotAt(endpoints[recv]).type());
  });
  return finding ? refuse(*finding) : Status::ok();
}

Status EdgeVerifier::addTable() {
  view.edges.reserve(edgeCount);
  view.endpoints.reserve(2 * size_t(edgeCount));
  endpoints.reserve(2 * size_t(edgeCount));
  for (uint32_t i = 0; i < edgeCount; ++i) {
    const format::Edge &edge = *graph.edges()->Get(i);
    if (edge.source() >= programs.size() || edge.target() >= programs.size())
      return dataLoss(edgeName(i) + ": there are only " +
                      textOf(programs.size()) + " programs");
    view.edges.push_back({edge.source(), edge.target()});
  }
  return Status::ok();
}

Status EdgeVerifier::addFrame(uint32_t at, uint32_t index,
                              const EdgeUses &frame) {
  Endpoint end{at, index, 0};
  if (frame.edges->size() == 0 || frame.edges->size() != frame.slots->size())
    return dataLoss(where(end) + ": it has " + textOf(frame.edges->size()) +
                    " edges and " + textOf(frame.slots->size()) +
                    " slots; it needs as many, and at least one");
  const EdgeView &first = view.edges[frame.edges->Get(0)];
  for (uint32_t i = 0; i < frame.edges->size(); ++i) {
    uint32_t edge = frame.edges->Get(i);
    const EdgeView &table = view.edges[edge];
    if (table.source != first.source || table.target != first.target)
      return dataLoss(where(end) + ": " + edgeName(edge) +
                      " does not join the same programs as " +
                      edgeName(frame.edges->Get(0)));
    end.slot = frame.slots->Get(i);
    // Lists that many instructions share are not copied for each: with more
    // than two endpoints per edge, checkEndpoints() finds what is wrong.
    if (endpoints.size() > 2 * size_t(edgeCount))
      return Status::ok();
    endpoints.push_back(end);
    view.endpoints.push_back(
        {edge, at, frame.isSend ? table.target : table.source, frame.isSend});
  }
  return Status::ok();
}

Status EdgeVerifier::checkSlot(size_t endpoint) const {
  const Endpoint &end = endpoints[endpoint];
  const EndpointView &seen = view.endpoints[endpoint];
  const format::Edge &table = *graph.edges()->Get(seen.edge);
  const format::Slot &slot = slotAt(end);
  auto fail = [&](const std::string &cause) {
    return dataLoss(where(end) + ": " +
                    slotText(program(end.program), end.slot) + " of " +
                    edgeName(seen.edge) + " " + cause);
  };
  if (slot.size() != table.size())
    return fail("has " + textOf(slot.size()) + " bytes but the edge carries " +
                textOf(table.size()));
  if (viewOf(slot.name()) != viewOf(table.name()))
    return fail("holds another value than the edge's name says");
  if (slot.type()->dtype() == format::DType::String)
    return fail("has the type string, which is not sent");
  if (!seen.isSend && slot.kind() != format::SlotKind::Arena)
    return fail("is not in the arena, where values land");
  return Status::ok();
}

Status EdgeVerifier::refuse(const EdgeFinding &finding) const {
  std::string edge = edgeName(finding.edge);
  if (finding.rule == EdgeRule::Distinct)
    return dataLoss(edge + ": it leads from a program to itself");
  if (finding.rule == EdgeRule::Sent || finding.rule == EdgeRule::Received)
    return refuseMissing(finding);
  const Endpoint &at = endpoints[*finding.at];
  if (finding.rule == EdgeRule::Type) {
    const Endpoint &send = endpoints[*finding.other];
    return dataLoss(edge + ": " + where(send) + " sends " +
                    toTensorType(*slotAt(send).type()).toString() + " but " +
                    where(at) + " receives " +
                    toTensorType(*slotAt(at).type()).toString());
  }
  bool isSend = view.endpoints[*finding.at].isSend;
  std::string cause = ", which is another program's";
  if (finding.rule == EdgeRule::Once)
    cause = ", as " +
            instructionText(program(at.program),
                            endpoints[*finding.other].instruction) +
            " does already";
  return dataLoss(where(at) + ": it " + (isSend ? "sends " : "receives ") +
                  edge + cause);
}

Status EdgeVerifier::refuseMissing(const EdgeFinding &finding) const {
  const EdgeView &edge = view.edges[finding.edge];
  bool isSent = finding.rule == EdgeRule::Received;
  return dataLoss(
      edgeName(finding.edge) + ": no instruction of " +
      programText(model, graph, isSent ? edge.target : edge.source) +
      (isSent ? " receives it" : " sends it"));
}

} // namespace

Status checkPlan(const format::Model &model, const format::Graph &graph,
                 const ProgramSet &isHere) {
  GRAPHC_TRY(EdgeVerifier(model, graph, isHere).check());
  FileNames names(model, graph);
  PlanResult finding = checkPlanView(viewOfFile(graph, isHere), names);
  return finding ? dataLoss(finding->text(names)) : Status::ok();
}

} // namespace graphc::runtime
