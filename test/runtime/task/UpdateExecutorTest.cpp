// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, updates and fences of two tasks with variables in one sequence: at the
// task that decides on it, and at one that follows.
#include "runtime/task/updates/UpdateExecutor.h"

#include "test/runtime/task/LoadedPlan.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// Notes what becomes of runs.
struct FakeControl final : RunControl {
  void makeReady(TaskRun &) override { text += "ready; "; }
  void onProgress(TaskRun &run, TaskRun::Progress progress) override {
    last = progress;
    text += "progress of " + std::to_string(run.key().number) + "; ";
  }
  void endGo(TaskRun &run) override {
    text += "end of " + std::to_string(run.key().number) + "; ";
  }
  void fail(TaskRun &run, const Status &why) override {
    text += "fails " + std::to_string(run.key().number) + ": " + why.message();
    run.phase = TaskRun::Phase::Failed;
  }
  void drop(RunKey) override { text += "drop; "; }
  std::string take() { return std::exchange(text, {}); }

  std::string text;
  TaskRun::Progress last = TaskRun::Progress::None;
};

TaskOptions optionsOf(TaskId self) {
  TaskOptions options;
  options.cluster = makeCluster(2, 2);
  options.self = self;
  options.threads = 1;
  return options;
}

/// Task `self` of two parameter servers, of which the first decides.
struct Updates {
  explicit Updates(TaskId self) : options(optionsOf(self)) {
    auto model = Model::fromBytes(
        updateModel(2, format::Coordination::Async).finish(), "test.bin");
    EXPECT_TRUE(model.isOk()) << model.status().toString();
    Status status = plans.add(*model, "", false, std::nullopt);
    EXPECT_TRUE(status.isOk()) << status.toString();
    plan = plans.begin()->second.get();
    environment.peers.up = {0, 1, 2, 3};
  }
  /// A run of worker 0 that is prepared.
  TaskRun &prepare(uint64_t number) {
    TaskRunSpec spec;
    spec.key = {9, number};
    spec.plan = plan;
    spec.graph = plan->findGraph("train@0");
    spec.self = options.self;
    spec.coordinator = 0;
    spec.variableTasks = plan->variableTasks(*spec.graph);
    TaskRun &run = runs.add(
        std::make_unique<TaskRun>(std::move(spec), environment.environment()));
    Status status = updates.prepare(run);
    EXPECT_TRUE(status.isOk()) << status.toString();
    status = run.makeReady();
    EXPECT_TRUE(status.isOk()) << status.toString();
    return run;
  }
  void go(TaskRun &run) {
    queueOf(run)->setRun(0, run.key());
    EXPECT_TRUE(run.go(0, 1).isOk());
    runs.addGoing(run);
  }
  FrameHeader entry(SequenceOp op, RunKey run) {
    FrameHeader header;
    header.kind = FrameKind::Sequenced;
    header.runClient = run.client;
    header.runNumber = run.number;
    header.graph = plan->findGraph("train@0")->number;
    header.edge = static_cast<uint32_t>(op);
    if (op == SequenceOp::Fence)
      header.total = plan->shortDigest();
    return header;
  }
  /// The entries that were sent to the other parameter server.
  std::vector<SequenceOp> sent() {
    std::vector<SequenceOp> ops;
    for (const auto &[peer, header] : std::exchange(environment.peers.sent, {}))
      if (header.kind == FrameKind::Sequenced && peer == 1)
        ops.push_back(static_cast<SequenceOp>(header.edge));
    return ops;
  }

  TaskOptions options;
  FakeEnvironment environment;
  FakeControl control;
  PlanStore plans{options, environment.host, environment.peers};
  OpenRequests requests{environment.clients, "/job:ps/task:0"};
  VariableService variables{plans, requests, environment.clients};
  SnapshotStore snapshots{requests, variables};
  RunTable runs;
  WaitReporter waits{options, environment.host, runs};
  UpdateCoordinator coordinator{
      options.self, environment.environment(), runs, snapshots, waits, control};
  UpdateExecutor updates{options,   environment.environment(),
                         plans,     runs,
                         snapshots, coordinator,
                         waits,     control};
  PlanState *plan = nullptr;
};

TEST(UpdateCoordinator, ARunThatCanGoOnIsSequenced) {
  Updates all(0);
  TaskRun &run = all.prepare(1);
  EXPECT_FALSE(all.updates.advance());
  all.go(run);
  EXPECT_TRUE(all.updates.advance());
  EXPECT_EQ(all.sent(), (std::vector<SequenceOp>{SequenceOp::Read}));
  EXPECT_TRUE(run.isInStep());
  EXPECT_EQ(all.control.take(), "progress of 1; ");
  EXPECT_FALSE(all.updates.advance()); // its gradients are not there
  EXPECT_FALSE(all.updates.hasUpdate(run));
}

