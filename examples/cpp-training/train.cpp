// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains on a cluster through the C++ API: a checkpoint every 100 steps, and
// lost tasks are waited for. Begun again, it goes on from the checkpoint.
#include "runtime/rpc/GrpcConnector.h"
#include "runtime/session/CheckpointedRun.h"
#include "runtime/session/ClusterSession.h"

#include <cstdio>

using namespace graphc::runtime;

Status train(const std::string &plan, const std::string &cluster) {
  GRAPHC_ASSIGN_OR_RETURN(auto model, Model::open(plan));
  GRAPHC_ASSIGN_OR_RETURN(ClusterSpec tasks, ClusterSpec::read(cluster));
  GRAPHC_ASSIGN_OR_RETURN(auto connector, GrpcConnector::create(tasks, {}));
  GRAPHC_ASSIGN_OR_RETURN(
      auto session,
      ClusterSession::open(model, tasks, std::move(connector), {}));
  CheckpointOptions how{.file = "line.safetensors", .everySteps = 100};
  how.recoveries = 3;
  how.note = [](const std::string &text) { std::puts(text.c_str()); };
  CheckpointedRun run(*session, how);
  GRAPHC_TRY(run.initialize("train"));
  auto print = [](const StepView &step) {
    if (step.step() % 1000 == 0)
      std::printf("step %ld\n", static_cast<long>(step.step()));
    return true;
  };
  return run.runSteps({.graph = "train", .steps = 20000}, print).status();
}

int main(int argc, char **argv) {
  Status status = argc == 3 ? train(argv[1], argv[2])
                            : invalidArgument("usage: train PLAN CLUSTER");
  if (!status.isOk())
    std::fprintf(stderr, "train: %s\n", status.message().c_str());
  return status.isOk() ? 0 : 1;
}
