// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Receives the results of a run, and how it ended.
#include "runtime/client/ClientRun.h"
#include "runtime/protocol/TaskFailure.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr int64_t kCauseNanos = 200'000'000;
/// Time that tasks have, after a stall, to report it.
constexpr int64_t kQuietNanos = 5'000'000'000;
} // namespace

void RunDriver::onResult(TaskId task, const protocol::Reply &reply) {
  if (isOver)
    return;
  if (!reply.status().empty())
    return state.status(state.nameOf(task) + " " + reply.status());
  Participant &participant = *find(task);
  if (participant.hasEnded)
    return;
  startQuietTime();
  if (reply.has_results()) {
    Status status = takeResults(participant, reply.results());
    if (!status.isOk())
      return fail(task, toFailure(status, state.nameOf(task)));
    if (!deliver())
      return;
  }
  if (!reply.last() && !reply.has_failure())
    return;
  participant.hasEnded = true;
  const protocol::Reply::Ended &ended =
      reply.has_ended() ? reply.ended() : reply.results().ended();
  participant.done = ended.steps();
  takeEnded(ended);
  if (reply.has_failure())
    return fail(task, reply.failure());
  if (allEnded())
    onAllEnded();
}

void RunDriver::takeEnded(const protocol::Reply::Ended &ended) {
  if (ended.staleness_size() == 0 && ended.late_gradients() == 0)
    return;
  state.runOutcome.lateGradients = ended.late_gradients();
  state.runOutcome.staleness.assign(ended.staleness().begin(),
                                    ended.staleness().end());
}

Status RunDriver::takeResults(Participant &participant,
                              const protocol::Reply::Results &results) {
  // Each task lets a listener in at a step of its own.
  if (run->isAttached && participant.received == 0)
    participant.joined = results.first_step();
  uint64_t expected =
      (run->isAttached ? participant.joined : firstStep) + participant.received;
  if (request.lastOnly && !run->isAttached) {
    expected = firstStep + asked - 1;
    participant.received = asked - 1;
  }
  bool fits = results.steps() > 0 && !participant.fetches.empty() &&
              results.first_step() == expected &&
              results.steps() <= asked - participant.received &&
              results.values().size() ==
                  uint64_t(results.steps()) * participant.stepBytes;
  if (!fits)
    return internalError("results of " + std::to_string(results.steps()) +
                         " steps with " +
                         std::to_string(results.values().size()) +
                         " bytes came, which the run does not have");
  participant.received += results.steps();
  participant.times.emplace_back(participant.received,
                                 results.seconds() / results.steps());
  participant.waiting += results.steps();
  if (participant.given == participant.values.size()) {
    participant.values.clear();
    participant.given = 0;
  }
  participant.values += results.values();
  return Status::ok();
}

/// Steps that only some tasks have told of go; the first that all have counts.
void RunDriver::alignAttached() {
  uint64_t latest = 0;
  for (const Participant &participant : run->participants) {
    if (participant.fetches.empty())
      continue;
    if (participant.received == 0)
      return;
    latest = std::max(latest, participant.joined);
  }
  firstStep = latest;
  for (Participant &participant : run->participants)
    while (participant.waiting > 0 &&
           participant.joined + participant.received - participant.waiting <
               latest) {
      participant.given += participant.stepBytes;
      --participant.waiting;
    }
}

/// Gives the caller all steps that are complete; false: the run is over.
bool RunDriver::deliver() {
  std::vector<std::span<const std::byte>> values(fetches.size());
  if (run->isAttached)
    alignAttached();
  for (;;) {
    for (Participant &participant : run->participants) {
      if (participant.fetches.empty())
        continue;
      if (participant.waiting == 0)
        return true;
      const char *next = participant.values.data() + participant.given;
      for (size_t i = 0; i < participant.fetches.size(); ++i) {
        values[participant.fetches[i]] =
            std::as_bytes(std::span(next, participant.sizes[i]));
        next += participant.sizes[i];
      }
    }
    if (fetches.empty())
      return true;
    if (request.lastOnly)
      delivered = asked - 1;
    if (!giveStep(values, secondsOfStep()))
      return false;
    for (Participant &participant : run->participants) {
      if (participant.fetches.empty())
        continue;
      participant.given += participant.stepBytes;
      --participant.waiting;
    }
  }
}

/// Of the step that all tasks have told of, at the one that was the slowest.
double RunDriver::secondsOfStep() {
  double seconds = 0;
  for (Participant &participant : run->participants) {
    uint64_t step = participant.received - participant.waiting;
    auto &times = participant.times;
    while (!times.empty() && times.front().first <= step)
      times.pop_front();
    if (!times.empty())
      seconds = std::max(seconds, times.front().second);
  }
  return seconds;
}

/// Mean step time, where no results tell.
double RunDriver::secondsPerStep(uint64_t steps) const {
  return steps == 0
             ? 0
             : static_cast<double>(state.environment.nowNanos() - goNanos) *
                   1e-9 / static_cast<double>(steps);
}

/// False: the caller has enough, and the run is over.
bool RunDriver::giveStep(const std::vector<std::span<const std::byte>> &values,
                         double seconds) {
  ++delivered;
  ++state.runOutcome.steps;
  state.runOutcome.stepSeconds = seconds;
  if (onStep(firstStep + delivered, values)) {
    if (!run->isAttached || remaining < 0 || delivered < uint64_t(remaining))
      return true;
    end(Status::ok(), false); // the run goes on without this listener
    return false;
  }
  state.runOutcome.isStopped = true;
  abort(cancelled("the caller has enough steps"));
  end(Status::ok(), false);
  return false;
}