TEST(UpdateCoordinator, AnEntryIsRepeatedUntilItIsConfirmed) {
  Updates all(0);
  all.go(all.prepare(1));
  all.updates.advance();
  all.sent();
  all.coordinator.repeat(*all.plan, 1);
  EXPECT_EQ(all.sent(), (std::vector<SequenceOp>{SequenceOp::Read}));
  FrameHeader arrived;
  arrived.kind = FrameKind::Arrived;
  arrived.runClient = 9;
  arrived.runNumber = 1;
  arrived.graph = all.plan->findGraph("train@0")->number;
  all.coordinator.onArrived(1, arrived);
  all.coordinator.repeat(*all.plan, 1);
  EXPECT_TRUE(all.sent().empty());
  EXPECT_EQ(all.control.take(), "progress of 1; ");
  all.coordinator.onArrived(1, arrived); // twice
  EXPECT_NE(all.control.take().find("it cannot be ready for"),
            std::string::npos);
}

TEST(UpdateCoordinator, AFenceNeedsAllWhoFollow) {
  Updates all(0);
  ASSERT_TRUE(all.snapshots.arm({7, 1}, 5, *all.plan).isOk());
  all.environment.peers.up = {2};
  EXPECT_EQ(all.coordinator.fence(*all.plan, {7, 1}).code(),
            StatusCode::Unavailable);
  all.environment.peers.up = {1};
  EXPECT_TRUE(all.coordinator.fence(*all.plan, {7, 1}).isOk());
  EXPECT_EQ(all.sent(), (std::vector<SequenceOp>{SequenceOp::Fence}));
}

TEST(UpdateExecutor, AFollowerWaitsForItsClientsGo) {
  Updates all(1);
  TaskRun &run = all.prepare(1);
  all.updates.onSequenced(0, all.entry(SequenceOp::Read, run.key()));
  EXPECT_FALSE(all.updates.advance());
  EXPECT_EQ(all.updates.nextTimer(),
            all.environment.host.now + all.options.connectNanos);
  all.go(run);
  EXPECT_TRUE(all.updates.advance());
  EXPECT_TRUE(run.isInStep());
  EXPECT_EQ(all.updates.nextTimer(), INT64_MAX);
}

TEST(UpdateExecutor, AGoThatDoesNotComeFailsTheRun) {
  Updates all(1);
  TaskRun &run = all.prepare(1);
  all.updates.onSequenced(0, all.entry(SequenceOp::Read, run.key()));
  all.updates.advance();
  all.environment.host.now += all.options.connectNanos;
  EXPECT_TRUE(all.updates.advance());
  EXPECT_NE(all.control.take().find("but not here"), std::string::npos);
}

TEST(UpdateExecutor, OnlyTheCoordinatorSequences) {
  Updates all(1);
  TaskRun &run = all.prepare(1);
  all.updates.onSequenced(2, all.entry(SequenceOp::Read, run.key()));
  all.updates.onSequenced(0, all.entry(SequenceOp::Read, {9, 8}));
  EXPECT_TRUE(queueOf(run)->entries.empty());
  all.updates.onSequenced(0, all.entry(SequenceOp::Update, run.key()));
  EXPECT_TRUE(all.updates.hasUpdate(run));
  // The run is not in a step: its update is not made.
  EXPECT_TRUE(all.updates.advance());
  EXPECT_FALSE(all.updates.hasUpdate(run));
  EXPECT_EQ(all.control.take(), "");
}

TEST(UpdateExecutor, AFenceTakesItsSnapshotInTurn) {
  Updates all(1);
  TaskRun &run = all.prepare(1);
  ASSERT_TRUE(all.snapshots.arm({7, 1}, 5, *all.plan).isOk());
  protocol::Request::Read read;
  read.set_variable("w1");
  read.mutable_snapshot()->set_client(7);
  read.mutable_snapshot()->set_number(1);
  all.updates.onSequenced(0, all.entry(SequenceOp::Read, run.key()));
  all.updates.onSequenced(0, all.entry(SequenceOp::Fence, {7, 1}));
  ASSERT_TRUE(all.snapshots.read({5, 1}, read, 900).isOk());
  EXPECT_FALSE(all.updates.advance()); // the Read comes first
  EXPECT_EQ(all.snapshots.nextDeadline(), 900);
  all.go(run);
  EXPECT_TRUE(all.updates.advance());
  EXPECT_EQ(all.snapshots.nextDeadline(), INT64_MAX);
}

TEST(UpdateExecutor, WhatARestartedCoordinatorSequencedIsLost) {
  Updates all(1);
  TaskRun &run = all.prepare(1);
  all.updates.onSequenced(0, all.entry(SequenceOp::Read, run.key()));
  all.updates.forgetPeer(2);
  EXPECT_EQ(queueOf(run)->entries.size(), 1u);
  all.updates.forgetPeer(0);
  EXPECT_TRUE(queueOf(run)->entries.empty());
}

} // namespace
