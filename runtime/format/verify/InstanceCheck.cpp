// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/verify/InstanceCheck.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/format/verify/VerifyTexts.h"

#include <algorithm>
#include <set>
#include <string>

namespace graphc::runtime {

namespace {

constexpr uint32_t kMaxWorkers = 1 << 20;

/// The variables that instructions here write. Numbers that no list has are
/// left out: the graph may be checked later than the one that names it.
std::set<uint32_t> writtenVariables(const format::Graph &graph) {
  std::set<uint32_t> written;
  for (const format::Program *program : *graph.programs())
    for (const format::Instruction *instruction : *program->instructions())
      forEachWrite(*instruction, [&](uint32_t index) {
        if (index >= program->slots()->size())
          return;
        const format::Slot &slot = *program->slots()->Get(index);
        if (slot.kind() == format::SlotKind::Variable)
          written.insert(slot.index());
      });
  return written;
}

/// Takes the size of a graph that another names from what may be walked, so
/// that many which name one large graph do not take time without end.
Status charge(const format::Graph &graph, uint64_t &budget) {
  for (const format::Program *program : *graph.programs()) {
    if (program->instructions()->size() > budget)
      return dataLoss("more is named than the index holds");
    budget -= program->instructions()->size();
  }
  return Status::ok();
}

Status checkQuorum(const format::Model &model, const format::Graph &graph,
                   uint64_t &budget) {
  const format::Instance &instance = *graph.instance();
  if (instance.quorum() < 1 || instance.quorum() > instance.workers())
    return dataLoss("its quorum of " + textOf(instance.quorum()) +
                    " is not one of " + textOf(instance.workers()) +
                    " workers");
  auto apply =
      std::find_if(model.graphs()->begin(), model.graphs()->end(),
                   [&](const format::Graph *other) {
                     return viewOf(other->name()) == viewOf(instance.apply());
                   });
  if (apply == model.graphs()->end())
    return dataLoss("graph " + quote(viewOf(instance.apply())) +
                    ", which applies its gradients, does not exist");
  if ((*apply)->instance())
    return dataLoss("graph " + quote(viewOf(instance.apply())) +
                    ", which applies its gradients, is a worker's own");
  GRAPHC_TRY(charge(**apply, budget));
  std::set<uint32_t> applied = writtenVariables(**apply);
  for (uint32_t variable : writtenVariables(graph))
    if (!applied.contains(variable))
      return dataLoss("it adds to variable " +
                      quote(viewOf(model.variables()->Get(variable)->name())) +
                      ", which graph " + quote(viewOf(instance.apply())) +
                      " does not set back");
  return Status::ok();
}

} // namespace

uint32_t replicaCount(const format::Graph &graph) {
  return graph.instance()
             ? std::max(graph.replicas(), graph.instance()->workers())
             : graph.replicas();
}

Status checkInstance(const format::Model &model, const format::Graph &graph,
                     uint64_t &budget) {
  if (!graph.instance())
    return Status::ok();
  const format::Instance &instance = *graph.instance();
  if (instance.worker() >= instance.workers())
    return dataLoss("worker " + textOf(instance.worker()) +
                    " does not exist; there are " + textOf(instance.workers()));
  if (instance.workers() > kMaxWorkers)
    return dataLoss("it is for " + textOf(instance.workers()) +
                    " workers; 1 to " + textOf(kMaxWorkers) + " are possible");
  if (instance.coordination() > format::Coordination::Quorum)
    return dataLoss("coordination " +
                    textOf(static_cast<uint8_t>(instance.coordination())) +
                    " is not known");
  if (instance.coordination() == format::Coordination::None)
    return Status::ok();
  std::string_view task = viewOf(instance.coordinator());
  if (task.empty() || taskOfDevice(task) != task)
    return dataLoss("its coordinator " + quote(task) + " is no task");
  auto isThere = [&](const format::Program *program) {
    return taskOfDevice(deviceOf(model, *program)) == task;
  };
  if (std::none_of(graph.programs()->begin(), graph.programs()->end(), isThere))
    return dataLoss("its coordinator " + quote(task) + " has no program of it");
  if (instance.coordination() == format::Coordination::Quorum)
    return checkQuorum(model, graph, budget);
  return Status::ok();
}

} // namespace graphc::runtime
