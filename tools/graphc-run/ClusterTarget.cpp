// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/ClusterTarget.h"

#include "runtime/base/Clock.h"
#include "runtime/base/StopSignal.h"
#include "runtime/base/Suggest.h"
#include "runtime/session/ClusterSession.h"
#include "runtime/state/ChooseGraph.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace graphc::run {

using namespace runtime;

namespace {

// The name of a checkpoint's text that says how many steps its run had done.
constexpr const char *kStepText = "step";
// ... and that these were all.
constexpr const char *kCompleteText = "complete";
// How long a stop signal leaves to the step that is being done.
constexpr int64_t kSoftStopNanos = 1'000'000'000;

/// "step 500": how many steps of a graph are done.
std::string stepText(uint64_t step) { return "step " + std::to_string(step); }

int64_t toNanos(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

ClusterOptions clusterOptions(const Options &options,
                              std::optional<uint32_t> worker, bool isChief) {
  ClusterOptions cluster;
  const ClusterFlags &flags = options.cluster;
  ClientOptions &client = cluster.client;
  client.worker = worker;
  if (!options.graph.empty())
    client.graphs = {options.graph};
  client.isChief = isChief;
  client.seed = options.seed;
  client.nanPolicy = static_cast<uint32_t>(options.nan);
  client.checkNumerics = options.checkNumerics;
  client.virtualGpus = options.virtualGpus;
  if (options.cpuLevel)
    client.cpuLevel = cpuLevelName(*options.cpuLevel);
  cluster.dividesData = !flags.wholeData;
  client.stallNanos = toNanos(flags.stallSeconds);
  cluster.deadlineNanos = flags.deadlineNanos();
  if (cluster.deadlineNanos > 0) {
    client.openNanos = std::min(client.openNanos, cluster.deadlineNanos);
    client.controlNanos = std::min(client.controlNanos, cluster.deadlineNanos);
  }
  if (!options.isQuiet)
    cluster.onStatus = [label = options.label](std::string_view text) {
      if (!text.empty())
        std::fprintf(stderr, "graphc-run: %s%.*s\n", label.c_str(),
                     static_cast<int>(text.size()), text.data());
    };
  cluster.isStopRequested = stopRequested;
  cluster.stopGraceNanos = kSoftStopNanos;
  return cluster;
}

class ClusterTarget final : public RunTarget {
public:
  ClusterTarget(std::unique_ptr<ClusterSession> session, ClusterPlace &place,
                const Options &options, std::optional<uint32_t> worker,
                StartGate::Pass &start, bool isChief)
      : session(std::move(session)), place(place), options(options),
        worker(worker), start(start), isChief(isChief) {}

  const Model &model() const override { return session->model(); }
  StatusOr<const format::Graph *>
  chooseGraph(const std::string &name) const override;
  Status checkRequest(const RunRequest &request) const override {
    return session->checkRequest(request);
  }
  StatusOr<BoundData> bindDataset(const std::string &name,
                                  const std::string &files) override {
    GRAPHC_ASSIGN_OR_RETURN(protocol::Reply::Bound bound,
                            session->bindDataset(name, files));
    return BoundData{bound.examples(), bound.batches_per_epoch(),
                     bound.dropped_per_epoch()};
  }
  Status initialize(const std::string &graph) override;
  Status load(const std::string &path) override;
  Status save(const std::string &path) override;
  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const StepCallback &onStep) override;
  int threads() const override { return 0; }
  GraphPosition position(const std::string &graph) const override {
    return session->position(graph);
  }
  int64_t stepsDone() const override { return done; }
  void printMore(const format::Graph &graph, int64_t steps) const override;
  void addTo(nlohmann::ordered_json &json) const override;
  uint64_t lateGradients() const override {
    return session->outcome().lateGradients;
  }
  bool hasBegun() const override { return isRunning; }
  bool hasFirstValues() const override { return session->madeFirstValues(); }

private:
  /// One run of so many steps; `done` counts the steps since the run began.
  StatusOr<RunOutcome> runPart(const RunRequest &request, int64_t steps,
                               const StepCallback &onStep);
  StatusOr<RunOutcome> runParts(const RunRequest &request,
                                const StepCallback &onStep);
  Status chooseValues(const std::string &graph);
  Status goOnFrom(const std::string &path, const std::string &graph);
  StatusOr<std::optional<int64_t>> stepsOfRun(const std::string &path,
                                              uint64_t reached) const;
  Status goOnFromValues(const std::string &graph, const GraphPosition &saved);
  std::string doneText() const;
  Status writeCheckpoint(bool isComplete);
  Status recover(const Status &loss);
  void note(const std::string &text) const;

  std::unique_ptr<ClusterSession> session;
  ClusterPlace &place;
  const Options &options;
  std::optional<uint32_t> worker;
  StartGate::Pass &start;
  const bool isChief;

  std::string graph;            ///< of this run
  int64_t done = 0;             ///< steps of this run
  int64_t reported = 0;         ///< of them, seen by the caller
  std::optional<uint64_t> next; ///< step of the graph to go on at, from 0
  uint64_t firstStep = 0;       ///< of the graph, when this run began
  bool isWhole = false;         ///< the checkpoint has what the variables have
  bool isInterrupted = false;
  bool isRunning = false; ///< steps were asked for
};

StatusOr<const format::Graph *>
ClusterTarget::chooseGraph(const std::string &name) const {
  if (!name.empty())
    return runtime::chooseGraph(model(), name, worker);
  std::vector<std::string> graphs = sourceGraphs(model());
  if (graphs.size() == 1)
    return runtime::chooseGraph(model(), graphs[0], worker);
  if (graphs.empty())
    return notFound("'" + model().name() + "' has no graph to run");
  return invalidArgument("'" + model().name() + "' has the graphs " +
                         quotedList(graphs) +
                         "; choose one with --graph=" + graphs[0]);
}

Status ClusterTarget::save(const std::string &path) {
  if (!isInterrupted)
    return session->save(path);
  // Tasks stop where they are, which need not be the same step.
  std::fprintf(stderr,
               "graphc-run: note: '%s' is not written: the run was interrupted "
               "within a step%s\n",
               path.c_str(),
               options.cluster.checkpointFile.empty()
                   ? "; --checkpoint-every keeps whole ones"
                   : "; the last checkpoint is whole");
  return Status::ok();
}

StatusOr<RunOutcome> ClusterTarget::runPart(const RunRequest &request,
                                            int64_t steps,
                                            const StepCallback &onStep) {
  RunRequest part = request;
  part.steps = steps;
  StatusOr<RunOutcome> outcome = session->runSteps(
      part,
      [&](const StepView &step) {
        isWhole = false;
        next = step.step();
        // Steps that are done again after a loss were seen before.
        if (++done <= reported)
          return !stopRequested();
        reported = done;
        return onStep(step);
      },
      next);
  return outcome;
}

void ClusterTarget::note(const std::string &text) const {
  if (!options.isQuiet)
    std::fprintf(stderr, "graphc-run: %s%s\n", options.label.c_str(),
                 text.c_str());
}

/// How many of its steps a run had done when it wrote the checkpoint, after so
/// many of the graph; nothing: all, and what follows is another run.
StatusOr<std::optional<int64_t>>
ClusterTarget::stepsOfRun(const std::string &path, uint64_t reached) const {
  GRAPHC_ASSIGN_OR_RETURN(SafetensorsMetadata texts,
                          readSafetensorsMetadata(path));
  if (texts.count(kCompleteText))
    return std::optional<int64_t>();
  const std::string &text = texts[kStepText];
  uint64_t steps = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error != std::errc() || end != text.data() + text.size() ||
      steps > reached)
    return dataLoss("'" + path +
                    "' does not say how many steps its run had "
                    "done; use another checkpoint, or begin from its values "
                    "with --load");
  return std::optional<int64_t>(static_cast<int64_t>(steps));
}

