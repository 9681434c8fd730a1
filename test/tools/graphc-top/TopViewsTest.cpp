// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The views of graphc-top: made of the metrics that tasks answer, be they what
// they may.
#include "tools/graphc-top/MetricIndex.h"
#include "tools/graphc-top/TopJson.h"
#include "tools/graphc-top/TopTables.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::top;

namespace {

Metrics::Sample &add(Metrics &list, const std::string &name,
                     const MetricIndex::Labels &labels, double value = 0) {
  Metrics::Family *family = nullptr;
  for (Metrics::Family &known : *list.mutable_families())
    if (known.name() == name)
      family = &known;
  if (!family) {
    family = list.add_families();
    family->set_name(name);
  }
  Metrics::Sample &sample = *family->add_samples();
  sample.mutable_labels()->insert(labels.begin(), labels.end());
  sample.set_value(value);
  return sample;
}

/// A worker `steps` steps after it began, a second for 50 of them.
Metrics worker(double steps) {
  Metrics list;
  list.set_incarnation(7);
  list.set_taken_ms(1000 + static_cast<int64_t>(steps * 20));
  MetricIndex::Labels train = {{"graph", "train"}};
  add(list, "graphc_steps_total", train, steps);
  add(list, "graphc_last_step", train, 100 + steps);
  add(list, "graphc_examples_total", train, steps * 32);
  add(list, "graphc_fetch", {{"graph", "train"}, {"fetch", "the_loss"}}, 0.125);
  add(list, "graphc_fetch", {{"graph", "train"}, {"fetch", "accuracy"}}, 0.5);
  for (const char *kind : {"values", "update"})
    add(list, "graphc_wait_seconds_total", {{"graph", "train"}, {"kind", kind}},
        steps * 0.004);
  Metrics::Sample &times = add(list, "graphc_step_seconds", train);
  Metrics::Family &family = *list.mutable_families(list.families_size() - 1);
  for (double bound : {0.001, 0.01, 0.1})
    family.add_bounds(bound);
  for (double count : {steps / 10, steps, 1.0, 0.0})
    times.add_counts(static_cast<uint64_t>(count));
  MetricIndex::Labels link = {{"link", "/job:ps/task:0"}};
  add(list, "graphc_link_up", link, 1);
  add(list, "graphc_link_sent_bytes_total", link, steps * 2000);
  add(list, "graphc_link_received_bytes_total", link, steps * 1000);
  add(list, "graphc_memory_bytes", {{"kind", "arena"}}, 5e6);
  add(list, "process_resident_memory_bytes", {}, 2e9);
  return list;
}

TaskView named(const std::string &task, TaskView view) {
  view.task = task;
  view.address = task + ":1";
  return view;
}

TEST(MetricIndex, RatesNeedTwoSamplesOfOneProcess) {
  Metrics before = worker(50), now = worker(150);
  MetricIndex::Labels train = {{"graph", "train"}};
  EXPECT_DOUBLE_EQ(MetricIndex(now, &before).rate("graphc_steps_total", train),
                   50);
  EXPECT_EQ(MetricIndex(now, nullptr).rate("graphc_steps_total", train), 0);
  EXPECT_EQ(MetricIndex(now, &now).rate("graphc_steps_total", train), 0);
  // A counter that goes back, as none does, has no rate below zero.
  EXPECT_EQ(MetricIndex(before, &now).rate("graphc_steps_total", train), 0);
  before.set_incarnation(8);
  EXPECT_EQ(MetricIndex(now, &before).rate("graphc_steps_total", train), 0);
  EXPECT_FALSE(MetricIndex(now, &before).median("graphc_step_seconds", train));
}

TEST(MetricIndex, HistogramsAreThoseSinceTheSampleBefore) {
  Metrics before = worker(50), now = worker(150);
  MetricIndex index(now, &before);
  EXPECT_EQ(index.median("graphc_step_seconds", {}), 0.01);
  EXPECT_FALSE(index.median("graphc_unknown", {}));
  EXPECT_EQ(index.largestBound("graphc_step_seconds"), 0.1);
  EXPECT_EQ(index.labelValues("graphc_fetch", "fetch"),
            (std::vector<std::string>{"accuracy", "the_loss"}));
}

TEST(MetricIndex, AnswersThatMakeNoSenseAreRead) {
  Metrics now, before;
  Metrics::Sample &sample = add(now, "graphc_step_seconds", {{"graph", "g"}});
  sample.add_counts(5); // without bounds
  add(now, "graphc_step_seconds", {{"graph", "g"}}).add_counts(~0ull);
  add(now, "graphc_steps_total", {{"graph", "g"}},
      std::numeric_limits<double>::quiet_NaN());
  add(now, "graphc_fetch", {{"fetch", "no\ngraph"}}, 1);
  add(now, "graphc_link_up", {{"link", "\x1b[31mred\xff"}}, 1);
  add(now, "process_resident_memory_bytes", {}, -1);
  now.set_taken_ms(std::numeric_limits<int64_t>::max());
  TaskView view = named("/job:a/task:0", viewOf(now, &before));
  ASSERT_EQ(view.links.size(), 1u);
  for (TopView kind : {TopView::Tasks, TopView::Links, TopView::Graphs})
    for (const std::string &row : makeTable({view}, kind).rows)
      for (unsigned char c : row)
        EXPECT_GE(c, ' ') << row; // no colours, no lines
  EXPECT_NE(toJson({view}).find("\"tasks\":[{"), std::string::npos);
}

TEST(TaskView, TellsWhatATaskDoes) {
  Metrics before = worker(50), now = worker(150);
  TaskView view = viewOf(now, &before);
  EXPECT_EQ(view.state, TaskState::Running);
  EXPECT_DOUBLE_EQ(view.examplesPerSecond(), 1600);
  EXPECT_DOUBLE_EQ(view.waitShare(), 0.4);
  EXPECT_DOUBLE_EQ(view.sentPerSecond(), 100000);
  EXPECT_EQ(view.loss(), 0.125);
  // Without steps it waits for what it says, or is idle.
  Metrics later = worker(150);
  later.set_taken_ms(now.taken_ms() + 2000);
  EXPECT_EQ(viewOf(later, &now).state, TaskState::Idle);
  add(later, "graphc_runs", {{"state", "going"}}, 1);
  EXPECT_EQ(viewOf(later, &now).state, TaskState::Running);
  auto &wait = *later.add_waits();
  wait.set_what("values of\n/job:ps/task:0");
  wait.set_since_ms(4200);
  TaskView waits = viewOf(later, &now);
  EXPECT_EQ(waits.state, TaskState::Waiting);
  EXPECT_EQ(waits.reason.find('\n'), std::string::npos);
  EXPECT_NE(waits.reason.find(", for 4 s"), std::string::npos);
}

TEST(TaskView, ALostTaskKeepsWhatIsKnown) {
  Metrics before = worker(50), now = worker(150);
  TaskView view = viewOf(now, &before);
  TaskView lost = lostView(view, unavailable("nobody listens"));
  EXPECT_EQ(lost.state, TaskState::Lost);
  EXPECT_EQ(lost.reason, "nobody listens");
  EXPECT_EQ(lost.stepsPerSecond(), 0);
  EXPECT_FALSE(lost.links[0].isUp);
  EXPECT_EQ(lost.graphs[0].lastStep, 250);
  EXPECT_EQ(lostView(view, Status(StatusCode::DeadlineExceeded, "")).state,
            TaskState::Stopped);
}

std::vector<TaskView> twoTasks() {
  Metrics before = worker(50), now = worker(150);
  TaskView ps;
  ps.resident = 3e9;
  return {named("/job:ps/task:0", lostView(ps, unavailable("nobody listens"))),
          named("/job:worker/task:0", viewOf(now, &before))};
}

TEST(TopTables, ColumnsStandBelowEachOther) {
  TopTable table = makeTable(twoTasks(), TopView::Tasks);
  EXPECT_EQ(table.header,
            "TASK                STATE    GRAPH  STEP  STEPS/S  EX/S   LOSS"
            "   IN/S   OUT/S  WAIT     RES   ARENA  VARS  STALE  EARLY"
            "  PEND");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].substr(0, 62),
            "/job:worker/task:0  running  train   250       50  1600  0.125");
  for (const std::string &row : table.rows)
    EXPECT_EQ(row.size(), table.header.size()) << row;
  EXPECT_EQ(table.tasks, (std::vector<size_t>{0, 1}));
  TopTable links = makeTable(twoTasks(), TopView::Links);
  ASSERT_EQ(links.rows.size(), 1u);
  EXPECT_EQ(links.tasks, std::vector<size_t>{1});
  TopTable graphs = makeTable(twoTasks(), TopView::Graphs);
  ASSERT_EQ(graphs.rows.size(), 1u);
  EXPECT_NE(graphs.rows[0].find("<10ms"), std::string::npos);
  EXPECT_TRUE(graphs.rows[0].ends_with("accuracy = 0.5, the_loss = 0.125"));
}

