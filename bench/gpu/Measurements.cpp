// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/gpu/Measurements.h"

#include "runtime/base/Clock.h"
#include "runtime/session/LocalSession.h"

#include <algorithm>
#include <ctime>

namespace graphc::bench {

using namespace runtime;

namespace {

/// A session that is ready to run.
StatusOr<std::unique_ptr<LocalSession>> openSession(const ModelOptions &options,
                                                    bool isProfiled) {
  SessionOptions session;
  session.threads = 1; // the GPU's own program is all there is
  session.isProfiled = isProfiled;
  session.numerics.policy = NanPolicy::Ignore;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LocalSession> opened,
                          LocalSession::open(options.model, session));
  GRAPHC_TRY(opened->initialize());
  for (const std::string &data : options.data) {
    size_t equals = data.find('=');
    if (equals == data.npos)
      return invalidArgument("--data takes NAME=FILES, not '" + data + "'");
    GRAPHC_TRY(
        opened->bindDataset(data.substr(0, equals), data.substr(equals + 1))
            .status());
  }
  return opened;
}

Status runSteps(LocalSession &session, const std::string &graph, int64_t steps,
                const Session::StepCallback &onStep) {
  RunRequest request;
  request.graph = graph;
  request.steps = steps;
  GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                          session.runSteps(request, onStep));
  return outcome.steps == steps ? Status::ok()
                                : outOfRange("the data end too early");
}

bool goOn(const StepView &) { return true; }

/// The calls of one step, after one that loads everything.
StatusOr<std::vector<TimedCall>>
timeStep(CallClock &clock, LocalSession &session, const std::string &graph) {
  GRAPHC_TRY(runSteps(session, graph, 1, goOn));
  clock.start();
  GRAPHC_TRY(runSteps(session, graph, 1, goOn));
  return clock.stop();
}

double secondsOf(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A graph of this bench reads or writes each variable of its model once.
size_t bytesOfVariables(const Model &model) {
  size_t bytes = 0;
  for (const format::Variable *variable : *model.index().variables())
    bytes += toTensorType(*variable->type()).numBytes();
  return bytes;
}

/// Steps of a session as anybody runs them.
Status timeRun(LocalSession &session, const ModelOptions &options,
               const Effort &effort, Facts &facts) {
  GRAPHC_TRY(runSteps(session, options.graph, effort.warmUpSteps, goOn));
  std::vector<double> steps;
  steps.reserve(static_cast<size_t>(options.steps));
  double process = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
  double thread = secondsOf(CLOCK_THREAD_CPUTIME_ID);
  int64_t last = nowNanos();
  GRAPHC_TRY(
      runSteps(session, options.graph, options.steps, [&](const StepView &) {
        int64_t now = nowNanos();
        steps.push_back(static_cast<double>(now - last) * 1e-9);
        last = now;
        return true;
      }));
  auto perStep = [&](double begin, clockid_t clock) {
    return (secondsOf(clock) - begin) / static_cast<double>(options.steps);
  };
  facts["thread_cpu"] = perStep(thread, CLOCK_THREAD_CPUTIME_ID);
  facts["cpu"] = perStep(process, CLOCK_PROCESS_CPUTIME_ID);
  facts["step"] = median(std::move(steps));
  return Status::ok();
}

} // namespace

StatusOr<Facts> measureCalls(const ModelOptions &options, const Effort &effort,
                             Beside beside) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<CudaDevice> device, openDevice(0));
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                          Model::open(options.model));
  size_t bytes = bytesOfVariables(*model);
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<CallClock> clock,
                          CallClock::install(*device, effort, beside, bytes));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LocalSession> session,
                          openSession(options, true));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<TimedCall> calls,
                          timeStep(*clock, *session, options.graph));
  Facts facts;
  facts["bytes"] = bytes;
  facts["calls"] = Facts::array();
  for (const TimedCall &call : calls) {
    Facts one = {{"name", call.name}, {"seconds", call.seconds}};
    if (call.besideSeconds)
      one["beside"] = *call.besideSeconds;
    facts["calls"].push_back(std::move(one));
  }
  return facts;
}

StatusOr<Facts> measureSteps(const ModelOptions &options,
                             const Effort &effort) {
  Facts facts;
  {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LocalSession> session,
                            openSession(options, false));
    GRAPHC_TRY(timeRun(*session, options, effort, facts));
  }
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<CudaDevice> device, openDevice(0));
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<CallClock> clock,
      CallClock::install(*device, effort, Beside::Nothing, 0));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LocalSession> session,
                          openSession(options, true));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<TimedCall> calls,
                          timeStep(*clock, *session, options.graph));
  double sum = 0;
  for (const TimedCall &call : calls)
    sum += call.seconds;
  facts["calls"] = calls.size();
  facts["sum_of_calls"] = sum;
  return facts;
}

} // namespace graphc::bench
