// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cluster/ChooseGraph.h"

#include "runtime/base/Suggest.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {

/// The tasks of a cluster that compute.
uint32_t countWorkers(const ClusterSpec &cluster) {
  return static_cast<uint32_t>(std::count_if(
      cluster.tasks().begin(), cluster.tasks().end(),
      [](const ClusterTask &task) {
        return task.job == "worker" || task.job == "chief";
      }));
}

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

std::string sourceName(const format::Graph &graph) {
  std::string name =
      graph.instance() ? graph.instance()->of()->str() : graph.name()->str();
  if (graph.member() == 0)
    return name;
  std::string ending = "#" + std::to_string(graph.member());
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size())
                                : name;
}

std::vector<std::string> sourceGraphs(const Model &plan) {
  std::set<std::string> hidden = applyGraphs(plan);
  std::vector<std::string> names;
  for (const format::Graph *graph : *plan.index().graphs()) {
    std::string name = sourceName(*graph);
    if (name != "init" && !hidden.count(graph->name()->str()) &&
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

StatusOr<const format::Graph *> chooseGraph(const Model &plan,
                                            std::string_view name,
                                            std::optional<uint32_t> worker,
                                            const ClusterSpec &cluster) {
  if (const format::Graph *exact = plan.findGraph(name))
    return exact;
  uint32_t workers = countWorkers(cluster);
  std::set<uint32_t> instances, members;
  for (const format::Graph *graph : *plan.index().graphs()) {
    if (sourceName(*graph) != name)
      continue;
    if (graph->member() != 0) {
      members.insert(graph->member());
      if (graph->member() != workers)
        continue;
    }
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
  if (!members.empty())
    return failedPrecondition(
        graphText + " is compiled for " + numbers(members) +
        " workers, but the cluster has " + std::to_string(workers) +
        "; compile it with --workers for them, or change the cluster");
  return notFound(
      unknownName("'" + plan.name() + "'", "graph", name, sourceGraphs(plan)));
}

} // namespace graphc::runtime
