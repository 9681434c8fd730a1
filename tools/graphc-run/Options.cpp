// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/Options.h"

#include "tools/flags/CommandLine.h"
#include "tools/flags/FlagValues.h"

#include <limits>
#include <set>

namespace graphc::run {

namespace {

using flags::addList;
using flags::wholeNumber;

constexpr const char *kFeedHelp =
    "Value of a feed in every step: a .npy file, a number, or numbers between "
    "commas for all its elements in row-major order (true and false for bool)";

constexpr std::pair<std::string_view, runtime::NanPolicy> kNanPolicies[] = {
    {"error", runtime::NanPolicy::Error},
    {"warn", runtime::NanPolicy::Warn},
    {"ignore", runtime::NanPolicy::Ignore}};

/// The texts behind flags that need more than CLI11's own conversion.
struct RawFlags {
  std::vector<std::string> data, feeds;
  std::string nan = "error";
  std::string cpuLevel;
};

void addFlags(CLI::App &app, Options &options, RawFlags &raw) {
  app.add_option("model", options.model, "The model.bin to run");
  app.add_option("--graph", options.graph,
                 "Graph to run; not needed where the model has one");
  app.add_option("--workers", options.workers,
                 "Of a model for several numbers of workers, the plan for so "
                 "many; on a cluster, that for its workers is run")
      ->check(wholeNumber(1, std::numeric_limits<uint32_t>::max()));
  app.add_option("--steps", options.steps,
                 "Steps to run (default: until the data end; 1 without data)")
      ->check(wholeNumber(1));
  addList(app, "--data", raw.data,
          "Files of a dataset, NAME=FILE[,FILE...][@BEGIN:END]: one per field, "
          "or one .npz or .csv; BEGIN:END are the rows to use")
      ->type_name("NAME=FILES");
  addList(app, "--feed", raw.feeds, kFeedHelp)->type_name("NAME=VALUE");
  addList(app, "--fetch", options.fetches, "Value to print (default: all)")
      ->delimiter(',')
      ->type_name("NAME");
  app.add_option("--print-every", options.printEvery,
                 "Print every so many steps (default: the last step)")
      ->check(wholeNumber(0));
  app.add_flag("--mean", options.printMeans,
               "Print the mean over all steps of each fetched float scalar");
  app.add_flag("--quiet", options.isQuiet, "Print nothing but errors");
  app.add_option("--out", options.outDir,
                 "Folder for the last step's fetches, one NAME.npy each");
  app.add_option("--json", options.jsonFile, "File for the results as JSON");
  app.add_option("--save", options.saveFile,
                 "Write all variables to this .safetensors file at the end");
  app.add_option(
      "--load", options.loadFile,
      "Start from the variables of this .safetensors file, and go on with "
      "the examples and random numbers that were next");
  app.add_flag("--init", options.isInit,
               "Give all variables their first values anew, whatever values "
               "servers or a --checkpoint have");
  app.add_option("--seed", options.seed,
                 "Of everything random; the same seed gives the same numbers");
  flags::addThreads(app, options.threads);
  app.add_flag("--virtual-gpus", options.virtualGpus,
               "Let the CPU execute the programs of GPUs and of other tasks");
  app.add_flag("--gpus-share", options.shareGpus,
               "Devices of the plan may share a GPU where there are too few");
  app.add_flag("--log-devices", options.logsDevices,
               "Print to stderr which GPU each device of the plan is");
  app.add_option("--nan", raw.nan,
                 "When a fetched scalar is NaN or Inf: error, warn or ignore");
  app.add_flag("--check-numerics", options.checkNumerics,
               "Look for NaN and Inf in all values of every step; slow");
  app.add_flag("--profile", options.isProfiled,
               "Print what each instruction took, to stderr");
  app.add_option("--cpu-level", raw.cpuLevel,
                 "Kernels to run: v3 or v4 (default: what the CPU has)");
  addClusterFlags(app, options.cluster);
  addEmitFlags(app, options.emit);
  app.add_flag("--sim-cluster", options.isSimulated,
               "Simulate the plan's tasks in this process, in time that passes "
               "only there; prints what happens");
  app.add_option(
         "--faults", options.faultsFile,
         "With --sim-cluster: a script of faults, see docs/simulation.md")
      ->type_name("FILE");
}

/// Tasks of a cluster choose their GPUs themselves.
runtime::Status checkGpuFlags(const Options &options) {
  const ClusterFlags &cluster = options.cluster;
  if (options.logsDevices && cluster.isUsed())
    return runtime::invalidArgument(
        "--log-devices is for runs without a cluster: a server writes to its "
        "log which GPUs a plan has there; leave it out");
  if (options.shareGpus &&
      (!cluster.targets.empty() || !cluster.cluster.empty()))
    return runtime::invalidArgument(
        "servers that run already decide about --gpus-share: start them with "
        "it, and leave it out here");
  return runtime::Status::ok();
}

/// Flags that say what servers do, where this command does not start them.
runtime::Status checkClusterUse(const RawFlags &raw, const Options &options) {
  const ClusterFlags &cluster = options.cluster;
  if (!cluster.isUsed() || !options.emit.kind.empty())
    return runtime::Status::ok();
  if (options.isProfiled)
    return runtime::invalidArgument(
        "--profile is for runs without a cluster; with --virtual-gpus this "
        "process runs the programs of all tasks and profiles them");
  bool runsAlready = cluster.spawn.empty() && cluster.localCluster.empty();
  if (!raw.cpuLevel.empty() && runsAlready)
    return runtime::invalidArgument(
        "--cpu-level does not change kernels that servers have loaded; use it "
        "with --spawn or --local-cluster, or compile with graphc --cpu-level");
  if (options.threads != 0 && runsAlready)
    return runtime::invalidArgument(
        "--threads is for what this command starts; servers that run already "
        "have their own: graphc-server --threads=" +
        std::to_string(options.threads));
  return runtime::Status::ok();
}

runtime::Status convert(const RawFlags &raw, Options &options) {
  GRAPHC_ASSIGN_OR_RETURN(options.data, flags::splitNamed("--data", raw.data));
  GRAPHC_ASSIGN_OR_RETURN(options.feeds,
                          flags::splitNamed("--feed", raw.feeds));
  GRAPHC_ASSIGN_OR_RETURN(options.nan,
                          flags::parseChoice("--nan", raw.nan, kNanPolicies));
  GRAPHC_TRY(checkClusterFlags(options.cluster, !options.emit.kind.empty()));
  if (options.workers != 0 && options.cluster.isUsed())
    return runtime::invalidArgument(
        "--workers is for runs without a cluster: on one, the plan for its "
        "number of workers is run; leave it out");
  if (options.isInit && !options.loadFile.empty())
    return runtime::invalidArgument(
        "--init makes all values anew and --load reads them: give one of them");
  GRAPHC_TRY(checkGpuFlags(options));
  GRAPHC_TRY(checkClusterUse(raw, options));
  if (options.isSimulated && options.cluster.deadlineSeconds > 0)
    return runtime::invalidArgument(
        "--deadline is for runs in real time, and in --sim-cluster time passes "
        "by itself; leave it out");
  if (!options.faultsFile.empty() && !options.isSimulated)
    return runtime::invalidArgument("--faults needs --sim-cluster");
  if (raw.cpuLevel.empty())
    return runtime::Status::ok();
  options.cpuLevel = runtime::parseCpuLevel(raw.cpuLevel);
  if (!options.cpuLevel)
    return runtime::invalidArgument("--cpu-level takes v3 or v4, not '" +
                                    raw.cpuLevel + "'");
  return runtime::Status::ok();
}

/// Arguments that --emit itself takes, or that it writes in its own way.
const std::set<std::string> kEmitsItself = {
    "model",  "--out",       "--cluster", "--graph", "--steps", "--data",
    "--emit", "--namespace", "--image",   "--name",  "--tls",   "--workers"};
/// Flags that start or find servers, which is what manifests do.
const std::set<std::string> kNotEmitted = {
    "--target",  "--spawn",      "--local-cluster", "--route",
    "--tls-dir", "--why-stuck",  "--stop-cluster",  "--sim-cluster",
    "--faults",  "--gpus-share", "--threads",       "--log-devices",
    "--profile", "--cpu-level"};

/// What the client of the manifests is to be started with. Nothing that was
/// given is left out in silence.
runtime::Status addEmitArguments(const CLI::App &app, Options &options) {
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_lnames().empty()
                           ? option->get_name()
                           : "--" + option->get_lnames().front();
    if (option->count() == 0 || kEmitsItself.count(name))
      continue;
    if (kNotEmitted.count(name))
      return runtime::invalidArgument(
          name + " does not go with --emit: the manifests start the servers "
                 "and their client; leave it out, or add it to what is "
                 "written");
    bool isFlag = option->get_items_expected_max() == 0;
    if (isFlag)
      options.emitArguments.push_back(name);
    for (const std::string &value : option->results())
      if (!isFlag)
        options.emitArguments.push_back(name + "=" + value);
  }
  return runtime::Status::ok();
}

} // namespace

void printError(const std::string &text) {
  flags::printError("graphc-run", text);
}

ParsedCommandLine parseCommandLine(int argc, char **argv) {
  ParsedCommandLine parsed;
  Options &options = parsed.options;
  RawFlags raw;
  flags::CommandLine line(
      "Runs a graph of a model.bin, in this process or on a cluster.",
      "graphc-run");
  line.describeExtra = [&](const std::string &text) {
    return "one model.bin is run, but '" + text + "' follows '" +
           options.model + "'";
  };
  addFlags(line.app(), options, raw);
  parsed.exitCode = line.read(flags::argumentsOf(argc, argv), [&] {
    if (options.model.empty() && !options.cluster.needsNoModel())
      return runtime::invalidArgument("no model.bin is given");
    GRAPHC_TRY(convert(raw, options));
    return options.emit.kind.empty() ? runtime::Status::ok()
                                     : addEmitArguments(line.app(), options);
  });
  return parsed;
}

} // namespace graphc::run
