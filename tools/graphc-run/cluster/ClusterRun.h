// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs on a cluster: one client, or one for each worker.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERRUN_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERRUN_H

#include "runtime/base/Status.h"
#include "tools/graphc-run/RunOptions.h"

namespace graphc::run {

/// The exit code, or why nothing came of it.
runtime::StatusOr<int> runOnCluster(const RunOptions &options);

/// --why-stuck: prints what all tasks wait for, and the root.
runtime::StatusOr<int> printWhyStuck(const ClusterFlags &flags);

/// --stop-cluster: ends the servers of all tasks.
runtime::StatusOr<int> stopCluster(const ClusterFlags &flags);

} // namespace graphc::run

#endif
