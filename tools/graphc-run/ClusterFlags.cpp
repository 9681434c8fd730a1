// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/ClusterFlags.h"

#include "tools/flags/Route.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr const char *kGroup = "Clusters";
/// Some thirty years, which nanoseconds can count.
constexpr double kMostSeconds = 1e9;

bool isNumber(const std::string &text) {
  uint32_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

} // namespace

void addClusterFlags(CLI::App &app, ClusterFlags &flags) {
  auto add = [&](const char *name, auto &value, const char *help) {
    return app.add_option(name, value, help)->group(kGroup);
  };
  add("--target", flags.targets,
      "Run on a cluster: the address of any task, grpc://HOST:PORT or "
      "unix:PATH")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ADDRESS");
  add("--cluster", flags.cluster,
      "The tasks of the cluster: a JSON file, or its text");
  add("--local-cluster", flags.localCluster,
      "Run on a cluster inside this process, e.g. ps:1,worker:2")
      ->type_name("JOB:TASKS,...");
  add("--spawn", flags.spawn,
      "Start a graphc-server for each task on this machine, run, and stop "
      "them: ps:1,worker:2 or a cluster file")
      ->type_name("JOB:TASKS,...");
  add("--route", flags.route,
      "How spawned tasks reach each other: auto, shm or grpc");
  add("--worker", flags.worker,
      "Whose instance of a between-graph plan to run: a number, which joins "
      "the "
      "clients of other workers whichever came first, or all (default: "
      "TF_CONFIG's; all with --spawn and --local-cluster)");
  auto setChief = [&flags](bool isChief) { flags.isChief = isChief; };
  CLI::Option *chief = app.add_flag_callback(
                              "--chief", [setChief] { setChief(true); },
                              "Give the variables their first values if they "
                              "have none (default: "
                              "worker 0 does)")
                           ->group(kGroup);
  app.add_flag_callback(
         "--no-chief", [setChief] { setChief(false); },
         "Wait until the chief has given the variables their first values")
      ->group(kGroup)
      ->excludes(chief);
  app.add_flag("--whole-data", flags.wholeData,
               "Each worker's instance reads all rows of its files (default: "
               "its share of them)")
      ->group(kGroup);
  app.add_option("--deadline", flags.deadlineSeconds,
                 "Seconds that the run may take, and on a cluster each other "
                 "operation, too")
      ->check(CLI::PositiveNumber & CLI::Range(0.0, kMostSeconds));
  add("--stall", flags.stallSeconds,
      "Fail when a step makes no progress for so many seconds")
      ->check(CLI::PositiveNumber);
  add("--tls-dir", flags.tlsDir,
      "Folder with ca.pem, cert.pem and key.pem of a client for mutual TLS; "
      "with --spawn the folder of graphc-server --make-certs")
      ->type_name("DIR");
  add("--recover", flags.recoveries,
      "When a task is lost, wait for it and go on from the last checkpoint, at "
      "most so many times")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  add("--checkpoint", flags.checkpointFile,
      "File that --recover goes on from, and a run that finds it: written at "
      "the start and the end, and");
  add("--checkpoint-every", flags.checkpointEvery,
      "between them every so many steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  add("--why-stuck", flags.whyStuck,
      "Print what all tasks of a cluster wait for, and the root of it")
      ->type_name("ADDRESS");
  app.add_flag("--stop-cluster", flags.stopCluster,
               "End the servers of all tasks of --target or --cluster, after "
               "the run if there is a model")
      ->group(kGroup);
}

Status checkClusterFlags(const ClusterFlags &flags, bool isEmitted) {
  int places = !flags.targets.empty() + !flags.localCluster.empty() +
               !flags.spawn.empty();
  if (places > 1)
    return invalidArgument("a run is on one cluster: --target, --spawn or "
                           "--local-cluster, not several");
  if (!flags.cluster.empty() &&
      (!flags.localCluster.empty() || !flags.spawn.empty()))
    return invalidArgument("--cluster says where tasks listen that run "
                           "already; --spawn=FILE starts those of a file");
  if (!flags.worker.empty() && flags.worker != "all" && !isNumber(flags.worker))
    return invalidArgument("--worker takes a number or all, not '" +
                           flags.worker + "'");
  if (flags.stopCluster && flags.targets.empty() && flags.cluster.empty())
    return invalidArgument("--stop-cluster needs --target or --cluster");
  bool isOther = flags.isChief ? !*flags.isChief
                               : isNumber(flags.worker) && flags.worker != "0";
  if (flags.recoveries > 0 && flags.checkpointFile.empty() && !isOther)
    return invalidArgument("--recover needs a --checkpoint to go on from");
  if (flags.checkpointEvery > 0 && flags.checkpointFile.empty())
    return invalidArgument("--checkpoint-every needs --checkpoint=FILE");
  const std::string &route = flags.route;
  if (!route.empty())
    GRAPHC_TRY(flags::parseRoute(route).status());
  if (!route.empty() && flags.spawn.empty() && !isEmitted)
    return invalidArgument("--route is of servers that --spawn starts; those "
                           "that run already have their own: graphc-server "
                           "--route=" +
                           route);
  bool isUsed = isEmitted || flags.isUsed() || !flags.whyStuck.empty();
  if (!isUsed &&
      (!flags.worker.empty() || flags.isChief || flags.recoveries > 0 ||
       !flags.checkpointFile.empty() || !flags.tlsDir.empty() ||
       flags.stallSeconds != ClusterFlags().stallSeconds || flags.wholeData))
    return invalidArgument(
        "--worker, --chief, --recover, --checkpoint, --stall, --whole-data and "
        "--tls-dir are for clusters; name one: --target, --cluster, --spawn or "
        "--local-cluster");
  return Status::ok();
}

} // namespace graphc::run
