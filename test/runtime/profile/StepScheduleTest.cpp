// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules, critical paths and balances of timelines that were made by hand.
#include "runtime/profile/CriticalPath.h"
#include "runtime/profile/DeviceBalance.h"

#include <gtest/gtest.h>

namespace graphc::runtime {
namespace {

/// Two workers and one that needs both, in program 2:
///
///   0: ----A0----| send          10 to 30, 30 to 32
///   1: ------A1---------| send   10 to 50, 50 to 52
///   2: B |   receive receive C   10 to 15, 33 to 34, 53 to 54, 54 to 64
class TwoTowers : public testing::Test {
protected:
  TwoTowers() : step(std::vector<uint32_t>{2, 2, 4}) {
    step.add({0, 1}, {2, 1});
    step.add({1, 1}, {2, 2});
    addStep(1, 0);
  }

  void addStep(uint64_t number, int64_t from) {
    auto add = [&](InstructionId id, int64_t begin, int64_t end) {
      spans.push_back({id, number, from + begin, from + end});
    };
    add({0, 0}, 10, 30);
    add({0, 1}, 30, 32);
    add({1, 0}, 10, 50);
    add({1, 1}, 50, 52);
    add({2, 0}, 10, 15);
    add({2, 1}, 33, 34);
    add({2, 2}, 53, 54);
    add({2, 3}, 54, 64);
  }

  StepRecord record() const { return recordsOf(step, spans).front(); }
  StepSchedule schedule() const { return {step, record(), own}; }

  int64_t without(std::vector<InstructionId> ids) const {
    std::vector<bool> isFree(step.size());
    for (InstructionId id : ids)
      isFree[step.indexOf(id)] = true;
    return schedule().nanosWithout(isFree);
  }

