// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small plans for several tasks.
#ifndef GRAPHC_TEST_RUNTIME_TASK_CLUSTERMODELS_H
#define GRAPHC_TEST_RUNTIME_TASK_CLUSTERMODELS_H

#include "runtime/cluster/ClusterSpec.h"
#include "test/runtime/format/ModelBuilder.h"

#include <cstring>
#include <span>

namespace graphc::test {

/// So many tasks of job ps, then of job worker.
runtime::ClusterSpec makeCluster(uint32_t ps, uint32_t workers);

/// Graph "ping": feed x of `size` floats at worker 0; worker 1 doubles it, and
/// worker 0 doubles that: fetch "y" at worker 0, "half" at worker 1. Graph
/// "alone": fetch "four" at worker 0, one float that a constant makes.
ModelBuilder pingModel(int64_t size);

/// Graph "read": each of two workers takes its half of a batch of four x of
/// dataset "points" and sends it to ps 0, whose fetch "sum" adds them.
ModelBuilder dataModel(int64_t repeat);

/// Variables w0 and w1 on two ps, both 1 at first. A step of "train" of worker
/// k sees both (fetches "seen0", "seen1") and makes each 2 w + k + 1, so the
/// order of updates shows. With a quorum, workers add k + 1 to sums, and
/// applying adds the sums to both variables.
ModelBuilder updateModel(uint32_t workers, format::Coordination coordination,
                         uint32_t quorum = 0, uint32_t staleness = UINT32_MAX);

/// Variable w on ps 0, with a mirror on ps 1: "init" gives them 1 and 0; rows,
/// two rows of which each ps has one, ones at first. Graph "look" fetches the
/// mirror: "copy". Without rows there is w alone.
ModelBuilder dividedModel(bool hasRows = true);

/// The first float of a value.
inline float firstOf(std::span<const std::byte> bytes) {
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

} // namespace graphc::test

#endif
