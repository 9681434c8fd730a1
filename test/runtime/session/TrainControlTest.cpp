// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions that end a training, and its checkpoints while it goes on.
#include "runtime/session/train/TrainControl.h"
#include "runtime/session/train/TrainStore.h"
#include "test/runtime/session/LossySession.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

using namespace graphc::test;

namespace {

namespace fs = std::filesystem;
using Metrics = std::map<std::string, double>;

/// A folder that is not there yet.
std::string newFolder(const char *name) {
  std::string path = temporary(name);
  fs::remove_all(path);
  return path;
}

/// Runs steps of the linear model until the control ends them: how many.
int64_t stepsUntilEnd(TrainControl &control, int64_t most) {
  std::unique_ptr<LocalSession> session = openLinear();
  EXPECT_TRUE(session->initialize().isOk());
  auto outcome = session->runSteps(training(most), [&](const StepView &step) {
    return control.onStep(step);
  });
  EXPECT_TRUE(outcome.isOk()) << outcome.status().toString();
  return outcome->steps;
}

TEST(TrainControl, EndsAtAMetric) {
  Losses losses = tenLosses();
  double target = losses.at(6);
  TrainControl control(
      {.target = MetricGoal{"loss", false}, .targetValue = target});
  EXPECT_EQ(stepsUntilEnd(control, 10), 6);
  EXPECT_NE(control.why().find("loss = "), std::string::npos);
  EXPECT_EQ(control.metrics().at("loss"), target);
}

TEST(TrainControl, EndsAtAFileAndInTime) {
  std::string file = newFile("STOP");
  TrainControl none({.stopFile = file});
  EXPECT_EQ(stepsUntilEnd(none, 10), 10);
  EXPECT_EQ(none.why(), "");
  std::ofstream(file) << "";
  TrainControl stopped({.stopFile = file});
  EXPECT_EQ(stepsUntilEnd(stopped, 10), 1);
  EXPECT_EQ(stopped.why(), "there is a file '" + file + "'");
  TrainControl late({.seconds = 1e-9});
  EXPECT_EQ(stepsUntilEnd(late, 10), 1);
  EXPECT_EQ(late.why(), "its time is over");
}

TEST(TrainControl, EndsWithoutAnImprovementAlsoWhenItWasBegunAgain) {
  std::string file = newFile("evaluations.jsonl");
  TrainLimits limits{
      .best = MetricGoal{"e/acc", true}, .patience = 3, .evaluations = file};
  {
    TrainControl control(limits);
    ASSERT_TRUE(control.resume(0).isOk());
    EXPECT_TRUE(*control.onEvaluation(10, {{"e/acc", 0.5}}));
    EXPECT_TRUE(*control.onEvaluation(20, {{"e/acc", 0.7}}));
    EXPECT_TRUE(*control.onEvaluation(30, {{"e/acc", NAN}}));
    EXPECT_TRUE(*control.onEvaluation(40, {{"e/acc", 0.7}}));
  }
  std::ofstream(file, std::ios::app) << "{\"step\":50,\"e/a"; // cut
  {
    // From the checkpoint of step 30: that of step 40 is made again.
    TrainControl control(limits);
    ASSERT_TRUE(control.resume(30).isOk());
    EXPECT_TRUE(*control.onEvaluation(40, {{"e/acc", 0.7}}));
    EXPECT_FALSE(*control.onEvaluation(50, {{"e/acc", 0.6}}));
    EXPECT_EQ(control.why(), "e/acc has not become better in 3 evaluations");
  }
  std::ifstream lines(file);
  std::string text((std::istreambuf_iterator<char>(lines)), {});
  EXPECT_EQ(text, "{\"e/acc\":0.5,\"step\":10}\n{\"e/acc\":0.7,\"step\":20}\n"
                  "{\"e/acc\":null,\"step\":30}\n{\"e/acc\":0.7,\"step\":40}\n"
                  "{\"e/acc\":0.6,\"step\":50}\n");
}

/// A run of ten steps in a folder.
struct Trained {
  explicit Trained(const std::string &folder, CheckpointOptions how = {}) {
    auto opened = TrainStore::open(
        folder, {.keeps = {.last = 0}, .note = [this](const std::string &text) {
                   notes += text + "\n";
                 }});
    EXPECT_TRUE(opened.isOk()) << opened.status().toString();
    how.store = *opened;
    how.isOneRun = true;
    how.note = [this](const std::string &text) { notes += text + "\n"; };
    session = openLinear();
    run.emplace(*session, how);
    EXPECT_TRUE(run->initialize("train").isOk());
  }
  std::string notes;
  std::unique_ptr<LocalSession> session;
  std::optional<CheckpointedRun> run;
  Losses losses;
};

std::vector<uint64_t> stepsIn(const std::string &folder) {
  std::vector<uint64_t> steps;
  for (const SavedCheckpoint &checkpoint : listCheckpoints(folder))
    steps.insert(steps.begin(), checkpoint.step);
  return steps;
}

TEST(TrainStore, KeepsAStateThatLaterStepsDoNotChange) {
  std::string folder = newFolder("train");
  {
    Trained first(folder, {.everySteps = 3});
    ASSERT_TRUE(first.run->runSteps(training(7), keep(first.losses)).isOk());
    EXPECT_EQ(first.losses, between(1, 7));
  }
  EXPECT_EQ(stepsIn(folder), (std::vector<uint64_t>{0, 3, 6, 7}));
  {
    Trained second(folder);
    ASSERT_TRUE(second.run->runSteps(training(10), keep(second.losses)).isOk());
    EXPECT_EQ(second.losses, between(8, 10)) << "goes on";
    EXPECT_NE(second.notes.find("after step 7, with 7 of its steps done"),
              std::string::npos)
        << second.notes;
  }
  fs::remove_all(folder + "/checkpoint-10");
  fs::resize_file(folder + "/checkpoint-7/manifest.json", 20);
  Trained third(folder);
  ASSERT_TRUE(third.run->runSteps(training(10), keep(third.losses)).isOk());
  EXPECT_EQ(third.losses, between(7, 10)) << "from step 6";
  EXPECT_NE(third.notes.find("passes over"), std::string::npos);
}

TEST(TrainStore, SavesByTime) {
  std::string folder = newFolder("timed");
  Trained timed(folder, {.everySeconds = 1e-9});
  ASSERT_TRUE(timed.run->runSteps(training(4), keep(timed.losses)).isOk());
  EXPECT_EQ(timed.losses, between(1, 4));
  EXPECT_EQ(stepsIn(folder), (std::vector<uint64_t>{0, 1, 2, 3, 4}));
}

TEST(TrainStore, EvaluatesBetweenSteps) {
  std::string folder = newFolder("evaluated");
  std::vector<uint64_t> evaluated;
  Trained trained(folder, {.evaluateEvery = 4,
                           .evaluate = [&](uint64_t step) -> StatusOr<bool> {
                             evaluated.push_back(step);
                             return true;
                           }});
  ASSERT_TRUE(trained.run->runSteps(training(10), keep(trained.losses)).isOk());
  EXPECT_EQ(evaluated, (std::vector<uint64_t>{4, 8, 10}));
  EXPECT_EQ(stepsIn(folder), (std::vector<uint64_t>{0, 4, 8, 10}));
  EXPECT_EQ(trained.losses, between(1, 10));
}

TEST(TrainStore, EndsWhereAnEvaluationEndsIt) {
  std::string folder = newFolder("ended");
  Trained trained(folder, {.evaluateEvery = 4, .evaluate = [](uint64_t) {
                             return StatusOr<bool>(false);
                           }});
  auto outcome = trained.run->runSteps(training(10), keep(trained.losses));
  ASSERT_TRUE(outcome.isOk());
  EXPECT_EQ(outcome->end, RunOutcome::End::Stopped);
  EXPECT_EQ(outcome->steps, 4);
}

TEST(TrainStore, SavesWhereAnEvaluationIsInterrupted) {
  std::string folder = newFolder("interrupted");
  bool isStopped = false;
  Trained trained(folder, {.evaluateEvery = 4,
                           .evaluate = [&](uint64_t) -> StatusOr<bool> {
                             isStopped = true;
                             return cancelled("interrupted");
                           },
                           .isStopRequested = [&] { return isStopped; }});
  auto outcome = trained.run->runSteps(training(10), keep(trained.losses));
  ASSERT_TRUE(outcome.isOk()) << outcome.status().toString();
  EXPECT_EQ(outcome->end, RunOutcome::End::Stopped);
  EXPECT_EQ(stepsIn(folder), (std::vector<uint64_t>{0, 4}));
}

// Tasks are stopped where all have made the same steps, so that they are saved.
TEST(TrainStore, StopsTasksBetweenTwoSteps) {
  Lossy lossy({});
  std::string folder = newFolder("tasks");
  lossy.options.file.clear();
  lossy.options.store = *TrainStore::open(folder, {.keeps = {.last = 0}});
  lossy.options.stopsWhole = true;
  auto outcome = lossy.run(/*last=*/4);
  ASSERT_TRUE(outcome.isOk()) << outcome.status().toString();
  EXPECT_EQ(outcome->end, RunOutcome::End::Stopped);
  EXPECT_GE(outcome->steps, 4);
  EXPECT_EQ(stepsIn(folder).back(), static_cast<uint64_t>(outcome->steps));
}

// Steps that follow a capture wait for it before they write variables.
TEST(LocalSession, CapturesOneMoment) {
  std::unique_ptr<LocalSession> session = openLinear();
  ASSERT_TRUE(session->initialize().isOk());
  auto before = session->readVariable(
      session->model().index().variables()->Get(0)->name()->str());
  auto captured = session->capture();
  ASSERT_TRUE(captured.isOk());
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE((*captured)->await().isOk());
  });
  Losses losses;
  ASSERT_TRUE(session->runSteps(training(3), keep(losses)).isOk());
  writer.join();
  const SessionState *state = *(*captured)->await();
  EXPECT_EQ(state->values[0].tensor.bytes, before->bytes);
  EXPECT_EQ(losses, between(1, 3));
}

TEST(LocalSession, EndsAfterACopyThatGoesOn) {
  std::unique_ptr<LocalSession> session = openLinear();
  ASSERT_TRUE(session->initialize().isOk());
  auto captured = session->capture();
  ASSERT_TRUE(captured.isOk());
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE((*captured)->await().isOk());
  });
  session.reset();
  writer.join();
  EXPECT_FALSE((*(*captured)->await())->values.empty());
}

} // namespace
