// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles timeouts of a task, and publishes its waits.
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskDescription.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Waits that are younger are not published: most last microseconds.
constexpr int64_t kPublishNanos = 50'000'000;
/// A run that waits for its client reports that so often while others wait.
constexpr int64_t kExcuses = 4;

/// Head start of the update coordinator, which knows best what is waited for.
constexpr int64_t kCoordinatorFirst = 500'000'000;

int64_t stallNanosOf(const TaskRun &run) {
  bool isOther =
      run.isCoordinated() && run.spec().coordinator != run.spec().self;
  return run.spec().stallNanos + (isOther ? kCoordinatorFirst : 0);
}

/// The coordinator's word on an update comes when its link does; nobody else
/// can give it.
bool mayStall(const TaskRun &run) { return !run.isEnding || run.isInUpdate(); }

std::string seconds(int64_t nanos) {
  return std::to_string(nanos / 1'000'000'000) + " s";
}
} // namespace

protocol::Reply::WaitList TaskMachine::State::buildWaits() const {
  protocol::Reply::WaitList list = waits.waits();
  listeners.addWaits(self, list);
  for ([[maybe_unused]] const Waiter &each : initWaiters) {
    protocol::Reply::Wait &wait = *list.add_waits();
    wait.set_task(self);
    wait.set_kind("init");
    wait.set_what("the chief to give the variables their values");
  }
  return list;
}

void TaskMachine::State::publishPlans() {
  std::vector<StatusBoard::Plan> infos;
  for (auto &[digest, plan] : plans) {
    StatusBoard::Plan &info = infos.emplace_back();
    info.digest = digest;
    info.dataDigest = plan->data().digest();
    info.isInitialized = plan->isInitialized || !plan->hasVariables();
    info.wasTold = plan->isInitialized;
    info.lost = plan->lost;
    for (uint32_t i = 0; i < plan->size(); ++i)
      if (uint64_t next = plan->nextStep(plan->graph(i)); next > 0)
        info.nextSteps[plan->graph(i).name()] = next;
    for (const TaskRun *run : runs.going())
      if (run->phase == TaskRun::Phase::Going && run->spec().plan == plan.get())
        info.going.insert(run->spec().graph->name());
    info.devices = plan->devices();
  }
  board.setPlans(std::move(infos));
}

void TaskMachine::State::checkStalls(int64_t now) {
  std::vector<RunKey> late;
  for (TaskRun *run : runs.going()) {
    if (run->phase != TaskRun::Phase::Going)
      continue;
    run->onTimer(now);
    int64_t quiet = now - run->lastProgress;
    if (quiet >= run->spec().stallNanos / kExcuses && !run->isInStep() &&
        run->isPaused())
      run->excusePause(now);
    bool isAsleep = run->isInStep() && run->taskEngine().wakeNanos();
    if (!isAsleep && mayStall(*run) &&
        now - run->lastProgress >= stallNanosOf(*run))
      late.push_back(run->key());
  }
  for (RunKey key : late) {
    TaskRun *run = runs.find(key);
    if (!run || run->phase != TaskRun::Phase::Going)
      continue;
    if (run->isEnding) {
      if (run->isInUpdate())
        loseUpdate(*run);
      continue;
    }
    ender.fail(*run,
               Status(StatusCode::DeadlineExceeded,
                      "no progress for " + seconds(run->spec().stallNanos) +
                          ": " + waits.textOf(*run)));
  }
}

/// Fails requests that have waited too long.
void TaskMachine::State::expire(int64_t now) {
  starter.expire(now);
  snapshots.expire(now);
  shards.expire(now);
  listeners.expire(now);
  for (const Waiter &waiter : initWaiters.takeExpired(now))
    requests.fail(waiter.key,
                  Status(StatusCode::DeadlineExceeded,
                         "the chief has not given the variables their values "
                         "in time" +
                             missingPeersText()));
}

std::string TaskMachine::State::missingPeersText() const {
  std::string names;
  for (TaskId peer = 0; peer < options.cluster.size(); ++peer)
    if (peer != options.self && !environment.peers.isPeerUp(peer))
      names += (names.empty() ? "" : ", ") + options.cluster.task(peer).name();
  return names.empty() ? names : "; " + self + " has no link to " + names;
}

void TaskMachine::State::sayInitWaits() {
  std::string text = "waits for the chief to give the variables their values" +
                     missingPeersText();
  for (Waiter &waiter : initWaiters) {
    if (waiter.told == text)
      continue;
    waiter.told = text;
    requests.status(waiter.key, text);
  }
}

/// Tells clients why their runs do not go on.
void TaskMachine::State::sayQuorumWaits() {
  for (TaskRun *run : runs.going()) {
    if (run->phase != TaskRun::Phase::Going)
      continue;
    std::string text = waits.quorumText(*run);
    if (text != run->lastWait && !text.empty())
      for (const ReplyBatcher &sink : run->sinks)
        requests.status({sink.client, sink.request}, "waits: " + text);
    run->lastWait = std::move(text);
  }
}

int64_t TaskMachine::State::nextTimer() const {
  int64_t due = INT64_MAX;
  int64_t now = environment.host.nowNanos();
  for (const TaskRun *run : runs.going())
    if (run->phase == TaskRun::Phase::Going) {
      int64_t stall = stallNanosOf(*run);
      if (!run->isInStep() && now - run->lastProgress < stall / kExcuses)
        stall /= kExcuses;
      due = std::min(due, run->nextTimer());
      if (mayStall(*run))
        due = std::min(due, run->lastProgress + stall);
    }
  due = std::min({due, starter.nextTimer(), updates.nextTimer()});
  due = std::min({due, snapshots.nextDeadline(), shards.nextDeadline(),
                  listeners.nextDeadline(), initWaiters.nextDeadline()});
  if (idleSince > 0)
    due = std::min(due, idleSince + kPublishNanos);
  return due;
}

void TaskMachine::onTimer() {
  int64_t now = state->environment.host.nowNanos();
  state->checkStalls(now);
  state->expire(now);
  state->dropAbandoned();
  if (state->idleSince > 0 && now - state->idleSince >= kPublishNanos) {
    state->board.setWaits(state->buildWaits());
    state->sayQuorumWaits();
    state->idleSince = 0;
  }
}

int64_t TaskMachine::nextTimer() const { return state->nextTimer(); }

protocol::Reply::WaitList TaskMachine::waits() const {
  return state->board.waits(state->self, state->environment.host.nowNanos());
}

protocol::Reply::Description
TaskMachine::describe(const std::string &plan) const {
  return describeTask(state->options, state->environment.host, state->startedAt,
                      state->board, plan);
}

} // namespace graphc::runtime
