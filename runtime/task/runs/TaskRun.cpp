// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/TaskRun.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

TaskRun::TaskRun(TaskRunSpec spec, const TaskEnvironment &environment)
    : made(std::move(spec)), environment(environment),
      isFollower(made.followsSequence()), peerSet(made),
      incoming(made, environment.peers),
      outgoing(made, peerSet, environment.peers) {}

protocol::RunId TaskRun::id() const {
  protocol::RunId id;
  id.set_client(made.key.client);
  id.set_number(made.key.number);
  return id;
}

Status TaskRun::makeReady() {
  GRAPHC_ASSIGN_OR_RETURN(
      engine,
      made.plan->takeEngine(*made.graph, made.engine, isFollower, environment));
  engine->user = this;
  engine->engine->record(timeline.get());
  incoming.open(*engine);
  outgoing.open(*engine);
  counts.open(environment.metrics, *made.plan, *made.graph, *engine->engine);
  for (Peer &peer : peers()) {
    // A peer that gets values from here, too, learns by them how far this task
    // is, unless it must know before it sends.
    peer.wantsBegun = peer.sendsHere && (!peer.receivesFromHere ||
                                         incoming.hasReceiveBuffers(peer.id));
  }
  phase = Phase::Ready;
  return Status::ok();
}

Status TaskRun::go(uint64_t firstStep, uint64_t count) {
  GRAPHC_TRY(steps.go(firstStep, count));
  stepsAsked = count;
  stepsDone = 0;
  if (timeline)
    recordGo();
  areFeedsNew = true;
  phase = Phase::Going;
  if (!hasSentBuffers)
    sendBuffers();
  hasSentBuffers = true;
  return Status::ok();
}

void TaskRun::recordGo() {
  timeline->begin(steps.next() + 1);
  stepEnded = 0; // what the client did meanwhile is no wait
  for (const BatchUse &use : made.graph->data)
    made.plan->data().recordBatches(use.dataset, timeline);
}

void TaskRun::recordBegin() {
  uint64_t step = steps.running() + 1;
  timeline->beginStep(step);
  if (!timeline->wants(step))
    return;
  stepBegan = timeline->now();
  if (stepEnded != 0)
    timeline->add(timeline->taskTrack(),
                  {0, TimelineEvent::Kind::Gap, step, stepEnded, stepBegan});
}

void TaskRun::recordEnd() {
  uint64_t step = steps.running() + 1;
  if (!timeline->wants(step))
    return;
  stepEnded = timeline->now();
  timeline->add(timeline->taskTrack(),
                {0, TimelineEvent::Kind::Step, step, stepBegan, stepEnded});
}

/// Tells peers the receive buffers of their values, and the buffers that are
/// exposed to them. Only now: before, a peer might not know the run yet.
void TaskRun::sendBuffers() {
  for (const EdgePlace &buffer : engine->receiveBuffers)
    sendBuffer(FrameKind::ReceiveBuffer, buffer);
  for (const EdgePlace &buffer : engine->exposed)
    sendBuffer(FrameKind::Exposed, buffer);
}

void TaskRun::sendBuffer(FrameKind kind, const EdgePlace &place) {
  FrameHeader frame = made.frame(kind, 0);
  frame.edge = place.edge;
  frame.offset = place.offset;
  frame.total = made.graph->graph->edges()->Get(place.edge)->size();
  environment.peers.sendFrame(place.peer, frame, {});
}

TaskId TaskRun::awaitedPeer() const {
  if (steps.isInStep())
    return outgoing.awaitedReader(steps.running());
  return steps.hasBegun() ? peerSet.receiverBehind(steps.next()) : kNoTask;
}

bool TaskRun::isPaused() {
  return std::ranges::any_of(sinks, [&](ReplyBatcher &sink) {
    return sink.isBlocked(environment.clients);
  });
}

bool TaskRun::mayBegin(int64_t now) {
  if (phase != Phase::Going || steps.isInStep() || isEnding ||
      now < restUntil || !steps.hasMore())
    return false;
  // At most one step ahead of those who receive from here. In the first step
  // of a run nothing is on the way yet.
  if (steps.hasBegun() && peerSet.receiverBehind(steps.next()) != kNoTask)
    return false;
  return isFollower || !isPaused();
}

