// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runs of a task end.
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

/// The last results, and Ended, to all who listen.
void TaskMachine::State::endGo(TaskRun &run, const protocol::Failure *failure) {
  int64_t now = world.host.nowNanos();
  for (ReplyBatcher &sink : run.sinks) {
    if (failure)
      sink.flush(now, world.clients, run.id());
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

void TaskMachine::State::tellFailed(TaskRun &run, TaskId peer,
                                    uint64_t question) {
  if (!world.peers.isPeerUp(peer))
    return;
  std::string payload = run.cause.SerializeAsString();
  FrameHeader header;
  header.kind = FrameKind::RunFailed;
  header.runClient = run.key().client;
  header.runNumber = run.key().number;
  header.total = question;
  header.size = static_cast<uint32_t>(payload.size());
  world.peers.sendFrame(peer, header, std::as_bytes(std::span(payload)));
}

void TaskMachine::State::tellPeers(TaskRun &run) {
  for (const TaskRun::Peer &peer : run.peers())
    tellFailed(run, peer.id, 0);
}

/// The first cause wins: a run fails once. A task that has told the coordinator
/// that an update may be made waits for its word, so that the update is made
/// everywhere or nowhere; the client need not wait where the link is lost.
void TaskMachine::State::failRun(TaskRun &run, protocol::Failure cause) {
  if (run.phase == TaskRun::Phase::Failed || run.isEnding)
    return;
  bool isEndOfData = cause.code() == static_cast<int>(StatusCode::OutOfRange);
  run.cause = boundedFailure(cause);
  if (run.phase == TaskRun::Phase::Going)
    world.host.log(isEndOfData ? Severity::Info : Severity::Error,
                   "graph '" + run.spec().graph->name() +
                       "' ended: " + toStatus(run.cause).toString());
  if (run.phase != TaskRun::Phase::Preparing)
    tellPeers(run);
  bool isDecided = updates.hasUpdate(run);
  TaskId coordinator = run.spec().coordinator;
  bool mayBeDecided = coordinator != options.self;
  if (run.followsSequence() && run.isAtUpdate() &&
      (isDecided || mayBeDecided)) {
    run.isEnding = true;
    if (!isDecided && !world.peers.isPeerUp(coordinator))
      endGo(run, &run.cause);
    return;
  }
  finishFailure(run);
}

void TaskMachine::State::finishFailure(TaskRun &run) {
  bool wasPreparing = run.phase == TaskRun::Phase::Preparing;
  if (wasPreparing && !run.spec().isInternal) {
    feeds.end({run.owner, run.prepareRequest});
    requests.fail({run.owner, run.prepareRequest}, run.cause);
  }
  endGo(run, &run.cause);
  if (UpdateQueue *queue = queueOf(run))
    queue->forget(run.spec().graph->graph->instance()->worker(), run.key(),
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
    if (!peer.hasSaidFailed && world.peers.isPeerUp(peer.id) &&
        engine->sharesWith(peer.id))
      writers.push_back(peer.id);
  quarantine.add(run.key(), *run.spec().plan, *engine, std::move(writers));
}

/// Where gradients cannot be applied, their workers cannot go on.
void TaskMachine::State::failFollowers(TaskRun &apply) {
  std::vector<RunKey> keys = runs.keys([&](const TaskRun &run) {
    UpdateQueue *queue = queueOf(run);
    return queue && run.spec().plan == apply.spec().plan &&
           queue->apply == apply.spec().graph->name();
  });
  for (RunKey key : keys)
    if (TaskRun *run = runs.find(key); run->phase == TaskRun::Phase::Going)
      failRun(*run, apply.cause);
}

/// Forgets a run of which no frames are on the way that matter.
void TaskMachine::State::dropRun(RunKey key) {
  TaskRun *found = runs.find(key);
  if (!found)
    return;
  TaskRun &run = *found;
  feeds.end({run.owner, run.prepareRequest});
  if (UpdateQueue *queue = queueOf(run))
    queue->forget(run.spec().graph->graph->instance()->worker(), key,
                  run.phase == TaskRun::Phase::Ready);
  if (run.phase != TaskRun::Phase::Failed)
    run.end(TaskRun::Phase::Preparing);
  runs.erase(key);
}

void TaskMachine::State::dropAbandoned() {
  if (std::exchange(hasDecided, false))
    readyAll();
  if (!std::exchange(hasAbandoned, false))
    return;
  std::vector<RunKey> keys = runs.keys(
      [&](const TaskRun &run) { return run.isAbandoned && !run.isEnding; });
  for (RunKey key : keys)
    dropRun(key);
}

void TaskMachine::State::onClientGone(ClientId client) {
  requests.dropClient(client);
  uploads.dropClient(client);
  variables.dropClient(client);
  snapshots.dropClient(client);
  attached.dropClient(client);
  initWaiters.dropClient(client);
  for (auto &[key, run] : runs)
    run->dropSinks(client);
  for (RunKey key : runs.keys([&](const TaskRun &run) {
         return run.owner == client && !run.spec().isInternal;
       })) {
    TaskRun *run = runs.find(key);
    if (run->phase == TaskRun::Phase::Going)
      failRun(*run, waits.failure(*run, cancelled("the client has gone")));
    if (run->isEnding)
      run->isAbandoned = true;
    else
      dropRun(key);
  }
}

Status TaskMachine::State::abort(const RequestKey &key,
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
    failRun(*run, cause);
    if (run->isEnding)
      run->isAbandoned = true;
    else
      dropRun(id);
  }
  requests.answer(key, std::move(reply));
  return Status::ok();
}

Status TaskMachine::State::release(const RequestKey &key,
                                   const protocol::Request::Release &request) {
  RunKey id = keyOf(request.run());
  if (TaskRun *run = runs.find(id)) {
    if (run->owner != key.client || run->spec().isInternal)
      return permissionDenied("the run is another client's");
    if (run->phase == TaskRun::Phase::Going ||
        run->phase == TaskRun::Phase::Preparing)
      failRun(*run, toFailure(cancelled("the client released the run"), ""));
    if (run->isEnding)
      run->isAbandoned = true;
    else
      dropRun(id);
  }
  requests.done(key);
  return Status::ok();
}

} // namespace graphc::runtime
