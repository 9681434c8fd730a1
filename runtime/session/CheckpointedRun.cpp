// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/CheckpointedRun.h"

#include "runtime/base/Clock.h"
#include "runtime/session/RunProgress.h"
#include "runtime/state/ChooseGraph.h"

#include <filesystem>
#include <utility>

namespace graphc::runtime {

namespace {

/// "step 500": how many steps of a graph are done.
std::string stepText(uint64_t step) { return "step " + std::to_string(step); }

bool exists(const std::string &path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// Deadline for all steps of a run together.
std::optional<int64_t> untilNanos(const RunRequest &request,
                                  const Session &session) {
  int64_t until = 0;
  if (request.untilNanos || session.deadlineNanos() <= 0 ||
      __builtin_add_overflow(nowNanos(), session.deadlineNanos(), &until))
    return request.untilNanos;
  return until;
}

} // namespace

bool isTaskLoss(const Status &status, bool wasFine) {
  switch (status.code()) {
  case StatusCode::Unavailable:
  case StatusCode::Aborted:
    return true;
  case StatusCode::NotFound:
  case StatusCode::FailedPrecondition:
    return wasFine;
  default:
    return false;
  }
}

CheckpointedRun::CheckpointedRun(Session &session, CheckpointOptions options)
    : session(session), options(std::move(options)) {}

void CheckpointedRun::note(const std::string &text) const {
  if (options.note)
    options.note(text);
}

bool CheckpointedRun::isStopRequested() const {
  return options.isStopRequested && options.isStopRequested();
}

/// ", with 20 of its steps done": of a run that was begun before.
std::string CheckpointedRun::doneText() const {
  return done == 0 ? ""
                   : ", with " + std::to_string(done) + " of its steps done";
}

Status CheckpointedRun::initialize(const std::string &graph) {
  GRAPHC_TRY(chooseValues(graph));
  if (options.isChief && session.hasTasks())
    noteEndsWithinStep();
  return Status::ok();
}

void CheckpointedRun::noteEndsWithinStep() const {
  for (const std::string &name : sourceGraphs(session.model()))
    if (session.endedWithinStep(name))
      note("note: the last run of graph '" + name +
           "' ended within a step, with the variables at " +
           session.tasksBehind(name) +
           "; --load=FILE goes on from whole values, --init makes them anew");
}

/// Nothing that there is gets lost to something younger: the later of the
/// tasks' values and the file counts, if there is any.
Status CheckpointedRun::chooseValues(const std::string &graph) {
  const std::string &path = options.file;
  if (!options.isChief || options.isAnew || path.empty() || !exists(path))
    return session.initialize(options.isAnew);
  GRAPHC_ASSIGN_OR_RETURN(std::optional<Positions> positions,
                          positionsOf(path));
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen,
                          session.chooseGraph(graph));
  if (!positions || !positions->count(chosen->name()->str()))
    return failedPrecondition(
        "'" + path + "' does not say after which step of graph '" +
        sourceName(*chosen) +
        "' it was written, so it is not overwritten; name another file with "
        "--checkpoint (--load=" +
        path + " begins from its values), or give --init to begin anew");
  const GraphPosition &saved = (*positions)[chosen->name()->str()];
  Status status = session.initialize();
  if (!status.isOk() && status.code() != StatusCode::FailedPrecondition)
    return status;
  if (!status.isOk())
    note(status.message());
  else if (!session.madeFirstValues() && !session.endedWithinStep(graph) &&
           session.position(graph).step > saved.step)
    return goOnFromValues(graph, saved);
  return goOnFromFile(graph);
}

/// A run that goes on from a checkpoint of one that did not end is the same
/// run, begun again: its steps before count.
Status CheckpointedRun::goOnFromFile(const std::string &graph) {
  GRAPHC_TRY(session.load(options.file));
  next = session.position(graph).step;
  GRAPHC_ASSIGN_OR_RETURN(std::optional<int64_t> before,
                          readProgress(options.file, *next));
  done = before.value_or(0);
  reported = done;
  isWhole = true;
  note("goes on from '" + options.file + "', after " + stepText(*next) +
       doneText());
  return Status::ok();
}

/// Tasks have done more than the file has: the examples are those that follow,
/// as if one run had done it all.
Status CheckpointedRun::goOnFromValues(const std::string &graph,
                                       const GraphPosition &saved) {
  GraphPosition position = saved;
  position.step = session.position(graph).step;
  for (auto &[dataset, data] : position.data)
    data.batches += (position.step - saved.step) *
                    (saved.step > 0 ? data.batches / saved.step : 0);
  session.setPosition(graph, position);
  next = position.step;
  GRAPHC_ASSIGN_OR_RETURN(std::optional<int64_t> before,
                          readProgress(options.file, saved.step));
  if (before)
    done = *before + static_cast<int64_t>(position.step - saved.step);
  reported = done;
  note("the servers' variables are those after " + stepText(*next) +
       ", later than '" + options.file + "' (" + stepText(saved.step) +
       "): goes on from them" + doneText());
  return Status::ok();
}

Status CheckpointedRun::load(const std::string &path) {
  const std::string &checkpoint = options.file;
  std::error_code error;
  if (!checkpoint.empty() && exists(checkpoint) &&
      !std::filesystem::equivalent(path, checkpoint, error))
    return failedPrecondition(
        "'" + checkpoint + "' exists, and a run that --load begins from '" +
        path +
        "' would overwrite it; leave --load out to go on from it, name "
        "another --checkpoint, or remove it");
  return session.load(path);
}

Status CheckpointedRun::save(const std::string &path) {
  if (!isTorn)
    return session.save(path);
  note("note: '" + path +
       "' is not written: the run was interrupted within a step" +
       (options.file.empty() ? "; --checkpoint-every keeps whole ones"
                             : "; the last checkpoint is whole"));
  return Status::ok();
}

/// `isComplete`: the run has done all its steps.
Status CheckpointedRun::writeCheckpoint(bool isComplete) {
  if (options.file.empty() || (isWhole && !isComplete) || !options.isChief)
    return Status::ok();
  GRAPHC_TRY(session.save(options.file, progressMetadata(done, isComplete)));
  isWhole = true;
  return Status::ok();
}

StatusOr<RunOutcome>
CheckpointedRun::runPart(const RunRequest &request, int64_t steps,
                         const Session::StepCallback &onStep) {
  RunRequest part = request;
  part.steps = steps;
  return session.runSteps(
      part,
      [&](const StepView &step) {
        isWhole = false;
        next = step.step();
        // Steps that are done again after a loss were seen before.
        if (++done <= reported)
          return !isStopRequested();
        reported = done;
        return onStep(step);
      },
      next);
}

StatusOr<RunOutcome>
CheckpointedRun::runUntilFailure(const RunRequest &request,
                                 const Session::StepCallback &onStep) {
  int64_t every = options.file.empty() ? 0 : options.everySteps;
  while (true) {
    int64_t left = request.steps == 0 ? 0 : request.steps - done;
    int64_t steps = every > 0 && (left == 0 || every < left) ? every : left;
    GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                            runPart(request, steps, onStep));
    outcome.steps = done;
    bool isStopped = outcome.end == RunOutcome::End::Stopped;
    // Tasks stop where they are, which need not be the same step.
    isTorn = isStopped && session.hasTasks();
    bool isOver = outcome.end != RunOutcome::End::AllSteps ||
                  (request.steps > 0 && done >= request.steps);
    if (!isTorn)
      GRAPHC_TRY(writeCheckpoint(isOver && !isStopped));
    if (isOver)
      return outcome;
  }
}