void TaskRun::beginStep(int64_t now) {
  for (const Feed &feed : feeds)
    if (areFeedsNew || !engine->engine->keepsInput(*feed.port)) {
      std::span<std::byte> slot = engine->engine->slot(*feed.port);
      std::memcpy(slot.data(), feed.value.data(),
                  std::min(slot.size(), feed.value.size()));
    }
  areFeedsNew = false;
  steps.begin();
  if (timeline)
    recordBegin();
  atUpdate = isWalkDone = isUpdating = false;
  lastProgress = now;
  counts.begin(now);
  incoming.beginRemoteReads(steps.running());
  engine->engine->begin(steps.running());
  releaseExposed();
  for (const Peer &peer : peers())
    if (peer.wantsBegun)
      sendBegun(peer);
  incoming.takeEarlyArrivals();
  isDirty = true;
}

void TaskRun::sendBegun(const Peer &peer) {
  environment.peers.sendFrame(
      peer.id, made.frame(FrameKind::Begun, steps.running()), {});
}

/// Lets the engine write to exposed buffers that peers have read.
void TaskRun::releaseExposed() {
  if (steps.isInStep())
    isDirty |= outgoing.releaseExposed(steps.running());
}

TaskRun::Progress TaskRun::advance(int64_t now) {
  if (phase != Phase::Going)
    return Progress::None;
  if (!steps.isInStep()) {
    if (isFollower || !mayBegin(now)) {
      pause(RunMetrics::Wait::Start);
      return Progress::None;
    }
    beginStep(now);
  }
  if (!isDirty)
    return Progress::None;
  isDirty = false;
  counts.resume(now);
  return stateAfterWalk(engine->engine->advance(), now);
}

void TaskRun::pause(RunMetrics::Wait kind) {
  counts.pause(kind, [this] { return environment.host.nowNanos(); });
}

TaskRun::Progress TaskRun::stateAfterWalk(TaskEngine::State state,
                                          int64_t now) {
  switch (state) {
  case TaskEngine::State::Failed:
    engineFailure = engine->engine->failure();
    return Progress::Failed;
  case TaskEngine::State::AtUpdate:
    if (!isFollower || atUpdate)
      return Progress::None;
    atUpdate = true;
    lastProgress = now;
    pause(RunMetrics::Wait::Update);
    return Progress::AtUpdate;
  case TaskEngine::State::Done:
    if (!isFollower || isUpdating)
      return finishStep(now);
    if (atUpdate)
      return Progress::None;
    atUpdate = isWalkDone = true;
    pause(RunMetrics::Wait::Update);
    return Progress::AtUpdate;
  case TaskEngine::State::Idle:
    break;
  case TaskEngine::State::Waiting:
    pause(RunMetrics::Wait::Values);
    break;
  }
  return Progress::None;
}

TaskRun::Progress TaskRun::finishUpdate(bool isDropped, int64_t now) {
  counts.resume(now);
  if (!isUpdating) {
    isUpdating = true;
    if (isWalkDone)
      return finishStep(now);
    if (isDropped)
      engine->engine->skipUpdate();
    else
      engine->engine->permitUpdate();
  }
  isDirty = false;
  Progress progress = stateAfterWalk(engine->engine->advance(), now);
  return progress == Progress::None ? Progress::Moved : progress;
}

TaskRun::Progress TaskRun::finishStep(int64_t now) {
  if (timeline)
    recordEnd();
  bool isLast = steps.end();
  for (ReplyBatcher &sink : sinks)
    sink.add(steps.running(), isLast, now, environment.clients, id());
  counts.endStep(steps.running());
  if (isLast)
    counts.rest(environment.host.nowNanos());
  atUpdate = false;
  ++stepsDone;
  arrivals.clear();
  lastProgress = now;
  made.graph->nextStep = std::max(made.graph->nextStep, steps.next());
  if (int64_t nanos =
          environment.host.stepNanos(engine->engine->instructions()))
    restUntil = now + nanos;
  return isLast ? Progress::GoDone : Progress::StepDone;
}

PlanEngine *TaskRun::end(Phase newPhase) {
  bool wasUsed = steps.hasBegun() || hasSentBuffers;
  bool isFailure = newPhase == Phase::Failed;
  phase = newPhase;
  steps.abandon();
  atUpdate = isDirty = false;
  incoming.close();
  outgoing.close();
  feeds.clear();
  sinks.clear();
  PlanEngine *used = std::exchange(engine, nullptr);
  if (!used)
    return nullptr;
  used->engine->record(nullptr);
  if (isFailure && wasUsed && !used->shared.empty()) {
    used->engine->abandon();
    return used;
  }
  made.plan->giveBack(*used, true, environment.peers);
  return nullptr;
}