  StepDependences step;
  std::vector<InstructionSpan> spans;
  const ThreadGroups own = ThreadGroups(3, kOwnThreads);
  const std::vector<std::string> names = {"A", "send",    "A",       "send",
                                          "B", "receive", "receive", "C"};
};

TEST_F(TwoTowers, IsTheRecordWhereNothingChanges) {
  EXPECT_EQ(schedule().nanos(), 54);
  EXPECT_EQ(without({}), 54);
}

TEST_F(TwoTowers, HasItsLongestPathThroughTheSlowerOne) {
  std::vector<std::string> path;
  int64_t pauses = 0;
  for (const StepSchedule::OnPath &each : schedule().longestPath()) {
    path.push_back(names[each.index]);
    pauses += each.pauseNanos;
  }
  EXPECT_EQ(path, (std::vector<std::string>{"A", "send", "receive", "C"}));
  EXPECT_EQ(pauses, 1);
  EXPECT_EQ(schedule().longestPath().front().index, step.indexOf({1, 0}));
}

TEST_F(TwoTowers, IsShorterByWhatTheSlowerOneIsLonger) {
  EXPECT_EQ(without({{0, 0}}), 54);      // beside the path
  EXPECT_EQ(without({{1, 0}}), 54 - 18); // then the other one is on it
  EXPECT_EQ(without({{0, 0}, {1, 0}}), 54 - 40 + 5); // B is in the way then
  EXPECT_EQ(without({{2, 3}}), 44);
}

TEST_F(TwoTowers, NamesTheOpsOfThePath) {
  addStep(2, 1000);
  CriticalPath path = criticalPathOf(step, recordsOf(step, spans), names, own);
  EXPECT_EQ(path.steps, 2u);
  EXPECT_DOUBLE_EQ(path.nanos, 54);
  EXPECT_DOUBLE_EQ(path.pauseNanos, 1);
  ASSERT_EQ(path.ops.size(), 4u);
  EXPECT_EQ(path.ops[0].name, "A");
  EXPECT_EQ(path.ops[0].steps, 2u);
  EXPECT_DOUBLE_EQ(path.ops[0].nanos, 40);
  EXPECT_DOUBLE_EQ(path.ops[0].allNanos, 60);
  EXPECT_DOUBLE_EQ(path.ops[0].savedNanos, 35);
  EXPECT_EQ(path.ops[1].name, "C");
  EXPECT_DOUBLE_EQ(path.ops[1].savedNanos, 10);
  double sum = path.pauseNanos;
  for (const CriticalPath::Op &op : path.ops)
    sum += op.nanos;
  EXPECT_DOUBLE_EQ(sum, path.nanos);
  EXPECT_EQ(path.medianPath.size(), 4u);
}

TEST_F(TwoTowers, TellsWhatEachProgramDoes) {
  std::vector<ProgramTime> times = programTimes(step, recordsOf(step, spans));
  ASSERT_EQ(times.size(), 3u);
  EXPECT_DOUBLE_EQ(times[0].busy, 22);
  EXPECT_DOUBLE_EQ(times[0].done, 32);
  EXPECT_DOUBLE_EQ(times[0].waitingForIt, 0);
  EXPECT_DOUBLE_EQ(times[2].busy, 17);
  EXPECT_DOUBLE_EQ(times[2].waiting, 17 + 18); // 15 to 32, 34 to 52
  EXPECT_DOUBLE_EQ(times[2].ready, 2);         // 32 to 33, 52 to 53
  EXPECT_DOUBLE_EQ(times[2].done, 0);
  EXPECT_EQ(times[2].waitsFor, 1u);
  EXPECT_DOUBLE_EQ(times[2].waitingForIt, 18);
  for (const ProgramTime &time : times)
    EXPECT_DOUBLE_EQ(time.busy + time.waiting + time.ready + time.done, 54);
}

TEST_F(TwoTowers, HasAStraggler) {
  const std::vector<std::string> peers = {"t0", "", "t1", "", "", "", "", ""};
  PeerBalance balance = balanceOf(step, recordsOf(step, spans), peers);
  ASSERT_EQ(balance.peers.size(), 2u);
  EXPECT_EQ(balance.peers[0].slowest, 0u);
  EXPECT_EQ(balance.peers[1].slowest, 1u);
  EXPECT_EQ(balance.peers[1].last, 1u);
  EXPECT_DOUBLE_EQ(balance.peers[1].busy, 40);
  EXPECT_DOUBLE_EQ(balance.maxToMean, 40.0 / 30);
}

TEST(StepSchedule, WaitsForAThreadThatAnotherProgramHas) {
  StepDependences step(std::vector<uint32_t>{1, 1});
  std::vector<InstructionSpan> spans = {{{0, 0}, 1, 0, 10},
                                        {{1, 0}, 1, 11, 21}};
  StepRecord record = recordsOf(step, spans).front();
  StepSchedule one(step, record, {0, 0});
  EXPECT_EQ(one.longestPath().size(), 2u);
  EXPECT_EQ(one.nanosWithout({true, false}), 11);
  // With threads of its own, it is not known what it waited for.
  StepSchedule own(step, record, {kOwnThreads, kOwnThreads});
  EXPECT_EQ(own.longestPath().size(), 1u);
  EXPECT_EQ(own.nanosWithout({true, false}), 21);
}

TEST(StepSchedule, KeepsTheOrderWhereClocksContradictIt) {
  // The receive seems to begin and to end before its send.
  StepDependences step(std::vector<uint32_t>{1, 2});
  step.add({0, 0}, {1, 0});
  std::vector<InstructionSpan> spans = {
      {{0, 0}, 1, 20, 30}, {{1, 0}, 1, 5, 25}, {{1, 1}, 1, 25, 45}};
  StepSchedule schedule(step, recordsOf(step, spans).front(), {0, 0});
  EXPECT_EQ(schedule.nanos(), 40);
  EXPECT_EQ(schedule.longestPath().size(), 3u);
}

TEST(StepRecord, LeavesOutWhatIsNoSpan) {
  StepDependences step(std::vector<uint32_t>{1, 0});
  std::vector<InstructionSpan> spans = {{{0, 0}, 7, 5, 9},
                                        {{0, 1}, 7, 5, 9},
                                        {{1, 0}, 7, 5, 9},
                                        {{2, 0}, 8, 5, 9},
                                        {{0, 0}, 9, 9, 5}};
  std::vector<StepRecord> records = recordsOf(step, spans);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].step, 7u);
  EXPECT_EQ(records[0].nanos(), 4);
}

TEST(CriticalPath, OfNothingIsEmpty) {
  StepDependences step(std::vector<uint32_t>{});
  EXPECT_EQ(criticalPathOf(step, {}, {}, {}).steps, 0u);
  StepDependences idle(std::vector<uint32_t>{2});
  std::vector<std::string> names = {"a", "b"};
  EXPECT_TRUE(criticalPathOf(idle, {}, names, {kOwnThreads}).ops.empty());
  EXPECT_TRUE(balanceOf(idle, {}, names).peers.size() == 2);
}

} // namespace
} // namespace graphc::runtime
