// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/SimCluster.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/sim/SimRules.h"
#include "runtime/sim/SimRun.h"
#include "runtime/state/ChooseGraph.h"
#include "tools/flags/OpenPlan.h"
#include "tools/graphc-run/Feeds.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace graphc::run {

using namespace graphc::runtime;

namespace {

/// The tasks that the plan names; addresses mean nothing here.
StatusOr<ClusterSpec> clusterOf(const Model &plan) {
  std::vector<ClusterTask> tasks;
  for (const std::string &name : tasksOf(plan)) {
    DeviceName device = nameOfDevice(name);
    if (!device.job || !device.task)
      return failedPrecondition("'" + name + "' in the plan is no task");
    tasks.push_back({*device.job, static_cast<uint32_t>(*device.task),
                     "simulated:" + std::to_string(tasks.size() + 1)});
  }
  return ClusterSpec::make(std::move(tasks));
}

StatusOr<FaultScript> readFaults(const std::string &file,
                                 const ClusterSpec &cluster) {
  if (file.empty())
    return FaultScript{};
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream)
    return notFound("cannot read the faults of '" + file +
                    "': " + std::strerror(errno));
  return FaultScript::parse(text.str(), file, cluster);
}

StatusOr<std::string> graphOf(const Model &plan, const std::string &asked) {
  if (!asked.empty())
    return asked;
  std::vector<std::string> names = sourceGraphs(plan);
  if (names.size() == 1)
    return names[0];
  std::string text = "the plan has several graphs; choose one with --graph:";
  for (const std::string &name : names)
    text += " " + name;
  return invalidArgument(text);
}

StatusOr<SimRunOptions> readRun(const RunOptions &options) {
  SimRunOptions run;
  GRAPHC_ASSIGN_OR_RETURN(
      run.plan,
      flags::openPlan(options, options.cluster.cluster, options.virtualGpus));
  GRAPHC_ASSIGN_OR_RETURN(run.simulation.cluster, clusterOf(*run.plan));
  GRAPHC_ASSIGN_OR_RETURN(
      run.simulation.faults,
      readFaults(options.faultsFile, run.simulation.cluster));
  run.simulation.seed = options.seed;
  run.simulation.task.cpuLevel = options.cpuLevel;
  run.simulation.task.virtualGpus = options.virtualGpus;
  GRAPHC_ASSIGN_OR_RETURN(run.graph, graphOf(*run.plan, options.graph));
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          chooseGraph(*run.plan, run.graph, 0));
  GRAPHC_ASSIGN_OR_RETURN(run.feeds, readFeeds(*graph, options.feeds));
  for (const NamedText &data : options.data)
    run.data.emplace_back(data.name, data.text);
  run.steps = options.steps.value_or(run.data.empty() ? 1 : 0);
  run.client.seed = options.seed;
  run.client.nanPolicy = static_cast<uint32_t>(options.nan);
  run.client.checkNumerics = options.checkNumerics;
  run.client.virtualGpus = options.virtualGpus;
  return run;
}

void print(const SimRunReport &report, bool isQuiet) {
  if (!isQuiet)
    std::fputs(report.log.c_str(), stdout);
  int64_t steps = 0;
  for (int64_t done : report.steps)
    steps += done;
  std::printf("outcome: %s\n",
              report.status.isOk() ? "ok" : report.status.toString().c_str());
  if (report.noticedAfterNanos >= 0)
    std::printf("the client knew %.3f s after the last fault\n",
                static_cast<double>(report.noticedAfterNanos) * 1e-9);
  std::printf("%lld steps, results %016llx, %.6f s of simulated time, %llu "
              "events of tasks\n",
              static_cast<long long>(steps),
              static_cast<unsigned long long>(report.results),
              static_cast<double>(report.nanos) * 1e-9,
              static_cast<unsigned long long>(report.events));
  for (const std::string &violation : report.violations)
    std::printf("VIOLATION: %s\n", violation.c_str());
}

} // namespace

StatusOr<int> runSimulated(const RunOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(SimRunOptions run, readRun(options));
  GRAPHC_ASSIGN_OR_RETURN(SimRunReport report, simulateRun(run));
  // Where steps have one order, faults that a run survives change nothing.
  const FaultScript &faults = run.simulation.faults;
  bool isDisturbed =
      !faults.faults.empty() || !faults.links.empty() || !faults.random.empty();
  if (isDisturbed && report.status.isOk() && report.steps.size() == 1) {
    run.simulation.faults = {};
    GRAPHC_ASSIGN_OR_RETURN(SimRunReport undisturbed, simulateRun(run));
    compareRuns(report, undisturbed);
  }
  print(report, options.isQuiet);
  return report.violations.empty() ? 0 : kExitFailure;
}

} // namespace graphc::run
