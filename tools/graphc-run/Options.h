// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of graphc-run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_OPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_OPTIONS_H

#include "runtime/base/Status.h"
#include "runtime/device/CpuLevel.h"
#include "runtime/executor/Numerics.h"
#include "tools/flags/CommandLine.h"
#include "tools/flags/FlagValues.h"
#include "tools/graphc-run/ClusterFlags.h"
#include "tools/graphc-run/emit/EmitFlags.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc::run {

using flags::kExitBadCommandLine;
using flags::kExitFailure;
using flags::NamedText;

struct Options {
  std::string model;
  std::string graph;            ///< empty: the only one
  uint32_t workers = 0;         ///< of a plan family; 0: as the cluster has
  std::optional<int64_t> steps; ///< nothing: until the data end, or 1
  int64_t printEvery = 0;       ///< 0: the last step only
  std::vector<NamedText> data;
  std::vector<NamedText> feeds;
  std::vector<std::string> fetches; ///< empty: all
  std::string outDir;
  std::string jsonFile;
  std::string saveFile;
  std::string loadFile;
  bool isInit = false; ///< all values anew, whatever there is
  uint64_t seed = 0;
  int threads = 0;
  runtime::NanPolicy nan = runtime::NanPolicy::Error;
  bool checkNumerics = false;
  std::optional<runtime::CpuLevel> cpuLevel;
  bool virtualGpus = false;
  bool shareGpus = false;
  bool logsDevices = false;
  bool printMeans = false;
  bool isProfiled = false;
  bool isQuiet = false;
  std::string label; ///< before each line of output, e.g. "worker 1: "
  ClusterFlags cluster;
  EmitFlags emit;
  /// Of --emit: what else the client is to be started with, as it was given.
  std::vector<std::string> emitArguments;
  bool isSimulated = false; ///< in a simulated cluster of the plan's tasks
  std::string faultsFile;   ///< of the simulation
};

inline constexpr int kExitInterrupted = 130;

/// What a command line asks for: options, or to exit with a code after
/// everything was printed.
struct ParsedCommandLine {
  Options options;
  std::optional<int> exitCode;
};

ParsedCommandLine parseCommandLine(int argc, char **argv);

/// Prints "graphc-run: error: <text>" to stderr.
void printError(const std::string &text);

} // namespace graphc::run

#endif
