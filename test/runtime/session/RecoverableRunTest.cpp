// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs whose tasks are lost before the first step.
#include "runtime/session/RecoverableRun.h"

#include "test/runtime/session/LossySession.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// A LossySession that owns what it stands for.
class OwningSession final : public LossySession {
public:
  explicit OwningSession(std::unique_ptr<LocalSession> owned)
      : LossySession(*owned), owned(std::move(owned)) {}

private:
  std::unique_ptr<LocalSession> owned;
};

/// Runs ten steps with sessions that fail as `failures` says.
struct Recoverable {
  /// Failures of an attempt; success: none there.
  struct Failures {
    Status opening, preparing;
  };

  explicit Recoverable(std::vector<Failures> failures)
      : failures(std::move(failures)) {
    options.file = newFile("recoverable.safetensors");
    options.recoveries = 2;
    options.note = [this](const std::string &text) { notes += text + "\n"; };
  }

  Status execute() {
    all.emplace(
        [this]() -> StatusOr<std::unique_ptr<Session>> {
          Failures now =
              opened < failures.size() ? failures[opened] : Failures();
          ++opened;
          GRAPHC_TRY(now.opening);
          auto session = std::make_unique<OwningSession>(openLinear());
          session->lossesAfter = lossesAfter;
          return std::unique_ptr<Session>(std::move(session));
        },
        options);
    return all->execute([this](Session &session, CheckpointedRun &run) {
      auto &lossy = static_cast<OwningSession &>(session);
      GRAPHC_TRY(run.initialize("train"));
      if (opened <= failures.size() && !failures[opened - 1].preparing.isOk())
        return failures[opened - 1].preparing;
      Status status = run.runSteps(training(10), keep(losses)).status();
      recovered = lossy.recovered;
      return status;
    });
  }

  std::vector<Failures> failures;
  CheckpointOptions options;
  Steps lossesAfter;
  std::optional<RecoverableRun> all;
  size_t opened = 0; ///< attempts
  int recovered = 0; ///< by the last session
  Losses losses;
  std::string notes;
};

const Status kLost = unavailable("task 1 was lost");

TEST(RecoverableRun, OpensAgainWhereATaskIsLostBeforeTheFirstStep) {
  Recoverable run({{kLost, {}}, {{}, kLost}});
  Status status = run.execute();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(run.opened, 3u);
  EXPECT_EQ(run.losses, tenLosses());
  EXPECT_EQ(run.notes, "task 1 was lost; opens the cluster again\n"
                       "task 1 was lost; opens the cluster again\n");
  EXPECT_EQ(run.all->run()->stepsDone(), 10);
}

TEST(RecoverableRun, OpensAsOftenAsAsked) {
  Recoverable run({{kLost, {}}, {kLost, {}}, {kLost, {}}});
  expectStatus(run.execute(), StatusCode::Unavailable, "task 1 was lost");
  EXPECT_EQ(run.opened, 3u);
  EXPECT_EQ(run.all->session(), nullptr);
  EXPECT_EQ(run.all->run(), nullptr);
  Recoverable never({{kLost, {}}});
  never.options.recoveries = 0;
  expectStatus(never.execute(), StatusCode::Unavailable, "task 1 was lost");
  EXPECT_EQ(never.opened, 1u);
}

TEST(RecoverableRun, OnlyLossesAreReasonsToOpenAgain) {
  for (StatusCode code :
       {StatusCode::InvalidArgument, StatusCode::DeadlineExceeded,
        StatusCode::FailedPrecondition, StatusCode::NotFound}) {
    Recoverable run({{Status(code, "no"), {}}});
    EXPECT_EQ(run.execute().code(), code);
    EXPECT_EQ(run.opened, 1u);
  }
  Recoverable stopped({{kLost, {}}});
  stopped.options.isStopRequested = [] { return true; };
  EXPECT_FALSE(stopped.execute().isOk());
  EXPECT_EQ(stopped.opened, 1u);
}

TEST(RecoverableRun, APlanThatIsGoneIsALossOnce) {
  Status gone(StatusCode::NotFound, "plan is not loaded");
  Recoverable once({{{}, gone}});
  EXPECT_TRUE(once.execute().isOk());
  EXPECT_EQ(once.opened, 2u);
  Recoverable twice({{{}, gone}, {{}, gone}});
  expectStatus(twice.execute(), StatusCode::NotFound, "not loaded");
  EXPECT_EQ(twice.opened, 2u);
}

TEST(RecoverableRun, WhoIsNotTheChiefWaitsForValuesThatTheChiefReplaces) {
  const Status kReplaced = failedPrecondition("the variables have no values");
  Recoverable chief({{{}, kReplaced}});
  EXPECT_EQ(chief.execute().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(chief.opened, 1u);
  Recoverable other({{{}, kReplaced}});
  other.options.isChief = false;
  Status status = other.execute();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(other.opened, 2u);
}

TEST(RecoverableRun, TasksThatWereStoppedAreReplaced) {
  Recoverable run({{Status(StatusCode::DeadlineExceeded, "no answer"), {}}});
  size_t stopped = 1;
  run.options.replaceStopped = [&] { return std::exchange(stopped, 0); };
  EXPECT_TRUE(run.execute().isOk());
  EXPECT_EQ(run.opened, 2u);
}

TEST(RecoverableRun, LossesOfStepsAreTheCheckpointedRuns) {
  Recoverable run({});
  run.options.everySteps = 3;
  run.lossesAfter = {5};
  ASSERT_TRUE(run.execute().isOk());
  EXPECT_EQ(run.opened, 1u);
  EXPECT_EQ(run.recovered, 1);
  EXPECT_EQ(run.losses, tenLosses());
  // What the steps cannot mend is not begun anew.
  Recoverable never({});
  never.options.everySteps = 3;
  never.lossesAfter = {2, 4, 5};
  expectStatus(never.execute(), StatusCode::Unavailable, "task 1 was lost");
  EXPECT_EQ(never.opened, 1u);
}

TEST(RecoverableRun, FirstValuesThatMayBeIncompleteAreMadeAnew) {
  Recoverable run({{{}, kLost}});
  std::vector<bool> wereAnew;
  run.all.emplace(
      [&]() -> StatusOr<std::unique_ptr<Session>> {
        return std::unique_ptr<Session>(
            std::make_unique<OwningSession>(openLinear()));
      },
      run.options);
  Status status = run.all->execute([&](Session &session, CheckpointedRun &one) {
    GRAPHC_TRY(one.initialize("train"));
    wereAnew.push_back(static_cast<OwningSession &>(session).wasAnew);
    return wereAnew.size() == 1 ? kLost : Status::ok();
  });
  EXPECT_TRUE(status.isOk());
  EXPECT_EQ(wereAnew, (std::vector<bool>{false, true}));
}

TEST(RecoverableRun, ASessionWithoutTasksIsOpenedOnce) {
  int opened = 0;
  RecoverableRun run(
      [&]() -> StatusOr<std::unique_ptr<Session>> {
        ++opened;
        return std::unique_ptr<Session>(openLinear());
      },
      {.recoveries = 2});
  Status status =
      run.execute([](Session &, CheckpointedRun &) { return kLost; });
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_EQ(opened, 1);
}

} // namespace
