// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/counts/RunMetrics.h"

#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {

/// Examples that the graph's programs here take in a step: their share of the
/// first dataset's batch, else the rows of the first feed.
double examplesHere(const PlanState &plan, const PlanGraph &graph) {
  if (!graph.data.empty()) {
    uint32_t first =
        std::ranges::min(graph.data, {}, &BatchUse::dataset).dataset;
    double batch = static_cast<double>(
        plan.model().index().datasets()->Get(first)->batch());
    double share = 0;
    for (const BatchUse &use : graph.data)
      if (use.dataset == first && use.shards > 0)
        share += static_cast<double>(use.perStep) / use.shards;
    return batch * share;
  }
  for (const format::Port *feed : *graph.graph->feeds()) {
    TensorType type = toTensorType(*feed->type());
    if (graph.has(*feed) && !type.shape.empty())
      return static_cast<double>(type.shape[0]);
  }
  return 0;
}

double seconds(int64_t nanos) {
  return static_cast<double>(std::max<int64_t>(nanos, 0)) * 1e-9;
}

} // namespace

void RunMetrics::open(TaskMetrics *metrics, const PlanState &plan,
                      const PlanGraph &graph, const TaskEngine &engine) {
  if (!metrics)
    return;
  counts.emplace(metrics->graph(graph.name()));
  examples = examplesHere(plan, graph);
  addFetches(*metrics, graph, engine);
}

void RunMetrics::addFetches(TaskMetrics &metrics, const PlanGraph &graph,
                            const TaskEngine &engine) {
  fetches.clear();
  for (const format::Port *port : *graph.graph->fetches()) {
    TensorType type = toTensorType(*port->type());
    bool isDouble = type.dtype == DType::Float64;
    if (!graph.has(*port) || !type.shape.empty() ||
        (!isDouble && type.dtype != DType::Float32))
      continue;
    std::span<const std::byte> bytes = engine.slot(*port);
    if (bytes.size() >= (isDouble ? sizeof(double) : sizeof(float)))
      fetches.push_back(
          {bytes, isDouble,
           &metrics.fetch(graph.name(), std::string(viewOf(port->name())))});
  }
}

void RunMetrics::begin(int64_t now) {
  resume(now);
  if (counts && begunAt != 0)
    counts->stepSeconds.observe(seconds(now - begunAt));
  begunAt = now;
}

void RunMetrics::endStep(uint64_t step) {
  if (!counts)
    return;
  counts->steps.add(1);
  counts->lastStep.set(static_cast<double>(step + 1));
  counts->examples.add(examples);
  for (const Fetch &fetch : fetches) {
    double value = 0;
    if (fetch.isDouble) {
      std::memcpy(&value, fetch.bytes.data(), sizeof value);
    } else {
      float single = 0;
      std::memcpy(&single, fetch.bytes.data(), sizeof single);
      value = single;
    }
    fetch.value->set(value);
  }
}

void RunMetrics::rest(int64_t now) {
  if (counts && begunAt != 0)
    counts->stepSeconds.observe(seconds(now - begunAt));
  begunAt = 0;
  resume(now);
}

void RunMetrics::endWait(int64_t now) {
  double took = seconds(now - pausedAt);
  switch (std::exchange(waiting, Wait::None)) {
  case Wait::None:
    break;
  case Wait::Values:
    counts->valueWait.add(took);
    break;
  case Wait::Update:
    counts->updateWait.add(took);
    break;
  case Wait::Start:
    counts->startWait.add(took);
    break;
  }
}

} // namespace graphc::runtime
