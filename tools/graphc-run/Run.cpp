// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/Run.h"

#include "runtime/base/StopSignal.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/state/GraphPorts.h"
#include "tools/graphc-run/Feeds.h"
#include "tools/graphc-run/RunOutputs.h"
#include "tools/graphc-run/StepReport.h"
#include "tools/graphc-run/debug/ValueDebugger.h"
#include "tools/graphc-run/monitor/Console.h"
#include "tools/graphc-run/monitor/RunMonitor.h"
#include "tools/graphc-run/summary/RunSummaries.h"
#include "tools/graphc-run/trace/TimelineTable.h"
#include "tools/graphc-run/trace/TracedStore.h"
#include "tools/graphc-run/train/TrainDriver.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>

namespace graphc::run {

using namespace runtime;

namespace {

using BoundDatasets = std::map<uint32_t, Session::BoundData>; ///< by number

/// Binds the data that the graph reads. Data of other datasets of the model are
/// left alone, so that one list of flags serves all graphs.
StatusOr<BoundDatasets> bindData(Session &session, const format::Graph &graph,
                                 const RunOptions &options) {
  std::set<uint32_t> used = datasetsOf(graph);
  const auto &datasets = *session.model().index().datasets();
  BoundDatasets bound;
  for (const NamedText &data : options.data) {
    auto isIt = [&](const format::Dataset *dataset) {
      return dataset->name()->string_view() == data.name;
    };
    auto found = std::find_if(datasets.begin(), datasets.end(), isIt);
    auto index = static_cast<uint32_t>(found - datasets.begin());
    if (index < datasets.size() && !used.count(index)) {
      printNote(options, "graph '" + graph.name()->str() +
                             "' does not read dataset '" + data.name + "'");
      continue;
    }
    GRAPHC_ASSIGN_OR_RETURN(bound[index],
                            session.bindDataset(data.name, data.text));
    const Session::BoundData &source = bound[index];
    if (source.droppedPerEpoch > 0)
      printNote(options, "dataset '" + data.name + "' leaves " +
                             std::to_string(source.droppedPerEpoch) + " of " +
                             std::to_string(source.examples) +
                             " examples out of each pass: they fill no batch");
  }
  return bound;
}

/// True when the graph has variables, all of which stay as they are: it
/// evaluates.
bool onlyReadsVariables(const format::Graph &graph) {
  bool reads = false, writes = false;
  for (const format::Program *program : *graph.programs()) {
    auto isVariable = [&](uint32_t slot) {
      return program->slots()->Get(slot)->kind() == format::SlotKind::Variable;
    };
    for (const format::Slot *slot : *program->slots())
      reads |= slot->kind() == format::SlotKind::Variable;
    for (const format::Instruction *instruction : *program->instructions())
      forEachWrite(*instruction,
                   [&](uint32_t slot) { writes |= isVariable(slot); });
  }
  return reads && !writes;
}

/// Steps until the first dataset of the graph ends; 0: there is no end.
int64_t stepsOfData(const Model &model, const format::Graph &graph,
                    const BoundDatasets &bound, const GraphPosition &position) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (uint32_t index : datasetsOf(graph)) {
    auto source = bound.find(index);
    int64_t repeat = model.index().datasets()->Get(index)->repeat();
    int64_t steps = 0;
    if (source != bound.end() && repeat > 0 &&
        !__builtin_mul_overflow(source->second.batchesPerEpoch, repeat,
                                &steps)) {
      // A run that goes on has had some of them; at their end they begin anew.
      auto data = position.data.find(
          model.index().datasets()->Get(index)->name()->str());
      if (data != position.data.end() &&
          data->second.batches < static_cast<uint64_t>(steps))
        steps -= static_cast<int64_t>(data->second.batches);
      least = std::min(least, steps);
    }
  }
  return least == std::numeric_limits<int64_t>::max() ? 0 : least;
}

/// Steps of so many passes over the dataset that has the fewest batches.
StatusOr<int64_t> stepsOfEpochs(int64_t epochs, const BoundDatasets &bound) {
  int64_t least = 0;
  for (const auto &[index, data] : bound)
    if (least == 0 || data.batchesPerEpoch < least)
      least = data.batchesPerEpoch;
  int64_t steps = 0;
  if (least == 0)
    return invalidArgument("--epochs counts passes over data, and the graph "
                           "reads none; give --steps");
  if (__builtin_mul_overflow(least, epochs, &steps))
    return invalidArgument("--epochs=" + std::to_string(epochs) +
                           " are more steps than can be counted");
  return steps;
}

/// First values, those of a checkpoint, or those of --load.
Status giveValues(CheckpointedRun &steps, Session &session,
                  const std::string &graph, const RunOptions &options) {
  const MatchOptions &match = options.train.match;
  bool goesOn = options.training && options.training->goesOn();
  if (options.loadFile.empty() || goesOn) {
    if (goesOn && !options.loadFile.empty())
      printNote(options, "--load is left out: '" + options.train.directory +
                             "' has checkpoints to go on from");
    return steps.initialize(graph);
  }
  if (!match.isPartial && match.renames.empty())
    return steps.load(options.loadFile);
  std::string table;
  Status status = steps.load(options.loadFile, match, table);
  if (!table.empty() && !options.isQuiet)
    console::printLine(stderr, table);
  return status;
}

StatusOr<RunOutcome> runSteps(RunTarget &target, const RunRequest &request,
                              int64_t plannedSteps, StepReport &report,
                              StepCounts &counts, const RunOptions &options) {
  TrainDriver *training = options.training.get();
  int64_t done = 0;
  catchStopSignals();
  StatusOr<RunOutcome> outcome =
      target.run().runSteps(request, [&](const StepView &step) {
        if (training)
          training->noteBegun();
        bool isStopped =
            stopRequested() || (training && !training->control().onStep(step));
        bool isLast = ++done == plannedSteps || isStopped;
        report.onStep(step, isLast);
        counts.onStep(step);
        if (options.summaries)
          options.summaries->onStep(step, isLast);
        return !isStopped;
      });
  if (outcome.status().code() != StatusCode::DeadlineExceeded ||
      target.session().hasTasks())
    return outcome;
  // As a run on a cluster prints it.
  return outcome.status().annotate(
      statusCodeName(StatusCode::DeadlineExceeded));
}

/// Prints or keeps what was recorded of the run, however it ended.
void takeTimeline(RunTarget &target, const format::Graph &graph,
                  const RunOptions &options) {
  if (options.traced.isEmpty())
    return;
  StatusOr<RunTimeline> timeline = target.timeline(graph);
  if (!timeline.isOk())
    return printNote(
        options,
        options.label + "of graph '" + graph.name()->str() +
            "' nothing is in the profile: " + timeline.status().message());
  if (options.trace)
    options.trace->add(target.session().model(), graph, *timeline);
  else if (target.session().hasTasks())
    printTimeline(target.session().model(), graph, *timeline);
}

Status writeOutputs(RunTarget &target, const format::Graph &graph,
                    const RunOptions &options, const StepReport &report,
                    bool isInterrupted) {
  if (!options.saveFile.empty())
    GRAPHC_TRY(target.run().save(options.saveFile));
  if (!options.outDir.empty())
    GRAPHC_TRY(writeResults(options.outDir, report.results()));
  if (options.jsonFile.empty())
    return Status::ok();
  nlohmann::ordered_json json;
  json["model"] = options.model;
  json["graph"] = graph.name()->str();
  json["steps"] = report.steps();
  json["seed"] = options.seed;
  if (target.threads() > 0)
    json["threads"] = target.threads();
  if (isInterrupted)
    json["interrupted"] = true;
  report.addTo(json);
  if (options.debugger)
    options.debugger->addTo(json);
  target.addTo(graph, report.steps(), json);
  return writeJson(options.jsonFile, json);
}

} // namespace

