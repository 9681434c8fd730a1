// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/CheckpointedRun.h"

#include "runtime/base/Clock.h"
#include "runtime/checkpoint/CheckpointFolder.h"
#include "runtime/format/ModelNames.h"
#include "runtime/session/RunProgress.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/WholeVariables.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace graphc::runtime {

namespace {

/// "step 500": how many steps of a graph are done.
std::string stepText(uint64_t step) { return "step " + std::to_string(step); }

constexpr double kPartSeconds = 0.5;

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
    : session(session), options(std::move(options)) {
  if (!this->options.store && !this->options.file.empty())
    this->options.store = checkpointFile(this->options.file);
}

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
  if (!options.isChief || options.isAnew || !options.store ||
      !options.store->exists())
    return session.initialize(options.isAnew);
  const std::string path = options.store->name();
  GRAPHC_ASSIGN_OR_RETURN(CheckpointStore::Texts texts, options.store->texts());
  StatusOr<std::optional<Positions>> read = readPositions(texts);
  if (!read.isOk())
    return read.status().annotate("'" + path + "'");
  const std::optional<Positions> &positions = *read;
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen,
                          session.chooseGraph(graph));
  if (!positions || !positions->count(chosen->name()->str()))
    return failedPrecondition(
        "'" + path + "' does not say after which step of graph '" +
        sourceName(*chosen) +
        "' it was written, so it is not overwritten; name another file with "
        "--checkpoint (--load=" +
        path + " begins from its values), or give --init to begin anew");
  const GraphPosition &saved = positions->at(chosen->name()->str());
  Status status = session.initialize();
  if (!status.isOk() && status.code() != StatusCode::FailedPrecondition)
    return status;
  if (!status.isOk())
    note(status.message());
  else if (!session.madeFirstValues() && !session.endedWithinStep(graph) &&
           session.position(graph).step > saved.step)
    return goOnFromValues(graph, saved, texts);
  return goOnFromFile(graph);
}

/// A run that goes on from a checkpoint of one that did not end is the same
/// run, begun again: its steps before count.
Status CheckpointedRun::goOnFromFile(const std::string &graph) {
  GRAPHC_ASSIGN_OR_RETURN(CheckpointStore::Texts texts,
                          options.store->load(session));
  next = session.position(graph).step;
  GRAPHC_ASSIGN_OR_RETURN(
      std::optional<int64_t> before,
      readProgress(options.store->name(), texts, *next, options.isOneRun));
  done = before.value_or(0);
  reported = savedDone = done;
  isWhole = true;
  note("goes on from '" + options.store->name() + "', after " +
       stepText(*next) + doneText());
  return Status::ok();
}

/// Tasks have done more than the file has: the examples are those that follow,
/// as if one run had done it all.
Status CheckpointedRun::goOnFromValues(const std::string &graph,
                                       const GraphPosition &saved,
                                       const CheckpointStore::Texts &texts) {
  GraphPosition position = saved;
  position.step = session.position(graph).step;
  for (auto &[dataset, data] : position.data)
    data.batches += (position.step - saved.step) *
                    (saved.step > 0 ? data.batches / saved.step : 0);
  session.setPosition(graph, position);
  next = position.step;
  GRAPHC_ASSIGN_OR_RETURN(
      std::optional<int64_t> before,
      readProgress(options.store->name(), texts, saved.step, options.isOneRun));
  if (before)
    done = *before + static_cast<int64_t>(position.step - saved.step);
  reported = savedDone = done;
  note("the servers' variables are those after " + stepText(*next) +
       ", later than '" + options.store->name() + "' (" + stepText(saved.step) +
       "): goes on from them" + doneText());
  return Status::ok();
}

Status CheckpointedRun::checkLoad(const std::string &path) const {
  const std::string checkpoint = options.store ? options.store->name() : "";
  std::error_code error;
  if (options.store && options.store->exists() &&
      !std::filesystem::equivalent(path, checkpoint, error))
    return failedPrecondition(
        "'" + checkpoint + "' exists, and a run that --load begins from '" +
        path +
        "' would overwrite it; leave --load out to go on from it, name "
        "another --checkpoint, or remove it");
  return Status::ok();
}

Status CheckpointedRun::load(const std::string &path) {
  GRAPHC_TRY(checkLoad(path));
  return session.load(path);
}

Status CheckpointedRun::load(const std::string &path, const MatchOptions &match,
                             std::string &table) {
  GRAPHC_TRY(checkLoad(path));
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const TensorReader> reader,
                          openCheckpoint(path));
  std::vector<NamedType> variables = wholeVariables(session.model());
  TensorMatch matched;
  GRAPHC_ASSIGN_OR_RETURN(
      reader, matchTensors(std::move(reader), variables, match, matched));
  table = matched.table();
  if (match.isPartial)
    GRAPHC_TRY(session.initialize());
  return session.restore(*reader, match.isPartial);
}

Status CheckpointedRun::save(const std::string &path) {
  if (!isTorn)
    return session.save(path);
  note("note: '" + path +
       "' is not written: the run was interrupted within a step" +
       (!options.store ? "; --checkpoint-every keeps whole ones"
                       : "; the last checkpoint is whole"));
  return Status::ok();
}