/// ", with 20 of its steps done": of a run that was begun before.
std::string ClusterTarget::doneText() const {
  return done == 0 ? ""
                   : ", with " + std::to_string(done) + " of its steps done";
}

/// A run that goes on from a checkpoint of one that did not end is the same
/// run, begun again: its steps before count.
Status ClusterTarget::goOnFrom(const std::string &path,
                               const std::string &graph) {
  GRAPHC_TRY(session->load(path));
  next = session->position(graph).step;
  GRAPHC_ASSIGN_OR_RETURN(std::optional<int64_t> before,
                          stepsOfRun(path, *next));
  done = before.value_or(0);
  reported = done;
  isWhole = true;
  note("goes on from '" + path + "', after " + stepText(*next) + doneText());
  return Status::ok();
}

/// Servers have done more than the checkpoint has: the examples are those that
/// follow, as if one run had done it all.
Status ClusterTarget::goOnFromValues(const std::string &graph,
                                     const GraphPosition &saved) {
  GraphPosition position = saved;
  position.step = session->position(graph).step;
  for (auto &[dataset, data] : position.data)
    data.batches += (position.step - saved.step) *
                    (saved.step > 0 ? data.batches / saved.step : 0);
  session->setPosition(graph, position);
  next = position.step;
  GRAPHC_ASSIGN_OR_RETURN(
      std::optional<int64_t> before,
      stepsOfRun(options.cluster.checkpointFile, saved.step));
  if (before)
    done = *before + static_cast<int64_t>(position.step - saved.step);
  reported = done;
  note("the servers' variables are those after " + stepText(*next) +
       ", later than '" + options.cluster.checkpointFile + "' (" +
       stepText(saved.step) + "): goes on from them" + doneText());
  return Status::ok();
}

