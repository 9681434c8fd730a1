// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a graph: its programs first, then the ports that name their slots,
// each error with the path to its place.
#include "runtime/format/verify/GraphVerifier.h"

#include "runtime/format/FileHeader.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/print/PlanText.h"
#include "runtime/format/verify/InstanceCheck.h"
#include "runtime/format/verify/PlanCheck.h"
#include "runtime/format/verify/ProgramVerifier.h"
#include "runtime/format/verify/SummaryCheck.h"
#include "runtime/format/verify/VerifyTexts.h"

namespace graphc::runtime {

namespace {

constexpr uint32_t kMaxReplicas = 1 << 20;

Status checkPort(const format::Graph &graph, const format::Port &port,
                 bool isFeed, const ProgramSet &isHere) {
  if (port.program() >= graph.programs()->size())
    return outOfBounds("program", port.program(), graph.programs()->size());
  GRAPHC_TRY(checkedBytes(*port.type()).status());
  if (!isHere[port.program()])
    return Status::ok();
  const auto &slots = *graph.programs()->Get(port.program())->slots();
  if (port.slot() >= slots.size())
    return outOfBounds("slot", port.slot(), slots.size());
  const format::Slot &slot = *slots[port.slot()];
  if (isFeed && slot.kind() != format::SlotKind::Arena)
    return dataLoss("slot %" + textOf(port.slot()) +
                    " cannot be fed: it is not in the arena");
  if (slot.kind() == format::SlotKind::StepState)
    return dataLoss("slot %" + textOf(port.slot()) +
                    " cannot be fetched: it is the state of the step");
  if (!sameType(*port.type(), *slot.type()))
    return dataLoss("its type is " + toTensorType(*port.type()).toString() +
                    " but slot %" + textOf(port.slot()) + " has " +
                    toTensorType(*slot.type()).toString());
  return Status::ok();
}

Status
checkPorts(const format::Graph &graph,
           const flatbuffers::Vector<flatbuffers::Offset<format::Port>> &ports,
           bool isFeed, const ProgramSet &isHere) {
  NameSet names;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    Status status = names.add(ports[i]->name());
    if (status.isOk())
      status = checkPort(graph, *ports[i], isFeed, isHere);
    if (!status.isOk())
      return status.annotate(
          labelOf(isFeed ? "feed " : "fetch ", i, ports[i]->name()));
  }
  return Status::ok();
}

bool isEmpty(const format::Program &program) {
  return program.slots()->size() == 0 && program.instructions()->size() == 0 &&
         program.arena_bytes() == 0 && program.device_scratch_bytes() == 0;
}

/// The numbers of its edges and of its order; what they mean is the plan's.
Status checkEdges(const format::Graph &graph, uint64_t &budget) {
  if (graph.replicas() < 1 || graph.replicas() > kMaxReplicas)
    return dataLoss("it has " + textOf(graph.replicas()) + " replicas; 1 to " +
                    textOf(kMaxReplicas) + " are possible");
  if (graph.edges())
    for (uint32_t i = 0; i < graph.edges()->size(); ++i)
      if (graph.edges()->Get(i)->size() > kMaxBytes)
        return dataLoss(labelOf("edge ", i, graph.edges()->Get(i)->name()) +
                        ": it carries more than " + textOf(kMaxBytes) +
                        " bytes");
  if (!graph.order())
    return Status::ok();
  if (graph.order()->size() > budget)
    return dataLoss("its order is longer than the index that holds it");
  budget -= graph.order()->size();
  return Status::ok();
}

/// Checks that a variant for so many workers has them in its name.
Status checkMember(const format::Graph &graph) {
  if (graph.member() == 0)
    return Status::ok();
  if (graph.member() > kMaxReplicas)
    return dataLoss("it is for " + textOf(graph.member()) + " workers; 1 to " +
                    textOf(kMaxReplicas) + " are possible");
  std::string_view name = viewOf(graph.name());
  if (sourceNameOf(graph).size() == name.size())
    return dataLoss("it is for " + textOf(graph.member()) +
                    " workers, but its name does not end in '#" +
                    textOf(graph.member()) + "'");
  return Status::ok();
}

} // namespace

Status GraphVerifier::check(const format::Graph &graph) {
  if (graph.programs()->size() == 0)
    return dataLoss("it has no program");
  GRAPHC_TRY(checkMember(graph));
  GRAPHC_TRY(checkEdges(graph, budget));
  ProgramSet isHere;
  for (uint32_t i = 0; i < graph.programs()->size(); ++i) {
    const format::Program &program = *graph.programs()->Get(i);
    Status status = ProgramVerifier(*this, graph, program).check();
    if (!status.isOk())
      return status.annotate(programText(model, graph, i));
    std::string_view device = deviceOf(model, program);
    isHere.push_back(partTask.empty() || taskOfDevice(device) == partTask);
    if (!isHere[i] && !isEmpty(program))
      return dataLoss("program " + textOf(i) + " on " + quote(device) +
                      " is not one of the part's task " + quote(partTask) +
                      ", but has content");
  }
  GRAPHC_TRY(checkPorts(graph, *graph.feeds(), true, isHere));
  GRAPHC_TRY(checkPorts(graph, *graph.fetches(), false, isHere));
  GRAPHC_TRY(checkInstance(model, graph, budget));
  GRAPHC_TRY(checkSummaries(model, graph, budget));
  return checkPlan(model, graph, isHere);
}

} // namespace graphc::runtime
