// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/RunOptions.h"

#include "tools/flags/MetricsFlag.h"

#include "tools/flags/CommandLine.h"
#include "tools/flags/DeployFlags.h"

#include <cstdio>
#include <set>

namespace graphc::run {

namespace {

/// The texts of flags that need more than the parser's own conversion.
struct RawFlags {
  flags::RunTexts run;
  std::string cpuLevel;
  std::string profile; ///< "true": without a value
  std::string profileSteps;
  std::string progress = "auto";
};

constexpr std::pair<std::string_view, Progress> kProgress[] = {
    {"auto", Progress::Auto}, {"on", Progress::On}, {"off", Progress::Off}};

void addFlags(CLI::App &app, RunOptions &options, RawFlags &raw) {
  flags::addRunFlags(app, options, raw.run, "The model.bin to run",
                     "Folder for the last step's fetches, one NAME.npy each");
  flags::addThreads(app, options.threads);
  app.add_flag("--virtual-gpus", options.virtualGpus,
               "Let the CPU execute the programs of GPUs and of other tasks");
  app.add_flag("--gpus-share", options.shareGpus,
               "Devices of the plan may share a GPU where there are too few");
  app.add_flag("--log-devices", options.logsDevices,
               "Print to stderr which GPU each device of the plan is");
  flags::addNumericsFlags(app, options, raw.run);
  app.add_flag("--profile", raw.profile,
               "Print where the time of a step goes, to stderr; --profile=FILE "
               "(.json, .json.gz, .pftrace) writes a trace, which Perfetto "
               "opens, of all tasks");
  app.add_option("--profile-steps", raw.profileSteps,
                 "Steps of the trace, from the run's first on, or of a "
                 "cluster's table; each EVERY-th (default: 2:11)")
      ->type_name("FIRST:LAST[:EVERY]");
  addProfileFlags(app, options.profile);
  app.add_option("--cpu-level", raw.cpuLevel,
                 "Kernels to run: v3 or v4 (default: what the CPU has)");
  app.add_option("--progress", raw.progress,
                 "Show rate, time left and values: auto (a line in place where "
                 "stdout is a terminal; else a line a minute of 'train'), on "
                 "(else a line every 5 s) or off")
      ->type_name("WHEN");
  flags::addMetricsFlag(app, options.metrics);
  addClusterFlags(app, options.cluster);
  addTrainFlags(app, options.train);
  addSummaryFlags(app, options.summary);
  addDebugFlags(app, options.debug);
  // The older name of graphc-deploy, which help does not show.
  flags::addDeployFlags(app, options.emit, "--emit", /*group=*/"");
  app.add_flag("--sim-cluster", options.isSimulated,
               "Simulate the plan's tasks in this process, in time that passes "
               "only there; prints what happens");
  app.add_option(
         "--faults", options.faultsFile,
         "With --sim-cluster: a script of faults, see docs/simulation.md")
      ->type_name("FILE");
}

/// Tasks of a cluster choose their GPUs themselves.
runtime::Status checkGpuFlags(const RunOptions &options) {
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

/// Flags that set what servers do, where this command does not start them.
runtime::Status checkClusterUse(const RawFlags &raw,
                                const RunOptions &options) {
  const ClusterFlags &cluster = options.cluster;
  if (!cluster.isUsed() || !options.emit.kind.empty())
    return runtime::Status::ok();
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

/// The steps that tables of waits and of the critical path are about.
constexpr runtime::TimelineWindow kRecorded = {2, 17};

/// "--profile", "--profile=FILE", and the steps of the latter.
runtime::Status convertProfile(const RawFlags &raw, RunOptions &options) {
  options.isProfiled = !raw.profile.empty();
  if (options.isProfiled && raw.profile != "true")
    options.traceFile = raw.profile;
  bool isTable = options.isProfiled && options.traceFile.empty();
  bool isUsed = isTable ? options.cluster.isUsed() : options.isProfiled;
  if (isTable && !isUsed)
    options.traced = kRecorded;
  if (!isUsed)
    return raw.profileSteps.empty()
               ? runtime::Status::ok()
               : runtime::invalidArgument(
                     "--profile-steps needs --profile=FILE");
  const std::string &file = options.traceFile;
  if (!isTable && !file.ends_with(".json") && !file.ends_with(".json.gz") &&
      !file.ends_with(".pftrace"))
    return runtime::invalidArgument("--profile takes a file NAME.json, "
                                    "NAME.json.gz or NAME.pftrace, not '" +
                                    file + "'");
  if (options.isSimulated)
    return runtime::invalidArgument(
        "--profile is for runs in real time, not for --sim-cluster; leave it "
        "out");
  std::string text = raw.profileSteps.empty() ? "2:11" : raw.profileSteps;
  unsigned long long first = 0, last = 0, every = 1;
  int used = 0;
  int count = std::sscanf(text.c_str(), "%llu:%llu%n:%llu%n", &first, &last,
                          &used, &every, &used);
  if (count < 2 || size_t(used) != text.size() || first < 1 || last < first ||
      every < 1)
    return runtime::invalidArgument("--profile-steps takes FIRST:LAST or "
                                    "FIRST:LAST:EVERY, such as 2:11, not '" +
                                    text + "'");
  options.traced = {first, last, every};
  return runtime::Status::ok();
}

runtime::Status convert(const RawFlags &raw, RunOptions &options) {
  GRAPHC_TRY(convertProfile(raw, options));
  GRAPHC_ASSIGN_OR_RETURN(
      options.progress,
      flags::parseChoice("--progress", raw.progress, kProgress));
  GRAPHC_TRY(flags::checkMetricsFlag(options.metrics));
  GRAPHC_TRY(flags::convertRunFlags(raw.run, options));
  GRAPHC_TRY(checkClusterFlags(options.cluster, !options.emit.kind.empty(),
                               !options.checkpointFile.empty() ||
                                   options.train.isTrain));
  if (options.workers != 0 && options.cluster.isUsed())
    return runtime::invalidArgument(
        "--workers is for runs without a cluster: on one, the plan for its "
        "number of workers is run; leave it out");
  GRAPHC_TRY(flags::checkRunFlags(options));
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

runtime::Status checkSummaryUse(const RunOptions &options) {
  if (!options.metrics.empty() && options.isSimulated)
    return runtime::invalidArgument("--metrics is for runs in real time, not "
                                    "for --sim-cluster; leave it out");
  if (options.summary.isUsed() && options.isSimulated)
    return runtime::invalidArgument(
        "--summary-dir and --log are for runs in real time, not for "
        "--sim-cluster; leave them out");
  return runtime::Status::ok();
}

/// Flags of commands that train nothing.
runtime::Status checkTrainUse(const RunOptions &options) {
  const char *other = !options.emit.kind.empty()          ? "--emit"
                      : options.isSimulated               ? "--sim-cluster"
                      : !options.cluster.whyStuck.empty() ? "--why-stuck"
                                                          : nullptr;
  if (options.train.isTrain && other)
    return runtime::invalidArgument(std::string(other) +
                                    " does not go with 'train'; leave one of "
                                    "them out");
  return runtime::Status::ok();
}

/// Flags that start or find servers, which is what manifests do.
const std::set<std::string> kNotEmitted = {
    "--target",        "--spawn",
    "--local-cluster", "--route",
    "--tls-dir",       "--why-stuck",
    "--stop-cluster",  "--sim-cluster",
    "--faults",        "--gpus-share",
    "--threads",       "--log-devices",
    "--profile",       "--profile-steps",
    "--profile-by",    "--profile-top",
    "--cpu-level",     "--summary-dir",
    "--summary-every", "--summary-variables",
    "--hparam",        "--log",
    "--watch",         "--watch-every",
    "--dump",          "--dump-dir",
    "--break-on-nan",  "--verify-ops",
    "--verify-equiv",  "--tolerance",
    "--progress",      "--metrics"};

/// Nothing that was given is left out of manifests in silence.
runtime::Status checkEmitFlags(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options()) {
    std::string name = flags::optionName(*option);
    if (option->count() > 0 && kNotEmitted.count(name))
      return runtime::invalidArgument(
          name + " does not go with --emit: the manifests start the servers "
                 "and their client; leave it out, or add it to what is "
                 "written");
  }
  return runtime::Status::ok();
}

} // namespace

void printError(const std::string &text) {
  flags::printError("graphc-run", text);
}

ParsedRunOptions parseCommandLine(int argc, char **argv) {
  ParsedRunOptions parsed;
  RunOptions &options = parsed.options;
  RawFlags raw;
  flags::CommandLine line(
      "Runs a graph of a model.bin, in this process or on a cluster.\n"
      "'graphc-run train MODEL' trains it for as long as it takes.",
      "graphc-run");
  line.describeExtra = [&](const std::string &text) {
    return "one model.bin is run, but '" + text + "' follows '" +
           options.model + "'";
  };
  addFlags(line.app(), options, raw);
  std::vector<std::string> arguments = flags::argumentsOf(argc, argv);
  if (!arguments.empty() && arguments[0] == "train") {
    options.train.isTrain = true;
    arguments.erase(arguments.begin());
  }
  parsed.exitCode = line.read(std::move(arguments), [&] {
    if (options.model.empty() && !options.cluster.needsNoModel())
      return runtime::invalidArgument("no model.bin is given");
    GRAPHC_TRY(convert(raw, options));
    GRAPHC_TRY(
        convertProfileFlags(line.app(), options.isProfiled, options.profile));
    GRAPHC_TRY(convertTrainFlags(line.app(), options.train));
    GRAPHC_TRY(checkTrainUse(options));
    if (options.train.isTrain && options.summary.directory.empty())
      options.summary.directory = options.train.directory;
    GRAPHC_TRY(convertSummaryFlags(line.app(), options.summary));
    GRAPHC_TRY(checkSummaryUse(options));
    GRAPHC_TRY(convertDebugFlags(line.app(),
                                 options.isSimulated        ? "--sim-cluster"
                                 : options.cluster.isUsed() ? "a cluster"
                                                            : nullptr,
                                 options.debug));
    if (options.emit.kind.empty())
      return runtime::Status::ok();
    GRAPHC_TRY(checkEmitFlags(line.app()));
    return flags::convertDeployFlags(line.app(), "--emit", options.emit);
  });
  return parsed;
}

} // namespace graphc::run
