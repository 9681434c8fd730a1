// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs steps with checkpoints, goes on from them, and recovers lost tasks; what
// MonitoredTrainingSession and CheckpointSaverHook do in TensorFlow 1.x.
//
//   CheckpointedRun run(*session, {.file = "line.safetensors",
//                                  .everySteps = 100, .recoveries = 3});
//   run.initialize("train");
//   run.runSteps({.graph = "train", .steps = 1000}, onStep);
#ifndef GRAPHC_RUNTIME_SESSION_CHECKPOINTEDRUN_H
#define GRAPHC_RUNTIME_SESSION_CHECKPOINTEDRUN_H

#include "runtime/checkpoint/TensorMatch.h"
#include "runtime/metrics/CheckpointCounts.h"
#include "runtime/session/CheckpointStore.h"
#include "runtime/session/Session.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace graphc::runtime {

struct CheckpointOptions {
  /// A safetensors file, which is replaced as a whole; empty: none is written.
  std::string file{};
  /// Place of the checkpoints, instead of `file`.
  std::shared_ptr<CheckpointStore> store{};
  /// Steps between two checkpoints; 0: one before the first step, one at the
  /// end.
  int64_t everySteps = 0;
  /// Seconds between two checkpoints, whatever steps are done; 0: by steps.
  double everySeconds = 0;
  /// Steps of the graph between two calls of `evaluate`, which is also called
  /// at the end, and has a checkpoint written after it; 0: none.
  int64_t evaluateEvery = 0;
  /// May run other graphs of the session; false: the run ends.
  std::function<StatusOr<bool>(uint64_t step)> evaluate{};
  /// Steps of the graph between two calls of `visit`, which may read variables,
  /// and is also called at the end; 0: none.
  int64_t visitEvery = 0;
  std::function<void(uint64_t step)> visit{};
  /// One that ended is not another run's beginning: its steps count, too.
  bool isOneRun = false;
  /// A run that is stopped ends with whole steps, and is saved, on tasks, too:
  /// these are given steps for about half a second at a time.
  bool stopsWhole = false;
  /// Number of lost tasks that are waited for. Needs a file, but for clients
  /// that are not the chief.
  int64_t recoveries = 0;
  /// First values for all variables, whatever a cluster or the file has.
  bool isAnew = false;
  /// Of the clients of one training, the chief alone writes and loads the file.
  bool isChief = true;
  /// Counts recoveries, and checkpoints in `file`; a store counts its own.
  std::shared_ptr<CheckpointCounts> counts{};
  /// For people: what the run goes on from, and what it cannot do.
  std::function<void(const std::string &text)> note{};
  /// True: no recovery is begun any more.
  std::function<bool()> isStopRequested{};
  /// Called when a step failed: tasks that were stopped are replaced; how many.
  std::function<size_t()> replaceStopped{};
  /// Called before the first step, when all tasks have prepared it; other
  /// clients may be waited for.
  std::function<void()> beforeFirstStep{};
};

/// True when waiting for a task and a checkpoint can recover from a failure. A
/// task that was started again while nobody looked lacks the plan, or values:
/// what was possible before (`wasFine`) is missing now.
bool isTaskLoss(const Status &status, bool wasFine);

/// One run of a graph. The session outlives it.
/// Thread-safety: one call at a time.
class CheckpointedRun {
public:
  CheckpointedRun(Session &session, CheckpointOptions options);

  /// Gives the variables values for a run of `graph` ("": the only one): those
  /// of the file if it is there, or those of a cluster where they are of a
  /// later step; else their first values. A file that another program wrote is
  /// not overwritten: FAILED_PRECONDITION suggests what to do.
  Status initialize(const std::string &graph);

  /// Gives the variables the values of another file. FAILED_PRECONDITION where
  /// that would overwrite a checkpoint that exists.
  Status load(const std::string &path);
  /// The same of a checkpoint of another model; `table` tells what was not
  /// taken. Variables that are not there get their first values; the graphs
  /// begin anew.
  Status load(const std::string &path, const MatchOptions &match,
              std::string &table);

  /// As Session::runSteps(); request.steps counts those that an earlier process
  /// made of this run, which are not made, and not shown, again.
  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const Session::StepCallback &onStep);

  /// As Session::save(), unless the tasks' values are of different steps, which
  /// is noted.
  Status save(const std::string &path);

  /// Steps of this run that were done, by earlier processes too.
  int64_t stepsDone() const { return done; }
  /// True when steps were requested: later failures are recovered here.
  bool hasBegun() const { return isRunning; }

private:
  Status chooseValues(const std::string &graph);
  Status checkLoad(const std::string &path) const;
  void noteEndsWithinStep() const;
  Status goOnFromFile(const std::string &graph);
  Status goOnFromValues(const std::string &graph, const GraphPosition &saved,
                        const CheckpointStore::Texts &texts);
  StatusOr<RunOutcome> runUntilFailure(const RunRequest &request,
                                       const Session::StepCallback &onStep);
  StatusOr<RunOutcome> runPart(const RunRequest &request, int64_t steps,
                               const Session::StepCallback &onStep);
  int64_t partSteps(const RunRequest &request) const;
  void measurePart(int64_t steps, int64_t nanos);
  bool isSaveDue() const;
  StatusOr<bool> evaluateIfDue(bool isOver);
  void visitIfDue(bool isOver);
  Status writeCheckpoint(bool isComplete);
  bool mayRecover(const Status &failure);
  Status recover(const Status &loss);
  StatusOr<bool> goOnAtTasks();
  std::string doneText() const;
  bool isStopRequested() const;
  void note(const std::string &text) const;

  Session &session;
  CheckpointOptions options;
  std::string graph;               ///< of this run
  int64_t done = 0;                ///< steps of this run
  int64_t reported = 0;            ///< of them, seen by the caller
  std::optional<uint64_t> next;    ///< step of the graph to go on at, from 0
  uint64_t firstStep = 0;          ///< of the graph, when this run began
  bool isWhole = false;            ///< the store has what the variables have
  int64_t savedDone = 0;           ///< steps of this run that it has
  int64_t savedNanos = 0;          ///< when it was written
  uint64_t evaluated = UINT64_MAX; ///< step of the graph, at the last time
  int64_t shortPart = 1;           ///< steps of tasks for about half a second
  bool isStopWanted = false;       ///< the caller wants no more steps
  bool isTorn = false;             ///< tasks stopped within a step
  bool isRunning = false;          ///< steps were asked for
  bool wasPlanGone = false;        ///< a task had lost it before the first step
};

} // namespace graphc::runtime

#endif