/// `isComplete`: the run has done all its steps.
Status CheckpointedRun::writeCheckpoint(bool isComplete) {
  if (!options.store || (isWhole && !isComplete) || !options.isChief)
    return Status::ok();
  int64_t begin = nowNanos();
  Status status =
      options.store->write(session, graph, session.position(graph).step,
                           progressMetadata(done, isComplete));
  if (options.counts && !options.file.empty())
    options.counts->noteWrite(status.isOk(), nowNanos() - begin);
  GRAPHC_TRY(status);
  isWhole = true;
  savedDone = done;
  savedNanos = nowNanos();
  return Status::ok();
}

bool CheckpointedRun::isSaveDue() const {
  if (!options.store)
    return false;
  if (options.everySteps > 0 && done - savedDone >= options.everySteps)
    return true;
  return options.everySeconds > 0 &&
         static_cast<double>(nowNanos() - savedNanos) >=
             options.everySeconds * 1e9;
}

/// Steps until something is to be done between two steps; 0: never.
int64_t CheckpointedRun::partSteps(const RunRequest &request) const {
  int64_t steps = request.steps == 0 ? 0 : request.steps - done;
  auto atMost = [&](int64_t most) {
    if (steps == 0 || most < steps)
      steps = std::max<int64_t>(1, most);
  };
  if (options.store && options.everySteps > 0)
    atMost(options.everySteps - (done - savedDone));
  for (int64_t between : {options.evaluateEvery, options.visitEvery})
    if (between > 0) {
      uint64_t every = static_cast<uint64_t>(between);
      uint64_t at = firstStep + static_cast<uint64_t>(done);
      atMost(static_cast<int64_t>(every - at % every));
    }
  if (variant) {
    int64_t at = static_cast<int64_t>(firstStep) + done;
    atMost(options.summariesEvery - 1 - at % options.summariesEvery);
    if (request.steps > 0)
      atMost(request.steps - done - 1);
  }
  // What a session does itself can be stopped after any step.
  if (session.hasTasks() &&
      (options.stopsWhole || (options.store && options.everySeconds > 0)))
    atMost(shortPart);
  return steps;
}

bool CheckpointedRun::isSummaryDue(const RunRequest &request) const {
  int64_t step = static_cast<int64_t>(firstStep) + done + 1;
  return variant && (step % options.summariesEvery == 0 ||
                     (request.steps > 0 && done + 1 == request.steps));
}

Status CheckpointedRun::findVariant() {
  variant = nullptr;
  if (options.summariesEvery <= 0 || !options.onSummaries || !options.isChief)
    return Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(plain, session.chooseGraph(graph));
  variant = findSummaryVariant(session.model().index(), *plain);
  return Status::ok();
}

void CheckpointedRun::measurePart(int64_t steps, int64_t nanos) {
  if (steps == 0 || nanos <= 0)
    return;
  double wanted = static_cast<double>(steps) * kPartSeconds * 1e9 /
                  static_cast<double>(nanos);
  double most = 2.0 * static_cast<double>(shortPart); // grows step by step
  shortPart =
      std::max<int64_t>(1, static_cast<int64_t>(std::min(wanted, most)));
}

StatusOr<RunOutcome>
CheckpointedRun::runPart(const RunRequest &request, int64_t steps,
                         const Session::StepCallback &onStep) {
  RunRequest part = request;
  part.steps = steps;
  bool hasTasks = session.hasTasks();
  bool isPartOver = false;
  int64_t before = done, start = nowNanos();
  StatusOr<RunOutcome> outcome = session.runSteps(
      part,
      [&](const StepView &step) {
        isWhole = false;
        next = step.step();
        // Steps that are done again after a loss were seen before.
        // Those that tasks make after the caller has had enough are only saved.
        bool isSeen = ++done <= reported || isStopWanted;
        bool goesOn = isSeen ? !isStopRequested() : onStep(step);
        reported = std::max(reported, done);
        isStopWanted |= !goesOn;
        isPartOver = goesOn && !hasTasks && isSaveDue();
        return !isPartOver && (goesOn || (hasTasks && options.stopsWhole));
      },
      next);
  if (request.graph == graph) // no single step
    measurePart(done - before, nowNanos() - start);
  if (outcome.isOk() && isPartOver)
    outcome->end = RunOutcome::End::AllSteps;
  return outcome;
}

/// One step by the variant; the caller sees the fetches that it asked for.
StatusOr<RunOutcome>
CheckpointedRun::runSummaryStep(const RunRequest &request,
                                const Session::StepCallback &onStep) {
  RunRequest step = request;
  step.graph = variant->name()->str();
  if (step.fetches.empty())
    for (const format::Port *fetch : *plain->fetches())
      step.fetches.push_back(fetch->name()->str());
  size_t asked = step.fetches.size();
  for (uint32_t i = plain->fetches()->size(); i < variant->fetches()->size();
       ++i)
    step.fetches.push_back(variant->fetches()->Get(i)->name()->str());
  if (!next)
    next = session.position(graph).step;
  int64_t seen = reported;
  return runPart(step, 1, [&](const StepView &view) {
    if (done > seen)
      options.onSummaries(*variant, view.some(asked, view.size() - asked));
    return onStep(view.some(0, asked));
  });
}

