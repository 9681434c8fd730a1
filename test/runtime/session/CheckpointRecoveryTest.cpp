// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs with checkpoints that lose tasks.
#include "test/runtime/session/LossySession.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TEST(CheckpointedRun, LostTasksLeaveNoTraceInTheNumbers) {
  Lossy all({5, 8});
  auto outcome = all.run();
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(outcome->steps, 10);
  EXPECT_EQ(all.losses, tenLosses());
  EXPECT_EQ(all.session.recovered, 2);
  EXPECT_EQ(all.session.loaded, 2);
  EXPECT_EQ(all.session.ended, 1);
  EXPECT_EQ(stepOf(all.options.file), 10u);
  EXPECT_EQ(all.notes, "task 1 was lost\ngoes on from '" + all.options.file +
                           "', after step 3\ntask 1 was lost\ngoes on from '" +
                           all.options.file + "', after step 6\n");
}

TEST(CheckpointedRun, RecoversAsOftenAsAsked) {
  Lossy all({2, 5, 8});
  expectStatus(all.run().status(), StatusCode::Unavailable, "task 1 was lost");
  EXPECT_EQ(all.session.recovered, 2);
  EXPECT_EQ(all.losses, between(1, 7));
  EXPECT_EQ(all.session.ended, 1);
}

TEST(CheckpointedRun, ALossWhileItRecoversCounts) {
  Lossy all({5});
  all.session.recovery = unavailable("task 2 was lost");
  expectStatus(all.run().status(), StatusCode::Unavailable, "task 2 was lost");
  EXPECT_EQ(all.session.recovered, 2);
}

TEST(CheckpointedRun, OnlyLossesAreRecovered) {
  for (StatusCode code :
       {StatusCode::InvalidArgument, StatusCode::DeadlineExceeded,
        StatusCode::Internal, StatusCode::DataLoss, StatusCode::Cancelled}) {
    Lossy all({5});
    all.session.loss = Status(code, "no");
    EXPECT_EQ(all.run().status().code(), code);
    EXPECT_EQ(all.session.recovered, 0);
  }
  // What was possible before is missing where a task was started again.
  for (StatusCode code : {StatusCode::NotFound, StatusCode::FailedPrecondition,
                          StatusCode::Aborted}) {
    Lossy all({5});
    all.session.loss = Status(code, "gone");
    EXPECT_TRUE(all.run().isOk());
    EXPECT_EQ(all.session.recovered, 1);
    EXPECT_EQ(isTaskLoss(all.session.loss, false), code == StatusCode::Aborted);
  }
  Lossy stopped({5});
  stopped.options.isStopRequested = [] { return true; };
  EXPECT_FALSE(stopped.run().isOk());
  EXPECT_EQ(stopped.session.recovered, 0);
}

TEST(CheckpointedRun, APlanThatIsGoneBeforeTheFirstStepIsALossOnce) {
  Lossy all({1});
  all.session.loss = Status(StatusCode::NotFound, "plan is not loaded");
  ASSERT_TRUE(all.run().isOk());
  EXPECT_EQ(all.session.recovered, 1);
  EXPECT_EQ(all.losses, tenLosses());
  Lossy never({1, 1});
  never.session.loss = all.session.loss;
  expectStatus(never.run().status(), StatusCode::NotFound, "not loaded");
  EXPECT_EQ(never.session.recovered, 1);
  Lossy other({1});
  other.session.loss = Status(StatusCode::FailedPrecondition, "no data");
  EXPECT_FALSE(other.run().isOk());
  EXPECT_EQ(other.session.recovered, 0);
}

TEST(CheckpointedRun, TasksThatWereStoppedAreReplaced) {
  Lossy all({5});
  all.session.loss = Status(StatusCode::DeadlineExceeded, "no answer");
  size_t stopped = 1;
  all.options.replaceStopped = [&] { return std::exchange(stopped, 0); };
  EXPECT_TRUE(all.run().isOk());
  EXPECT_EQ(all.session.recovered, 1);
  EXPECT_EQ(all.losses, tenLosses());
}

TEST(CheckpointedRun, WhoIsNotTheChiefGoesOnAtTheTasks) {
  Lossy all({5});
  all.options.isChief = false;
  all.options.file.clear();
  ASSERT_TRUE(all.run().isOk());
  EXPECT_EQ(all.session.wentOn, 1);
  EXPECT_EQ(all.session.loaded, 0);
  // Nobody has told it of step 5, which was done.
  Losses seen = tenLosses();
  seen.erase(5);
  EXPECT_EQ(all.losses, seen);
  EXPECT_EQ(all.notes,
            "task 1 was lost\ngoes on after step 5; variables that a server "
            "had lost are those of the chief's checkpoint\n");
}

TEST(CheckpointedRun, AChiefNeedsAFileToRecover) {
  Lossy all({});
  all.options.file.clear();
  expectStatus(all.run().status(), StatusCode::InvalidArgument,
               "needs a checkpoint file");
  EXPECT_TRUE(all.losses.empty());
}

TEST(CheckpointedRun, AllPartsHaveOneDeadline) {
  Lossy all({5});
  ASSERT_TRUE(all.run().isOk());
  ASSERT_EQ(all.session.limits.size(), 5u); // 3, 2 and lost, 3, 3, 1
  EXPECT_GT(all.session.limits[0], 0);
  EXPECT_EQ(all.session.limits, std::vector<int64_t>(5, all.session.limits[0]));
}

TEST(CheckpointedRun, OthersAreWaitedForWhenAllIsPrepared) {
  Lossy all({});
  int calls = 0;
  all.options.beforeFirstStep = [&] {
    ++calls;
    EXPECT_TRUE(all.session.isPrepared);
    EXPECT_TRUE(all.losses.empty());
  };
  ASSERT_TRUE(all.run().isOk());
  EXPECT_EQ(calls, 1);
}

TEST(CheckpointedRun, TornValuesAreNotSaved) {
  Lossy all({});
  auto outcome = all.run(7);
  ASSERT_TRUE(outcome.isOk());
  EXPECT_EQ(outcome->end, RunOutcome::End::Stopped);
  EXPECT_EQ(stepOf(all.options.file), 6u);
  std::string path = newFile("torn.safetensors");
  EXPECT_TRUE(all.steps->save(path).isOk());
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(all.notes, "note: '" + path +
                           "' is not written: the run was interrupted within "
                           "a step; the last checkpoint is whole\n");
}

TEST(CheckpointedRun, ARunThatEndedWithinAStepIsTold) {
  Lossy all({});
  all.session.isTorn = true;
  ASSERT_TRUE(all.run().isOk());
  EXPECT_NE(all.notes.find("note: the last run of graph 'train' ended within a "
                           "step, with the variables at task 1: step 4; "),
            std::string::npos)
      << all.notes;
}

} // namespace
