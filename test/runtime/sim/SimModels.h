// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small plans for simulated clusters of a parameter server and workers.
#ifndef GRAPHC_TEST_RUNTIME_SIM_SIMMODELS_H
#define GRAPHC_TEST_RUNTIME_SIM_SIMMODELS_H

#include "runtime/cluster/ClusterSpec.h"
#include "test/runtime/format/ModelBuilder.h"

namespace graphc::test {

/// /job:ps/task:0 and two workers: the tasks of the plans below.
runtime::ClusterSpec simCluster();

/// "init" gives w the value 1. A step of "train": the ps sends w; worker k
/// gives c_k / w / w, c = 1 and 3; the ps adds both to w. Fetches: "after", the
/// new w, and "gradient", what worker 0 gives. Each step changes w, so a step
/// that is lost or done twice shows. All values have `elements` elements.
ModelBuilder simSyncModel(int64_t elements = 1);

/// Worker 0 counts in each of `elements` elements and gives "made", 2 + the
/// number of the step, to the ps, which adds it to w, 1 at first: fetch
/// "after". Nothing comes back, so the worker may be ahead.
ModelBuilder simForwardModel(int64_t elements);

/// Each worker's own step of "train" does so alone and adds 1 to "count".
/// `staleness`: the bound, if any.
ModelBuilder simAsyncModel(uint32_t staleness = UINT32_MAX);

/// As simAsyncModel, but `quorum` gradients make an update, which adds 1 to
/// "updates".
ModelBuilder simQuorumModel(uint32_t quorum);

} // namespace graphc::test

#endif
