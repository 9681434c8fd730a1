// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs that get ready, go, are listened to and end, without updates in order.
#include "runtime/task/runs/RunStarter.h"

#include "runtime/format/PlanSlice.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/runs/RunEnder.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/FakeEnvironment.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TaskOptions workerOptions() {
  TaskOptions options;
  options.cluster = makeCluster(0, 2);
  options.threads = 1;
  options.mostRuns = 2;
  return options;
}

/// Task 0 of two workers, with pingModel(3).
struct Runs final : RunControl {
  Runs() {
    auto model = Model::fromBytes(pingModel(3).finish(), "test.bin");
    EXPECT_TRUE(model.isOk()) << model.status().toString();
    plan = planDigest(**model);
    EXPECT_TRUE(plans.add(*model, "", false, std::nullopt).isOk());
  }
  void makeReady(TaskRun &run) override { starter.makeReady(run); }
  void onProgress(TaskRun &, TaskRun::Progress) override {}
  void endGo(TaskRun &run) override { ender.endGo(run); }
  void fail(TaskRun &run, const Status &why) override { ender.fail(run, why); }
  void drop(RunKey key) override { ender.drop(key); }

  protocol::Request::Prepare prepare(uint64_t number, const char *graph) {
    protocol::Request::Prepare request;
    request.set_plan(plan);
    request.mutable_run()->set_client(5);
    request.mutable_run()->set_number(number);
    request.set_graph(graph);
    if (std::string_view(graph) == "alone") {
      request.add_fetches("four");
      return request;
    }
    protocol::Chunk &chunk = *request.add_feeds();
    chunk.set_name("x");
    chunk.set_dtype(static_cast<uint32_t>(DType::Float32));
    chunk.add_shape(3);
    chunk.set_total(12);
    chunk.set_data(std::string(12, 0));
    return request;
  }
  Status go(uint64_t number, uint64_t id) {
    protocol::Request::Go request;
    request.mutable_run()->set_client(5);
    request.mutable_run()->set_number(number);
    request.set_steps(1);
    return starter.go({3, id}, request);
  }
  /// The run of "ping" with its peer there; it goes.
  TaskRun &going() {
    environment.peers.up = {1};
    Status status = starter.prepare({3, 1}, prepare(1, "ping"), INT64_MAX);
    EXPECT_TRUE(status.isOk()) << status.toString();
    status = go(1, 2);
    EXPECT_TRUE(status.isOk()) << status.toString();
    environment.peers.sent.clear();
    environment.clients.sent.clear();
    return *runs.find({5, 1});
  }
  FrameHeader failed(uint64_t number, uint64_t question = 0) {
    FrameHeader header;
    header.kind = FrameKind::RunFailed;
    header.runClient = 5;
    header.runNumber = number;
    header.total = question;
    return header;
  }

  TaskOptions options = workerOptions();
  FakeEnvironment environment;
  PlanStore plans{options, environment.host, environment.peers};
  OpenRequests requests{environment.clients, "/job:worker/task:0"};
  VariableService variables{plans, requests, environment.clients};
  SnapshotStore snapshots{requests, variables};
  RunTable runs;
  FeedAssembly feeds;
  WaitReporter waits{options, environment.host, runs};
  EngineQuarantine quarantine{environment.peers};
  UpdateCoordinator coordinator{
      options.self, environment.environment(), runs, snapshots, waits, *this};
  UpdateExecutor updates{options,   environment.environment(),
                         plans,     runs,
                         snapshots, coordinator,
                         waits,     *this};
  RunEnder ender{options,  environment.environment(),
                 runs,     feeds,
                 requests, quarantine,
                 waits,    updates};
  RunListeners listeners{environment.host, plans, runs, requests};
  TimelineStore timelines{options, environment.host, requests,
                          environment.clients};
  RunStarter starter{options,  environment.environment(),
                     plans,    runs,
                     feeds,    timelines,
                     requests, waits,
                     updates,  listeners,
                     *this};
  std::string plan;
};

