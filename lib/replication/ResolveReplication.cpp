// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/ResolveReplication.h"

#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/replication/TowerDevices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace graphc {

using runtime::Status;

namespace {

/// A number of workers that make an update together; 0 for all.
int64_t quorumOf(const std::string &sync) {
  int64_t number = 0;
  return llvm::StringRef(sync).getAsInteger(10, number) ? 0 : number;
}

/// Flags that contradict each other whatever the cluster is.
Status checkFlags(const CompileOptions &options) {
  const ReplicationOptions &how = options.replication;
  bool isQuorum = quorumOf(how.sync) != 0;
  std::string flag = how.async ? "--async" : "--sync=" + how.sync;
  if (how.async && !how.sync.empty())
    return runtime::invalidArgument(
        "--async lets each worker update by itself, but --sync=" + how.sync +
        " makes workers update together; drop one of them");
  if (how.staleness && !how.async)
    return runtime::invalidArgument(
        "--staleness bounds how old the values are that an asynchronous "
        "update was computed from; give --async, too, or drop it");
  if (!how.async && !isQuorum)
    return Status::ok();
  if (how.replication == "in-graph")
    return runtime::invalidArgument(
        flag + " needs an instance of the graph per worker, but "
               "--replication=in-graph makes one for all; leave "
               "--replication out");
  if (!how.variableDevice.empty())
    return runtime::invalidArgument(
        flag +
        " has the variables on the tasks of job ps, but "
        "--variable-device=" +
        how.variableDevice + " puts them elsewhere; leave it out");
  if (how.reduce != "auto" && how.reduce != "ps")
    return runtime::invalidArgument(
        flag + " has the variables on the tasks of job ps, but --reduce=" +
        how.reduce + " needs them mirrored on every worker; leave it out");
  if (how.feeds != "split")
    return runtime::invalidArgument(
        flag + " gives each worker feeds of its own; leave --feeds=" +
        how.feeds + " out");
  if (how.replicate == "none")
    return runtime::invalidArgument(
        flag + " gives each worker its instance of the graph; leave "
               "--replicate=none out");
  return Status::ok();
}

bool hasServers(const DeviceSet &set) {
  return llvm::any_of(set.devices(), [](const Device &device) {
    return device.name.job == "ps";
  });
}

bool hasWorkers(const DeviceSet &set) {
  return llvm::any_of(set.devices(), [](const Device &device) {
    return device.name.job != "ps";
  });
}

} // namespace

Status resolveReplication(CompileOptions &options) {
  ReplicationOptions &how = options.replication;
  GRAPHC_TRY(checkFlags(options));
  bool isBetween = how.async || quorumOf(how.sync) != 0 ||
                   how.replication == "between-graph";
  if (!isBetween)
    return Status::ok();
  std::string flag = how.async            ? "--async"
                     : quorumOf(how.sync) ? "--sync=" + how.sync
                                          : "--replication=between-graph";
  if (options.devices.cluster.empty() && options.devices.deviceList.empty())
    return runtime::invalidArgument(
        flag + " is about the tasks of a cluster; name them with "
               "--cluster=FILE");
  GRAPHC_ASSIGN_OR_RETURN(DeviceSet set, readDeviceSet(options.devices));
  if (!hasWorkers(set))
    return runtime::invalidArgument(
        flag + " needs tasks that compute, but all of the cluster are of job "
               "ps; add a job worker");
  size_t workers = towerDevices(set).size();
  if (how.replicas)
    workers = std::min(workers, static_cast<size_t>(how.replicas));
  how.quorum = quorumOf(how.sync);
  if (how.quorum > static_cast<int64_t>(workers))
    return runtime::invalidArgument(
        "--sync=" + how.sync + " waits for the gradients of " + how.sync +
        " workers, but there are " + std::to_string(workers) +
        "; give a number up to " + std::to_string(workers) + ", or all");
  // Nobody is late when all are waited for.
  if (how.quorum == static_cast<int64_t>(workers))
    how.quorum = 0;
  if (hasServers(set)) {
    if (options.placement.policy == PlacementOptions().policy)
      options.placement.policy = "ps-round-robin";
  } else if (how.async || how.quorum) {
    return runtime::invalidArgument(
        flag + " keeps the variables on tasks of job ps, and the cluster has "
               "none; add one, or use --sync=all, which mirrors them");
  } else if (how.variableDevice.empty() && how.reduce != "ps") {
    how.variableDevice = "mirrored";
  }
  how.coordination = how.async ? "async" : how.quorum ? "quorum" : "";
  return Status::ok();
}

} // namespace graphc
