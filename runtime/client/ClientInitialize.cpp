// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the variables of a cluster their first values, or waits for them.
#include "runtime/client/ClientRun.h"
#include "runtime/client/ValueCensus.h"
#include "runtime/client/VariableReader.h"
#include "runtime/protocol/TaskFailure.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

using State = ClientMachine::State;

/// A moment for another client that is telling the tasks one after the other,
/// and how often it gets one.
constexpr int64_t kLookAgainNanos = 300'000'000;
constexpr int kMaxLooks = 4;

/// The chief looks which tasks have values. Where none has, it runs "init",
/// gives mirrors the values of their variables, and tells all tasks; where some
/// have, it only takes what is missing from living mirrors, or fails. Others
/// wait until tasks report that they have been told.
class InitializeOperation final : public ClientOperation {
public:
  InitializeOperation(State &state, bool isAnew)
      : state(state), isAnew(isAnew), census(state) {}

  void start() override {
    state.madeFirstValues = false;
    if (state.tasks.empty())
      return state.finish(Status::ok());
    if (isAnew && state.options.isChief)
      return dropAll();
    look();
  }

  void onTimer(int64_t now) override {
    if (driver)
      driver->onTimer(now);
    if (now < lookAgain)
      return;
    lookAgain = INT64_MAX;
    look();
  }
  int64_t nextTimer() const override {
    return std::min(lookAgain, driver ? driver->nextTimer() : INT64_MAX);
  }
  /// Another process in the task's place knows nothing of what was sent so far.
  void onTaskGone(TaskId task, const Status &why) override {
    if (isRunning)
      driver->onTaskGone(task, why);
    else if (std::ranges::find(state.tasks, task) != state.tasks.end())
      state.finish(why);
  }
  void onCancel() override {
    if (isRunning)
      driver->abort(cancelled("the client was cancelled"));
  }

private:
  /// Asks all tasks; `next` comes when all have answered.
  void askAll(const protocol::Request &request, int64_t nanos,
              void (InitializeOperation::*then)()) {
    missing = state.tasks.size();
    for (TaskId task : state.tasks)
      state.request(
          task, request,
          [this, then](TaskId task, const protocol::Reply &reply) {
            hasWaited |= !reply.status().empty();
            if (!reply.status().empty())
              return state.status(loss.isOk() ? reply.status()
                                              : loss.message());
            if (reply.has_failure())
              return fail(toStatus(reply.failure()));
            if (reply.has_description())
              census.descriptions[task] = reply.description();
            if (--missing == 0)
              (this->*then)();
          },
          nanos);
  }

  /// The chief does not come: what it is needed for is the cause.
  void fail(const Status &status) {
    bool isLate = status.code() == StatusCode::DeadlineExceeded;
    state.finish(isLate && !loss.isOk() ? loss : status);
  }

  void look() {
    protocol::Request request;
    request.mutable_describe()->set_plan(state.digest);
    askAll(request, state.options.controlNanos, &InitializeOperation::decide);
  }

  void decide() {
    loss = census.isAnyTold() ? census.findLoss() : Status::ok();
    if (!state.options.isChief)
      return tellAll(false);
    if (!census.isAnyTold())
      return runInit();
    state.noteSteps(census.descriptions);
    bool isWhole = census.isComplete() && census.areAllTold();
    // Another client's run of the graph may be about to end.
    bool isSettled = census.isComplete() && !state.isGoing(census.descriptions);
    if (isWhole && (isSettled || looks + 1 == kMaxLooks))
      return state.finish(Status::ok());
    if (!isSettled && ++looks < kMaxLooks) {
      lookAgain = state.environment.nowNanos() + kLookAgainNanos;
      return;
    }
    if (!loss.isOk())
      return state.finish(loss);
    copies = census.copies();
    copyNext();
  }

  /// Gives a restarted task the value of a living mirror.
  void copyNext() {
    if (copies.empty())
      return tellAll(true);
    reader.start(state, copies.back().from, [this](const Status &status) {
      if (!status.isOk())
        return state.finish(status);
      sendValue(state, copies.back().to, reader.value.bytes,
                [this](TaskId, const protocol::Reply &reply) {
                  if (reply.has_failure())
                    return state.finish(toStatus(reply.failure()));
                  copies.pop_back();
                  copyNext();
                });
    });
  }

  void dropAll() {
    protocol::Request request;
    request.mutable_initialized()->set_plan(state.digest);
    request.mutable_initialized()->set_drop(true);
    askAll(request, state.options.controlNanos, &InitializeOperation::runInit);
  }

  void runInit() {
    state.madeFirstValues = true;
    state.stepsDone.clear();
    const format::Graph *init = state.plan->findGraph("init");
    if (!init || state.tasksOf(*init).empty())
      return updateMirrors();
    ClientMachine::Run run;
    run.graph = "init";
    run.fetches = {};
    // Always the same step: another initialization gives the same values.
    run.firstStep = 0;
    driver = std::make_unique<RunDriver>(
        state, run, [](uint64_t, auto) { return true; },
        [this](const Status &status) { onInitRun(status); });
    isRunning = true;
    driver->start();
  }

