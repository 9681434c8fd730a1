// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/ClusterTarget.h"

#include "runtime/base/StopSignal.h"
#include "runtime/state/ChooseGraph.h"
#include "tools/graphc-run/monitor/Console.h"
#include "tools/graphc-run/train/TrainDriver.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace graphc::run {

using namespace runtime;

namespace {

// How long a stop signal leaves to the step that is being done.
constexpr int64_t kSoftStopNanos = 1'000'000'000;

int64_t toNanos(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

ClusterOptions clusterOptions(const RunOptions &options,
                              std::optional<uint32_t> worker, bool isChief) {
  ClusterOptions cluster;
  const ClusterFlags &flags = options.cluster;
  ClientOptions &client = cluster.client;
  client.worker = worker;
  if (!options.graph.empty())
    client.graphs = {options.graph};
  if (!options.graph.empty() && !options.train.evalGraph.empty())
    for (const std::string &graph :
         {options.train.evalGraph, resetGraphName(options.train.evalGraph)})
      client.graphs.push_back(graph);
  client.isChief = isChief;
  client.seed = options.seed;
  client.nanPolicy = static_cast<uint32_t>(options.nan);
  client.checkNumerics = options.checkNumerics;
  client.virtualGpus = options.virtualGpus;
  if (options.cpuLevel)
    client.cpuLevel = cpuLevelName(*options.cpuLevel);
  cluster.dividesData = !flags.wholeData;
  cluster.recorded = options.traced;
  client.stallNanos = toNanos(flags.stallSeconds);
  cluster.deadlineNanos = flags.deadlineNanos();
  if (cluster.deadlineNanos > 0) {
    client.openNanos = std::min(client.openNanos, cluster.deadlineNanos);
    client.controlNanos = std::min(client.controlNanos, cluster.deadlineNanos);
  }
  if (!options.isQuiet)
    cluster.onStatus = [label = options.label](std::string_view text) {
      if (!text.empty())
        console::printLine(stderr, "graphc-run: " + label + std::string(text));
    };
  cluster.isStopRequested = stopRequested;
  // A training ends what its tasks were given, and is saved.
  if (options.training)
    cluster.isStopRequested = [training = options.training] {
      return training->mustStopNow();
    };
  cluster.stopGraceNanos = kSoftStopNanos;
  return cluster;
}

class ClusterTarget final : public RunTarget {
public:
  ClusterTarget(ClusterSession &session, CheckpointedRun &run,
                const RunOptions &options, std::optional<uint32_t> worker)
      : cluster(session), steps(run), options(options), worker(worker) {}

  Session &session() override { return cluster; }
  CheckpointedRun &run() override { return steps; }
  void printMore(const format::Graph &graph, int64_t count) const override;
  StatusOr<RunTimeline> timeline(const format::Graph &graph) override {
    return options.traced.isEmpty() ? RunTimeline()
                                    : cluster.timeline(sourceName(graph));
  }
  void addTo(const format::Graph &graph, int64_t steps,
             nlohmann::ordered_json &json) const override;
  uint64_t lateGradients() const override {
    return cluster.outcome().lateGradients;
  }

private:
  ClusterSession &cluster;
  CheckpointedRun &steps;
  const RunOptions &options;
  std::optional<uint32_t> worker;
};

/// " 0:120 1:30 8-15:2": updates by the number of updates that others made
/// between their read and them, from 8 on by powers of two.
std::string agesText(const protocol::Reply::Staleness &staleness) {
  std::string text;
  const int ages = staleness.counts_size();
  for (int first = 0, next = 0; first < ages; first = next) {
    next = first < 8 ? first + 1 : 2 * first;
    uint64_t count = 0;
    for (int age = first; age < std::min(next, ages); ++age)
      count += staleness.counts(age);
    std::string last = first < 8 ? "" : "-" + std::to_string(next - 1);
    if (count > 0)
      text += " " + std::to_string(first) + last + ":" + std::to_string(count);
  }
  return text;
}

void ClusterTarget::printMore(const format::Graph &, int64_t) const {
  const ClientMachine::Outcome &outcome = cluster.outcome();
  if (options.isQuiet)
    return;
  if (options.label.empty()) // else once for all workers
    printLateGradients(outcome.lateGradients);
  for (const auto &staleness : outcome.staleness) {
    if (worker && staleness.worker() != std::to_string(*worker))
      continue;
    std::string text = agesText(staleness);
    if (!text.empty())
      std::fprintf(stderr, "graphc-run: note: updates of worker %s by age:%s\n",
                   staleness.worker().c_str(), text.c_str());
  }
}

void ClusterTarget::addTo(const format::Graph &, int64_t,
                          nlohmann::ordered_json &json) const {
  const ClientMachine::Outcome &outcome = cluster.outcome();
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

StatusOr<std::unique_ptr<ClusterSession>>
openClusterSession(std::shared_ptr<const Model> plan, ClusterPlace &place,
                   const RunOptions &options, std::optional<uint32_t> worker,
                   bool isChief) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TaskConnector> connector,
                          place.connect());
  return ClusterSession::open(std::move(plan), place.cluster(),
                              std::move(connector),
                              clusterOptions(options, worker, isChief));
}

CheckpointOptions clusterCheckpoints(const RunOptions &options,
                                     ClusterPlace &place, bool isChief,
                                     StartBarrier::Pass &start) {
  CheckpointOptions how = checkpointOptions(options);
  how.isChief = isChief;
  how.replaceStopped = [&place] { return place.replaceStopped(); };
  if (start.isExpected())
    how.beforeFirstStep = [&start] { start.enter(); };
  return how;
}

std::unique_ptr<RunTarget> makeClusterTarget(ClusterSession &session,
                                             CheckpointedRun &run,
                                             const RunOptions &options,
                                             std::optional<uint32_t> worker) {
  return std::make_unique<ClusterTarget>(session, run, options, worker);
}

} // namespace graphc::run