Status ClusterTarget::initialize(const std::string &graph) {
  GRAPHC_TRY(chooseValues(graph));
  if (isChief)
    for (const std::string &name : sourceGraphs(model()))
      if (session->endedWithinStep(name))
        note("note: the last run of graph '" + name +
             "' ended within a step, with the variables at " +
             session->tasksBehind(name) +
             "; --load=FILE goes on from whole values, --init makes them "
             "anew");
  return Status::ok();
}

/// Nothing that there is gets lost to something younger: the later of the
/// servers' values and the checkpoint counts, if there is any.
Status ClusterTarget::chooseValues(const std::string &graph) {
  const std::string &path = options.cluster.checkpointFile;
  std::error_code error;
  if (!isChief || options.isInit || path.empty() ||
      !std::filesystem::exists(path, error))
    return session->initialize(options.isInit);
  GRAPHC_ASSIGN_OR_RETURN(std::optional<Positions> positions,
                          positionsOf(path));
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen, chooseGraph(graph));
  if (!positions || !positions->count(chosen->name()->str()))
    return failedPrecondition(
        "'" + path + "' does not say after which step of graph '" + graph +
        "' it was written, so it is not overwritten; name another file with "
        "--checkpoint (--load=" +
        path + " begins from its values), or give --init to begin anew");
  const GraphPosition &saved = (*positions)[chosen->name()->str()];
  Status status = session->initialize();
  if (!status.isOk() && status.code() != StatusCode::FailedPrecondition)
    return status;
  if (!status.isOk())
    note(status.message());
  else if (!session->madeFirstValues() && !session->endedWithinStep(graph) &&
           session->position(graph).step > saved.step)
    return goOnFromValues(graph, saved);
  return goOnFrom(path, graph);
}

Status ClusterTarget::load(const std::string &path) {
  const std::string &checkpoint = options.cluster.checkpointFile;
  std::error_code error;
  if (!checkpoint.empty() && std::filesystem::exists(checkpoint, error) &&
      !std::filesystem::equivalent(path, checkpoint, error))
    return failedPrecondition(
        "'" + checkpoint + "' exists, and a run that --load begins from '" +
        path +
        "' would overwrite it; leave --load out to go on from it, name "
        "another --checkpoint, or remove it");
  return session->load(path);
}

/// `isComplete`: the run has done all its steps.
Status ClusterTarget::writeCheckpoint(bool isComplete) {
  const std::string &path = options.cluster.checkpointFile;
  if (path.empty() || (isWhole && !isComplete) || !isChief)
    return Status::ok();
  SafetensorsMetadata texts = {{kStepText, std::to_string(done)}};
  if (isComplete)
    texts[kCompleteText] = "true";
  GRAPHC_TRY(session->save(path, texts));
  isWhole = true;
  return Status::ok();
}

/// Where updates have an order, what living tasks have is whole, and only lost
/// values are a reason to go back; in one graph for all workers, tasks may have
/// ended at different steps. A client that is not the chief waits for it.
Status ClusterTarget::recover(const Status &loss) {
  note(loss.message());
  place.replaceStopped();
  GRAPHC_TRY(session->recover());
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen, chooseGraph(graph));
  bool isOrdered = chosen->instance() && chosen->instance()->coordination() !=
                                             format::Coordination::None;
  if (isOrdered || !isChief) {
    Status status = session->initialize();
    if (status.isOk()) {
      GRAPHC_TRY(session->goOn(graph));
      uint64_t reached = session->position(graph).step;
      // Another client loads them: whether they were lost is its to say.
      note("goes on after " + stepText(reached) +
           (isChief ? ""
                    : "; variables that a server had lost are those of the "
                      "chief's checkpoint"));
      next = reached;
      done = reported = static_cast<int64_t>(reached - firstStep);
      return status;
    }
    if (!isChief || status.code() != StatusCode::FailedPrecondition)
      return status;
  }
  const std::string &path = options.cluster.checkpointFile;
  GRAPHC_TRY(session->load(path));
  next = session->position(graph).step;
  done = static_cast<int64_t>(*next - firstStep);
  isWhole = true;
  note("goes on from '" + path + "', after " + stepText(*next));
  return Status::ok();
}

