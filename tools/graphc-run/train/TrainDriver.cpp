// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/train/TrainDriver.h"

#include "runtime/base/Clock.h"
#include "runtime/base/StopSignal.h"
#include "runtime/format/ModelNames.h"
#include "runtime/state/GraphPorts.h"
#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/monitor/Console.h"
#include "tools/graphc-run/monitor/RunMonitor.h"
#include "tools/graphc-run/summary/RunSummaries.h"
#include "tools/graphc-run/trace/TraceCollector.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace graphc::run {

using namespace runtime;

namespace {

TrainLimits limitsOf(const TrainFlags &flags) {
  TrainLimits limits;
  limits.seconds = flags.maxSeconds;
  limits.stopFile = flags.directory + "/STOP";
  limits.target = flags.target;
  limits.targetValue = flags.targetValue;
  limits.best = flags.best;
  limits.patience = flags.patience;
  if (flags.evalEvery > 0)
    limits.evaluations = flags.directory + "/evaluations.jsonl";
  return limits;
}

std::string datasetName(const Model &model, uint32_t index) {
  return model.index().datasets()->Get(index)->name()->str();
}

} // namespace

TrainDriver::TrainDriver(const RunOptions &options)
    : directory(options.train.directory), limits(limitsOf(options.train)) {}

StatusOr<std::shared_ptr<TrainDriver>>
TrainDriver::open(const RunOptions &options) {
  std::string stop = options.train.directory + "/STOP";
  std::error_code error;
  if (std::filesystem::exists(stop, error))
    return failedPrecondition("'" + stop +
                              "' is there, which ends a training: remove it "
                              "to go on");
  return std::shared_ptr<TrainDriver>(new TrainDriver(options));
}

Status TrainDriver::openStore(const RunOptions &options) {
  TrainStoreOptions how;
  how.keeps = options.train.keeps;
  how.seed = options.seed;
  how.metrics = [this] { return limits.metrics(); };
  if (options.monitor)
    how.counts = {options.monitor, &options.monitor->checkpoints()};
  how.note = [&options](const std::string &text) {
    if (!options.isQuiet)
      console::printLine(stderr, "graphc-run: " + text);
  };
  if (options.trace)
    how.onWritten = [trace = options.trace](int64_t begin, int64_t end) {
      trace->addSpan("checkpoint files", "write", begin, end);
    };
  GRAPHC_ASSIGN_OR_RETURN(
      store, TrainStore::open(options.train.directory, std::move(how)));
  return Status::ok();
}

Status TrainDriver::noteEnd(const std::string &reason) {
  return store ? store->markEnd(reason) : Status::ok();
}

bool TrainDriver::mustStopNow() {
  constexpr int64_t kPatience = 20'000'000'000;
  if (!stopRequested() || !hasBegun.load(std::memory_order_relaxed))
    return stopRequested();
  int64_t now = nowNanos(), none = 0;
  stopNanos.compare_exchange_strong(none, now);
  return now - stopNanos.load() > kPatience;
}

void TrainDriver::addTo(CheckpointOptions &how, const RunOptions &options) {
  how.store = store;
  how.everySteps = options.train.saveSteps;
  how.everySeconds = how.everySteps > 0 ? 0 : options.train.saveSeconds;
  how.stopsWhole = true;
  how.isOneRun = true;
  how.evaluateEvery = options.train.evalEvery;
  how.evaluate = [this, &options](uint64_t step) {
    return evaluate(step, options);
  };
}

Status TrainDriver::prepareEvaluation(Session &opened,
                                      const format::Graph &trained,
                                      const RunOptions &options) {
  GRAPHC_TRY(limits.resume(opened.position(trained.name()->str()).step));
  if (options.train.evalEvery == 0)
    return Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          opened.chooseGraph(options.train.evalGraph));
  std::set<uint32_t> reads = datasetsOf(trained);
  for (uint32_t index : datasetsOf(*graph)) {
    std::string name = datasetName(opened.model(), index);
    if (reads.count(index))
      return invalidArgument("graph '" + options.train.evalGraph +
                             "' reads dataset '" + name +
                             "', which the training reads as well, so that "
                             "each would take examples from the other; "
                             "declare a dataset of its own for it");
    if (opened.model().index().datasets()->Get(index)->repeat() == 0)
      return invalidArgument("dataset '" + name + "' of graph '" +
                             options.train.evalGraph +
                             "' has no end, so that an evaluation would have "
                             "none; declare it with repeat = 1");
  }
  evaluation = std::make_unique<GraphEvaluation>(
      opened, options.train.evalGraph, options);
  return Status::ok();
}

StatusOr<bool> TrainDriver::evaluate(uint64_t step, const RunOptions &options) {
  using Metrics = std::map<std::string, double>;
  GRAPHC_ASSIGN_OR_RETURN(Metrics metrics, evaluation->run(step));
  if (!options.isQuiet) {
    console::printLine(stdout, options.label + "step " + std::to_string(step) +
                                   ": " + metricsText(metrics));
  }
  if (options.summaries)
    options.summaries->addMetrics(metrics, step);
  return limits.onEvaluation(step, metrics);
}

std::string metricsText(const std::map<std::string, double> &metrics) {
  std::string text;
  for (const auto &[name, value] : metrics) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.6g", value);
    text += (text.empty() ? "" : ", ") + name + " = " + number;
  }
  return text;
}

} // namespace graphc::run
