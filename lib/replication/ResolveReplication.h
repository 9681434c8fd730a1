// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolves the flags about workers for a cluster.
#ifndef GRAPHC_LIB_REPLICATION_RESOLVEREPLICATION_H
#define GRAPHC_LIB_REPLICATION_RESOLVEREPLICATION_H

#include "graphc/Options.h"
#include "runtime/base/Status.h"

namespace graphc {

/// Fills in `coordination` and `quorum`, and what is best for a cluster where
/// the user has not chosen: with --replication=between-graph variables are on
/// the tasks of job ps, one after another, or mirrored where there are none.
/// InvalidArgument names the flags that contradict each other, or the cluster,
/// and the cure.
runtime::Status resolveReplication(CompileOptions &options);

} // namespace graphc

#endif
