// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/Run.h"

#include "runtime/base/StopSignal.h"
#include "runtime/base/Suggest.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/session/Session.h"
#include "tools/graphc-run/Feeds.h"
#include "tools/graphc-run/Outputs.h"
#include "tools/graphc-run/StepReport.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace graphc::run {

using namespace runtime;

namespace {

void printNote(const Options &options, const std::string &text) {
  if (!options.isQuiet)
    std::fprintf(stderr, "graphc-run: note: %s\n", text.c_str());
}

SessionOptions sessionOptions(const Options &options) {
  SessionOptions session;
  session.threads = options.threads;
  session.seed = options.seed;
  session.cpuLevel = options.cpuLevel;
  session.numerics.policy = options.nan;
  session.numerics.checkAll = options.checkNumerics;
  session.isProfiled = options.isProfiled;
  session.virtualGpus = options.virtualGpus;
  session.numerics.warn = [](const std::string &text) {
    std::fprintf(stderr, "graphc-run: warning: %s\n", text.c_str());
  };
  return session;
}

StatusOr<const format::Graph *> chooseGraph(const Model &model,
                                            const std::string &name) {
  if (!name.empty())
    return findGraph(model, name);
  std::vector<std::string> graphs = userGraphs(model);
  if (graphs.size() == 1)
    return findGraph(model, graphs[0]);
  if (graphs.empty())
    return notFound("'" + model.name() + "' has no graph to run");
  return invalidArgument("'" + model.name() + "' has the graphs " +
                         quotedList(graphs) +
                         "; choose one with --graph=" + graphs[0]);
}

/// Binds the data that the graph reads. Data of other datasets of the model are
/// left alone, so that one list of flags serves all graphs.
Status bindData(Session &session, const format::Graph &graph,
                const Options &options) {
  std::set<uint32_t> used = datasetsOf(graph);
  const auto &datasets = *session.model().index().datasets();
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
    GRAPHC_TRY(session.bindDataset(data.name, data.text));
    const DataSource &source = *session.dataset(index);
    if (source.droppedPerEpoch() > 0)
      printNote(options, "dataset '" + data.name + "' leaves " +
                             std::to_string(source.droppedPerEpoch()) + " of " +
                             std::to_string(source.examples()) +
                             " examples out of each pass: they fill no batch");
  }
  return Status::ok();
}

/// Steps until the first dataset of the graph ends; 0: there is no end.
int64_t stepsOfData(const Session &session, const format::Graph &graph) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (uint32_t index : datasetsOf(graph)) {
    const DataSource *source = session.dataset(index);
    int64_t repeat = session.model().index().datasets()->Get(index)->repeat();
    int64_t steps = 0;
    if (source && repeat > 0 &&
        !__builtin_mul_overflow(source->batchesPerEpoch(), repeat, &steps))
      least = std::min(least, steps);
  }
  return least == std::numeric_limits<int64_t>::max() ? 0 : least;
}

StatusOr<RunOutcome> runSteps(Session &session, const RunRequest &request,
                              int64_t plannedSteps, StepReport &report) {
  int64_t done = 0;
  catchStopSignals();
  return session.runSteps(request, [&](const StepView &step) {
    bool isStopped = stopRequested();
    report.onStep(step, ++done == plannedSteps || isStopped);
    return !isStopped;
  });
}

/// The instructions of the graph, what each took per step and of the whole.
void printProfile(const Session &session, const format::Graph &graph,
                  int64_t steps) {
  std::vector<Session::InstructionTime> times =
      session.profile(graph.name()->string_view());
  double sum = 0;
  for (const Session::InstructionTime &time : times)
    sum += time.seconds;
  std::fprintf(stderr, "%10s %6s  instruction\n", "us/step", "%");
  double perStep = steps > 1 ? 1e6 / static_cast<double>(steps - 1) : 0;
  const format::Program *program = nullptr;
  for (const Session::InstructionTime &time : times) {
    if (graph.programs()->size() > 1 && time.program != program)
      std::fprintf(stderr, "%s:\n", time.program->device()->c_str());
    program = time.program;
    const auto *name = time.instruction->name();
    std::fprintf(stderr, "%10.1f %6.1f  #%u %s\n", time.seconds * perStep,
                 sum > 0 ? 100 * time.seconds / sum : 0, time.number,
                 name ? name->c_str() : "");
  }
  std::fprintf(stderr, "%10.1f %6.1f  all\n", sum * perStep, 100.0);
}

Status writeOutputs(const Session &session, const format::Graph &graph,
                    const Options &options, const StepReport &report,
                    bool isInterrupted) {
  if (!options.saveFile.empty())
    GRAPHC_TRY(session.save(options.saveFile));
  if (!options.outDir.empty())
    GRAPHC_TRY(writeResults(options.outDir, report.results()));
  if (options.jsonFile.empty())
    return Status::ok();
  nlohmann::ordered_json json;
  json["model"] = options.model;
  json["graph"] = graph.name()->str();
  json["steps"] = report.steps();
  json["seed"] = options.seed;
  json["threads"] = session.threads();
  if (isInterrupted)
    json["interrupted"] = true;
  report.addTo(json);
  return writeJson(options.jsonFile, json);
}

} // namespace

StatusOr<int> run(const Options &options) {
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<Session> session,
      Session::open(options.model, sessionOptions(options)));
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          chooseGraph(session->model(), options.graph));
  RunRequest request;
  request.graph = graph->name()->str();
  request.fetches = options.fetches;
  GRAPHC_ASSIGN_OR_RETURN(request.feeds, readFeeds(*graph, options.feeds));
  GRAPHC_TRY(session->checkRequest(request));
  GRAPHC_TRY(prepareOutputs(options));
  GRAPHC_TRY(bindData(*session, *graph, options));
  GRAPHC_TRY(options.loadFile.empty() ? session->initialize()
                                      : session->load(options.loadFile));

  int64_t dataSteps = stepsOfData(*session, *graph);
  bool readsData = !datasetsOf(*graph).empty();
  request.steps = options.steps.value_or(readsData ? 0 : 1);
  int64_t planned = request.steps;
  if (dataSteps && (planned == 0 || dataSteps < planned))
    planned = dataSteps;
  StepReport report(options, planned,
                    examplesPerStep(session->model(), *graph));
  GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                          runSteps(*session, request, planned, report));
  report.finish();
  if (options.isProfiled)
    printProfile(*session, *graph, outcome.steps);
  bool isInterrupted = outcome.end == RunOutcome::End::Stopped;
  GRAPHC_TRY(writeOutputs(*session, *graph, options, report, isInterrupted));
  std::string steps = std::to_string(outcome.steps);
  if (isInterrupted) {
    std::fprintf(stderr, "graphc-run: interrupted after step %s\n",
                 steps.c_str());
    return kExitInterrupted;
  }
  if (outcome.end == RunOutcome::End::EndOfData && options.steps)
    printNote(options, "the data ended after step " + steps + " of " +
                           std::to_string(*options.steps));
  return 0;
}

} // namespace graphc::run
