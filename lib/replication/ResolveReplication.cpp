// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/ResolveReplication.h"

#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/replication/TowerDevices.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace graphc {

using runtime::Status;

namespace {

/// The workers that make an update together; 0 for all.
int64_t quorumOf(const ReplicationOptions &how) {
  return how.sync ? how.sync->workers : 0;
}

/// Flags that contradict each other whatever the cluster is.
Status checkFlags(const CompileOptions &options) {
  const ReplicationOptions &how = options.replication;
  bool isQuorum = quorumOf(how) != 0;
  std::string sync = how.sync ? toText(*how.sync) : "";
  std::string flag = how.async ? "--async" : "--sync=" + sync;
  if (how.async && how.sync)
    return runtime::invalidArgument(
        "--async lets each worker update by itself, but --sync=" + sync +
        " makes workers update together; drop one of them");
  if (how.staleness && !how.async)
    return runtime::invalidArgument(
        "--staleness bounds how old the values are that an asynchronous "
        "update was computed from; give --async, too, or drop it");
  if (!how.async && !isQuorum)
    return Status::ok();
  if (how.replication == ReplicationMode::InGraph)
    return runtime::invalidArgument(
        flag + " needs an instance of the graph per worker, but "
               "--replication=in-graph makes one for all; leave "
               "--replication out");
  if (how.variables.isGiven())
    return runtime::invalidArgument(
        flag +
        " has the variables on the tasks of job ps, but "
        "--variable-device=" +
        toText(how.variables) + " puts them elsewhere; leave it out");
  if (how.reduce != Reduce::Auto && how.reduce != Reduce::Ps)
    return runtime::invalidArgument(
        flag + " has the variables on the tasks of job ps, but --reduce=" +
        choiceName(how.reduce).str() +
        " needs them mirrored on every worker; leave it out");
  if (how.feeds != FeedMode::Split)
    return runtime::invalidArgument(
        flag + " gives each worker feeds of its own; leave --feeds=" +
        choiceName(how.feeds).str() + " out");
  if (how.shardsUpdates)
    return runtime::invalidArgument(
        flag + " has the variables on the tasks of job ps, but --shard-updates "
               "divides their updates among the workers; drop one of them");
  if (how.replicate == Replicate::None)
    return runtime::invalidArgument(
        flag + " gives each worker its instance of the graph; leave "
               "--replicate=none out");
  return Status::ok();
}

/// Flags that contradict a pipeline, and flags of one without it.
Status checkPipeline(const ReplicationOptions &how) {
  const PipelineOptions &pipeline = how.pipeline;
  if (!pipeline.stages) {
    if (pipeline.microBatches || pipeline.schedule != PipelineSchedule::Gpipe)
      return runtime::invalidArgument(
          std::string(pipeline.microBatches ? "--micro-batches"
                                            : "--pipeline-schedule") +
          " is about a pipeline; give the number of its stages with "
          "--pipeline=K, or drop it");
    return Status::ok();
  }
  std::string flag = "--pipeline=" + std::to_string(pipeline.stages);
  for (const auto &[other, isGiven, why] :
       {std::tuple("--async", how.async, "one graph for all devices"),
        {"--sync", quorumOf(how) != 0, "one graph for all devices"},
        {"--replication=between-graph",
         how.replication == ReplicationMode::BetweenGraph,
         "one graph for all devices"},
        {"--workers", how.workers.has_value(), "a fixed number of devices"},
        {"--replicas", how.replicas != 0, "micro-batches in place of towers"},
        {"--replicate", how.replicate != Replicate::Auto,
         "micro-batches in place of towers"},
        {"--variable-device", how.variables.isGiven(),
         "each variable with the stage that reads it"},
        {"--reduce", how.reduce != Reduce::Auto,
         "each variable with the stage that reads it"},
        {"--shard-updates", how.shardsUpdates,
         "each variable with the stage that reads it"},
        {"--feeds", how.feeds != FeedMode::Split,
         "the rows of one feed for all micro-batches"},
        {"--numerics=canonical", how.canonical,
         "sums that depend on its stages"}})
    if (isGiven)
      return runtime::invalidArgument(flag + " has " + why +
                                      ", which does not go with " + other +
                                      "; drop one of them");
  return Status::ok();
}

bool hasServers(const DeviceSet &set) {
  return llvm::any_of(set.devices(), [](const TargetDevice &device) {
    return device.name.job == "ps";
  });
}

bool hasWorkers(const DeviceSet &set) {
  return llvm::any_of(set.devices(), [](const TargetDevice &device) {
    return device.name.job != "ps";
  });
}

} // namespace

std::string toText(const SyncCount &sync) {
  return sync.workers ? std::to_string(sync.workers) : "all";
}

Status resolveReplication(CompileOptions &options) {
  ReplicationOptions &how = options.replication;
  GRAPHC_TRY(checkPipeline(how));
  GRAPHC_TRY(checkFlags(options));
  bool isBetween = how.async || quorumOf(how) != 0 ||
                   how.replication == ReplicationMode::BetweenGraph;
  if (!isBetween)
    return Status::ok();
  std::string flag = how.async       ? "--async"
                     : quorumOf(how) ? "--sync=" + toText(*how.sync)
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
  how.quorum = quorumOf(how);
  if (how.quorum > static_cast<int64_t>(workers))
    return runtime::invalidArgument(
        flag + " waits for the gradients of " + toText(*how.sync) +
        " workers, but there are " + std::to_string(workers) +
        "; give a number up to " + std::to_string(workers) + ", or all");
  // Nobody is late when all are waited for.
  if (how.quorum == static_cast<int64_t>(workers))
    how.quorum = 0;
  if (hasServers(set)) {
    if (options.placement.policy == PlacementOptions().policy)
      options.placement.policy = PolicyKind::PsRoundRobin;
  } else if (how.async || how.quorum) {
    return runtime::invalidArgument(
        flag + " keeps the variables on tasks of job ps, and the cluster has "
               "none; add one, or use --sync=all, which mirrors them");
  } else if (!how.variables.isGiven() && how.reduce != Reduce::Ps) {
    how.variables.isMirrored = true;
  }
  how.coordination = how.async    ? Coordination::Async
                     : how.quorum ? Coordination::Quorum
                                  : Coordination::None;
  return Status::ok();
}

} // namespace graphc
