// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two workers that send each other values, and the client of their runs.
#ifndef GRAPHC_TEST_RUNTIME_TASK_PINGCLUSTER_H
#define GRAPHC_TEST_RUNTIME_TASK_PINGCLUSTER_H

#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace graphc::test {

using runtime::ClientMachine;
using runtime::HostTensor;
using runtime::Status;

inline HostTensor floats(int64_t size, float first) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), first);
  return HostTensor::of<float>({size}, values);
}

struct Ping {
  explicit Ping(int64_t size, uint64_t seed = 1, bool hasSharedMemory = false)
      : cluster({makeCluster(0, 2), seed, hasSharedMemory, {}}),
        client(cluster.addClient(pingModel(size))), size(size) {
    client.beginOpen();
    EXPECT_TRUE(cluster.finish(client).isOk()) << client.result().toString();
  }

  /// Runs "ping" and checks every step; fetches are y and half.
  Status run(int64_t steps, float first) {
    int64_t seen = 0;
    client.beginRun(
        {"ping", {{"x", floats(size, first)}}, {"y", "half"}, steps, false, {}},
        [&](uint64_t step, auto values) {
          ++seen;
          EXPECT_EQ(values[0].size(), size * sizeof(float));
          EXPECT_EQ(firstOf(values[0]), 4 * first);
          EXPECT_EQ(firstOf(values[1]), 2 * first);
          EXPECT_EQ(firstOf(values[0].last(sizeof(float))),
                    4 * (first + size - 1));
          lastStep = step;
          return true;
        });
    Status status = cluster.finish(client);
    if (status.isOk())
      EXPECT_EQ(seen, steps);
    return status;
  }

  DirectCluster cluster;
  ClientMachine &client;
  int64_t size;
  uint64_t lastStep = 0;
};

} // namespace graphc::test

#endif
