// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of graphc-run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_RUNOPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_RUNOPTIONS_H

#include "runtime/base/Status.h"
#include "runtime/base/TimelineEvent.h"
#include "runtime/target/cpu/CpuLevel.h"
#include "tools/flags/CommandLine.h"
#include "tools/flags/DeployFlags.h"
#include "tools/flags/RunFlags.h"
#include "tools/graphc-run/cluster/ClusterFlags.h"
#include "tools/graphc-run/debug/DebugFlags.h"
#include "tools/graphc-run/monitor/ProgressLine.h"
#include "tools/graphc-run/profile/ProfileFlags.h"
#include "tools/graphc-run/summary/SummaryFlags.h"
#include "tools/graphc-run/train/TrainFlags.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::run {

using flags::kExitBadCommandLine;
using flags::kExitFailure;
using flags::NamedText;

class RunMonitor;
class RunSummaries;
class TraceCollector;
class TrainDriver;
class ValueDebugger;

struct RunOptions : flags::RunFlags {
  int threads = 0;
  std::optional<runtime::CpuLevel> cpuLevel;
  bool virtualGpus = false;
  bool shareGpus = false;
  bool logsDevices = false;
  bool isProfiled = false;
  std::string traceFile;                 ///< of --profile=FILE; empty: a table
  runtime::TimelineWindow traced;        ///< steps that are recorded
  std::shared_ptr<TraceCollector> trace; ///< of traceFile; null: none
  ProfileFlags profile;
  std::string label; ///< before each line of output, e.g. "worker 1: "
  Progress progress = Progress::Auto;
  bool showsProgress = true; ///< of several clients, one does
  std::string metrics;       ///< where they are served; empty: nowhere
  std::shared_ptr<RunMonitor> monitor; ///< null: nothing is counted
  ClusterFlags cluster;
  flags::DeployFlags emit;  ///< of --emit, the older name of graphc-deploy
  bool isSimulated = false; ///< in a simulated cluster of the plan's tasks
  std::string faultsFile;   ///< of the simulation
  TrainFlags train;
  std::shared_ptr<TrainDriver> training; ///< that goes on; null: none
  SummaryFlags summary;
  std::shared_ptr<RunSummaries> summaries; ///< of the run; null: none
  DebugFlags debug;
  std::shared_ptr<ValueDebugger> debugger; ///< of the run; null: none
};

inline constexpr int kExitInterrupted = 130;

/// Result of parsing a command line: options, or to exit with a code after
/// everything was printed.
struct ParsedRunOptions {
  RunOptions options;
  std::optional<int> exitCode;
};

ParsedRunOptions parseCommandLine(int argc, char **argv);

/// Prints "graphc-run: error: <text>" to stderr.
void printError(const std::string &text);

} // namespace graphc::run

#endif