TEST(TopTables, TellsOfAllTasksAndOfOne) {
  std::vector<TaskView> tasks = twoTasks();
  EXPECT_EQ(summaryOf(tasks),
            "2 tasks: 1 running, 1 lost; 1600 examples/s; loss 0.125");
  EXPECT_EQ(summaryOf({}), "0 tasks: ; 0 examples/s");
  tasks[0].failures = 2;
  EXPECT_EQ(detailOf(tasks[0]), "/job:ps/task:0 at /job:ps/task:0:1: lost: "
                                "nobody listens; runs that failed: 2");
}

TEST(TopTables, SortsByLargestThenByName) {
  std::vector<TaskView> tasks = twoTasks();
  tasks.push_back(named("/job:a/task:0", TaskView()));
  auto order = [&](SortBy by) {
    sortTasks(tasks, by);
    std::string names;
    for (const TaskView &task : tasks)
      names += task.task.substr(5, 1);
    return names;
  };
  EXPECT_EQ(order(SortBy::Cluster), "pwa");
  EXPECT_EQ(order(SortBy::Rate), "wap");
  EXPECT_EQ(order(SortBy::Memory), "pwa");
  EXPECT_EQ(order(SortBy::Name), "apw");
  EXPECT_EQ(order(SortBy::Wait), "wap");
}

TEST(TopJson, WhatIsNotKnownIsNull) {
  std::string json = toJson(twoTasks());
  EXPECT_EQ(json.find('\n'), std::string::npos);
  EXPECT_NE(json.find("\"state\":\"lost\",\"reason\":\"nobody listens\""),
            std::string::npos);
  EXPECT_NE(json.find("\"loss\":null"), std::string::npos);
  EXPECT_NE(json.find("\"loss\":0.125"), std::string::npos);
  EXPECT_NE(json.find("\"median_step_seconds\":0.01"), std::string::npos);
}

} // namespace