void printNote(const RunOptions &options, const std::string &text) {
  if (!options.isQuiet)
    console::printLine(stderr, "graphc-run: note: " + text);
}

CheckpointOptions checkpointOptions(const RunOptions &options) {
  CheckpointOptions how;
  how.file = options.checkpointFile;
  how.everySteps = options.checkpointEvery;
  how.recoveries = options.cluster.recoveries;
  how.isAnew = options.isInit;
  how.isStopRequested = stopRequested;
  if (options.training)
    options.training->addTo(how, options);
  if (options.summaries)
    options.summaries->addTo(how);
  if (options.monitor)
    how.counts = {options.monitor, &options.monitor->checkpoints()};
  if (options.trace && !how.store && !how.file.empty())
    how.store = checkpointFile(how.file);
  if (options.trace && how.store)
    how.store = tracedStore(how.store, options.trace);
  if (!options.isQuiet)
    how.note = [label = options.label](const std::string &text) {
      console::printLine(stderr, "graphc-run: " + label + text);
    };
  return how;
}

StatusOr<int> run(RunTarget &target, const RunOptions &options) {
  Session &session = target.session();
  CheckpointedRun &steps = target.run();
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          session.chooseGraph(options.graph));
  if (options.debug.listsValues) {
    ValueDebugger::printNames(session.model(), *graph);
    return 0;
  }
  if (options.debugger)
    GRAPHC_TRY(options.debugger->begin(
        session.model(), *graph,
        [&](const std::string &text) { printNote(options, text); }));
  RunRequest request;
  request.graph = graph->name()->str();
  request.fetches = options.fetches;
  GRAPHC_ASSIGN_OR_RETURN(request.feeds, readFeeds(*graph, options.feeds));
  GRAPHC_TRY(session.checkRequest(request));
  GRAPHC_TRY(prepareOutputs(options));
  GRAPHC_ASSIGN_OR_RETURN(BoundDatasets bound,
                          bindData(session, *graph, options));
  GRAPHC_TRY(giveValues(steps, session, request.graph, options));
  if (options.training)
    GRAPHC_TRY(options.training->prepareEvaluation(session, *graph, options));

  if (session.madeFirstValues() && onlyReadsVariables(*graph))
    printNote(options, "the variables of graph '" + request.graph +
                           "' have their first values, which nothing has "
                           "trained; --load=FILE takes those of a --save");
  int64_t dataSteps = stepsOfData(session.model(), *graph, bound,
                                  session.position(request.graph));
  bool readsData = !datasetsOf(*graph).empty();
  request.steps = options.steps.value_or(readsData ? 0 : 1);
  if (options.train.epochs > 0) {
    GRAPHC_ASSIGN_OR_RETURN(request.steps,
                            stepsOfEpochs(options.train.epochs, bound));
  }
  int64_t planned = std::max<int64_t>(0, request.steps - steps.stepsDone());
  if (dataSteps && (request.steps == 0 || dataSteps < planned))
    planned = dataSteps;
  if (options.summaries)
    options.summaries->begin(session, *graph);
  int64_t examples = examplesPerStep(session.model(), *graph);
  StepReport report(options, planned, examples, session.hasTasks());
  StepCounts counts(options.monitor, request.graph, examples);
  StatusOr<RunOutcome> ended =
      runSteps(target, request, planned, report, counts, options);
  takeTimeline(target, *graph, options);
  GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome, std::move(ended));
  report.finish();
  target.printMore(*graph, outcome.steps);
  std::string why = options.training ? options.training->control().why() : "";
  bool isInterrupted = outcome.end == RunOutcome::End::Stopped && why.empty();
  GRAPHC_TRY(writeOutputs(target, *graph, options, report, isInterrupted));
  if (options.summaries) {
    options.summaries->addTimes(target.times(*graph, outcome.steps));
    GRAPHC_TRY(options.summaries->finish());
  }
  std::string made = std::to_string(outcome.steps);
  if (isInterrupted) {
    std::fprintf(stderr, "graphc-run: interrupted after step %s\n",
                 made.c_str());
    return kExitInterrupted;
  }
  if (options.training)
    GRAPHC_TRY(
        options.training->noteEnd("after step " + made + ": " +
                                  (!why.empty() ? why
                                   : outcome.end == RunOutcome::End::EndOfData
                                       ? "its data are at their end"
                                       : "all its steps are made")));
  if (!why.empty())
    printNote(options, "the training ends after step " + made + ": " + why);
  if (outcome.end == RunOutcome::End::EndOfData && options.steps)
    printNote(options,
              (outcome.why.empty() ? "the data ended after step "
                                   : options.label + "ended after step ") +
                  made + " of " + std::to_string(*options.steps) +
                  (outcome.why.empty() ? "" : ": " + outcome.why));
  return 0;
}

} // namespace graphc::run