bool RunDriver::allEnded() const {
  return std::ranges::all_of(run->participants,
                             &PreparedRun::Participant::hasEnded);
}

/// Steps that all tasks have done before an end that they did not expect, where
/// no results have told of them; false: the run is over.
bool RunDriver::countDone() {
  state.status(cause.choose().message());
  if (run->isAttached)
    return true;
  uint64_t done = asked;
  for (const Participant &participant : run->participants)
    done = std::min(done, participant.done);
  if (request.lastOnly)
    state.runOutcome.steps += int64_t(done);
  double seconds = secondsPerStep(done);
  while (fetches.empty() && !request.lastOnly && delivered < done)
    if (!giveStep({}, seconds))
      return false;
  return true;
}

void RunDriver::onAllEnded() {
  if (!cause.isEmpty()) {
    Status status = toStatus(cause.choose());
    bool isEndOfData = status.code() == StatusCode::OutOfRange;
    state.runOutcome.isEndOfData = isEndOfData;
    if (isEndOfData)
      state.runOutcome.whyEnded = status.message();
    if (isEndOfData && !countDone())
      return;
    return end(isEndOfData ? Status::ok() : status, false);
  }
  if (run->isAttached)
    return end(Status::ok(), false);
  if (request.lastOnly)
    state.runOutcome.steps += int64_t(asked) - 1;
  double seconds = secondsPerStep(asked);
  while (fetches.empty() && delivered < asked)
    if (!giveStep({}, seconds))
      return;
  if (delivered < asked) {
    Status status = internalError("tasks ended without all results");
    return end(status, false);
  }
  run->nextStep += asked;
  if (run->stepsAvailable >= 0)
    run->stepsAvailable -= int64_t(asked);
  if (remaining > 0)
    remaining -= int64_t(asked);
  if (isLimitedByData) {
    state.runOutcome.isEndOfData = true;
    return end(Status::ok(), true);
  }
  if (remaining == 0)
    return end(Status::ok(), true);
  goAll();
}

/// Others may know more about the cause; they have a moment to report it.
void RunDriver::fail(TaskId reporter, const protocol::Failure &failure) {
  if (isOver)
    return;
  if (causeDeadline == INT64_MAX)
    causeDeadline = state.environment.nowNanos() + kCauseNanos;
  bool isGone = failure.task().empty(); // reported by this machine
  cause.add(isGone ? "" : state.nameOf(reporter), failure);
  find(reporter)->hasEnded = true;
  // An end that others are told of leaves results on the way.
  bool isEnd = failure.code() == static_cast<int>(StatusCode::OutOfRange);
  if (allEnded() || (cause.isCertain() && !isEnd))
    conclude();
}

/// Ends the run with the first cause.
void RunDriver::conclude() {
  protocol::Failure first = cause.choose();
  if (!allEnded())
    abort(toStatus(first));
  onAllEnded();
}

void RunDriver::onTimer(int64_t now) {
  if (!isOver && now >= causeDeadline)
    conclude();
  if (!isOver && now >= quietDeadline)
    askWhatIsWaitedFor();
}

/// Tasks notice by themselves that a step makes no progress, but not one that
/// hangs: when nothing has come for longer, they are asked.
void RunDriver::startQuietTime() {
  quietDeadline =
      state.environment.nowNanos() + state.options.stallNanos + kQuietNanos;
}

void RunDriver::askWhatIsWaitedFor() {
  startQuietTime();
  for (size_t i = 0; i < run->participants.size() && !isOver; ++i) {
    if (run->participants[i].hasEnded)
      continue;
    protocol::Request message;
    message.mutable_waits();
    state.request(
        run->participants[i].task, std::move(message),
        [this](TaskId task, const protocol::Reply &reply) {
          onWaits(task, reply);
        },
        state.options.controlNanos);
  }
}

/// No answer, or a kernel that does not end: the task hangs.
void RunDriver::onWaits(TaskId task, const protocol::Reply &reply) {
  if (isOver || !run || find(task)->hasEnded)
    return;
  if (reply.has_failure())
    return fail(task, reply.failure());
  int64_t most = (state.options.stallNanos + kQuietNanos) / 1'000'000;
  for (const protocol::Reply::Wait &wait : reply.waits().waits()) {
    bool isOurs = wait.run().client() == run->id.client() &&
                  wait.run().number() == run->id.number();
    if (!isOurs || wait.kind() != "kernel" || wait.since_ms() < most)
      continue;
    protocol::Failure failure = toFailure(
        Status(StatusCode::DeadlineExceeded,
               "no progress for " + std::to_string(wait.since_ms() / 1000) +
                   " s: " + state.nameOf(task) + " waits for " + wait.what()),
        state.nameOf(task));
    failure.set_step(wait.step());
    return fail(task, failure);
  }
}

void RunDriver::abort(const Status &why) {
  if (!run || run->isAttached)
    return;
  for (const Participant &participant : run->participants) {
    if (participant.hasEnded)
      continue;
    protocol::Request message;
    *message.mutable_abort()->mutable_run() = run->id;
    *message.mutable_abort()->mutable_cause() = toFailure(why, "");
    state.tell(participant.task, std::move(message));
  }
}

} // namespace graphc::runtime