bool TaskRun::arrive(TaskId task, uint64_t step) {
  // Others may be ahead of the coordinator's own programs.
  if (step != currentStep() ||
      std::ranges::find(arrivals, task) != arrivals.end())
    return false;
  arrivals.push_back(task);
  return true;
}

void TaskRun::dropSinks(ClientId client) {
  std::deque<ReplyBatcher> kept;
  for (ReplyBatcher &sink : sinks)
    if (sink.client != client)
      kept.push_back(std::move(sink));
  sinks = std::move(kept);
}

std::optional<uint32_t> TaskRun::awaitedEdge() const {
  if (!engine || !steps.isInStep())
    return std::nullopt;
  std::vector<uint32_t> edges = engine->engine->awaited();
  if (edges.empty())
    return std::nullopt;
  return edges.front();
}

TaskId TaskRun::sourceOf(uint32_t edge) const {
  return made.graph->tasks[made.graph->graph->edges()->Get(edge)->source()];
}

int64_t TaskRun::nextTimer() const {
  int64_t due = INT64_MAX;
  for (const ReplyBatcher &sink : sinks)
    due = std::min(due, sink.due());
  if (phase != Phase::Going)
    return due;
  if (!steps.isInStep() && restUntil > lastProgress)
    due = std::min(due, restUntil);
  if (steps.isInStep() && engine)
    if (std::optional<int64_t> wake = engine->engine->wakeNanos())
      due = std::min(due, *wake);
  return due;
}

void TaskRun::onTimer(int64_t now) {
  for (ReplyBatcher &sink : sinks)
    if (sink.due() <= now)
      sink.flush(now, environment.clients, id());
  if (phase == Phase::Going && steps.isInStep() && engine)
    if (std::optional<int64_t> wake = engine->engine->wakeNanos())
      isDirty |= *wake <= now;
}

bool TaskRun::send(std::span<const RemoteEdge *const> edges, uint64_t step) {
  return outgoing.send(edges, step);
}

void TaskRun::onTransfersEnded(TaskId peer) {
  isDirty |= steps.isInStep() && outgoing.hasPending(peer);
}

Status TaskRun::onFrame(TaskId from, const FrameHeader &frame,
                        const ByteRanges &payload, int64_t now) {
  Peer *peer = peerSet.find(from);
  if (!peer)
    return internalError("it does not take part in the run");
  if (frame.graph != made.graph->number)
    return internalError("its frame is of graph " +
                         std::to_string(frame.graph));
  if (frame.step > INT64_MAX)
    return internalError("its frame is of an impossible step");
  if (frame.kind == FrameKind::Begun)
    return onBegun(*peer, frame.step, now);
  if (frame.kind == FrameKind::ReceiveBuffer)
    return outgoing.onReceiveBuffer(from, frame);
  if (frame.kind == FrameKind::RemoteRead)
    return outgoing.onRemoteRead(from, frame);
  if (!incoming.leadsHere(frame.edge, from))
    return internalError("its frame is of edge " + std::to_string(frame.edge) +
                         ", which does not lead from there to here");
  if (frame.kind == FrameKind::Exposed)
    return incoming.onExposed(frame);
  lastProgress = now;
  return onValue(*peer, frame, payload);
}

Status TaskRun::onValue(Peer &peer, const FrameHeader &frame,
                        const ByteRanges &payload) {
  GRAPHC_ASSIGN_OR_RETURN(RunSteps::Place place, steps.locate(frame.step));
  bool isEarly = place == RunSteps::Place::Next;
  GRAPHC_ASSIGN_OR_RETURN(bool mayGoOn,
                          frame.kind == FrameKind::Data
                              ? incoming.onData(frame, payload, isEarly)
                              : incoming.onInPlace(frame, isEarly));
  isDirty |= mayGoOn;
  noteBegun(peer, frame.step);
  return Status::ok();
}

/// Values of a step, or of Begun, tell that the step has begun at the peer.
void TaskRun::noteBegun(Peer &peer, uint64_t step) {
  if (peer.begun > step)
    return;
  peer.begun = step + 1;
  releaseExposed();
}

Status TaskRun::onBegun(Peer &peer, uint64_t step, int64_t now) {
  GRAPHC_TRY(steps.checkBegun(step));
  noteBegun(peer, step);
  lastProgress = now;
  isDirty |= steps.isInStep();
  return Status::ok();
}

void TaskRun::excusePause(int64_t now) {
  lastProgress = now;
  for (const Peer &peer : peers())
    if (steps.hasBegun() && environment.peers.isPeerUp(peer.id))
      sendBegun(peer);
}

} // namespace graphc::runtime