StatusOr<RunOutcome>
CheckpointedRun::runSteps(const RunRequest &request,
                          const Session::StepCallback &onStep) {
  if (options.recoveries > 0 && options.file.empty() && options.isChief &&
      session.hasTasks())
    return invalidArgument("a run that recovers lost tasks needs a checkpoint "
                           "file to go on from (--checkpoint=FILE)");
  graph = request.graph;
  uint64_t reached = session.position(graph).step;
  firstStep = reached - static_cast<uint64_t>(done);
  if (!options.file.empty()) // which has the graph's position from now on
    session.setPosition(graph, session.position(graph));
  GRAPHC_TRY(writeCheckpoint(false));
  if (request.steps > 0 && done >= request.steps) {
    note("nothing is left of --steps=" + std::to_string(request.steps) + ": " +
         stepText(reached) +
         " is done; a larger number goes on, --init begins anew");
    return RunOutcome{};
  }
  RunRequest timed = request;
  timed.untilNanos = untilNanos(request, session);
  // All are prepared before one may be done: whose gradients are wanted, but
  // has no more steps to make, is then known to be done.
  if (options.beforeFirstStep) {
    GRAPHC_TRY(session.prepareSteps(timed));
    options.beforeFirstStep();
  }
  isRunning = true;
  StatusOr<RunOutcome> outcome = runUntilFailure(timed, onStep);
  // A task may be lost again while this recovers.
  for (int64_t left = options.recoveries;
       !outcome.isOk() && left > 0 && mayRecover(outcome.status()); --left) {
    Status recovered = recover(outcome.status());
    outcome = recovered.isOk() ? runUntilFailure(timed, onStep)
                               : StatusOr<RunOutcome>(recovered);
  }
  session.endRuns();
  return outcome;
}

