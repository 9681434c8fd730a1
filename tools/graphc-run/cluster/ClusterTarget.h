// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run on a cluster.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERTARGET_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERTARGET_H

#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/cluster/ClusterPlace.h"
#include "tools/graphc-run/cluster/StartGate.h"

namespace graphc::run {

/// `plan` with a connection of its own to the cluster, as one client of it.
/// `worker`: whose instance it runs. Its first step waits at `start` for other
/// clients. Options, place and `start` outlive the target.
runtime::StatusOr<std::unique_ptr<RunTarget>>
openClusterTarget(std::shared_ptr<const runtime::Model> plan,
                  ClusterPlace &place, const Options &options,
                  std::optional<uint32_t> worker, bool isChief,
                  StartGate::Pass &start);

/// A note on stderr, if there are any.
void printLateGradients(uint64_t count);

} // namespace graphc::run

#endif
