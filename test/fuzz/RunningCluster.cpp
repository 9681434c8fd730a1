// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/RunningCluster.h"

#include "test/fuzz/Input.h"
#include "test/runtime/task/ClusterModels.h"

#include <gtest/gtest.h>

namespace graphc::test {

using namespace runtime;

namespace {

DirectOptions optionsOf(bool hasSharedMemory) {
  // The cluster's own checks are rules, too.
  GTEST_FLAG_SET(break_on_failure, true);
  return {makeCluster(2, 2), 1, hasSharedMemory, [](TaskOptions &task) {
            task.mostRuns = 16;
            task.mostPartBytes = 1 << 20;
          }};
}

} // namespace

RunningCluster::RunningCluster(bool hasSharedMemory)
    : cluster(optionsOf(hasSharedMemory)) {
  ClientOptions options;
  options.worker = 0;
  client = &cluster.addClient(updateModel(2, format::Coordination::Quorum, 2),
                              options);
  client->beginOpen();
  require(cluster.finish(*client).isOk(), "the cluster opens");
  client->beginInitialize();
  require(cluster.finish(*client).isOk(), "variables get values");
  stranger = cluster.openConversation();
  protocol::Request describe;
  describe.set_id(1);
  describe.mutable_describe();
  cluster.send(stranger, 0, describe);
  plan = cluster.replies(stranger).front().description().plans(0);
  cluster.replies(stranger).clear();
}

void RunningCluster::goOn(int turns) {
  if (!client->isBusy()) {
    ++runs;
    client->beginRun({"train", {}, {}, 1000, false, {}},
                     [](uint64_t, auto) { return true; });
  }
  cluster.runUntil([] { return false; }, turns);
}

void RunningCluster::end() {
  for (TaskId task = 0; task < 4; ++task)
    cluster.task(task).onClientGone(stranger);
  cluster.removeClient(*client);
  cluster.settle();
  require(cluster.residue().runs == 0, "no run is left");
  require(cluster.residue().earlyBytes == 0, "no value is left");
  require(cluster.residue().sharedPlaces == 0, "no shared memory is left");
  for (TaskId task = 0; task < 4; ++task)
    require(cluster.task(task).waits().waits_size() == 0, "nothing waits");
}

} // namespace graphc::test
