// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An engine of graph "ping" and the run that its values are of.
#ifndef GRAPHC_TEST_RUNTIME_TASK_RUNS_RUNVALUES_H
#define GRAPHC_TEST_RUNTIME_TASK_RUNS_RUNVALUES_H

#include "test/runtime/task/LoadedPlan.h"

#include <cstring>
#include <vector>

namespace graphc::test {

constexpr uint32_t kThere = 0; ///< the edge from task 0 to task 1
constexpr uint32_t kBack = 1;  ///< the edge from task 1 to task 0

/// Task `self` of two, with values of `size` floats.
struct RunValues {
  explicit RunValues(int64_t size, bool hasSharedMemory = false,
                     runtime::TaskId self = 0)
      : plan(pingModel(size), self), size(size * sizeof(float)) {
    plan.environment.peers.up = {1 - self};
    plan.environment.peers.hasSharedMemory = hasSharedMemory;
    spec = plan.makeSpec({5, 1}, "ping");
    auto taken = plan.plan->takeEngine(*spec.graph, {}, false,
                                       plan.environment.environment());
    EXPECT_TRUE(taken.isOk()) << taken.status().toString();
    engine = *taken;
  }

  /// A frame of the run, of an edge's whole value unless told otherwise.
  runtime::FrameHeader frame(runtime::FrameKind kind, uint32_t edge,
                             uint64_t step = 0, uint64_t offset = 0) const {
    runtime::FrameHeader header = spec.frame(kind, step);
    header.edge = edge;
    header.offset = offset;
    header.total = size;
    return header;
  }
  FakePeers &network() { return plan.environment.peers; }
  size_t sentFrames(runtime::FrameKind kind) const {
    size_t count = 0;
    for (const auto &[peer, header] : plan.environment.peers.sent)
      count += header.kind == kind;
    return count;
  }

  LoadedPlan plan;
  size_t size; ///< of a value, in bytes
  runtime::TaskRunSpec spec;
  runtime::PlanEngine *engine = nullptr;
};

} // namespace graphc::test

#endif
