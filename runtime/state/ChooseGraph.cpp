// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/ChooseGraph.h"

#include "runtime/base/Suggest.h"
#include "runtime/format/ModelNames.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {

/// The names of the graphs that only apply what workers have summed up.
std::set<std::string> applyGraphs(const Model &plan) {
  std::set<std::string> names;
  for (const format::Graph *graph : *plan.index().graphs())
    if (graph->instance() && graph->instance()->apply())
      names.insert(graph->instance()->apply()->str());
  return names;
}

std::string numbers(const std::set<uint32_t> &values) {
  std::string text;
  for (uint32_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

} // namespace

static constexpr std::string_view kReset = "/reset";

std::string resetGraphName(std::string_view name) {
  return std::string(name).append(kReset);
}

bool isResetGraph(const Model &plan, const format::Graph &graph) {
  std::string_view name = graph.name()->string_view();
  return name.ends_with(kReset) &&
         plan.findGraph(name.substr(0, name.size() - kReset.size()));
}

std::string sourceName(const format::Graph &graph) {
  return graph.instance() ? graph.instance()->of()->str() : graph.name()->str();
}

std::vector<std::string> sourceGraphs(const Model &plan) {
  std::set<std::string> hidden = applyGraphs(plan);
  std::vector<std::string> names;
  for (const format::Graph *graph : *plan.index().graphs()) {
    std::string name = sourceName(*graph);
    if (name != "init" && !isSummaryVariant(*graph) &&
        !isResetGraph(plan, *graph) &&
        !hidden.count(graph->name()->str()) &&
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

StatusOr<const format::Graph *> chooseGraph(const Model &plan,
                                            std::string_view name,
                                            std::optional<uint32_t> worker) {
  if (const format::Graph *exact = plan.findGraph(name))
    return exact;
  std::set<uint32_t> instances;
  for (const format::Graph *graph : *plan.index().graphs()) {
    if (sourceName(*graph) != name)
      continue;
    if (!graph->instance())
      return graph;
    instances.insert(graph->instance()->worker());
    if (worker && graph->instance()->worker() == *worker)
      return graph;
  }
  std::string graphText = "graph '" + std::string(name) + "'";
  if (!instances.empty() && worker)
    return failedPrecondition(graphText + " has no worker " +
                              std::to_string(*worker) + ", but " +
                              numbers(instances));
  if (!instances.empty())
    return failedPrecondition(
        "each worker runs its own instance of " + graphText +
        "; say which: --worker=" + std::to_string(*instances.begin()) +
        " (there are " + numbers(instances) + ")");
  return notFound(
      unknownName("'" + plan.name() + "'", "graph", name, sourceGraphs(plan)));
}

StatusOr<std::string> onlyGraph(const Model &plan,
                                const std::vector<std::string> &names) {
  if (names.size() == 1)
    return names[0];
  if (names.empty())
    return notFound("'" + plan.name() + "' has no graph to run");
  return invalidArgument("'" + plan.name() + "' has the graphs " +
                         quotedList(names) +
                         "; choose one with --graph=" + names[0]);
}

} // namespace graphc::runtime
