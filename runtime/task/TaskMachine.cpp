// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/TaskMachine.h"

#include "runtime/base/host/Cores.h"
#include "runtime/format/HostVariant.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Threads that keep the memory busy; between two steps no other work does.
int copyThreads(const TaskOptions &options) {
  constexpr int kMost = 8;
  int threads =
      options.threads > 0 ? options.threads : static_cast<int>(usableCores());
  return std::min(threads, kMost);
}
} // namespace

TaskMachine::State::State(TaskOptions given, const TaskEnvironment &environment)
    : options(std::move(given)), environment(environment),
      self(options.cluster.task(options.self).name()),
      startedAt(environment.host.nowNanos()),
      requests(environment.clients, self),
      plans(options, environment.host, environment.peers), uploads(options),
      variables(plans, requests, environment.clients),
      snapshots(requests, variables, copyThreads(options)),
      shards(environment.host, requests, snapshots),
      timelines(options, environment.host, requests, environment.clients),
      waits(options, environment.host, runs), quarantine(environment.peers),
      coordinator(options.self, environment, runs, snapshots, waits, *this),
      updates(options, environment, plans, runs, snapshots, coordinator, waits,
              *this),
      ender(options, environment, runs, feeds, requests, quarantine, waits,
            updates),
      listeners(environment.host, plans, runs, requests),
      starter(options, environment, plans, runs, feeds, timelines, requests,
              waits, updates, listeners, *this) {}

TaskMachine::TaskMachine(TaskOptions options,
                         const TaskEnvironment &environment)
    : state(std::make_unique<State>(std::move(options), environment)) {}

TaskMachine::~TaskMachine() = default;

void TaskMachine::onPeerUp(TaskId peer, uint64_t incarnation) {
  state->board.clearWaits();
  state->onPeerUp(peer, incarnation);
}

void TaskMachine::onPeerDown(TaskId peer, const Status &why) {
  state->board.clearWaits();
  state->onPeerDown(peer, why);
}

void TaskMachine::onTransfersEnded(TaskId peer) {
  for (TaskRun *run : state->runs.going())
    run->onTransfersEnded(peer);
}

void TaskMachine::onFrame(TaskId from, const FrameHeader &header,
                          const ByteRanges &payload) {
  State &all = *state;
  all.board.clearWaits();
  if (from >= all.options.cluster.size() || from == all.options.self)
    return;
  switch (header.kind) {
  case FrameKind::Arrived:
    return all.coordinator.onArrived(from, header);
  case FrameKind::Sequenced:
    return all.updates.onSequenced(from, header);
  case FrameKind::RunFailed:
    return all.ender.onRunFailed(from, header, payload);
  case FrameKind::Data:
  case FrameKind::InPlace:
  case FrameKind::ReceiveBuffer:
  case FrameKind::Exposed:
  case FrameKind::RemoteRead:
  case FrameKind::Begun:
    break;
  default:
    if (all.peerHistory.reportOnce(from))
      all.environment.host.log(Severity::Error,
                               all.waits.nameOf(from) +
                                   " sent a frame of no known kind");
    return;
  }
  // Frames of runs that are over here are late.
  TaskRun *run = all.runs.find({header.runClient, header.runNumber});
  if (!run || (run->phase != TaskRun::Phase::Ready &&
               run->phase != TaskRun::Phase::Going))
    return;
  Status status =
      run->onFrame(from, header, payload, all.environment.host.nowNanos());
  if (status.isOk())
    return;
  std::string text = all.waits.nameOf(from) +
                     " broke the protocol: " + status.message() +
                     "; it may be of another version, or damaged";
  if (all.peerHistory.reportOnce(from))
    all.environment.host.log(Severity::Error, text);
  all.ender.fail(*run, internalError(text));
}

void TaskMachine::onRequest(ClientId client, const protocol::Request &request) {
  state->board.clearWaits();
  state->onRequest(client, request);
}

void TaskMachine::onClientGone(ClientId client) {
  state->board.clearWaits();
  state->onClientGone(client);
}

void TaskMachine::onReplyRoom(ClientId client) {
  // advance() asks whether there is room.
  state->board.clearWaits();
}

bool TaskMachine::advance() {
  State &all = *state;
  int64_t now = all.environment.host.nowNanos();
  bool moved = all.variables.pump();
  moved |= all.shards.pump();
  moved |= all.timelines.pump();
  moved |= all.advanceRuns(now);
  all.dropAbandoned();
  if (moved) {
    all.board.clearWaits();
    all.idleSince = 0;
  } else if (all.idleSince == 0 && !all.runs.isEmpty() &&
             !all.board.hasWaits()) {
    all.idleSince = now;
  }
  return moved;
}

Status TaskMachine::load(const std::string &planFile) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                          Model::open(planFile));
  GRAPHC_ASSIGN_OR_RETURN(
      model, takeVariant(std::move(model), state->options.virtualGpus));
  return state->addPlan(std::move(model), "", state->options.virtualGpus,
                        state->options.cpuLevel);
}

void TaskMachine::shutDown(const std::string &reason) {
  State &all = *state;
  // As when the process is killed: another may come in its place.
  protocol::Failure cause = toFailure(unavailable(reason), all.self);
  for (RunKey key : all.runs.keys([](const TaskRun &) { return true; }))
    if (TaskRun *run = all.runs.find(key))
      all.ender.failNow(*run, cause);
  all.shards.cancelAll();
  all.requests.failAll(cause);
}

TaskMachine::Residue TaskMachine::residue() const {
  Residue residue;
  for (const auto &[key, run] : state->runs) {
    // Whose update another task decides is kept until that is there again.
    if (run->isEnding &&
        !state->environment.peers.isPeerUp(run->spec().coordinator))
      continue;
    residue.earlyBytes += run->earlyBytes();
    if (run->phase == TaskRun::Phase::Failed || run->spec().isInternal)
      continue;
    ++residue.runs;
    residue.sharedPlaces += run->sharedPlaces();
  }
  residue.sharedPlaces += state->quarantine.sharedPlaces();
  return residue;
}

} // namespace graphc::runtime