bool CheckpointedRun::mayRecover(const Status &failure) {
  // A task that was started again before the first step was prepared there has
  // lost the plan, once; what is never found is no loss.
  bool isPlanGone = failure.code() == StatusCode::NotFound &&
                    !std::exchange(wasPlanGone, true);
  return session.hasTasks() && !isStopRequested() &&
         (isTaskLoss(failure, reported > 0 || isPlanGone) ||
          (options.replaceStopped && options.replaceStopped() > 0));
}

Status CheckpointedRun::recover(const Status &loss) {
  note(loss.message());
  if (options.replaceStopped)
    options.replaceStopped();
  GRAPHC_TRY(session.recover());
  GRAPHC_ASSIGN_OR_RETURN(bool goesOn, goOnAtTasks());
  if (goesOn)
    return Status::ok();
  GRAPHC_TRY(session.load(options.file));
  next = session.position(graph).step;
  done = static_cast<int64_t>(*next - firstStep);
  isWhole = true;
  note("goes on from '" + options.file + "', after " + stepText(*next));
  return Status::ok();
}

/// Goes on with the values that the tasks have, or that the chief gives them;
/// false: they are not whole, and this client has to load them. Where updates
/// have an order, what living tasks have is whole, and only lost values are a
/// reason to go back; in one graph for all workers, tasks may have ended at
/// different steps.
StatusOr<bool> CheckpointedRun::goOnAtTasks() {
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen,
                          session.chooseGraph(graph));
  bool isOrdered = chosen->instance() && chosen->instance()->coordination() !=
                                             format::Coordination::None;
  if (!isOrdered && options.isChief)
    return false;
  Status status = session.initialize();
  if (options.isChief && status.code() == StatusCode::FailedPrecondition)
    return false;
  GRAPHC_TRY(status);
  GRAPHC_TRY(session.goOn(graph));
  uint64_t reached = session.position(graph).step;
  // Another client loads them: whether they were lost is its to report.
  note("goes on after " + stepText(reached) +
       (options.isChief ? ""
                        : "; variables that a server had lost are those of the "
                          "chief's checkpoint"));
  next = reached;
  done = reported = static_cast<int64_t>(reached - firstStep);
  return true;
}

} // namespace graphc::runtime
