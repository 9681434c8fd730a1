// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests descriptions of the waits of runs; and feeds that come in chunks.
#include "runtime/task/WaitReporter.h"

#include "runtime/task/runs/FeedAssembly.h"
#include "test/runtime/task/LoadedPlan.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TaskOptions workerOptions() {
  TaskOptions options;
  options.cluster = makeCluster(0, 2);
  return options;
}

struct Waits {
  TaskRun &add(RunKey key, std::string_view graph) {
    return runs.add(plan.makeRun(key, graph));
  }
  TaskOptions options = workerOptions();
  LoadedPlan plan{pingModel(3)};
  RunTable runs;
  WaitReporter waits{options, plan.environment.host, runs};
};

TEST(WaitReporter, NamesTasksThatPeersMayName) {
  Waits all;
  EXPECT_EQ(all.waits.nameOf(1), "/job:worker/task:1");
  EXPECT_EQ(all.waits.nameOf(2), "a task outside the cluster");
}

TEST(WaitReporter, ARunThatGetsReadyWaitsForAPeer) {
  Waits all;
  TaskRun &run = all.add({5, 1}, "ping");
  run.lastStatus = "/job:worker/task:1";
  protocol::Reply::Wait wait = all.waits.waitOf(run);
  EXPECT_EQ(wait.task(), "/job:worker/task:0");
  EXPECT_EQ(wait.run().number(), 1u);
  EXPECT_EQ(wait.kind(), "peer");
  EXPECT_EQ(wait.awaited_task(), "/job:worker/task:1");
  EXPECT_EQ(all.waits.textOf(run), "step 1 of graph 'ping' waited for a link "
                                   "to /job:worker/task:1");
}

TEST(WaitReporter, ARunInAStepWaitsForAnEdge) {
  Waits all;
  TaskRun &run = all.add({5, 1}, "ping");
  all.plan.environment.peers.up = {1};
  ASSERT_TRUE(run.makeReady().isOk());
  ASSERT_TRUE(run.go(0, 2).isOk());
  run.lastProgress = all.plan.environment.host.now;
  while (run.advance(all.plan.environment.host.now) != TaskRun::Progress::None)
    ;
  all.plan.environment.host.now += 70'000'000;
  protocol::Reply::Wait wait = all.waits.waitOf(run);
  EXPECT_EQ(wait.kind(), "edge");
  EXPECT_EQ(wait.since_ms(), 70u);
  EXPECT_EQ(wait.awaited_task(), "/job:worker/task:1");
  protocol::Failure failure =
      all.waits.failure(run, Status(StatusCode::Unavailable, "lost it"));
  EXPECT_EQ(failure.task(), "/job:worker/task:0");
  EXPECT_EQ(failure.step(), 1u);
  EXPECT_EQ(failure.edge(), "back (test.tfir:7:1)");
  EXPECT_EQ(all.waits.quorumText(run), "");
}

TEST(WaitReporter, RunsThatAreReadyWaitForNothing) {
  Waits all;
  all.add({5, 1}, "alone").phase = TaskRun::Phase::Going;
  all.add({5, 2}, "alone").phase = TaskRun::Phase::Ready;
  all.add({5, 3}, "alone").phase = TaskRun::Phase::Preparing;
  all.add({5, 4}, "alone").phase = TaskRun::Phase::Failed;
  protocol::Reply::WaitList list = all.waits.waits();
  ASSERT_EQ(list.waits_size(), 2);
  EXPECT_EQ(list.waits(0).run().number(), 1u);
  EXPECT_EQ(list.waits(1).run().number(), 3u);
}

protocol::Chunk feedChunk(uint64_t offset, const std::string &data) {
  protocol::Chunk chunk;
  chunk.set_name("x");
  chunk.set_dtype(static_cast<uint32_t>(DType::Float32));
  chunk.add_shape(3);
  chunk.set_offset(offset);
  chunk.set_total(12);
  chunk.set_data(data);
  return chunk;
}

struct Feeds {
  Status add(const protocol::Chunk &chunk) {
    FeedAssembly::Chunks chunks;
    *chunks.Add() = chunk;
    return feeds.add({5, 1}, *run, chunks);
  }
  LoadedPlan plan{pingModel(3)};
  std::unique_ptr<TaskRun> run = plan.makeRun({5, 1}, "ping");
  FeedAssembly feeds;
};

TEST(FeedAssembly, AWholeFeedIsTheRuns) {
  Feeds all;
  all.feeds.begin({5, 1});
  EXPECT_TRUE(all.feeds.isOpen({5, 1}));
  ASSERT_TRUE(all.add(feedChunk(0, "abcd")).isOk());
  EXPECT_TRUE(all.run->feeds.empty());
  ASSERT_TRUE(all.add(feedChunk(4, "efghijkl")).isOk());
  ASSERT_EQ(all.run->feeds.size(), 1u);
  EXPECT_EQ(all.run->feeds[0].value.size(), 12u);
  // Another value takes its place.
  ASSERT_TRUE(all.add(feedChunk(0, "123456789012")).isOk());
  ASSERT_EQ(all.run->feeds.size(), 1u);
  EXPECT_EQ(all.run->feeds[0].value[0], std::byte('1'));
  all.feeds.end({5, 1});
  EXPECT_FALSE(all.feeds.isOpen({5, 1}));
}

TEST(FeedAssembly, RefusesWhatIsNoFeedOfTheGraph) {
  Feeds all;
  protocol::Chunk chunk = feedChunk(0, "abcd");
  chunk.set_name("none");
  EXPECT_FALSE(all.add(chunk).isOk());
  chunk = feedChunk(0, "abcd");
  chunk.set_shape(0, 4);
  EXPECT_EQ(all.add(chunk).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(all.add(feedChunk(4, "abcd")).code(), StatusCode::InvalidArgument);
}

} // namespace
