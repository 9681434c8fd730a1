// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs by their ids, and those that go.
#include "runtime/task/RunTable.h"

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
  LoadedPlan other(pingModel(4), all.plan.world);
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

} // namespace
