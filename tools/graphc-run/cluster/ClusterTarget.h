// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run on a cluster.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERTARGET_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERTARGET_H

#include "runtime/session/ClusterSession.h"
#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/cluster/ClusterPlace.h"
#include "tools/graphc-run/cluster/StartBarrier.h"

namespace graphc::run {

/// A session of its own on the cluster, as one client of it has. `worker`:
/// whose instance it runs.
runtime::StatusOr<std::unique_ptr<runtime::ClusterSession>>
openClusterSession(std::shared_ptr<const runtime::Model> plan,
                   ClusterPlace &place, const RunOptions &options,
                   std::optional<uint32_t> worker, bool isChief);

/// The flags that are about checkpoints and recovery. The first step waits at
/// `start` for other clients. Place and `start` outlive the runs.
runtime::CheckpointOptions clusterCheckpoints(const RunOptions &options,
                                              ClusterPlace &place, bool isChief,
                                              StartBarrier::Pass &start);

/// Makes the target that prints a run on a cluster. All arguments outlive the
/// target.
std::unique_ptr<RunTarget> makeClusterTarget(runtime::ClusterSession &session,
                                             runtime::CheckpointedRun &run,
                                             const RunOptions &options,
                                             std::optional<uint32_t> worker);

/// A note on stderr, if there are any.
void printLateGradients(uint64_t count);

} // namespace graphc::run

#endif
