// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs that write checkpoints and go on from them.
#include "runtime/session/CheckpointedRun.h"

#include "runtime/checkpoint/Safetensors.h"
#include "runtime/session/RunProgress.h"
#include "test/runtime/session/TrainingRuns.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TEST(RunProgress, IsReadAsItWasWritten) {
  auto read = [](const SafetensorsMetadata &metadata, uint64_t graphSteps) {
    return readProgress("x", metadata, graphSteps);
  };
  SafetensorsMetadata seven = progressMetadata(7, false);
  EXPECT_EQ(*read(seven, 7), std::optional<int64_t>(7));
  EXPECT_EQ(*read(seven, 9), std::optional<int64_t>(7));
  expectStatus(read(seven, 6).status(), StatusCode::DataLoss,
               "'x' does not say how many steps its run had done");
  EXPECT_EQ(*read(progressMetadata(7, true), 7), std::nullopt);
  for (const char *text : {"", "-1", "7 ", "seven", "99999999999999999999"})
    expectStatus(read({{"step", text}}, 9).status(), StatusCode::DataLoss,
                 "use another checkpoint, or begin from its values");
  expectStatus(read({}, 9).status(), StatusCode::DataLoss, "how many steps");
}

TEST(CheckpointedRun, WritesAtTheStartEveryFewStepsAndAtTheEnd) {
  std::string file = newFile("every.safetensors");
  std::unique_ptr<LocalSession> session = openLinear();
  CheckpointedRun run(*session, {.file = file, .everySteps = 4});
  EXPECT_FALSE(run.hasBegun());
  ASSERT_TRUE(run.initialize("train").isOk());
  EXPECT_FALSE(std::filesystem::exists(file));
  Steps written;
  auto outcome = run.runSteps(training(10), [&](const StepView &) {
    written.push_back(stepOf(file));
    EXPECT_TRUE(run.hasBegun());
    return true;
  });
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(outcome->steps, 10);
  EXPECT_EQ(outcome->end, RunOutcome::End::AllSteps);
  EXPECT_EQ(written, (Steps{0, 0, 0, 0, 4, 4, 4, 4, 8, 8}));
  EXPECT_EQ(stepOf(file), 10u);
  EXPECT_EQ(run.stepsDone(), 10);
}

TEST(CheckpointedRun, WithoutAFileNothingIsWritten) {
  std::unique_ptr<LocalSession> session = openLinear();
  CheckpointedRun run(*session, {.everySteps = 4});
  ASSERT_TRUE(run.initialize("").isOk());
  Losses losses;
  ASSERT_TRUE(run.runSteps(training(10), keep(losses)).isOk());
  EXPECT_EQ(losses, tenLosses());
}

TEST(CheckpointedRun, VisitsBetweenStepsChangeNothing) {
  std::string file = newFile("visited.safetensors");
  std::unique_ptr<LocalSession> session = openLinear();
  Steps visited, written;
  CheckpointOptions options{.file = file, .everySteps = 5};
  options.visitEvery = 4;
  options.visit = [&](uint64_t step) {
    visited.push_back(step);
    EXPECT_TRUE(session->readVariable("w").isOk());
  };
  CheckpointedRun run(*session, options);
  ASSERT_TRUE(run.initialize("train").isOk());
  Losses losses;
  ASSERT_TRUE(run.runSteps(training(10),
                           [&](const StepView &step) {
                             written.push_back(stepOf(file));
                             return keep(losses)(step);
                           })
                  .isOk());
  EXPECT_EQ(visited, (Steps{4, 8, 10}));
  EXPECT_EQ(written, (Steps{0, 0, 0, 0, 0, 5, 5, 5, 5, 5}));
  EXPECT_EQ(losses, tenLosses());
}

TEST(CheckpointedRun, AStoppedRunIsTheSameRunWhenItBeginsAgain) {
  std::string file = newFile("stopped.safetensors");
  Losses losses;
  std::vector<std::string> notes;
  auto begin = [&](LocalSession &session, bool isAnew = false) {
    CheckpointOptions options{.file = file, .everySteps = 3, .isAnew = isAnew};
    options.note = [&](const std::string &text) { notes.push_back(text); };
    CheckpointedRun run(session, options);
    EXPECT_TRUE(run.initialize("train").isOk());
    return run;
  };
  auto first = openLinear();
  auto stopped = begin(*first).runSteps(training(10), keep(losses, 7));
  ASSERT_TRUE(stopped.isOk());
  EXPECT_EQ(stopped->end, RunOutcome::End::Stopped);
  EXPECT_EQ(stepOf(file), 7u);
  EXPECT_TRUE(notes.empty());

  auto second = openLinear();
  CheckpointedRun rest = begin(*second);
  EXPECT_EQ(rest.stepsDone(), 7);
  auto outcome = rest.runSteps(training(10), keep(losses));
  ASSERT_TRUE(outcome.isOk());
  EXPECT_EQ(outcome->steps, 10);
  EXPECT_EQ(losses, tenLosses());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "goes on from '" + file +
                          "', after step 7, with 7 of its steps done");

  // A run that was complete is followed by another one.
  auto third = openLinear();
  CheckpointedRun next = begin(*third);
  EXPECT_EQ(next.stepsDone(), 0);
  ASSERT_TRUE(next.runSteps(training(2), keep(losses)).isOk());
  EXPECT_EQ(losses.rbegin()->first, 12u);
  EXPECT_EQ(stepOf(file), 12u);

  auto fourth = openLinear();
  losses.clear();
  ASSERT_TRUE(begin(*fourth, true).runSteps(training(4), keep(losses)).isOk());
  EXPECT_EQ(losses, between(1, 4));
  EXPECT_EQ(stepOf(file), 4u);
}

TEST(CheckpointedRun, NothingIsLeftOfARunThatIsDone) {
  std::string file = newFile("done.safetensors");
  std::unique_ptr<LocalSession> session = openLinear();
  Losses losses;
  {
    CheckpointedRun run(*session, {.file = file});
    ASSERT_TRUE(run.initialize("train").isOk());
    ASSERT_TRUE(run.runSteps(training(10), keep(losses, 6)).isOk());
  }
  std::string told;
  CheckpointOptions options{.file = file};
  options.note = [&](const std::string &text) { told = text; };
  auto other = openLinear();
  CheckpointedRun run(*other, options);
  ASSERT_TRUE(run.initialize("train").isOk());
  auto outcome = run.runSteps(training(5), keep(losses));
  ASSERT_TRUE(outcome.isOk());
  EXPECT_EQ(outcome->steps, 0);
  EXPECT_FALSE(run.hasBegun());
  EXPECT_EQ(told.find("nothing is left of --steps=5: step 6 is done"), 0u);
}

TEST(CheckpointedRun, NoFileOfAnotherIsOverwritten) {
  std::string file = newFile("foreign.safetensors");
  std::unique_ptr<LocalSession> session = openLinear();
  ASSERT_TRUE(session->initialize().isOk());
  // Of a graph that was not run there is no position.
  ASSERT_TRUE(session->save(file).isOk());
  CheckpointedRun run(*session, {.file = file});
  expectStatus(run.initialize("train"), StatusCode::FailedPrecondition,
               "does not say after which step of graph 'train'");
  std::string values = newFile("values.safetensors");
  ASSERT_TRUE(session->save(values).isOk());
  expectStatus(run.load(values), StatusCode::FailedPrecondition,
               "would overwrite it");
  EXPECT_TRUE(run.load(file).isOk());
}

} // namespace
