// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/ClusterFlags.h"

#include "tools/flags/Route.h"

#include <CLI/CLI.hpp>

namespace graphc::run {

using namespace runtime;
using namespace flags;

void addClusterFlags(CLI::App &app, ClusterFlags &flags) {
  auto add = [&](const char *name, auto &value, const char *help) {
    return app.add_option(name, value, help)->group(kClusterGroup);
  };
  add("--target", flags.targets,
      "Run on a cluster: the address of any task, grpc://HOST:PORT or "
      "unix:PATH")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ADDRESS");
  addClusterFlag(app, flags.cluster);
  add("--local-cluster", flags.localCluster,
      "Run on a cluster inside this process, e.g. ps:1,worker:2")
      ->type_name("JOB:TASKS,...");
  add("--spawn", flags.spawn,
      "Start a graphc-server for each task on this machine, run, and stop "
      "them: ps:1,worker:2 or a cluster file")
      ->type_name("JOB:TASKS,...");
  add("--route", flags.route,
      "How spawned tasks reach each other: auto, shm or grpc");
  addClientFlags(app, flags);
  add("--tls-dir", flags.tlsDir,
      "Folder with ca.pem, cert.pem and key.pem of a client for mutual TLS; "
      "with --spawn the folder of graphc-server --make-certs")
      ->type_name("DIR");
  add("--why-stuck", flags.whyStuck,
      "Print what all tasks of a cluster wait for, and the root of it")
      ->type_name("ADDRESS");
  app.add_flag("--stop-cluster", flags.stopCluster,
               "End the servers of all tasks of --target or --cluster, after "
               "the run if there is a model")
      ->group(kClusterGroup);
}

Status checkClusterFlags(const ClusterFlags &flags, bool isEmitted,
                         bool hasCheckpoint) {
  int places = !flags.targets.empty() + !flags.localCluster.empty() +
               !flags.spawn.empty();
  if (places > 1)
    return invalidArgument("a run is on one cluster: --target, --spawn or "
                           "--local-cluster, not several");
  if (!flags.cluster.empty() &&
      (!flags.localCluster.empty() || !flags.spawn.empty()))
    return invalidArgument("--cluster says where tasks listen that run "
                           "already; --spawn=FILE starts those of a file");
  if (flags.stopCluster && flags.targets.empty() && flags.cluster.empty())
    return invalidArgument("--stop-cluster needs --target or --cluster");
  GRAPHC_TRY(checkClientFlags(flags, hasCheckpoint));
  const std::string &route = flags.route;
  if (!route.empty())
    GRAPHC_TRY(flags::parseRoute(route).status());
  if (!route.empty() && flags.spawn.empty() && !isEmitted)
    return invalidArgument("--route is of servers that --spawn starts; those "
                           "that run already have their own: graphc-server "
                           "--route=" +
                           route);
  bool isUsed = isEmitted || flags.isUsed() || !flags.whyStuck.empty();
  if (!isUsed && (flags.needCluster() || !flags.tlsDir.empty()))
    return invalidArgument(
        "--worker, --chief, --recover, --stall, --whole-data and "
        "--tls-dir are for clusters; name one: --target, --cluster, --spawn or "
        "--local-cluster");
  return Status::ok();
}

} // namespace graphc::run
