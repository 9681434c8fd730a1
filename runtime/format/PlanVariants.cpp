// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/PlanVariants.h"

#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/format/SelectGraphs.h"

#include <vector>

namespace graphc::runtime {

namespace {

std::string listOf(const std::set<uint32_t> &members) {
  std::string text;
  for (uint32_t member : members)
    text += (text.empty() ? "" : ", ") + std::to_string(member);
  return text;
}

} // namespace

std::set<uint32_t> planVariantsOf(const Model &model) {
  std::set<uint32_t> members;
  for (const format::Graph *graph : *model.index().graphs())
    if (graph->member() != 0)
      members.insert(graph->member());
  return members;
}

std::string_view sourceNameOf(const format::Graph &graph) {
  std::string_view name = viewOf(graph.name());
  std::string ending = "#" + std::to_string(graph.member());
  if (graph.member() != 0 && name.ends_with(ending))
    name.remove_suffix(ending.size());
  return name;
}

StatusOr<std::shared_ptr<const Model>>
takePlanVariant(std::shared_ptr<const Model> model, uint32_t workers) {
  std::set<uint32_t> members = planVariantsOf(*model);
  if (members.empty())
    return model;
  if (!members.count(workers))
    return failedPrecondition(
        "model file " + quote(model->name()) + " has no plan for " +
        std::to_string(workers) + " workers, but for " + listOf(members) +
        "; run it with as many workers as one of them, or compile it with "
        "--workers for more");
  GraphSelection selection;
  selection.keeps = [workers](const format::Graph &graph) {
    return graph.member() == 0 || graph.member() == workers;
  };
  selection.nameOf = [](const format::Graph &graph) {
    return std::string(sourceNameOf(graph));
  };
  selection.workers = workers;
  selection.digest = planDigest(*model);
  StatusOr<std::shared_ptr<const Model>> member =
      selectGraphs(*model, selection);
  if (!member.isOk())
    return member.status().annotate("the plan for " + std::to_string(workers) +
                                    " workers");
  return member;
}

Status checkNoPlanVariants(const Model &model, std::string_view fix) {
  std::set<uint32_t> members = planVariantsOf(model);
  if (members.empty())
    return Status::ok();
  return failedPrecondition("model file " + quote(model.name()) +
                            " has plans for " + listOf(members) + " workers; " +
                            std::string(fix));
}

} // namespace graphc::runtime
