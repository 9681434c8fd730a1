// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runs of a task go on and how they end.
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// What advance() does before it lets links be served.
constexpr int64_t kMostNanos = 200'000;
constexpr int kMostSteps = 64;
/// Steps of one run before others have their turn.
constexpr int kStepsInRow = 16;
} // namespace

bool TaskMachine::State::advanceRuns(int64_t begin) {
  bool moved = false, again = true;
  int64_t now = begin;
  for (int turn = 0; again && turn < kMostSteps / kStepsInRow; ++turn) {
    again = updates.advance();
    for (size_t i = 0; i < runs.going().size(); ++i) {
      TaskRun &run = *runs.going()[i];
      for (int step = 0; step < kStepsInRow; ++step) {
        if (run.phase != TaskRun::Phase::Going)
          break;
        now = world.host.nowNanos();
        board.beginWalk(run.key(), run.currentStep() + 1, now);
        TaskRun::Progress progress = run.advance(now);
        board.endWalk();
        if (progress == TaskRun::Progress::None)
          break;
        again = true;
        onProgress(run, progress);
        if (now - begin > kMostNanos)
          break;
      }
      if (now - begin > kMostNanos)
        break;
    }
    runs.sweepGoing();
    moved |= again;
    if (now - begin > kMostNanos)
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
      return finishFailure(run);
    if (progress == TaskRun::Progress::GoDone)
      endGo(run, nullptr);
    return;
  case TaskRun::Progress::AtUpdate:
    return updates.onArrivedHere(run);
  case TaskRun::Progress::Failed:
    return failRun(run, waits.failure(run, run.failure()));
  }
}

void TaskMachine::State::onRunFailed(TaskId from, const FrameHeader &header,
                                     const ByteRanges &payload) {
  RunKey key{header.runClient, header.runNumber};
  TaskRun *run = runs.find(key);
  if (!run && header.total != kIsAnswer && world.peers.isPeerUp(from)) {
    FrameHeader answer;
    answer.kind = FrameKind::RunFailed;
    answer.runClient = key.client;
    answer.runNumber = key.number;
    answer.total = kIsAnswer;
    world.peers.sendFrame(from, answer, {});
  }
  // Who stands at an update after their link was lost may not have heard it.
  if (run && run->phase == TaskRun::Phase::Failed && header.total == kAsks)
    tellFailed(*run, from, kIsAnswer);
  if (key.number != 0)
    quarantine.release(key, from);
  if (!run || run->phase == TaskRun::Phase::Failed)
    return;
  auto peer = std::ranges::find(run->peers(), from, &TaskRun::Peer::id);
  if (peer == run->peers().end())
    return;
  peer->hasSaidFailed = true;
  if (run->isEnding) {
    if (from == run->spec().coordinator && !updates.hasUpdate(*run))
      finishFailure(*run);
    return;
  }
  protocol::Failure cause;
  size_t size = payload.size();
  bool isReadable =
      size > 0 && size <= kMostFrameBytes &&
      cause.ParseFromArray(payload.copy().data(), static_cast<int>(size)) &&
      cause.code() != 0;
  if (!isReadable)
    cause = toFailure(
        Status(StatusCode::Aborted,
               waits.nameOf(from) + " does not know the run any more"),
        waits.nameOf(from));
  failRun(*run, cause);
  // The coordinator has said its last word.
  if (run->isEnding && from == run->spec().coordinator &&
      !updates.hasUpdate(*run))
    finishFailure(*run);
}

/// Getting ready changes the table of runs.
void TaskMachine::State::readyAll() {
  std::vector<RunKey> keys = runs.keys([&](const TaskRun &run) {
    return run.phase == TaskRun::Phase::Preparing;
  });
  for (RunKey key : keys)
    if (TaskRun *run = runs.find(key))
      tryReady(*run);
}

void TaskMachine::State::onPeerUp(TaskId peer, uint64_t incarnation) {
  switch (peerHistory.onUp(peer, incarnation)) {
  case PeerHistory::Arrival::Restarted:
    forgetOrderOf(peer);
    break;
  case PeerHistory::Arrival::Returned:
    meetAgain(peer);
    break;
  case PeerHistory::Arrival::Known:
    break;
  }
  readyAll();
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
        endGo(*run, &run->cause);
      continue;
    }
    std::string text = "lost " + waits.nameOf(peer) + ": " + why.message();
    if (run->phase == TaskRun::Phase::Going)
      text += "; " + waits.textOf(*run);
    bool isPartOfApply = run->spec().isInternal && run->isInStep();
    failRun(*run, waits.failure(*run, Status(StatusCode::Unavailable, text)));
    if (isPartOfApply)
      loseUpdate(*run);
    if (run->spec().isInternal)
      dropRun(key);
  }
  quarantine.releaseAll(peer);
  for (auto &[digest, plan] : plans)
    plan->dropShared(peer, world.peers);
}

} // namespace graphc::runtime
