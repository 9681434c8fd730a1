// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc/OptionChecks.h"

#include "lib/placement/inputs/ClusterDevices.h"
#include "lib/placement/inputs/DeviceSet.h"

#include "llvm/ADT/StringExtras.h"

#include <tuple>

namespace graphc {

namespace {

/// The devices, as far as flags alone name them: compilation reads the
/// files.
std::string checkDevices(const DeviceOptions &devices) {
  if (!devices.deviceList.empty() && !devices.cluster.empty())
    return "--device-list lists all devices, but --cluster gives others; drop "
           "one of them";
  if (!devices.deviceList.empty() || !devices.cluster.empty() ||
      (devices.devices.empty() && !devices.cpuDevices))
    return "";
  DeviceSources sources;
  sources.devices = devices.devices;
  if (devices.cpuDevices)
    sources.cpuDevices = devices.cpuDevices;
  return DeviceSet::make(sources).status().message();
}

/// Checks the flags about code for GPUs.
std::string checkGpus(const GpuOptions &gpu) {
  if (!llvm::is_contained(gpu.archs, kNoGpuArch))
    return "";
  if (gpu.archs.size() > 1)
    return "--gpu-arch names architectures, or says none, but not both";
  if (gpu.cubin)
    return "--gpu-cubin is about code for GPUs, and --gpu-arch=none makes "
           "none; drop one of them";
  return "";
}

/// The outputs that go to stdout; two would be mixed up.
std::string checkStdout(const ToolOptions &options) {
  std::vector<std::string> users;
  if (options.memoryReport)
    users.push_back("--memory-report");
  if (!options.logPlacement.empty())
    users.push_back("--log-device-placement");
  if (!options.explain.empty())
    users.push_back("--explain");
  for (const auto &[flag, path] : {std::pair("-o", &options.output),
                                   {"--lock", &options.lock},
                                   {"--report", &options.report}})
    if (*path == "-")
      users.push_back(std::string(flag) + " -");
  if (users.size() > 1 && llvm::StringRef(users.back()).ends_with(" -"))
    return users.front() + " and " + users.back() +
           " would both print to stdout";
  bool isJson = options.logPlacement == "json";
  if (users.size() > 1 && isJson)
    return "--log-device-placement=json and " +
           (users.front() == "--log-device-placement" ? users.back()
                                                      : users.front()) +
           " would both print to stdout";
  if (options.compile.stopAfter && options.output.empty() && !users.empty())
    return "--stop-after=" + choiceName(*options.compile.stopAfter).str() +
           " and " + users.front() +
           " would both print to stdout; name a file with -o";
  return "";
}

/// Flags that ask for something of a phase that is not run.
std::string checkPhases(const ToolOptions &options) {
  const CompileOptions &compile = options.compile;
  if (compile.stopAfter && compile.startAt &&
      *compile.stopAfter <= *compile.startAt)
    return "--stop-after=" + choiceName(*compile.stopAfter).str() +
           " is not after --start-at=" + choiceName(*compile.startAt).str() +
           "; phases are " + phaseNames();
  for (const auto &[flag, isGiven] :
       {std::pair("--memory-report", options.memoryReport),
        {"--report", !options.report.empty()}})
    if (isGiven && compile.stopAfter)
      return std::string(flag) + " needs a model, but --stop-after=" +
             choiceName(*compile.stopAfter).str() + " makes none";
  for (const auto &[flag, isGiven] :
       {std::pair("--log-device-placement", !options.logPlacement.empty()),
        {"--explain", !options.explain.empty()},
        {"--lock", !options.lock.empty()},
        {"--locked", !compile.placement.lock.empty()}}) {
    if (isGiven && compile.stopAfter && *compile.stopAfter < Phase::Placed)
      return std::string(flag) + " is about phase 'placed', but --stop-after=" +
             choiceName(*compile.stopAfter).str() + " ends before it";
    if (isGiven && compile.startAt && *compile.startAt >= Phase::Placed)
      return std::string(flag) + " is about phase 'placed', but --start-at=" +
             choiceName(*compile.startAt).str() + " begins after it";
  }
  for (const auto &[flag, isGiven, phase] :
       {std::tuple("--precision", compile.precision != Precision::F32,
                   Phase::Replicated),
        {"--wire", compile.wire != WireFormat::F32, Phase::Partitioned},
        {"--opt-level", compile.optLevel != OptLevel::Full, Phase::Compiled}})
    if (isGiven && compile.startAt && *compile.startAt >= phase)
      return std::string(flag) + " is about phase '" + choiceName(phase).str() +
             "', but --start-at=" + choiceName(*compile.startAt).str() +
             " begins after it";
  return "";
}

/// Flags that are about one plan, where there are several.
std::string checkWorkers(const ToolOptions &options) {
  const std::optional<WorkerRange> &workers =
      options.compile.replication.workers;
  if (!workers)
    return "";
  if (options.compile.startAt)
    return "--workers changes a model from its beginning, but --start-at=" +
           choiceName(*options.compile.startAt).str() +
           " takes the text of one plan; drop one of them";
  for (const auto &[flag, isGiven] :
       {std::pair("--lock", !options.lock.empty()),
        {"--locked", !options.compile.placement.lock.empty()}})
    if (isGiven && !workers->isOne())
      return std::string(flag) +
             " is about one placement, but --workers makes one for each "
             "number of workers; drop one of them";
  return "";
}

/// The flags of --interpret without it, and with what needs a model.
std::string checkInterpret(const ToolOptions &options) {
  const InterpretFlags &flags = options.interpret;
  if (flags.graph.empty()) {
    for (const auto &[flag, isGiven] :
         {std::pair("--data", !flags.data.empty()),
          {"--feed", !flags.feeds.empty()},
          {"--steps", flags.steps != 1},
          {"--seed", flags.seed != 0},
          {"--against", !flags.against.empty()}})
      if (isGiven)
        return std::string(flag) +
               " is for --interpret=GRAPH; a model gets it from graphc-run";
    return "";
  }
  if (!options.output.empty())
    return "--interpret makes no model; drop -o, or drop --interpret";
  if (options.compile.stopAfter && *options.compile.stopAfter > Phase::Placed)
    return "--interpret knows whole graphs, but --stop-after=" +
           choiceName(*options.compile.stopAfter).str() +
           " divides them; the last phase that it knows is 'placed'";
  if (!flags.against.empty() && options.compile.stopAfter != Phase::Placed)
    return "--against takes the names of ops from phase 'placed', but "
           "--stop-after=" +
           choiceName(*options.compile.stopAfter).str() +
           " is another; drop --stop-after";
  return "";
}

/// Flags that ask for an output, with --check.
std::string checkCheck(const ToolOptions &options) {
  if (!options.compile.check)
    return "";
  for (const auto &[flag, isGiven] :
       {std::pair("-o", !options.output.empty()),
        {"--stop-after", options.compile.stopAfter.has_value()},
        {"--report", !options.report.empty()},
        {"--memory-report", options.memoryReport},
        {"--interpret", !options.interpret.graph.empty()}})
    if (isGiven)
      return "--check looks for errors and makes nothing; drop " +
             std::string(flag) + ", or drop --check";
  return "";
}

} // namespace

std::string describeProblem(const ToolOptions &options) {
  if (options.input.empty() && !options.printPipeline)
    return "no model.tfir is given";
  for (auto check :
       {checkPhases, checkStdout, checkWorkers, checkInterpret, checkCheck})
    if (std::string problem = check(options); !problem.empty())
      return problem;
  if (std::string problem = checkGpus(options.compile.gpu); !problem.empty())
    return problem;
  if (std::string problem = checkDevices(options.compile.devices);
      !problem.empty())
    return problem;
  if (options.output.empty() && !options.compile.stopAfter &&
      !options.printPipeline && !options.memoryReport &&
      !options.wantsPlacement() && options.report.empty() &&
      !options.compile.lint && options.interpret.graph.empty() &&
      !options.compile.check)
    return "no output; name one with -o model.bin, or print a phase with "
           "--stop-after=PHASE";
  return "";
}

} // namespace graphc