  void onInitRun(const Status &status) {
    isRunning = false;
    if (status.isOk())
      return updateMirrors();
    if (status.code() != StatusCode::Aborted || isAnew)
      return state.finish(status.annotate("giving first values"));
    state.madeFirstValues = false; // another client did
    lookAgain = state.environment.nowNanos();
  }

  /// The next variable with mirrors from number `next` on.
  void updateMirrors() {
    while (next < state.variables.size() &&
           state.variables[next].mirrors.empty())
      ++next;
    if (next == state.variables.size())
      return tellAll(true);
    reader.start(state, state.variables[next], [this](const Status &status) {
      if (!status.isOk())
        return state.finish(status);
      const ClusterVariable &variable = state.variables[next];
      missing = variable.mirrors.size();
      for (const VariablePlace &mirror : variable.mirrors)
        sendValue(state, mirror,
                  std::span(reader.value.bytes)
                      .subspan(mirror.offset, mirror.type.numBytes()),
                  [this](TaskId, const protocol::Reply &reply) {
                    onMirrored(reply);
                  });
    });
  }

  void onMirrored(const protocol::Reply &reply) {
    if (reply.has_failure())
      return state.finish(toStatus(reply.failure()));
    if (--missing > 0)
      return;
    ++next;
    updateMirrors();
  }

  /// Says that there are values, or asks to be told.
  void tellAll(bool set) {
    protocol::Request request;
    request.mutable_initialized()->set_plan(state.digest);
    request.mutable_initialized()->set_set(set);
    askAll(request, set ? state.options.controlNanos : state.options.openNanos,
           &InitializeOperation::onTold);
  }

  /// While one task waited for the chief, it may have dropped the values of
  /// those that had some.
  void onTold() {
    if (std::exchange(hasWaited, false))
      return tellAll(false);
    finish();
  }

  void finish() { state.finish(Status::ok()); }

  State &state;
  const bool isAnew;
  ValueCensus census;
  Status loss; ///< what the tasks have lost, when they were looked at
  std::vector<ValueCensus::Copy> copies; ///< to be made
  int looks = 0;
  bool hasWaited = false;
  int64_t lookAgain = INT64_MAX;
  size_t missing = 0;
  std::unique_ptr<RunDriver> driver;
  bool isRunning = false; ///< the driver is
  VariableReader reader;
  size_t next = 0;
};

/// All tasks forget that their variables have values.
class ReplaceOperation final : public ClientOperation {
public:
  explicit ReplaceOperation(State &state) : state(state) {}

  void start() override {
    state.forgetRuns();
    state.written.clear();
    state.lostWhileWriting = Status::ok();
    state.stepsDone.clear();
    missing = state.tasks.size();
    if (missing == 0)
      return state.finish(Status::ok());
    protocol::Request request;
    request.mutable_initialized()->set_plan(state.digest);
    request.mutable_initialized()->set_drop(true);
    for (TaskId task : state.tasks)
      state.request(
          task, request,
          [this](TaskId, const protocol::Reply &reply) {
            if (reply.has_failure())
              return state.finish(toStatus(reply.failure()));
            if (--missing == 0)
              state.finish(Status::ok());
          },
          state.options.controlNanos);
    state.isReplacing = true;
  }

private:
  State &state;
  size_t missing = 0;
};

class RunOperation final : public ClientOperation {
public:
  RunOperation(State &state, const ClientMachine::Run &run,
               ClientMachine::OnStep onStep)
      : state(state),
        driver(state, run, std::move(onStep),
               [this](const Status &status) { this->state.finish(status); }) {}

  void start() override {
    state.runOutcome = {};
    driver.start();
  }
  void onTimer(int64_t now) override { driver.onTimer(now); }
  int64_t nextTimer() const override { return driver.nextTimer(); }
  void onTaskGone(TaskId task, const Status &why) override {
    driver.onTaskGone(task, why);
  }
  void onCancel() override {
    driver.abort(cancelled("the client was cancelled"));
  }

private:
  State &state;
  RunDriver driver;
};

} // namespace

std::unique_ptr<ClientOperation> initializeOperation(State &state,
                                                     bool isAnew) {
  return std::make_unique<InitializeOperation>(state, isAnew);
}

std::unique_ptr<ClientOperation> replaceOperation(State &state) {
  return std::make_unique<ReplaceOperation>(state);
}

std::unique_ptr<ClientOperation> runOperation(State &state,
                                              const ClientMachine::Run &run,
                                              ClientMachine::OnStep onStep) {
  return std::make_unique<RunOperation>(state, run, std::move(onStep));
}

} // namespace graphc::runtime
