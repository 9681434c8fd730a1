// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/ClusterTarget.h"

#include "runtime/base/Clock.h"
#include "runtime/base/StopSignal.h"
#include "runtime/base/Suggest.h"
#include "runtime/cluster/ChooseGraph.h"
#include "runtime/session/ClusterSession.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace graphc::run {

using namespace runtime;

namespace {

// The name of a checkpoint's text that says which steps it follows.
constexpr const char *kStepText = "step";
// How long a stop signal leaves to the step that is being done.
constexpr int64_t kSoftStopNanos = 1'000'000'000;

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
  cluster.deadlineNanos = toNanos(flags.deadlineSeconds);
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

/// Whether waiting for a task and a checkpoint can mend a failure. A task that
/// was started again while nobody looked lacks the plan, or values: what was
/// possible before (`wasFine`) is missing now.
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

class ClusterTarget final : public RunTarget {
public:
  ClusterTarget(std::unique_ptr<ClusterSession> session, ClusterPlace &place,
                const Options &options, std::optional<uint32_t> worker,
                StartGate::Pass &start)
      : session(std::move(session)), place(place), options(options),
        worker(worker), start(start) {}

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
  Status initialize() override { return session->initialize(); }
  Status load(const std::string &path) override { return session->load(path); }
  Status save(const std::string &path) override;
  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const StepCallback &onStep) override;
  int threads() const override { return 0; }
  void printMore(const format::Graph &graph, int64_t steps) const override;
  void addTo(nlohmann::ordered_json &json) const override;
  uint64_t lateGradients() const override {
    return session->outcome().lateGradients;
  }
  bool hasFirstValues() const override { return session->madeFirstValues(); }

private:
  /// One run of so many steps; `done` counts the steps since the run began.
  StatusOr<RunOutcome> runPart(const RunRequest &request, int64_t steps,
                               const StepCallback &onStep);
  StatusOr<RunOutcome> runParts(const RunRequest &request,
                                const StepCallback &onStep);
  Status writeCheckpoint();
  Status recover(const Status &loss);

  std::unique_ptr<ClusterSession> session;
  ClusterPlace &place;
  const Options &options;
  std::optional<uint32_t> worker;
  StartGate::Pass &start;

  std::string graph;            ///< of this run
  int64_t done = 0;             ///< steps of this run
  int64_t reported = 0;         ///< of them, seen by the caller
  std::optional<uint64_t> next; ///< step of the graph to go on at, from 0
  uint64_t firstStep = 0;       ///< of the graph, when this run began
  bool isInterrupted = false;
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
        if (done == 0 && reported == 0)
          firstStep = step.step() - 1;
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

Status ClusterTarget::writeCheckpoint() {
  const std::string &path = options.cluster.checkpointFile;
  if (path.empty())
    return Status::ok();
  return session->save(path, {{kStepText, std::to_string(done)}});
}

Status ClusterTarget::recover(const Status &loss) {
  std::fprintf(stderr, "graphc-run: %s\ngraphc-run: goes on from '%s'\n",
               loss.message().c_str(), options.cluster.checkpointFile.c_str());
  GRAPHC_TRY(place.restartDead());
  GRAPHC_TRY(session->recover());
  std::map<std::string, std::string> texts;
  GRAPHC_TRY(session->load(options.cluster.checkpointFile, &texts));
  const std::string &text = texts[kStepText];
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), done);
  if (error != std::errc() || end != text.data() + text.size())
    return failedPrecondition("'" + options.cluster.checkpointFile +
                              "' does not say which step it follows: it is no "
                              "checkpoint of --checkpoint");
  next = firstStep + static_cast<uint64_t>(done);
  return session->seekData(graph, static_cast<uint64_t>(done));
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
    if (isOver)
      return outcome;
    GRAPHC_TRY(writeCheckpoint());
  }
}

StatusOr<RunOutcome> ClusterTarget::runSteps(const RunRequest &request,
                                             const StepCallback &onStep) {
  GRAPHC_TRY(writeCheckpoint());
  // All are prepared before one may be done: whose gradients are wanted, but
  // has no more steps to make, is then known to be done.
  if (start.isExpected()) {
    GRAPHC_TRY(session->prepareSteps(request));
    start.enter();
  }
  graph = request.graph;
  int64_t recoveries = options.cluster.recoveries;
  StatusOr<RunOutcome> outcome = runParts(request, onStep);
  // A task may be lost again while this recovers.
  while (!outcome.isOk() && recoveries-- > 0 && !stopRequested() &&
         isLoss(outcome.status(), reported > 0)) {
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
  return std::unique_ptr<RunTarget>(
      new ClusterTarget(std::move(session), place, options, worker, start));
}

} // namespace graphc::run
