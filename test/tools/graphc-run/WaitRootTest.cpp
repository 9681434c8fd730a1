// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of waits over several tasks and where they end.
#include "tools/graphc-run/cluster/WaitRoot.h"

#include <gtest/gtest.h>

namespace graphc::run {
namespace {

constexpr const char *kPs = "/job:ps/task:0";
constexpr const char *kWorker0 = "/job:worker/task:0";
constexpr const char *kWorker1 = "/job:worker/task:1";

TaskAnswer answering(const std::string &task) {
  TaskAnswer answer;
  answer.task = task;
  return answer;
}

TaskAnswer silent(const std::string &task, TaskAnswer::Kind kind) {
  TaskAnswer answer;
  answer.task = task;
  answer.kind = kind;
  answer.why = "no answer";
  return answer;
}

void addWait(TaskAnswer &answer, const std::string &kind,
             const std::string &awaited, uint64_t run = 1) {
  protocol::Reply::Wait *wait = answer.waits.add_waits();
  wait->set_task(answer.task);
  wait->mutable_run()->set_client(7);
  wait->mutable_run()->set_number(run);
  wait->set_graph("train");
  wait->set_step(12);
  wait->set_what(kind == "edge" ? "edge 'w'" : kind);
  wait->set_awaited_task(awaited);
  wait->set_location("model.tfir:7:3");
  wait->set_kind(kind);
  wait->set_since_ms(3200);
}

TEST(WaitRootTest, NobodyWaits) {
  WaitRoot root = findRoot({answering(kPs), answering(kWorker0)});
  EXPECT_EQ(root.kind, WaitRoot::Class::None);
  EXPECT_EQ(root.text, "no task waits for anything");
}

TEST(WaitRootTest, FollowsEdgesToTheData) {
  TaskAnswer ps = answering(kPs), worker0 = answering(kWorker0),
             worker1 = answering(kWorker1);
  addWait(worker0, "edge", kPs);
  addWait(ps, "edge", kWorker1);
  addWait(worker1, "data", "");
  WaitRoot root = findRoot({ps, worker0, worker1});
  EXPECT_EQ(root.kind, WaitRoot::Class::Input);
  EXPECT_EQ(root.task, kWorker1);
  EXPECT_EQ(root.text,
            "/job:worker/task:1 waits for data in step 12 of graph 'train'");
}

TEST(WaitRootTest, WaitsOfOtherRunsDoNotCount) {
  TaskAnswer ps = answering(kPs), worker0 = answering(kWorker0);
  addWait(worker0, "edge", kPs, 1);
  addWait(ps, "client", "", 2);
  addWait(worker0, "edge", kPs, 1);
  WaitRoot root = findRoot({ps, worker0});
  EXPECT_EQ(root.kind, WaitRoot::Class::Computing);
  EXPECT_EQ(root.task, kPs);
}

TEST(WaitRootTest, StoppedAndDeadTasksAreRoots) {
  TaskAnswer worker0 = answering(kWorker0), worker1 = answering(kWorker1);
  addWait(worker0, "edge", kPs);
  addWait(worker1, "data", "");
  addWait(worker1, "data", "");
  WaitRoot stopped =
      findRoot({silent(kPs, TaskAnswer::Kind::Stopped), worker0, worker1});
  EXPECT_EQ(stopped.kind, WaitRoot::Class::Stopped);
  EXPECT_EQ(stopped.task, kPs);
  // Even when nothing waits for it yet.
  WaitRoot dead =
      findRoot({silent(kPs, TaskAnswer::Kind::Dead), answering(kWorker0)});
  EXPECT_EQ(dead.kind, WaitRoot::Class::Dead);
  EXPECT_EQ(dead.text, "/job:ps/task:0 is dead: nobody listens at its address; "
                       "start it again");
}

TEST(WaitRootTest, CyclesEnd) {
  TaskAnswer ps = answering(kPs), worker0 = answering(kWorker0);
  addWait(worker0, "edge", kPs);
  addWait(ps, "edge", kWorker0);
  WaitRoot root = findRoot({ps, worker0});
  EXPECT_EQ(root.kind, WaitRoot::Class::Cycle);
  EXPECT_NE(root.text.find("wait for each other"), std::string::npos);
}

TEST(WaitRootTest, NamesOfUnknownTasksEndTheChain) {
  TaskAnswer worker0 = answering(kWorker0);
  addWait(worker0, "edge", "/job:gone/task:9");
  EXPECT_EQ(findRoot({worker0}).task, kWorker0);
}

TEST(WaitRootTest, OneLinePerWait) {
  TaskAnswer worker0 = answering(kWorker0);
  addWait(worker0, "edge", kPs);
  EXPECT_EQ(
      describeWaits(
          {silent(kPs, TaskAnswer::Kind::Dead), worker0, answering(kWorker1)}),
      "/job:ps/task:0      does not answer: no answer\n"
      "/job:worker/task:0  step 12 of graph 'train' waits for edge 'w' of "
      "/job:ps/task:0 (model.tfir:7:3), for 3.2 s\n"
      "/job:worker/task:1  waits for nothing\n");
}

} // namespace
} // namespace graphc::run
