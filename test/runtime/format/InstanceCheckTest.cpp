// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests what a worker's replica graph shares with those of others.
#include "test/runtime/format/Refusal.h"

using namespace graphc;
using namespace graphc::test;
using runtime::DType;
using runtime::TensorType;

namespace {

constexpr const char *kServer = "/job:ps/replica:0/task:0/device:CPU:0";

/// Worker 1 adds to `sum`, which "apply" sets back.
struct Quorum {
  ModelBuilder model;
  GraphSpec &apply = model.addGraph("apply");
  GraphSpec &train = model.addGraph("train");

  explicit Quorum(bool setsBack = true) {
    TensorType type{DType::Float32, {2}};
    uint32_t sum = model.addVariable("sum", type);
    uint32_t other = model.addVariable("other", type);
    for (GraphSpec *graph : {&apply, &train})
      graph->device = kServer;
    apply.addFill(apply.addVariable("v", model, setsBack ? sum : other), {0});
    train.addFill(train.addVariable("sum", model, sum), {1});
    train.addStepState(1);
    train.updatesFrom = 0;
    train.instance = InstanceSpec{
        "train",          1,          3, format::Coordination::Quorum,
        "/job:ps/task:0", UINT32_MAX, 2, "apply"};
  }
};

TEST(InstanceCheck, AcceptsWhatFits) {
  EXPECT_EQ(refusal(Quorum().model), "accepted");
  Quorum async;
  async.train.instance->coordination = format::Coordination::Async;
  EXPECT_EQ(refusal(async.model), "accepted");
}

TEST(InstanceCheck, TheCoordinatorHasAProgram) {
  Quorum quorum;
  quorum.train.instance->coordinator = "/job:ps/task:1";
  expectRefusal(quorum.model,
                "its coordinator '/job:ps/task:1' has no program of it");
}

TEST(InstanceCheck, WhatIsAddedIsSetBack) {
  expectRefusal(Quorum(/*setsBack=*/false).model,
                "it adds to variable 'sum', which graph 'apply' does not set "
                "back");
}

TEST(InstanceCheck, AWorkersGraphAppliesNothing) {
  Quorum quorum;
  quorum.apply.instance = InstanceSpec{"apply", 0, 3};
  expectRefusal(quorum.model, "graph 'apply', which applies its gradients, is "
                              "a worker's own");
}

TEST(InstanceCheck, AReplicaIsAWorker) {
  Quorum quorum;
  quorum.train.addStepState(3);
  expectRefusal(quorum.model, "replica 3 does not exist; there are 3");
}

} // namespace
