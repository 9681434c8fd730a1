// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of a task's runs, and peers that come and go.
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Maximum time of advance() before links are served.
constexpr int64_t kMaxNanos = 200'000;
constexpr int kMaxSteps = 64;
/// Steps of one run before others have their turn.
constexpr int kStepsInRow = 16;
} // namespace

bool TaskMachine::State::advanceRuns(int64_t begin) {
  bool moved = false, again = true;
  int64_t now = begin;
  for (int turn = 0; again && turn < kMaxSteps / kStepsInRow; ++turn) {
    again = updates.advance();
    for (size_t i = 0; i < runs.going().size(); ++i) {
      TaskRun &run = *runs.going()[i];
      for (int step = 0; step < kStepsInRow; ++step) {
        if (run.phase != TaskRun::Phase::Going)
          break;
        now = environment.host.nowNanos();
        board.beginWalk(run.key(), run.currentStep() + 1, now);
        TaskRun::Progress progress = run.advance(now);
        board.endWalk();
        if (progress == TaskRun::Progress::None)
          break;
        again = true;
        onProgress(run, progress);
        if (now - begin > kMaxNanos)
          break;
      }
      if (now - begin > kMaxNanos)
        break;
    }
    runs.sweepGoing();
    moved |= again;
    if (now - begin > kMaxNanos)
      break;
  }
  return moved;
}

void TaskMachine::State::onProgress(TaskRun &run, TaskRun::Progress progress) {
  switch (progress) {
  case TaskRun::Progress::None:
  case TaskRun::Progress::Moved:
    return;
  case TaskRun::Progress::StepDone:
  case TaskRun::Progress::GoDone:
    if (run.isEnding)
      return ender.finish(run);
    if (progress == TaskRun::Progress::GoDone)
      ender.endGo(run);
    return;
  case TaskRun::Progress::AtUpdate:
    return updates.onArrivedHere(run);
  case TaskRun::Progress::Failed:
    return ender.fail(run, run.failure());
  }
}

/// A run that stayed at an update is over: those may get ready that waited for
/// the coordinator's word on it.
void TaskMachine::State::dropAbandoned() {
  if (ender.takeDecided())
    starter.makeAllReady();
  ender.dropAbandoned();
}

void TaskMachine::State::onPeerUp(TaskId peer, uint64_t incarnation) {
  switch (peerHistory.onUp(peer, incarnation)) {
  case PeerHistory::Arrival::Restarted:
    updates.forgetPeer(peer);
    ender.finishUndecided(peer);
    break;
  case PeerHistory::Arrival::Returned:
    for (auto &[digest, plan] : plans)
      coordinator.repeat(*plan, peer);
    ender.askCoordinator(peer);
    break;
  case PeerHistory::Arrival::Known:
    break;
  }
  starter.makeAllReady();
  sayInitWaits();
}

void TaskMachine::State::onPeerDown(TaskId peer, const Status &why) {
  peerHistory.onDown(peer);
  std::vector<RunKey> keys = runs.keys([&](const TaskRun &run) {
    return std::ranges::find(run.peers(), peer, &TaskRun::Peer::id) !=
           run.peers().end();
  });
  for (RunKey key : keys) {
    TaskRun *run = runs.find(key);
    if (!run || run->phase == TaskRun::Phase::Preparing ||
        run->phase == TaskRun::Phase::Failed)
      continue;
    if (run->isEnding) {
      if (peer == run->spec().coordinator && !updates.hasUpdate(*run))
        ender.endGo(*run, &run->cause);
      continue;
    }
    std::string text = "lost " + waits.nameOf(peer) + ": " + why.message();
    if (run->phase == TaskRun::Phase::Going)
      text += "; " + waits.textOf(*run);
    bool isPartOfApply = run->spec().isInternal && run->isInStep();
    ender.fail(*run, Status(StatusCode::Unavailable, text));
    if (isPartOfApply)
      loseUpdate(*run);
    if (run->spec().isInternal)
      ender.drop(key);
  }
  quarantine.releaseAll(peer);
  for (auto &[digest, plan] : plans)
    plan->dropShared(peer, environment.peers);
  sayInitWaits();
}

/// Part of an update was made, and what the rest needs is lost: the variables
/// here are no state of any step.
void TaskMachine::State::loseUpdate(TaskRun &run) {
  Status cause = toStatus(run.cause);
  std::string why = "step " + std::to_string(run.currentStep() + 1) +
                    " of graph '" + run.spec().graph->name() +
                    "' updated some of them only (" + cause.message() + ")";
  environment.host.log(Severity::Error,
                       "the variables have lost their values: " + why);
  dropValues(*run.spec().plan, cause, why);
}

/// A client that ends before it has given all variables new values leaves a
/// mixture, which must not pass for a state; and runs that go meanwhile would
/// change what is being written.
void TaskMachine::State::dropValues(PlanState &plan, const Status &cause,
                                    const std::string &why) {
  for (RunKey key :
       runs.keys([&](const TaskRun &run) { return run.spec().plan == &plan; }))
    if (TaskRun *run = runs.find(key))
      ender.failNow(*run, toFailure(cause, self));
  plan.forgetSteps();
  if (plan.isInitialized)
    plan.lost = why;
  plan.isInitialized = false;
  publishPlans();
}

void TaskMachine::State::onClientGone(ClientId client) {
  requests.dropClient(client);
  uploads.dropClient(client);
  variables.dropClient(client);
  shards.dropClient(client);
  snapshots.dropClient(client);
  timelines.dropClient(client);
  listeners.dropClient(client);
  initWaiters.dropClient(client);
  ender.dropClient(client);
}

} // namespace graphc::runtime
