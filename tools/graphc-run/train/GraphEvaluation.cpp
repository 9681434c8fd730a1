// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/train/GraphEvaluation.h"

#include "runtime/base/StopSignal.h"
#include "runtime/format/ModelNames.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/state/TaskData.h"
#include "tools/graphc-run/summary/RunSummaries.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace graphc::run {

using namespace runtime;

namespace {

double scalarAt(const StepView &step, size_t fetch) {
  if (step.type(fetch).dtype == DType::Float64) {
    double value = 0;
    std::memcpy(&value, step.bytes(fetch).data(), sizeof(value));
    return value;
  }
  float value = 0;
  std::memcpy(&value, step.bytes(fetch).data(), sizeof(value));
  return value;
}

bool isFloatScalar(const TensorType &type) {
  return type.shape.empty() &&
         (type.dtype == DType::Float32 || type.dtype == DType::Float64);
}

} // namespace

/// Of a dataset that is not named by --data the run says that it has no data.
Status GraphEvaluation::open() {
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen,
                          session.chooseGraph(name));
  const format::Graph &graph = *chosen;
  std::vector<uint32_t> programs(graph.programs()->size());
  std::iota(programs.begin(), programs.end(), 0);
  std::map<std::string, Reading> opened;
  for (const BatchUse &use : batchUses(graph, programs)) {
    const format::Dataset &dataset =
        *session.model().index().datasets()->Get(use.dataset);
    Reading &reading = opened[dataset.name()->str()];
    reading.batch = dataset.batch();
    reading.perStep = std::max<int64_t>(reading.perStep, use.perStep);
    reading.isFilledUp = dataset.mask() >= 0;
  }
  const auto &known = *session.model().index().datasets();
  for (const NamedText &data : options.data) {
    auto found = opened.find(data.name);
    // Who names one that the model lacks is told so.
    bool isOthers =
        found == opened.end() &&
        std::ranges::any_of(known, [&](const format::Dataset *dataset) {
          return dataset->name()->string_view() == data.name;
        });
    if (isOthers)
      continue;
    GRAPHC_ASSIGN_OR_RETURN(Session::BoundData bound,
                            session.bindDataset(data.name, data.text));
    found->second.bound = bound;
    found->second.isBound = true;
  }
  readings = std::move(opened);
  isOpen = true;
  return Status::ok();
}

Status GraphEvaluation::beginPass() {
  if (!isOpen) {
    GRAPHC_TRY(open());
    return resetSums();
  }
  for (auto &[dataset, reading] : readings) {
    if (!reading.isBound)
      continue;
    GRAPHC_ASSIGN_OR_RETURN(reading.bound, session.rewindDataset(dataset));
  }
  return resetSums();
}

/// Sets the sums that the graph adds to to zero, and learns which fetches
/// follow from them.
Status GraphEvaluation::resetSums() {
  std::string reset = resetGraphName(name);
  if (!session.model().findGraph(reset))
    return Status::ok();
  RunRequest request;
  request.graph = reset;
  request.steps = 1;
  auto onStep = [&](const StepView &step) {
    for (size_t i = 0; i < step.size(); ++i)
      soFar.insert(std::string(step.name(i)));
    return true;
  };
  GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                          session.runSteps(request, onStep, 0));
  session.setPosition(reset, {});
  if (outcome.steps != 1)
    return internalError("graph '" + reset + "' made no step");
  return Status::ok();
}

/// Of the step of that number, from 0; 1 where the graph reads no data.
double GraphEvaluation::examplesOf(int64_t step) const {
  int64_t examples = 0;
  for (const auto &[dataset, reading] : readings)
    for (int64_t i = 0; i < reading.perStep; ++i) {
      int64_t inPass = (step * reading.perStep + i) %
                       std::max<int64_t>(1, reading.bound.batchesPerEpoch);
      int64_t left = reading.bound.examples - inPass * reading.batch;
      examples +=
          reading.isFilledUp ? std::min(reading.batch, left) : reading.batch;
    }
  return readings.empty() ? 1 : static_cast<double>(examples);
}

/// Of a graph with summaries, where these are written: runs the first step by
/// the variant that computes them. No step for other graphs.
StatusOr<RunOutcome> GraphEvaluation::showFirstStep(
    const format::Graph &graph, const RunRequest &request,
    const Session::StepCallback &onStep, uint64_t trained) {
  const format::Graph *variant =
      options.summaries && options.summaries->hasWriter()
          ? findSummaryVariant(session.model().index(), graph)
          : nullptr;
  if (!variant)
    return RunOutcome();
  RunRequest first = request;
  first.graph = variant->name()->str();
  first.steps = 1;
  size_t asked = graph.fetches()->size();
  return session.runSteps(
      first,
      [&](const StepView &step) {
        options.summaries->addOps(
            *variant, step.some(asked, step.size() - asked), trained);
        return onStep(step.some(0, asked));
      },
      0);
}

StatusOr<std::map<std::string, double>> GraphEvaluation::run(uint64_t trained) {
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          session.chooseGraph(name));
  GRAPHC_TRY(beginPass());
  session.setPosition(graph->name()->str(), {});
  RunRequest request;
  request.graph = graph->name()->str();
  request.steps = readings.empty() ? 1 : 0;
  std::map<std::string, double> sums, last;
  int64_t steps = 0;
  double examples = 0;
  auto onStep = [&](const StepView &step) {
    double weight = examplesOf(steps++);
    examples += weight;
    for (size_t i = 0; i < step.size(); ++i) {
      if (!isFloatScalar(step.type(i)))
        continue;
      std::string fetch(step.name(i));
      if (soFar.contains(fetch))
        last[name + "/" + fetch] = scalarAt(step, i);
      else
        sums[name + "/" + fetch] += weight * scalarAt(step, i);
    }
    return !stopRequested();
  };
  GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                          showFirstStep(*graph, request, onStep, trained));
  bool isOver = outcome.steps > 0 && (request.steps == 1 ||
                                      outcome.end != RunOutcome::End::AllSteps);
  if (!isOver) {
    auto begun = static_cast<uint64_t>(outcome.steps);
    GRAPHC_ASSIGN_OR_RETURN(RunOutcome rest,
                            session.runSteps(request, onStep, begun));
    outcome.end = rest.end;
  }
  session.setPosition(graph->name()->str(), {});
  if (outcome.end == RunOutcome::End::Stopped)
    return cancelled("the evaluation was interrupted");
  for (auto &[metric, sum] : sums)
    sum /= std::max(1.0, examples);
  sums.merge(last);
  return sums;
}

} // namespace graphc::run
