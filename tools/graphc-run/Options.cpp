// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/Options.h"

#include "runtime/base/Arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

namespace graphc::run {

namespace {

constexpr int64_t kMostSteps = std::numeric_limits<int64_t>::max();

constexpr const char *kFeedHelp =
    "Value of a feed in every step: a .npy file, a number, or numbers between "
    "commas for all its elements in row-major order (true and false for bool)";

const std::map<std::string, runtime::NanPolicy> kNanPolicies = {
    {"error", runtime::NanPolicy::Error},
    {"ignore", runtime::NanPolicy::Ignore},
    {"warn", runtime::NanPolicy::Warn}};

/// The texts behind flags that need more than CLI11's own conversion.
struct RawFlags {
  std::vector<std::string> data, feeds;
  std::string nan = "error";
  std::string cpuLevel;
};

/// Accepts whole numbers from `least` to `most`.
CLI::Validator wholeNumber(int64_t least, int64_t most) {
  auto check = [least, most](const std::string &text) -> std::string {
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() &&
        value >= least && value <= most)
      return "";
    std::string range = "a whole number from " + std::to_string(least);
    range += most == kMostSteps ? "" : " to " + std::to_string(most);
    return "it takes " + range + ", not '" + text + "'";
  };
  return CLI::Validator(check, "");
}

CLI::Option *addList(CLI::App &app, const char *flag,
                     std::vector<std::string> &list, const char *help) {
  return app.add_option(flag, list, help)->allow_extra_args(false);
}

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
      ->check(wholeNumber(1, kMostSteps));
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
      ->check(wholeNumber(0, kMostSteps));
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
  app.add_option("--checkpoint", options.checkpointFile,
                 "File of a run that may end too early: one that finds it goes "
                 "on from it, as --recover does; written at the start and the "
                 "end, and")
      ->type_name("FILE");
  app.add_option("--checkpoint-every", options.checkpointEvery,
                 "between them every so many steps")
      ->check(wholeNumber(1, kMostSteps));
  app.add_option("--seed", options.seed,
                 "Of everything random; the same seed gives the same numbers");
  app.add_option("--threads", options.threads,
                 "Threads to compute with (default: one per core)")
      ->check(wholeNumber(1, 1024));
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

runtime::StatusOr<NamedText> splitNamed(const std::string &flag,
                                        const std::string &text) {
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return runtime::invalidArgument(flag + " takes NAME=VALUE, not '" + text +
                                    "'");
  return NamedText{text.substr(0, equals), text.substr(equals + 1)};
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
  for (const std::string &text : raw.data) {
    GRAPHC_ASSIGN_OR_RETURN(NamedText data, splitNamed("--data", text));
    options.data.push_back(std::move(data));
  }
  for (const std::string &text : raw.feeds) {
    GRAPHC_ASSIGN_OR_RETURN(NamedText feed, splitNamed("--feed", text));
    options.feeds.push_back(std::move(feed));
  }
  auto policy = kNanPolicies.find(raw.nan);
  if (policy == kNanPolicies.end())
    return runtime::invalidArgument("--nan takes error, warn or ignore, not '" +
                                    raw.nan + "'");
  options.nan = policy->second;
  GRAPHC_TRY(checkClusterFlags(options.cluster, !options.emit.kind.empty(),
                               !options.checkpointFile.empty()));
  if (options.checkpointEvery > 0 && options.checkpointFile.empty())
    return runtime::invalidArgument(
        "--checkpoint-every needs --checkpoint=FILE");
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

/// What CLI11 could make nothing of, or success.
runtime::Status checkRest(const CLI::App &app, const Options &options) {
  for (const std::string &text : app.remaining())
    return runtime::invalidArgument(
        text.starts_with('-') ? runtime::describeUnknownFlag(app, text)
                              : "one model.bin is run, but '" + text +
                                    "' follows '" + options.model + "'");
  if (std::string problem = runtime::describeEmptyFlag(app); !problem.empty())
    return runtime::invalidArgument(problem);
  if (options.model.empty() && !options.cluster.needsNoModel())
    return runtime::invalidArgument("no model.bin is given");
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

ParsedCommandLine badCommandLine(const std::string &text) {
  printError(text + "; see graphc-run --help");
  ParsedCommandLine parsed;
  parsed.exitCode = kExitBadCommandLine;
  return parsed;
}

} // namespace

void printError(const std::string &text) {
  std::fprintf(stderr, "graphc-run: error: %s\n", text.c_str());
}

ParsedCommandLine parseCommandLine(int argc, char **argv) {
  ParsedCommandLine parsed;
  RawFlags raw;
  CLI::App app("Runs a graph of a model.bin, in this process or on a cluster.",
               "graphc-run");
  app.allow_extras();
  app.set_version_flag("--version", "graphc-run " GRAPHC_VERSION);
  addFlags(app, parsed.options, raw);
  try {
    app.parse(runtime::reversedArguments(argc, argv));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0)
      return badCommandLine(runtime::describeParseError(app, error.what()));
    parsed.exitCode = app.exit(error);
    return parsed;
  }
  runtime::Status status = checkRest(app, parsed.options);
  if (status.isOk())
    status = convert(raw, parsed.options);
  if (status.isOk() && !parsed.options.emit.kind.empty())
    status = addEmitArguments(app, parsed.options);
  if (!status.isOk())
    return badCommandLine(status.message());
  return parsed;
}

} // namespace graphc::run
