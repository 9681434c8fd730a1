// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs that write checkpoints, go on from them, and lose tasks.
#include "runtime/session/CheckpointedRun.h"

#include "runtime/checkpoint/Safetensors.h"
#include "runtime/session/RunProgress.h"
#include "test/runtime/session/OpenModel.h"
#include "test/runtime/session/SessionModels.h"

#include <filesystem>
#include <map>

using namespace graphc;
using namespace graphc::runtime;
using test::openModel;
using test::pointsFile;
using test::temporary;

namespace {

using Steps = std::vector<uint64_t>;
using Losses = std::map<uint64_t, float>; ///< by step

std::unique_ptr<LocalSession> openLinear() {
  std::unique_ptr<LocalSession> session = openModel(test::linearModel(0));
  EXPECT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  return session;
}

RunRequest training(int64_t steps) { return {"train", {}, {"loss"}, steps}; }

/// Keeps the loss of each step, and fails the test where a step comes twice.
Session::StepCallback keep(Losses &losses, uint64_t last = UINT64_MAX) {
  return [&losses, last](const StepView &view) {
    HostTensor loss = view.tensor(0);
    EXPECT_TRUE(losses.emplace(view.step(), loss.as<float>()[0]).second);
    return view.step() < last;
  };
}

/// Ten steps without any checkpoint.
const Losses &tenLosses() {
  static const Losses losses = [] {
    Losses made;
    std::unique_ptr<LocalSession> session = openLinear();
    EXPECT_TRUE(session->initialize().isOk());
    EXPECT_TRUE(session->runSteps(training(10), keep(made)).isOk());
    return made;
  }();
  return losses;
}

Losses between(uint64_t first, uint64_t last) {
  return {tenLosses().find(first), tenLosses().upper_bound(last)};
}

/// A file that is not there yet.
std::string newFile(const char *name) {
  std::string path = temporary(name);
  std::filesystem::remove(path);
  return path;
}

uint64_t stepOf(const std::string &file) {
  auto positions = positionsOf(file);
  EXPECT_TRUE(positions.isOk() && *positions);
  return (**positions)["train"].step;
}

void expectStatus(const Status &status, StatusCode code, const char *text) {
  EXPECT_EQ(status.code(), code) << status.toString();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

TEST(RunProgress, IsReadAsItWasWritten) {
  std::string file = newFile("progress.safetensors");
  auto write = [&](const SafetensorsMetadata &metadata) {
    ASSERT_TRUE(saveSafetensors(file, {}, metadata).isOk());
  };
  write(progressMetadata(7, false));
  EXPECT_EQ(*readProgress(file, 7), std::optional<int64_t>(7));
  EXPECT_EQ(*readProgress(file, 9), std::optional<int64_t>(7));
  expectStatus(readProgress(file, 6).status(), StatusCode::DataLoss,
               "does not say how many steps its run had done");
  write(progressMetadata(7, true));
  EXPECT_EQ(*readProgress(file, 7), std::nullopt);
  for (const char *text : {"", "-1", "7 ", "seven", "99999999999999999999"}) {
    write({{"step", text}});
    expectStatus(readProgress(file, 9).status(), StatusCode::DataLoss,
                 "use another checkpoint, or begin from its values");
  }
  EXPECT_EQ(readProgress(temporary("none"), 9).status().code(),
            StatusCode::NotFound);
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

/// A session whose tasks are lost after some steps of its graph.
class LossySession final : public Session {
public:
  explicit LossySession(LocalSession &inner) : inner(inner) {}

  const Model &model() const override { return inner.model(); }
  bool hasTasks() const override { return true; }
  StatusOr<const format::Graph *>
  chooseGraph(std::string_view name) const override {
    return inner.chooseGraph(name);
  }
  Status checkRequest(const RunRequest &request) const override {
    return inner.checkRequest(request);
  }
  StatusOr<BoundData> bindDataset(std::string_view name,
                                  std::string_view files) override {
    return inner.bindDataset(name, files);
  }
  Status initialize(bool isAnew) override {
    ++initialized;
    return initialized > 1 || isAnew ? Status::ok() : inner.initialize();
  }
  bool madeFirstValues() const override { return inner.madeFirstValues(); }
  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const StepCallback &onStep,
                                std::optional<uint64_t> firstStep) override {
    limits.push_back(request.untilNanos.value_or(0));
    bool isLost = false;
    auto outcome = inner.runSteps(
        request,
        [&](const StepView &view) {
          isLost = !lossesAfter.empty() && view.step() == lossesAfter.front();
          if (!isLost)
            return onStep(view);
          lossesAfter.erase(lossesAfter.begin());
          return false;
        },
        firstStep);
    return isLost ? StatusOr<RunOutcome>(loss) : outcome;
  }
  Status prepareSteps(const RunRequest &) override {
    isPrepared = true;
    return Status::ok();
  }
  void endRuns() override { ++ended; }
  int64_t deadlineNanos() const override { return 3'600'000'000'000; }
  StatusOr<HostTensor> readVariable(std::string_view name) override {
    return inner.readVariable(name);
  }
  Status writeVariable(std::string_view name,
                       const HostTensor &value) override {
    return inner.writeVariable(name, value);
  }
  Status save(const std::string &path, const Metadata &metadata) override {
    return inner.save(path, metadata);
  }
  Status load(const std::string &path, Metadata *metadata) override {
    ++loaded;
    return inner.load(path, metadata);
  }
  GraphPosition position(const std::string &graph) const override {
    return inner.position(graph);
  }
  void setPosition(const std::string &graph,
                   const GraphPosition &position) override {
    inner.setPosition(graph, position);
  }
  Status recover() override {
    ++recovered;
    return recovery;
  }
  Status goOn(const std::string &) override {
    ++wentOn;
    return Status::ok();
  }
  bool endedWithinStep(const std::string &) const override { return isTorn; }
  std::string tasksBehind(const std::string &) const override {
    return "task 1: step 4";
  }

  Steps lossesAfter;
  Status loss = unavailable("task 1 was lost");
  Status recovery;
  bool isTorn = false, isPrepared = false;
  int initialized = 0, loaded = 0, recovered = 0, wentOn = 0, ended = 0;
  std::vector<int64_t> limits; ///< of all calls of runSteps

private:
  LocalSession &inner;
};

struct Lossy {
  explicit Lossy(Steps lossesAfter) : inner(openLinear()), session(*inner) {
    session.lossesAfter = std::move(lossesAfter);
    options.file = newFile("lossy.safetensors");
    options.everySteps = 3;
    options.recoveries = 2;
    options.note = [this](const std::string &text) { notes += text + "\n"; };
  }
  StatusOr<RunOutcome> run(uint64_t last = UINT64_MAX) {
    steps.emplace(session, options);
    GRAPHC_TRY(steps->initialize("train"));
    return steps->runSteps(training(10), keep(losses, last));
  }

  std::unique_ptr<LocalSession> inner;
  LossySession session;
  CheckpointOptions options;
  std::optional<CheckpointedRun> steps;
  Losses losses;
  std::string notes;
};

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