TEST(RunStarter, ARunWithoutPeersIsReadyAtOnce) {
  Runs all;
  ASSERT_TRUE(
      all.starter.prepare({3, 1}, all.prepare(1, "alone"), INT64_MAX).isOk());
  const protocol::Reply &reply = all.environment.clients.last();
  EXPECT_TRUE(reply.last());
  ASSERT_EQ(reply.prepared().fetches_size(), 1);
  EXPECT_EQ(reply.prepared().sizes(0), 4u);
  EXPECT_EQ(all.starter.nextTimer(), INT64_MAX);
  EXPECT_EQ(all.runs.find({5, 1})->phase, TaskRun::Phase::Ready);
}

TEST(RunStarter, ARunWaitsForItsPeers) {
  Runs all;
  ASSERT_TRUE(
      all.starter.prepare({3, 1}, all.prepare(1, "ping"), INT64_MAX).isOk());
  EXPECT_TRUE(all.environment.peers.wanted.contains(1));
  EXPECT_EQ(all.environment.clients.last().status(),
            "waits for /job:worker/task:1");
  EXPECT_EQ(all.starter.nextTimer(),
            all.environment.host.now + all.options.connectNanos);
  all.starter.makeAllReady();
  EXPECT_EQ(all.environment.clients.sent.size(), 1u); // was told
  all.environment.peers.up = {1};
  all.starter.makeAllReady();
  EXPECT_TRUE(all.environment.clients.last().has_prepared());
}

TEST(RunStarter, PeersThatDoNotComeEndARun) {
  Runs all;
  ASSERT_TRUE(
      all.starter.prepare({3, 1}, all.prepare(1, "ping"), INT64_MAX).isOk());
  all.environment.host.now += all.options.connectNanos;
  all.starter.expire(all.environment.host.now);
  EXPECT_EQ(all.environment.clients.last().failure().code(),
            static_cast<int>(StatusCode::Unavailable));
  EXPECT_EQ(all.runs.size(), 0u);
  EXPECT_EQ(all.requests.size(), 0u);
}

TEST(RunStarter, AFailedRunMakesRoom) {
  Runs all;
  for (uint64_t number : {1, 2})
    ASSERT_TRUE(
        all.starter
            .prepare({3, number}, all.prepare(number, "alone"), INT64_MAX)
            .isOk());
  EXPECT_EQ(
      all.starter.prepare({3, 3}, all.prepare(3, "alone"), INT64_MAX).code(),
      StatusCode::ResourceExhausted);
  all.fail(*all.runs.find({5, 2}), cancelled("enough"));
  EXPECT_TRUE(
      all.starter.prepare({3, 3}, all.prepare(3, "alone"), INT64_MAX).isOk());
  EXPECT_EQ(all.runs.find({5, 2}), nullptr);
}

TEST(RunStarter, ARunGoesOnceAtATime) {
  Runs all;
  EXPECT_EQ(all.go(1, 1).code(), StatusCode::NotFound);
  TaskRun &run = all.going();
  EXPECT_EQ(run.phase, TaskRun::Phase::Going);
  EXPECT_TRUE(all.requests.isOpen({3, 2}));
  EXPECT_EQ(all.go(1, 3).code(), StatusCode::FailedPrecondition);
}

protocol::Request::Attach attachTo(const Runs &all, const char *graph) {
  protocol::Request::Attach request;
  request.set_plan(all.plan);
  request.set_graph(graph);
  return request;
}

