// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/ClusterData.h"

#include "runtime/format/ModelNames.h"
#include "runtime/session/ResumeData.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/state/TaskData.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace graphc::runtime {

/// The number of workers that train with a dataset, each by itself; 1: it is no
/// such dataset, or there is no worker.
uint32_t ClusterData::readersOf(std::string_view dataset) const {
  if (!worker || !dividesData)
    return 1;
  const Model &plan = driver.machine().plan();
  for (const format::Graph *graph : *plan.index().graphs()) {
    if (!graph->instance() ||
        graph->instance()->coordination() == format::Coordination::None)
      continue;
    for (uint32_t index : datasetsOf(*graph))
      if (plan.index().datasets()->Get(index)->name()->string_view() == dataset)
        return graph->instance()->workers();
  }
  return 1;
}

/// "FILE@BEGIN:END" with the rows of this worker, of so many.
std::string ClusterData::shareOf(const std::string &files, int64_t examples,
                                 uint32_t workers) const {
  size_t at = files.rfind('@');
  int64_t begin = 0;
  if (at != std::string::npos) // binding has checked what follows
    std::from_chars(files.data() + at + 1, files.data() + files.size(), begin);
  int64_t index = *worker;
  return files.substr(0, at) + "@" +
         std::to_string(begin + examples * index / workers) + ":" +
         std::to_string(begin + examples * (index + 1) / workers);
}

StatusOr<protocol::Reply::Bound> ClusterData::bind(std::string_view dataset,
                                                   std::string_view files) {
  BoundFiles data{std::string(dataset), std::string(files), {}, 0};
  GRAPHC_TRY(bind(data, 0));
  uint32_t workers = readersOf(dataset);
  if (workers > 1) {
    data.files =
        shareOf(data.files, driver.machine().bound().examples(), workers);
    GRAPHC_TRY(bind(data, 0));
  }
  std::erase_if(
      bound, [&](const BoundFiles &entry) { return entry.dataset == dataset; });
  bound.push_back(std::move(data));
  return driver.machine().bound();
}

StatusOr<protocol::Reply::Bound> ClusterData::rewind(std::string_view dataset) {
  for (BoundFiles &data : bound) {
    if (data.dataset != dataset)
      continue;
    GRAPHC_TRY(bind(data, 0, true));
    return data.bound;
  }
  return failedPrecondition("dataset '" + std::string(dataset) +
                            "' has no data yet; bind its files first");
}

Status ClusterData::seek(const format::Graph &graph, uint64_t steps) {
  std::map<std::string, uint64_t> perStep = batchesPerStep(graph);
  for (BoundFiles &data : bound)
    GRAPHC_TRY(bind(data, steps * perStep[data.dataset]));
  return Status::ok();
}

StatusOr<GraphPosition> ClusterData::skipTo(const format::Graph &graph,
                                            GraphPosition position,
                                            uint64_t reached) {
  std::map<std::string, uint64_t> perStep = batchesPerStep(graph);
  for (BoundFiles &data : bound) {
    uint64_t unseen = (reached - position.step) * perStep[data.dataset];
    GRAPHC_TRY(bind(data, data.taken + unseen));
    if (perStep[data.dataset] > 0)
      position.data[data.dataset] = {
          data.taken, static_cast<uint64_t>(data.bound.examples())};
  }
  position.step = reached;
  return position;
}

void ClusterData::setPosition(const std::string &graph,
                              const GraphPosition &position) {
  byGraph[graph] = position;
  restored.insert(graph);
}

Status ClusterData::restore(Positions positions) {
  byGraph = std::move(positions);
  restored.clear();
  for (const auto &[graph, position] : byGraph)
    restored.insert(graph);
  for (BoundFiles &data : bound)
    if (data.taken > 0 || mayLackData)
      GRAPHC_TRY(bind(data, 0));
  mayLackData = false;
  return Status::ok();
}

Status ClusterData::bind(BoundFiles &data, uint64_t skip, bool rewinds) {
  driver.machine().beginBind(data.dataset, data.files, skip, rewinds);
  GRAPHC_TRY(driver.drive("binding the data"));
  data.bound = driver.machine().bound();
  data.taken = skip;
  return Status::ok();
}

/// By dataset.
std::map<std::string, uint64_t>
ClusterData::batchesPerStep(const format::Graph &graph) const {
  std::vector<uint32_t> programs(graph.programs()->size());
  std::iota(programs.begin(), programs.end(), 0);
  std::map<std::string, uint64_t> perStep;
  for (const BatchUse &use : batchUses(graph, programs)) {
    const auto &datasets = *driver.machine().plan().index().datasets();
    uint64_t &most = perStep[datasets.Get(use.dataset)->name()->str()];
    most = std::max<uint64_t>(most, use.perStep);
  }
  return perStep;
}

Status ClusterData::resume(const format::Graph &graph,
                           std::optional<uint64_t> &firstStep) {
  std::string name = nameWithoutSummaries(graph);
  if (restored.erase(name) == 0)
    return Status::ok();
  const GraphPosition &position = byGraph[name];
  if (!firstStep)
    firstStep = position.step;
  const auto &datasets = *driver.machine().plan().index().datasets();
  for (BoundFiles &data : bound)
    for (const format::Dataset *dataset : datasets) {
      if (dataset->name()->string_view() != data.dataset || data.taken > 0)
        continue;
      uint64_t skip = batchesToSkip(
          position, data.dataset, data.bound.examples(),
          data.bound.batches_per_epoch(), dataset->repeat(), note);
      if (skip > 0)
        GRAPHC_TRY(bind(data, skip, true));
    }
  return Status::ok();
}

void ClusterData::noteSteps(const format::Graph &graph, uint64_t step,
                            uint64_t steps) {
  if (steps == 0)
    return;
  GraphPosition &position = byGraph[nameWithoutSummaries(graph)];
  position.step = step;
  std::map<std::string, uint64_t> perStep = batchesPerStep(graph);
  for (BoundFiles &data : bound)
    if (uint64_t batches = steps * perStep[data.dataset]; batches > 0) {
      data.taken += batches;
      position.data[data.dataset] = {
          data.taken, static_cast<uint64_t>(data.bound.examples())};
    }
}

} // namespace graphc::runtime