/// False: the run is to end.
StatusOr<bool> CheckpointedRun::evaluateIfDue(bool isOver) {
  uint64_t at = firstStep + static_cast<uint64_t>(done);
  if (options.evaluateEvery <= 0 || !options.evaluate || evaluated == at ||
      isTorn || !options.isChief || isStopRequested())
    return true;
  if (!isOver && at % static_cast<uint64_t>(options.evaluateEvery) != 0)
    return true;
  StatusOr<bool> goesOn = options.evaluate(at);
  // A stop interrupts an evaluation; what was trained is saved all the same.
  if (goesOn.status().code() == StatusCode::Cancelled && isStopRequested())
    return false;
  evaluated = at;
  isWhole = false; // its metrics are to be saved
  return goesOn;
}

void CheckpointedRun::visitIfDue(bool isOver) {
  uint64_t at = firstStep + static_cast<uint64_t>(done);
  if (options.visitEvery > 0 && options.visit && !isTorn && options.isChief &&
      (isOver || at % static_cast<uint64_t>(options.visitEvery) == 0))
    options.visit(at);
}

StatusOr<RunOutcome>
CheckpointedRun::runUntilFailure(const RunRequest &request,
                                 const Session::StepCallback &onStep) {
  while (true) {
    GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                            isSummaryDue(request)
                                ? runSummaryStep(request, onStep)
                                : runPart(request, partSteps(request), onStep));
    outcome.steps = done;
    bool isStopped = outcome.end == RunOutcome::End::Stopped;
    // Tasks stop where they are, which need not be the same step.
    isTorn = isStopped && session.hasTasks();
    bool isOver = outcome.end != RunOutcome::End::AllSteps || isStopWanted ||
                  (request.steps > 0 && done >= request.steps);
    if (isOver && !isStopped && isStopWanted) {
      outcome.end = RunOutcome::End::Stopped;
      isStopped = true;
    }
    visitIfDue(isOver);
    uint64_t before = evaluated;
    GRAPHC_ASSIGN_OR_RETURN(bool goesOn, evaluateIfDue(isOver));
    if (!goesOn && !isOver) {
      outcome.end = RunOutcome::End::Stopped;
      isOver = isStopped = true;
    }
    if (!isTorn && (isOver || isSaveDue() || evaluated != before))
      GRAPHC_TRY(writeCheckpoint(isOver && !isStopped));
    if (isOver)
      return outcome;
  }
}

StatusOr<RunOutcome>
CheckpointedRun::runSteps(const RunRequest &request,
                          const Session::StepCallback &onStep) {
  if (options.recoveries > 0 && !options.store && options.isChief &&
      session.hasTasks())
    return invalidArgument("a run that recovers lost tasks needs a checkpoint "
                           "file to go on from (--checkpoint=FILE)");
  graph = request.graph;
  GRAPHC_TRY(findVariant());
  uint64_t reached = session.position(graph).step;
  firstStep = reached - static_cast<uint64_t>(done);
  if (options.store) // which has the graph's position from now on
    session.setPosition(graph, session.position(graph));
  savedNanos = nowNanos();
  GRAPHC_TRY(writeCheckpoint(false));
  if (request.steps > 0 && done >= request.steps) {
    note("nothing is left of --steps=" + std::to_string(request.steps) + ": " +
         stepText(reached) + " is done; a larger number goes on, " +
         (options.isOneRun ? "another folder" : "--init") + " begins anew");
    if (options.store)
      GRAPHC_TRY(options.store->finish());
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
    if (options.counts && options.isChief && recovered.isOk())
      options.counts->noteRecovery();
    outcome = recovered.isOk() ? runUntilFailure(timed, onStep)
                               : StatusOr<RunOutcome>(recovered);
  }
  session.endRuns();
  if (options.store && outcome.isOk())
    GRAPHC_TRY(options.store->finish());
  return outcome;
}

bool CheckpointedRun::mayRecover(const Status &failure) {
  // A task that was started again before the first step was prepared there has
  // lost the plan, once; what is never found is no loss.
  bool isPlanGone = failure.code() == StatusCode::NotFound &&
                    !std::exchange(wasPlanGone, true);
  // The chief replaces all values: who is not the chief waits for them again.
  bool areValuesReplaced = !options.isChief &&
                           failure.code() == StatusCode::FailedPrecondition;
  return session.hasTasks() && !isStopRequested() &&
         (isTaskLoss(failure, reported > 0 || isPlanGone ||
                                  areValuesReplaced) ||
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
  GRAPHC_TRY(options.store->load(session).status());
  next = session.position(graph).step;
  done = savedDone = static_cast<int64_t>(*next - firstStep);
  isWhole = true;
  note("goes on from '" + options.store->name() + "', after " +
       stepText(*next));
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
  savedDone = std::min(savedDone, done);
  return true;
}

} // namespace graphc::runtime