TEST(RunListeners, WaitForTheGraphToGo) {
  Runs all;
  ASSERT_TRUE(
      all.listeners.attach({4, 1}, attachTo(all, "ping"), 5'000).isOk());
  ASSERT_TRUE(
      all.listeners.attach({4, 2}, attachTo(all, "alone"), 9'000).isOk());
  protocol::Reply::WaitList list;
  all.listeners.addWaits("task", list);
  ASSERT_EQ(list.waits_size(), 2);
  EXPECT_EQ(list.waits(0).what(), "the chief to start 'ping'");
  TaskRun &run = all.going();
  EXPECT_EQ(run.sinks.size(), 2u);
  EXPECT_EQ(all.listeners.nextDeadline(), 9'000);
  ASSERT_TRUE(
      all.listeners.attach({4, 3}, attachTo(all, "ping"), 9'000).isOk());
  EXPECT_EQ(run.sinks.size(), 3u);
  all.listeners.expire(9'000);
  EXPECT_EQ(all.environment.clients.last().id(), 2u);
  EXPECT_TRUE(all.environment.clients.last().has_failure());
}

TEST(RunEnder, TheFirstCauseGoesToClientAndPeers) {
  Runs all;
  TaskRun &run = all.going();
  all.ender.fail(run, dataLoss("first"));
  all.ender.fail(run, dataLoss("second"));
  EXPECT_EQ(run.phase, TaskRun::Phase::Failed);
  EXPECT_EQ(run.cause.message(), "first");
  ASSERT_EQ(all.environment.clients.sent.size(), 1u);
  EXPECT_EQ(all.environment.clients.last().id(), 2u);
  EXPECT_EQ(all.environment.clients.last().failure().message(), "first");
  EXPECT_TRUE(all.environment.clients.last().has_ended());
  ASSERT_EQ(all.environment.peers.sent.size(), 1u);
  EXPECT_EQ(all.environment.peers.sent[0].second.kind, FrameKind::RunFailed);
  EXPECT_FALSE(all.requests.isOpen({3, 2}));
}

TEST(RunEnder, APeersCauseIsPassedOn) {
  Runs all;
  TaskRun &run = all.going();
  protocol::Failure cause =
      toFailure(dataLoss("over there"), "/job:worker/task:1");
  std::string payload = cause.SerializeAsString();
  all.ender.onRunFailed(1, all.failed(1),
                        ByteRanges(std::as_bytes(std::span(payload))));
  EXPECT_EQ(run.phase, TaskRun::Phase::Failed);
  EXPECT_EQ(all.environment.clients.last().failure().task(),
            "/job:worker/task:1");
}

TEST(RunEnder, WhoAsksAfterAnUnknownRunIsAnswered) {
  Runs all;
  all.environment.peers.up = {1};
  all.ender.onRunFailed(1, all.failed(8, kIsAnswer), {});
  EXPECT_TRUE(all.environment.peers.sent.empty());
  all.ender.onRunFailed(1, all.failed(8, kAsks), {});
  ASSERT_EQ(all.environment.peers.sent.size(), 1u);
  EXPECT_EQ(all.environment.peers.sent[0].second.total, kIsAnswer);
}

TEST(RunEnder, AClientEndsItsOwnRunsOnly) {
  Runs all;
  all.going();
  protocol::Request::Abort abort;
  abort.mutable_run()->set_client(5);
  abort.mutable_run()->set_number(1);
  EXPECT_EQ(all.ender.abort({4, 1}, abort).code(),
            StatusCode::PermissionDenied);
  ASSERT_TRUE(all.ender.abort({3, 3}, abort).isOk());
  EXPECT_EQ(all.runs.size(), 0u);
  EXPECT_EQ(all.environment.clients.last().id(), 3u);
  EXPECT_TRUE(all.environment.clients.last().has_ended());
}

TEST(RunEnder, RunsGoWithTheirClient) {
  Runs all;
  all.going();
  all.ender.dropClient(4);
  EXPECT_EQ(all.runs.size(), 1u);
  all.ender.dropClient(3);
  EXPECT_EQ(all.runs.size(), 0u);
  EXPECT_TRUE(all.environment.clients.sent.empty()); // there is nobody to tell
  ASSERT_EQ(all.environment.peers.sent.size(), 1u);
  EXPECT_FALSE(all.ender.takeDecided());
}

} // namespace
