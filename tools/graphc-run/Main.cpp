// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-run: runs a graph of a model.bin in this process or on a cluster.
#include "tools/graphc-run/Run.h"
#include "tools/graphc-run/RunOptions.h"
#include "tools/graphc-run/cluster/ClusterRun.h"
#include "tools/graphc-run/cluster/SimCluster.h"
#include "tools/graphc-run/debug/OpVerification.h"
#include "tools/graphc-run/debug/PlanComparison.h"
#include "tools/graphc-run/debug/ValueDebugger.h"
#include "tools/graphc-run/monitor/RunMonitor.h"
#include "tools/graphc-run/summary/RunSummaries.h"
#include "tools/graphc-run/trace/TraceCollector.h"
#include "tools/graphc-run/train/CheckpointEvaluator.h"
#include "tools/graphc-run/train/TrainDriver.h"

namespace {

using namespace graphc::run;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;

StatusOr<int> runHere(const RunOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<RunTarget> target,
                          openLocalTarget(options));
  return run(*target, options);
}

StatusOr<int> emit(const RunOptions &options) {
  GRAPHC_TRY(graphc::flags::deployPlan("graphc-run", options.emit, options,
                                       options.cluster.cluster));
  return 0;
}

graphc::runtime::Status openSummaries(RunOptions &options) {
  if (!options.summary.isUsed())
    return graphc::runtime::Status::ok();
  GRAPHC_TRY(graphc::runtime::Model::open(options.model).status());
  GRAPHC_ASSIGN_OR_RETURN(options.summaries, RunSummaries::open(options));
  return graphc::runtime::Status::ok();
}

graphc::runtime::Status openMonitor(RunOptions &options) {
  if (options.metrics.empty())
    return graphc::runtime::Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(options.monitor, RunMonitor::open(options.metrics));
  return graphc::runtime::Status::ok();
}

Status writeTrace(const RunOptions &options) {
  if (!options.trace)
    return Status::ok();
  for (const std::string &note : options.trace->notes())
    printNote(options, note);
  return options.trace->write();
}

StatusOr<int> act(RunOptions &options) {
  const ClusterFlags &flags = options.cluster;
  if (!options.emit.kind.empty())
    return emit(options);
  if (!flags.whyStuck.empty())
    return printWhyStuck(flags);
  if (!options.debug.equivalent.empty())
    return comparePlans(options);
  if (options.isSimulated)
    return runSimulated(options);
  std::unique_ptr<OpVerification> verification;
  if (options.debug.verifiesOps) {
    GRAPHC_ASSIGN_OR_RETURN(verification, OpVerification::prepare(options));
  }
  GRAPHC_TRY(openMonitor(options));
  if (options.train.isTrain) {
    GRAPHC_ASSIGN_OR_RETURN(bool evaluates, isEvaluator(options));
    // Before a folder is made for it.
    GRAPHC_TRY(graphc::runtime::Model::open(options.model).status());
    if (evaluates) {
      // A run of its own, with the same curves.
      if (options.summary.directory == options.train.directory)
        options.summary.directory += "/eval";
      GRAPHC_TRY(openSummaries(options));
      GRAPHC_ASSIGN_OR_RETURN(int exitCode, runEvaluator(options));
      if (options.summaries && exitCode == 0)
        GRAPHC_TRY(options.summaries->finish());
      return exitCode;
    }
    GRAPHC_ASSIGN_OR_RETURN(options.training, TrainDriver::open(options));
  }
  GRAPHC_TRY(openSummaries(options));
  if (options.debug.isUsed())
    options.debugger = std::make_shared<ValueDebugger>(
        options.debug, options.isQuiet, !options.jsonFile.empty());
  if (!options.traceFile.empty())
    options.trace = std::make_shared<TraceCollector>(options.traceFile);
  int exitCode = 0;
  if (!options.model.empty()) {
    StatusOr<int> ran =
        flags.isUsed() ? runOnCluster(options) : runHere(options);
    // That of a run that failed, too.
    Status traced = writeTrace(options);
    GRAPHC_ASSIGN_OR_RETURN(exitCode, std::move(ran));
    GRAPHC_TRY(traced);
  }
  if (verification && exitCode == 0) {
    GRAPHC_ASSIGN_OR_RETURN(exitCode, verification->compare());
  }
  if (!flags.stopCluster)
    return exitCode;
  GRAPHC_ASSIGN_OR_RETURN(int stopCode, stopCluster(flags));
  return exitCode != 0 ? exitCode : stopCode;
}

} // namespace

int main(int argc, char **argv) {
  ParsedRunOptions parsed = parseCommandLine(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  StatusOr<int> exitCode = act(parsed.options);
  if (exitCode.isOk())
    return *exitCode;
  printError(exitCode.status().message());
  const std::shared_ptr<ValueDebugger> &debugger = parsed.options.debugger;
  return debugger && debugger->hasStopped() ? kExitNan : kExitFailure;
}