StatusOr<RunOutcome> ClusterTarget::runParts(const RunRequest &request,
                                             const StepCallback &onStep) {
  int64_t every = options.cluster.checkpointEvery;
  while (true) {
    int64_t left = request.steps == 0 ? 0 : request.steps - done;
    int64_t steps = every > 0 && (left == 0 || every < left) ? every : left;
    GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                            runPart(request, steps, onStep));
    outcome.steps = done;
    isInterrupted = outcome.end == RunOutcome::End::Stopped;
    bool isOver = outcome.end != RunOutcome::End::AllSteps ||
                  (request.steps > 0 && done >= request.steps);
    if (!isInterrupted)
      GRAPHC_TRY(writeCheckpoint(isOver));
    if (isOver)
      return outcome;
  }
}

StatusOr<RunOutcome> ClusterTarget::runSteps(const RunRequest &request,
                                             const StepCallback &onStep) {
  graph = request.graph;
  uint64_t reached = session->position(graph).step;
  firstStep = reached - static_cast<uint64_t>(done);
  if (!options.cluster.checkpointFile.empty())
    session->setPosition(graph, session->position(graph));
  GRAPHC_TRY(writeCheckpoint(false));
  if (request.steps > 0 && done >= request.steps) {
    note("nothing is left of --steps=" + std::to_string(request.steps) + ": " +
         stepText(reached) +
         " is done; a larger number goes on, --init "
         "begins anew");
    start.giveUp();
    return RunOutcome{};
  }
  // All are prepared before one may be done: whose gradients are wanted, but
  // has no more steps to make, is then known to be done.
  if (start.isExpected()) {
    GRAPHC_TRY(session->prepareSteps(request));
    start.enter();
  }
  int64_t recoveries = options.cluster.recoveries;
  isRunning = true;
  StatusOr<RunOutcome> outcome = runParts(request, onStep);
  // A task may be lost again while this recovers.
  while (
      !outcome.isOk() && recoveries-- > 0 && !stopRequested() &&
      (isLoss(outcome.status(), reported > 0) || place.replaceStopped() > 0)) {
    Status recovered = recover(outcome.status());
    outcome = recovered.isOk() ? runParts(request, onStep)
                               : StatusOr<RunOutcome>(recovered);
  }
  session->endRuns();
  return outcome;
}

void ClusterTarget::printMore(const format::Graph &graph, int64_t steps) const {
  const ClientMachine::Outcome &outcome = session->outcome();
  if (options.isQuiet)
    return;
  if (options.label.empty()) // else once for all workers
    printLateGradients(outcome.lateGradients);
  for (const auto &staleness : outcome.staleness) {
    if (worker && staleness.worker() != std::to_string(*worker))
      continue;
    std::string text;
    for (int i = 0; i < staleness.counts_size(); ++i)
      if (staleness.counts(i) > 0)
        text +=
            " " + std::to_string(i) + ":" + std::to_string(staleness.counts(i));
    if (!text.empty())
      std::fprintf(stderr, "graphc-run: note: updates of worker %s by age:%s\n",
                   staleness.worker().c_str(), text.c_str());
  }
}

void ClusterTarget::addTo(nlohmann::ordered_json &json) const {
  const ClientMachine::Outcome &outcome = session->outcome();
  if (worker)
    json["worker"] = *worker;
  if (outcome.lateGradients > 0)
    json["late_gradients"] = outcome.lateGradients;
  for (const auto &staleness : outcome.staleness)
    json["staleness"][staleness.worker()] = std::vector<uint64_t>(
        staleness.counts().begin(), staleness.counts().end());
}

} // namespace

bool isLoss(const Status &status, bool wasFine) {
  switch (status.code()) {
  case StatusCode::Unavailable:
  case StatusCode::Aborted:
    return true;
  case StatusCode::NotFound:
  case StatusCode::FailedPrecondition:
    return wasFine;
  default:
    return false;
  }
}

void printLateGradients(uint64_t count) {
  if (count > 0)
    std::fprintf(stderr, "graphc-run: note: %llu late gradients were dropped\n",
                 static_cast<unsigned long long>(count));
}

StatusOr<std::unique_ptr<RunTarget>>
openClusterTarget(std::shared_ptr<const Model> plan, ClusterPlace &place,
                  const Options &options, std::optional<uint32_t> worker,
                  bool isChief, StartGate::Pass &start) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TaskConnector> connector,
                          place.connect());
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<ClusterSession> session,
      ClusterSession::open(std::move(plan), place.cluster(),
                           std::move(connector),
                           clusterOptions(options, worker, isChief)));
  return std::unique_ptr<RunTarget>(new ClusterTarget(
      std::move(session), place, options, worker, start, isChief));
}

} // namespace graphc::run
