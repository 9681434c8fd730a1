// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines of three tasks whose clocks differ: by one clock, and right within
// the error that is stated.
#include "test/runtime/sim/SimPlay.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

using Kind = TimelineEvent::Kind;

constexpr int64_t kLimit = 100'000'000'000;

/// A client of three tasks, which does one operation after the other.
class Recording {
public:
  explicit Recording(SimulationOptions options,
                     const std::string &faults = "") {
    plan = openPlan(simSyncModel());
    options.cluster = simCluster();
    options.instructionNanos = 100'000;
    options.faults = *FaultScript::parse(faults, "faults", options.cluster);
    simulation = std::make_unique<Simulation>(std::move(options));
    ClientOptions client;
    client.incarnation = 7;
    this->client = *simulation->addClient(plan, client);
    this->client->beginOpen();
    EXPECT_TRUE(finish().isOk());
    this->client->beginInitialize();
    EXPECT_TRUE(finish().isOk());
  }

  Status finish() {
    simulation->wake(client);
    EXPECT_TRUE(
        simulation->runUntil([this] { return !client->isBusy(); }, kLimit));
    return client->result();
  }

  Status run(TimelineWindow window, int64_t steps) {
    client->beginClocks(graph());
    if (Status status = finish(); !status.isOk())
      return status;
    ClientMachine::Run run;
    run.graph = "train";
    run.steps = steps;
    run.recorded = window;
    client->beginRun(run, [this](uint64_t step, auto) {
      simulation->noteSteps(static_cast<int64_t>(step));
      return true;
    });
    return finish();
  }

  RunTimeline read() {
    client->beginTimeline(graph());
    EXPECT_TRUE(finish().isOk()) << client->result().toString();
    return client->timeline();
  }

  const format::Graph &graph() const { return *plan->findGraph("train"); }

  std::shared_ptr<const Model> plan;
  std::unique_ptr<Simulation> simulation;
  ClientMachine *client = nullptr;
};

/// Begin of the Send of an edge in a step at its task, and that task.
struct Sent {
  int64_t begin = INT64_MAX;
  int64_t error = 0;
};

Sent findSend(const format::Graph &graph, const RunTimeline &timeline,
              uint32_t edge, uint64_t step) {
  Sent sent;
  for (const TaskTimeline &task : timeline.tasks)
    for (uint32_t i = 0; i < graph.programs()->size(); ++i)
      for (const TimelineEvent &event : task.tracks[i]) {
        if (event.kind != Kind::Run || event.step != step)
          continue;
        const auto *send = graph.programs()
                               ->Get(i)
                               ->instructions()
                               ->Get(event.number)
                               ->action_as_Send();
        for (uint32_t e = 0; send && e < send->edges()->size(); ++e)
          if (send->edges()->Get(e) == edge)
            sent = {event.beginNanos, task.errorNanos};
      }
  return sent;
}

TEST(ClusterTimeline, ClocksThatDifferGiveOneOrder) {
  SimulationOptions options;
  options.clockOffsets = {5'000'000'000, -3'000'000'000'000, 77};
  Recording recording(options);
  int64_t begin = recording.simulation->now();
  ASSERT_TRUE(recording.run({2, 6}, 9).isOk());
  int64_t end = recording.simulation->now();
  RunTimeline timeline = recording.read();
  ASSERT_EQ(timeline.tasks.size(), 3u);
  size_t arrivals = 0;
  for (size_t i = 0; i < 3; ++i) {
    const TaskTimeline &task = timeline.tasks[i];
    EXPECT_TRUE(task.lost.isOk()) << task.lost.toString();
    EXPECT_EQ(task.dropped, 0u);
    // A message takes from 50 to 100 us, so a round trip is wrong by less than
    // a quarter of what it may be.
    EXPECT_GT(task.errorNanos, 0);
    EXPECT_LE(task.errorNanos, 100'000);
    EXPECT_LE(std::abs(task.offsetNanos + options.clockOffsets[i]),
              task.errorNanos);
    for (const auto &track : task.tracks)
      for (const TimelineEvent &event : track) {
        EXPECT_TRUE(event.step >= 2 && event.step <= 6);
        EXPECT_GE(event.beginNanos, begin - task.errorNanos);
        EXPECT_LE(event.endNanos, end + task.errorNanos);
        if (event.kind != Kind::Arrival)
          continue;
        ++arrivals;
        Sent sent =
            findSend(recording.graph(), timeline, event.number, event.step);
        EXPECT_GE(event.beginNanos, sent.begin - sent.error - task.errorNanos);
      }
  }
  // Each edge leads to another task.
  EXPECT_EQ(arrivals, recording.graph().edges()->size() * 5);
}

TEST(ClusterTimeline, AStepIsASliceAtEachTask) {
  Recording recording({});
  ASSERT_TRUE(recording.run({1, 20, 4}, 10).isOk());
  RunTimeline timeline = recording.read();
  uint32_t programs = recording.graph().programs()->size();
  for (const TaskTimeline &task : timeline.tasks) {
    std::vector<uint64_t> steps;
    for (const TimelineEvent &event : task.tracks[programs])
      if (event.kind == Kind::Step)
        steps.push_back(event.step);
    EXPECT_EQ(steps, (std::vector<uint64_t>{1, 5, 9}));
  }
}

TEST(ClusterTimeline, StepsAreCountedFromTheRunsFirst) {
  Recording recording({});
  ASSERT_TRUE(recording.run({}, 10).isOk());
  ASSERT_TRUE(recording.run({2, 3}, 5).isOk());
  RunTimeline timeline = recording.read();
  uint32_t programs = recording.graph().programs()->size();
  const auto &steps = timeline.tasks[0].tracks[programs];
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().step, 12u);
  EXPECT_EQ(steps.back().step, 13u);
}

TEST(ClusterTimeline, ARunThatIsNotRecordedHasNone) {
  Recording recording({});
  ASSERT_TRUE(recording.run({}, 3).isOk());
  recording.client->beginTimeline(recording.graph());
  Status status = recording.finish();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
}

TEST(ClusterTimeline, OfALostTaskTheOthersAreKnown) {
  Recording recording({}, "at step 6 crash /job:worker/task:1");
  EXPECT_FALSE(recording.run({2, 50}, 100).isOk());
  RunTimeline timeline = recording.read();
  ASSERT_EQ(timeline.tasks.size(), 3u);
  uint32_t programs = recording.graph().programs()->size();
  for (const TaskTimeline &task : timeline.tasks) {
    bool isLost = task.name == "/job:worker/task:1";
    EXPECT_EQ(task.lost.isOk(), !isLost) << task.lost.toString();
    EXPECT_EQ(task.tracks[programs].empty(), isLost);
  }
}

TEST(ClusterTimeline, ATimelineIsReadOnce) {
  Recording recording({});
  ASSERT_TRUE(recording.run({2, 3}, 5).isOk());
  recording.read();
  RunTimeline again = recording.read();
  for (const TaskTimeline &task : again.tasks)
    EXPECT_EQ(task.lost.code(), StatusCode::NotFound);
}

} // namespace
