// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/ClusterPlace.h"

#include "runtime/base/StopSignal.h"
#include "runtime/rpc/GrpcConnector.h"
#include "runtime/transport/LocalCluster.h"
#include "tools/graphc-run/cluster/TaskProcesses.h"

#include <algorithm>
#include <cstdio>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr double kFindSeconds = 60;

class RemotePlace : public ClusterPlace {
public:
  RemotePlace(ClusterSpec spec, Credentials credentials)
      : spec(std::move(spec)), credentials(std::move(credentials)) {}

  const ClusterSpec &cluster() const override { return spec; }
  StatusOr<std::unique_ptr<TaskConnector>> connect() override {
    return GrpcConnector::create(spec, credentials);
  }

private:
  ClusterSpec spec;
  Credentials credentials;
};

class ProcessPlace final : public RemotePlace {
public:
  ProcessPlace(std::unique_ptr<TaskProcesses> processes,
               Credentials credentials)
      : RemotePlace(processes->cluster(), std::move(credentials)),
        processes(std::move(processes)) {}

  size_t replaceStopped() override { return processes->killStopped(); }
  std::string deaths() override { return processes->deaths(); }

private:
  std::unique_ptr<TaskProcesses> processes;
};

class LocalPlace final : public ClusterPlace {
public:
  explicit LocalPlace(std::unique_ptr<LocalCluster> tasks)
      : tasks(std::move(tasks)) {}

  const ClusterSpec &cluster() const override { return tasks->cluster(); }
  StatusOr<std::unique_ptr<TaskConnector>> connect() override {
    return tasks->connect();
  }

private:
  std::unique_ptr<LocalCluster> tasks;
};

StatusOr<std::unique_ptr<ClusterPlace>> openLocal(const RunOptions &options) {
  LocalClusterOptions local;
  GRAPHC_ASSIGN_OR_RETURN(local.cluster,
                          parseTaskCounts(options.cluster.localCluster));
  local.threads = options.threads;
  local.virtualGpus = options.virtualGpus;
  local.shareGpus = options.shareGpus;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LocalCluster> cluster,
                          LocalCluster::start(std::move(local)));
  return std::unique_ptr<ClusterPlace>(new LocalPlace(std::move(cluster)));
}

} // namespace

StatusOr<Credentials> clientCredentials(const ClusterFlags &flags) {
  std::string dir = flags.tlsDir;
  if (!dir.empty() && !flags.spawn.empty())
    dir += "/client";
  StatusOr<Credentials> credentials = Credentials::load(dir);
  if (!credentials.isOk() && dir != flags.tlsDir)
    return credentials.status().annotate(
        "with --spawn, --tls-dir is the folder of 'graphc-server "
        "--make-certs'");
  if (credentials.isOk())
    GRAPHC_TRY(checkOwnRole(*credentials, dir, false));
  return credentials;
}

StatusOr<ClusterSpec> findTasks(const std::vector<std::string> &targets,
                                const std::string &cluster,
                                const ClusterFlags &flags) {
  if (!cluster.empty())
    return ClusterSpec::read(cluster);
  GRAPHC_ASSIGN_OR_RETURN(Credentials credentials, clientCredentials(flags));
  double seconds =
      flags.deadlineSeconds > 0 ? flags.deadlineSeconds : kFindSeconds;
  SearchEvents events;
  events.isStopRequested = stopRequested;
  events.onWait = [](std::string_view text) {
    std::fprintf(stderr, "graphc-run: %.*s\n", static_cast<int>(text.size()),
                 text.data());
  };
  return discoverCluster(targets, credentials,
                         static_cast<int64_t>(seconds * 1e9), events);
}

StatusOr<std::unique_ptr<ClusterPlace>> openPlace(const RunOptions &options) {
  const ClusterFlags &flags = options.cluster;
  if (!flags.localCluster.empty())
    return openLocal(options);
  GRAPHC_ASSIGN_OR_RETURN(Credentials credentials, clientCredentials(flags));
  if (flags.spawn.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(ClusterSpec spec,
                            findTasks(flags.targets, flags.cluster, flags));
    return std::unique_ptr<ClusterPlace>(
        new RemotePlace(std::move(spec), std::move(credentials)));
  }
  ProcessOptions processes;
  processes.tasks = flags.spawn;
  processes.threads = options.threads;
  processes.route = flags.route;
  processes.tlsDir = flags.tlsDir.empty() ? "" : flags.tlsDir + "/task";
  processes.keepsAlive = flags.recoveries > 0;
  processes.virtualGpus = options.virtualGpus;
  processes.shareGpus = options.shareGpus;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TaskProcesses> started,
                          TaskProcesses::start(processes));
  return std::unique_ptr<ClusterPlace>(
      new ProcessPlace(std::move(started), std::move(credentials)));
}

} // namespace graphc::run
