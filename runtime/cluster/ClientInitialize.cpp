// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the variables of a cluster their first values, or waits for them.
#include "runtime/cluster/TaskFailure.h"
#include "runtime/cluster/VariableReader.h"

namespace graphc::runtime {

namespace {

using State = ClientMachine::State;

/// The chief asks whether all tasks have values; if not, it runs "init", gives
/// mirrors the values of their variables, and tells all tasks. Others wait
/// until tasks say that they have been told.
class InitializeOperation final : public ClientOperation {
public:
  explicit InitializeOperation(State &state) : state(state) {}

  void start() override {
    if (!state.options.isChief)
      return tellAll(false);
    missing = state.tasks.size();
    for (TaskId task : state.tasks) {
      protocol::Request request;
      request.mutable_describe()->set_plan(state.digest);
      state.request(
          task, std::move(request),
          [this](TaskId, const protocol::Reply &reply) { onDescribed(reply); },
          state.options.controlNanos);
    }
    if (missing == 0)
      state.finish(Status::ok());
  }

  void onTimer(int64_t now) override {
    if (driver)
      driver->onTimer(now);
  }
  int64_t nextTimer() const override {
    return driver ? driver->nextTimer() : INT64_MAX;
  }
  void onTaskGone(TaskId task, const Status &why) override {
    if (driver)
      driver->onTaskGone(task, why);
  }
  void onCancel() override {
    if (driver)
      driver->abort(cancelled("the client was cancelled"));
  }

private:
  void onDescribed(const protocol::Reply &reply) {
    if (reply.has_failure())
      return state.finish(toStatus(reply.failure()));
    areAllInitialized &= reply.description().initialized();
    if (--missing > 0)
      return;
    if (areAllInitialized)
      return state.finish(Status::ok());
    const format::Graph *init = state.plan->findGraph("init");
    if (!init || state.tasksOf(*init).empty())
      return updateMirrors();
    state.madeFirstValues = true;
    ClientMachine::Run run;
    run.graph = "init";
    run.fetches = {};
    // Always the same step: another initialization gives the same values.
    run.firstStep = 0;
    driver = std::make_unique<RunDriver>(
        state, run, [](uint64_t, auto) { return true; },
        [this](const Status &status) {
          if (!status.isOk())
            return state.finish(status.annotate("giving first values"));
          updateMirrors();
        });
    driver->start();
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
    missing = state.tasks.size();
    if (missing == 0)
      return state.finish(Status::ok());
    for (TaskId task : state.tasks) {
      protocol::Request request;
      request.mutable_initialized()->set_plan(state.digest);
      request.mutable_initialized()->set_set(set);
      state.request(
          task, std::move(request),
          [this](TaskId task, const protocol::Reply &reply) {
            onTold(task, reply);
          },
          set ? state.options.controlNanos : state.options.openNanos);
    }
  }

  void onTold(TaskId task, const protocol::Reply &reply) {
    if (!reply.status().empty())
      return state.status(reply.status());
    if (reply.has_failure())
      return state.finish(toStatus(reply.failure()));
    if (--missing == 0)
      state.finish(Status::ok());
  }

  State &state;
  size_t missing = 0;
  bool areAllInitialized = true;
  std::unique_ptr<RunDriver> driver;
  VariableReader reader;
  size_t next = 0;
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

std::unique_ptr<ClientOperation> initializeOperation(State &state) {
  return std::make_unique<InitializeOperation>(state);
}

std::unique_ptr<ClientOperation> runOperation(State &state,
                                              const ClientMachine::Run &run,
                                              ClientMachine::OnStep onStep) {
  return std::make_unique<RunOperation>(state, run, std::move(onStep));
}

} // namespace graphc::runtime
