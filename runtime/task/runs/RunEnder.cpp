// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/RunEnder.h"

#include "runtime/protocol/TaskFailure.h"

#include <algorithm>

namespace graphc::runtime {

void RunEnder::endGo(TaskRun &run, const protocol::Failure *failure) {
  int64_t now = environment.host.nowNanos();
  for (ReplyBatcher &sink : run.sinks) {
    if (failure)
      sink.flush(now, environment.clients, run.id());
    // One message costs a client that asks for single steps half of two.
    protocol::Reply reply;
    bool hasResults = sink.take(now, run.id(), reply);
    protocol::Reply::Ended &ended =
        hasResults ? *reply.mutable_results()->mutable_ended()
                   : *reply.mutable_ended();
    *ended.mutable_run() = run.id();
    ended.set_steps(run.stepsDone);
    addStaleness(run, ended);
    if (failure) {
      *reply.mutable_failure() = *failure;
      ended.set_end_of_data(failure->code() ==
                            static_cast<int>(StatusCode::OutOfRange));
    }
    requests.answer({sink.client, sink.request}, std::move(reply));
  }
  run.sinks.clear();
  if (!failure)
    run.phase = TaskRun::Phase::Ready;
}

void RunEnder::tell(const TaskRun &run, TaskId peer, uint64_t question) {
  if (!environment.peers.isPeerUp(peer))
    return;
  std::string payload = run.cause.SerializeAsString();
  FrameHeader header;
  header.kind = FrameKind::RunFailed;
  header.runClient = run.key().client;
  header.runNumber = run.key().number;
  header.total = question;
  header.size = static_cast<uint32_t>(payload.size());
  environment.peers.sendFrame(peer, header, std::as_bytes(std::span(payload)));
}

void RunEnder::fail(TaskRun &run, const protocol::Failure &cause) {
  if (run.phase == TaskRun::Phase::Failed || run.isEnding)
    return;
  bool isEndOfData = cause.code() == static_cast<int>(StatusCode::OutOfRange);
  run.cause = boundedFailure(cause);
  if (environment.metrics && !isEndOfData)
    environment.metrics->failures(run.spec().graph->name()).add(1);
  if (run.phase == TaskRun::Phase::Going)
    environment.host.log(isEndOfData ? Severity::Info : Severity::Error,
                         "graph '" + run.spec().graph->name() +
                             "' ended: " + toStatus(run.cause).toString());
  if (run.phase != TaskRun::Phase::Preparing)
    for (const TaskRun::Peer &peer : run.peers())
      tell(run, peer.id, 0);
  bool isDecided = updates.hasUpdate(run);
  TaskId coordinator = run.spec().coordinator;
  bool mayBeDecided = coordinator != self;
  if (run.followsSequence() && run.isAtUpdate() &&
      (isDecided || mayBeDecided)) {
    run.isEnding = true;
    if (!isDecided && !environment.peers.isPeerUp(coordinator))
      endGo(run, &run.cause);
    return;
  }
  finish(run);
}

void RunEnder::finish(TaskRun &run) {
  bool wasPreparing = run.phase == TaskRun::Phase::Preparing;
  if (wasPreparing && !run.spec().isInternal) {
    feeds.end({run.owner, run.prepareRequest});
    requests.fail({run.owner, run.prepareRequest}, run.cause);
  }
  endGo(run, &run.cause);
  if (UpdateQueue *queue = queueOf(run))
    queue->forget(workerOf(run), run.key(),
                  run.cause.code() == static_cast<int>(StatusCode::OutOfRange));
  if (run.spec().isInternal)
    failFollowers(run);
  hasDecided |= run.isEnding;
  run.isEnding = false;
  hasAbandoned |= run.isAbandoned;
  PlanEngine *engine = run.end(TaskRun::Phase::Failed);
  if (!engine)
    return;
  std::vector<TaskId> writers;
  for (const TaskRun::Peer &peer : run.peers())
    if (!peer.hasSaidFailed && environment.peers.isPeerUp(peer.id) &&
        engine->sharesWith(peer.id))
      writers.push_back(peer.id);
  quarantine.add(run.key(), *run.spec().plan, *engine, std::move(writers));
}

/// Fails the workers whose gradients cannot be applied.
void RunEnder::failFollowers(const TaskRun &apply) {
  std::vector<RunKey> keys = runs.keys([&](const TaskRun &run) {
    UpdateQueue *queue = queueOf(run);
    return queue && run.spec().plan == apply.spec().plan &&
           queue->apply == apply.spec().graph->name();
  });
  for (RunKey key : keys)
    if (TaskRun *run = runs.find(key); run->phase == TaskRun::Phase::Going)
      fail(*run, apply.cause);
}

void RunEnder::failNow(TaskRun &run, const protocol::Failure &cause) {
  fail(run, cause);
  if (run.phase != TaskRun::Phase::Failed)
    finish(run);
}

void RunEnder::drop(RunKey key) {
  TaskRun *found = runs.find(key);
  if (!found)
    return;
  TaskRun &run = *found;
  feeds.end({run.owner, run.prepareRequest});
  if (UpdateQueue *queue = queueOf(run))
    queue->forget(workerOf(run), key, run.phase == TaskRun::Phase::Ready);
  if (run.phase != TaskRun::Phase::Failed)
    run.end(TaskRun::Phase::Preparing);
  runs.erase(key);
}

void RunEnder::abandon(TaskRun &run) {
  if (run.isEnding)
    run.isAbandoned = true;
  else
    drop(run.key());
}

void RunEnder::dropAbandoned() {
  if (!std::exchange(hasAbandoned, false))
    return;
  for (RunKey key : runs.keys(
           [](const TaskRun &run) { return run.isAbandoned && !run.isEnding; }))
    drop(key);
}

void RunEnder::dropClient(ClientId client) {
  for (auto &[key, run] : runs)
    run->dropSinks(client);
  for (RunKey key : runs.keys([&](const TaskRun &run) {
         return run.owner == client && !run.spec().isInternal;
       })) {
    TaskRun *run = runs.find(key);
    if (run->phase == TaskRun::Phase::Going)
      fail(*run, cancelled("the client has gone"));
    abandon(*run);
  }
}

void RunEnder::askCoordinator(TaskId peer) {
  for (auto &[key, run] : runs)
    if (run->isEnding && run->spec().coordinator == peer)
      tell(*run, peer, kAsks);
}

void RunEnder::finishUndecided(TaskId coordinator) {
  for (RunKey key : runs.keys([&](const TaskRun &run) {
         return run.isEnding && run.spec().coordinator == coordinator;
       }))
    finish(*runs.find(key));
}

Status RunEnder::abort(const RequestKey &key,
                       const protocol::Request::Abort &request) {
  RunKey id = keyOf(request.run());
  protocol::Reply reply;
  protocol::Reply::Ended &ended = *reply.mutable_ended();
  *ended.mutable_run() = request.run();
  if (TaskRun *run = runs.find(id)) {
    if (run->owner != key.client || run->spec().isInternal)
      return permissionDenied("the run is another client's");
    protocol::Failure cause = boundedFailure(request.cause());
    if (request.cause().code() == 0)
      cause = toFailure(cancelled("the client ended the run"), "");
    ended.set_steps(run->stepsDone);
    fail(*run, cause);
    abandon(*run);
  }
  requests.answer(key, std::move(reply));
  return Status::ok();
}

Status RunEnder::release(const RequestKey &key,
                         const protocol::Request::Release &request) {
  RunKey id = keyOf(request.run());
  if (TaskRun *run = runs.find(id)) {
    if (run->owner != key.client || run->spec().isInternal)
      return permissionDenied("the run is another client's");
    if (run->phase == TaskRun::Phase::Going ||
        run->phase == TaskRun::Phase::Preparing)
      fail(*run, toFailure(cancelled("the client released the run"), ""));
    abandon(*run);
  }
  requests.done(key);
  return Status::ok();
}

void RunEnder::onRunFailed(TaskId from, const FrameHeader &header,
                           const ByteRanges &payload) {
  RunKey key{header.runClient, header.runNumber};
  TaskRun *run = runs.find(key);
  if (!run && header.total != kIsAnswer && environment.peers.isPeerUp(from)) {
    FrameHeader answer;
    answer.kind = FrameKind::RunFailed;
    answer.runClient = key.client;
    answer.runNumber = key.number;
    answer.total = kIsAnswer;
    environment.peers.sendFrame(from, answer, {});
  }
  // Who stands at an update after their link was lost may not have heard it.
  if (run && run->phase == TaskRun::Phase::Failed && header.total == kAsks)
    tell(*run, from, kIsAnswer);
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
      finish(*run);
    return;
  }
  protocol::Failure cause;
  size_t size = payload.size();
  bool isReadable =
      size > 0 && size <= kMaxFrameBytes &&
      cause.ParseFromArray(payload.copy().data(), static_cast<int>(size)) &&
      cause.code() != 0;
  if (!isReadable)
    cause = toFailure(
        Status(StatusCode::Aborted,
               waits.nameOf(from) + " does not know the run any more"),
        waits.nameOf(from));
  fail(*run, cause);
  // The coordinator has decided.
  if (run->isEnding && from == run->spec().coordinator &&
      !updates.hasUpdate(*run))
    finish(*run);
}

} // namespace graphc::runtime
