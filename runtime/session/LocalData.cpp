// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/LocalData.h"

#include "runtime/format/ModelNames.h"
#include "runtime/session/ResumeData.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/state/TaskData.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace graphc::runtime {

StatusOr<Session::BoundData> LocalData::bind(std::string_view name,
                                             std::string_view files) {
  GRAPHC_TRY(bindings.bind(name, files));
  const auto &known = *model.index().datasets();
  uint32_t index = 0;
  while (known.Get(index)->name()->string_view() != name)
    ++index; // bind() found it
  bound[index] = {std::string(files), 0};
  ahead.erase(index);
  return describe(index);
}

Session::BoundData LocalData::describe(uint32_t index) const {
  const DataSource &data = *bindings.source(index);
  return {data.examples(), data.batchesPerEpoch(), data.droppedPerEpoch()};
}

StatusOr<Session::BoundData> LocalData::rewindDataset(std::string_view name) {
  const auto &known = *model.index().datasets();
  for (auto &[index, files] : bound) {
    if (known.Get(index)->name()->string_view() != name)
      continue;
    GRAPHC_TRY(bindings.rewind(index, 0));
    files.taken = 0;
    ahead.erase(index);
    return describe(index);
  }
  return failedPrecondition("dataset '" + std::string(name) +
                            "' has no data yet; bind its files first");
}

Status LocalData::rewind(const format::Graph &graph) {
  for (uint32_t index : datasetsOf(graph)) {
    if (!ahead.count(index))
      continue;
    GRAPHC_TRY(bindings.rewind(index, bound[index].taken));
    ahead.erase(index);
  }
  return Status::ok();
}

void LocalData::noteUnmadeStep(const format::Graph &graph) {
  ahead.merge(datasetsOf(graph));
}

StatusOr<std::optional<uint64_t>>
LocalData::resume(const format::Graph &graph) {
  if (restored.erase(nameWithoutSummaries(graph)) == 0)
    return std::optional<uint64_t>();
  const GraphPosition &position = byGraph[nameWithoutSummaries(graph)];
  for (uint32_t index : datasetsOf(graph)) {
    const format::Dataset &dataset = *model.index().datasets()->Get(index);
    const DataSource *data = bindings.source(index);
    BoundFiles &files = bound[index];
    if (!data || files.taken > 0)
      continue; // read since it was bound
    std::string name = dataset.name()->str();
    uint64_t skip =
        batchesToSkip(position, name, data->examples(), data->batchesPerEpoch(),
                      dataset.repeat(), note);
    if (skip == 0)
      continue;
    GRAPHC_TRY(bindings.rewind(index, skip));
    files.taken = skip;
  }
  return std::optional<uint64_t>(position.step);
}

void LocalData::noteSteps(const format::Graph &graph, uint64_t step,
                          uint64_t steps) {
  GraphPosition &position = byGraph[nameWithoutSummaries(graph)];
  position.step = step;
  std::vector<uint32_t> programs(graph.programs()->size());
  std::iota(programs.begin(), programs.end(), 0);
  std::map<uint32_t, uint64_t> perStep;
  for (const BatchUse &use : batchUses(graph, programs))
    perStep[use.dataset] =
        std::max<uint64_t>(perStep[use.dataset], use.perStep);
  for (auto [index, count] : perStep) {
    const DataSource *data = bindings.source(index);
    if (!data)
      continue;
    bound[index].taken += steps * count;
    position.data[model.index().datasets()->Get(index)->name()->str()] = {
        bound[index].taken, static_cast<uint64_t>(data->examples())};
  }
}

void LocalData::setPosition(const std::string &graph,
                            const GraphPosition &position) {
  byGraph[graph] = position;
  restored.insert(graph);
}

Status LocalData::restore(Positions positions) {
  byGraph = std::move(positions);
  restored.clear();
  for (const auto &[graph, position] : byGraph)
    restored.insert(graph);
  for (auto &[index, files] : bound)
    if (std::exchange(files.taken, 0) > 0)
      GRAPHC_TRY(bindings.rewind(index, 0));
  return Status::ok();
}

} // namespace graphc::runtime
