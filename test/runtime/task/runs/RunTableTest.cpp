// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs by their ids, those that go, and engines of runs that failed.
#include "runtime/task/runs/RunTable.h"

#include "runtime/task/PeerHistory.h"
#include "runtime/task/runs/EngineQuarantine.h"
#include "test/runtime/task/LoadedPlan.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

struct Table {
  TaskRun &add(RunKey key, LoadedPlan &of) {
    return runs.add(of.makeRun(key, "alone"));
  }
  LoadedPlan plan{pingModel(3)};
  RunTable runs;
};

TEST(RunTable, RunsAreFoundByTheirIds) {
  Table all;
  TaskRun &one = all.add({5, 1}, all.plan);
  TaskRun &two = all.add({5, 2}, all.plan);
  EXPECT_EQ(all.runs.find({5, 1}), &one);
  EXPECT_EQ(all.runs.find({5, 2}), &two);
  EXPECT_EQ(all.runs.find({5, 3}), nullptr);
  EXPECT_TRUE(all.runs.contains({5, 2}));
  EXPECT_EQ(all.runs.size(), 2u);
}

TEST(RunTable, ARunThatWasFoundLastIsForgotten) {
  Table all;
  TaskRun &run = all.add({5, 1}, all.plan);
  all.runs.addGoing(run);
  ASSERT_EQ(all.runs.find({5, 1}), &run);
  all.runs.erase({5, 1});
  EXPECT_EQ(all.runs.find({5, 1}), nullptr);
  EXPECT_TRUE(all.runs.going().empty());
  all.runs.erase({5, 1}); // nothing
}

TEST(RunTable, RunsOfAPlanGoTogether) {
  Table all;
  LoadedPlan other(pingModel(4), all.plan.environment);
  all.runs.addGoing(all.add({5, 1}, all.plan));
  all.runs.addGoing(all.add({5, 2}, other));
  all.add({5, 3}, all.plan);
  ASSERT_NE(all.runs.find({5, 3}), nullptr);
  all.runs.eraseOf(*all.plan.plan);
  EXPECT_EQ(all.runs.keys([](const TaskRun &) { return true; }),
            (std::vector<RunKey>{{5, 2}}));
  EXPECT_EQ(all.runs.find({5, 3}), nullptr);
  ASSERT_EQ(all.runs.going().size(), 1u);
  EXPECT_EQ(all.runs.going()[0]->key(), (RunKey{5, 2}));
}

TEST(RunTable, RunsThatAreOverDoNotGo) {
  Table all;
  for (uint64_t number : {1, 2}) {
    TaskRun &run = all.add({5, number}, all.plan);
    run.phase = TaskRun::Phase::Going;
    all.runs.addGoing(run);
  }
  all.runs.find({5, 1})->phase = TaskRun::Phase::Failed;
  EXPECT_EQ(all.runs.going().size(), 2u);
  all.runs.sweepGoing();
  ASSERT_EQ(all.runs.going().size(), 1u);
  EXPECT_EQ(all.runs.going()[0]->key().number, 2u);
  EXPECT_EQ(all.runs.size(), 2u);
}

/// An engine with a receive buffer that task 1 writes to.
struct Quarantine {
  Quarantine() {
    plan.environment.peers.up = {1};
    plan.environment.peers.hasSharedMemory = true;
  }
  PlanEngine &engine() {
    auto taken = plan.plan->takeEngine(*plan.plan->findGraph("ping"), {}, false,
                                       plan.environment.environment());
    EXPECT_TRUE(taken.isOk()) << taken.status().toString();
    return **taken;
  }
  LoadedPlan plan{pingModel(1 << 15)};
  EngineQuarantine quarantine{plan.environment.peers};
};

TEST(EngineQuarantine, KeepsMemoryUntilTheWriterKnows) {
  Quarantine all;
  PlanEngine &engine = all.engine();
  size_t places = all.plan.environment.peers.places.size();
  ASSERT_GT(places, 0u);
  all.quarantine.add({5, 1}, *all.plan.plan, engine, {1});
  EXPECT_TRUE(all.quarantine.holds(*all.plan.plan));
  EXPECT_EQ(all.quarantine.sharedPlaces(), places);
  all.quarantine.release({5, 2}, 1);
  EXPECT_EQ(all.plan.environment.peers.places.size(), places);
  all.quarantine.release({5, 1}, 1);
  EXPECT_FALSE(all.quarantine.holds(*all.plan.plan));
  EXPECT_TRUE(all.plan.environment.peers.places.empty());
}

TEST(EngineQuarantine, APeerThatHasGoneWritesNoMore) {
  Quarantine all;
  all.quarantine.add({5, 1}, *all.plan.plan, all.engine(), {1});
  all.quarantine.releaseAll(2);
  EXPECT_TRUE(all.quarantine.holds(*all.plan.plan));
  all.quarantine.releaseAll(1);
  EXPECT_FALSE(all.quarantine.holds(*all.plan.plan));
  EXPECT_TRUE(all.plan.environment.peers.places.empty());
}

TEST(EngineQuarantine, WithoutWritersTheEngineGoesAtOnce) {
  Quarantine all;
  all.quarantine.add({5, 1}, *all.plan.plan, all.engine(), {});
  EXPECT_FALSE(all.quarantine.holds(*all.plan.plan));
  EXPECT_TRUE(all.plan.environment.peers.places.empty());
}

TEST(PeerHistory, TellsALostLinkFromARestart) {
  PeerHistory peers;
  EXPECT_EQ(peers.onUp(1, 77), PeerHistory::Arrival::Known);
  EXPECT_EQ(peers.onUp(1, 77), PeerHistory::Arrival::Known);
  peers.onDown(1);
  EXPECT_EQ(peers.onUp(1, 77), PeerHistory::Arrival::Returned);
  EXPECT_EQ(peers.onUp(1, 77), PeerHistory::Arrival::Known);
  peers.onDown(1);
  EXPECT_EQ(peers.onUp(1, 78), PeerHistory::Arrival::Restarted);
  EXPECT_EQ(peers.onUp(2, 78), PeerHistory::Arrival::Known);
}

TEST(PeerHistory, ReportsAPeerOnce) {
  PeerHistory peers;
  EXPECT_TRUE(peers.reportOnce(1));
  EXPECT_FALSE(peers.reportOnce(1));
  EXPECT_TRUE(peers.reportOnce(2));
}

} // namespace
