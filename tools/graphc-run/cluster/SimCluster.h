// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --sim-cluster: the run in a simulated cluster of the plan's own tasks.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_SIMCLUSTER_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_SIMCLUSTER_H

#include "runtime/base/Status.h"
#include "tools/graphc-run/RunOptions.h"

namespace graphc::run {

/// Prints the log and how the run ended. The exit code: 0 where it ended well
/// or with a cause that one of the faults explains, 1 where a rule was broken.
runtime::StatusOr<int> runSimulated(const RunOptions &options);

} // namespace graphc::run

#endif
