// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/TaskRun.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {
constexpr uint64_t kNoLanding = UINT64_MAX;
} // namespace

TaskRun::TaskRun(TaskRunSpec spec, const TaskWorld &world)
    : made(std::move(spec)), world(world) {
  isFollower =
      isCoordinated() && std::ranges::find(made.variableTasks, made.self) !=
                             made.variableTasks.end();
  findPeers();
}

protocol::RunId TaskRun::id() const {
  protocol::RunId id;
  id.set_client(made.key.client);
  id.set_number(made.key.number);
  return id;
}

void TaskRun::addPeer(TaskId id, bool sendsHere, bool receivesFromHere) {
  if (id == made.self)
    return;
  Peer *peer = findPeer(id);
  if (!peer) {
    peerList.push_back({});
    peer = &peerList.back();
    peer->id = id;
  }
  peer->sendsHere |= sendsHere;
  peer->receivesFromHere |= receivesFromHere;
}

void TaskRun::findPeers() {
  const PlanGraph &graph = *made.graph;
  if (const auto *edges = graph.graph->edges())
    for (const format::Edge *edge : *edges) {
      TaskId source = graph.tasks[edge->source()];
      TaskId target = graph.tasks[edge->target()];
      if (source == target)
        continue;
      if (source == made.self)
        addPeer(target, false, true);
      if (target == made.self)
        addPeer(source, true, false);
    }
  // Who has the order must reach all that follow it.
  if (isFollower && made.self != made.coordinator)
    addPeer(made.coordinator, false, false);
  if (made.self == made.coordinator)
    for (TaskId task : made.variableTasks)
      addPeer(task, false, false);
}

TaskRun::Peer *TaskRun::findPeer(TaskId id) {
  return const_cast<Peer *>(std::as_const(*this).findPeer(id));
}

const TaskRun::Peer *TaskRun::findPeer(TaskId id) const {
  auto found = std::ranges::find(peerList, id, &Peer::id);
  return found == peerList.end() ? nullptr : &*found;
}

Status TaskRun::makeReady() {
  GRAPHC_ASSIGN_OR_RETURN(
      engine,
      made.plan->takeEngine(*made.graph, made.engine, isFollower, world));
  engine->user = this;
  size_t edges =
      made.graph->graph->edges() ? made.graph->graph->edges()->size() : 0;
  inboxOf.assign(edges, UINT32_MAX);
  landingOf.assign(edges, kNoLanding);
  receiverOf.assign(edges, kNoTask);
  for (const RemoteEdge &edge : engine->engine->incoming()) {
    Inbox inbox;
    inbox.edge = &edge;
    inbox.peer = made.graph->tasks[edge.peerProgram];
    inboxOf[edge.edge] = static_cast<uint32_t>(inboxes.size());
    inboxes.push_back(std::move(inbox));
  }
  for (const RemoteEdge &edge : engine->engine->outgoing())
    receiverOf[edge.edge] = made.graph->tasks[edge.peerProgram];
  for (const EdgePlace &landing : engine->landings)
    inboxes[inboxOf[landing.edge]].hasLanding = true;
  loanOf.assign(edges, UINT32_MAX);
  for (const EdgePlace &place : engine->lent) {
    loanOf[place.edge] = static_cast<uint32_t>(loans.size());
    loans.push_back({place.edge, place.peer});
  }
  for (Peer &peer : peerList) {
    // A peer that gets values from here, too, learns by them how far this task
    // is, unless it must know before it sends.
    bool lands = std::ranges::any_of(inboxes, [&](const Inbox &inbox) {
      return inbox.peer == peer.id && inbox.hasLanding;
    });
    peer.wantsBegun = peer.sendsHere && (!peer.receivesFromHere || lands);
  }
  phase = Phase::Ready;
  return Status::ok();
}

uint64_t TaskRun::currentStep() const { return inStep ? current : next; }

Status TaskRun::go(uint64_t firstStep, uint64_t steps) {
  if (steps == 0 || steps > INT64_MAX || firstStep > INT64_MAX)
    return invalidArgument("a run goes for at least one step, and not from " +
                           std::to_string(firstStep) + " for " +
                           std::to_string(steps) + " steps");
  if (hasBegun && firstStep != current + 1)
    return invalidArgument("the run's next step is " +
                           std::to_string(current + 2) + ", not " +
                           std::to_string(firstStep + 1) +
                           "; prepare another run to begin elsewhere");
  if (!hasBegun && expected && *expected != firstStep)
    return internalError(
        "a peer has begun with step " + std::to_string(*expected + 1) +
        ", but the client with step " + std::to_string(firstStep + 1));
  first = next = firstStep;
  beyond = firstStep + steps;
  stepsAsked = steps;
  stepsDone = 0;
  areFeedsNew = true;
  phase = Phase::Going;
  if (!hasSentPlaces)
    sendPlaces();
  hasSentPlaces = true;
  return Status::ok();
}

/// Tells peers where their values may land, and where they may read others.
/// Only now: before, a peer might not know the run yet.
void TaskRun::sendPlaces() {
  for (const EdgePlace &landing : engine->landings)
    sendPlace(FrameKind::Landing, landing);
  for (const EdgePlace &lent : engine->lent)
    sendPlace(FrameKind::Lent, lent);
}

void TaskRun::sendPlace(FrameKind kind, const EdgePlace &place) {
  FrameHeader frame = header(kind, 0);
  frame.edge = place.edge;
  frame.offset = place.offset;
  frame.total = made.graph->graph->edges()->Get(place.edge)->size();
  world.peers.sendFrame(place.peer, frame, {});
}

TaskId TaskRun::awaitedPeer() const {
  if (inStep) {
    auto isAway = [this](const Loan &loan) { return !isBack(loan); };
    auto loan = std::ranges::find_if(loans, isAway);
    return loan == loans.end() ? kNoTask : loan->peer;
  }
  if (hasBegun)
    for (const Peer &peer : peerList)
      if (peer.receivesFromHere && peer.begun < next)
        return peer.id;
  return kNoTask;
}

bool TaskRun::isPaused() {
  return std::ranges::any_of(
      sinks, [&](ReplyBatcher &sink) { return sink.isBlocked(world.clients); });
}

bool TaskRun::mayBegin(int64_t now) {
  if (phase != Phase::Going || inStep || isEnding || now < restUntil ||
      next >= beyond)
    return false;
  // At most one step ahead of those who receive from here. In the first step
  // of a run nothing is on the way yet.
  if (hasBegun)
    for (const Peer &peer : peerList)
      if (peer.receivesFromHere && peer.begun < next)
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
  current = next;
  hasBegun = true;
  inStep = true;
  atUpdate = isWalkDone = isUpdating = false;
  lastProgress = now;
  borrow();
  engine->engine->begin(current);
  takeBack();
  for (const Peer &peer : peerList)
    if (peer.wantsBegun)
      world.peers.sendFrame(peer.id, header(FrameKind::Begun, current), {});
  for (Inbox &inbox : inboxes)
    unpark(inbox);
  isDirty = true;
}

/// What came before its step has begun is put to its place.
void TaskRun::unpark(Inbox &inbox) {
  inbox.got = 0;
  inbox.isComplete = false;
  if (!inbox.isParked)
    return;
  inbox.got = inbox.parkedBytes;
  inbox.isComplete = inbox.isParkedComplete;
  if (inbox.got > 0 && !inbox.isBorrowed)
    std::memcpy(inbox.edge->bytes.data(), inbox.parked.data(), inbox.got);
  inbox.isParked = inbox.isParkedComplete = false;
  inbox.parkedBytes = 0;
  if (inbox.isComplete)
    engine->engine->arrived(inbox.edge->edge);
}

TaskRun::Progress TaskRun::advance(int64_t now) {
  if (phase != Phase::Going)
    return Progress::None;
  if (!inStep) {
    if (isFollower || !mayBegin(now))
      return Progress::None;
    beginStep(now);
  }
  if (!isDirty)
    return Progress::None;
  isDirty = false;
  return stateAfterWalk(engine->engine->advance(), now);
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
    return Progress::AtUpdate;
  case TaskEngine::State::Done:
    if (!isFollower || isUpdating)
      return finishStep(now);
    if (atUpdate)
      return Progress::None;
    atUpdate = isWalkDone = true;
    return Progress::AtUpdate;
  case TaskEngine::State::Idle:
  case TaskEngine::State::Waiting:
    break;
  }
  return Progress::None;
}

TaskRun::Progress TaskRun::finishUpdate(bool isDropped, int64_t now) {
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
  bool isLast = current + 1 == beyond;
  for (ReplyBatcher &sink : sinks)
    sink.add(current, isLast, now, world.clients, id());
  inStep = false;
  atUpdate = false;
  next = current + 1;
  ++stepsDone;
  arrivals.clear();
  lastProgress = now;
  made.graph->nextStep = std::max(made.graph->nextStep, next);
  if (int64_t nanos = world.host.stepNanos(engine->engine->instructions()))
    restUntil = now + nanos;
  return isLast ? Progress::GoDone : Progress::StepDone;
}

PlanEngine *TaskRun::end(Phase newPhase) {
  bool wasUsed = hasBegun || hasSentPlaces;
  bool isFailure = newPhase == Phase::Failed;
  phase = newPhase;
  inStep = atUpdate = isDirty = false;
  giveBack();
  inboxes.clear();
  inboxOf.clear();
  loans.clear();
  loanOf.clear();
  feeds.clear();
  sinks.clear();
  PlanEngine *used = std::exchange(engine, nullptr);
  if (!used)
    return nullptr;
  if (isFailure && wasUsed && !used->shared.empty()) {
    used->engine->abandon();
    return used;
  }
  made.plan->giveBack(*used, true, world.peers);
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

size_t TaskRun::parkedBytes() const {
  size_t bytes = 0;
  for (const Inbox &inbox : inboxes)
    bytes += inbox.parkedBytes;
  return bytes;
}

std::optional<uint32_t> TaskRun::awaitedEdge() const {
  if (!engine || !inStep)
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
  if (!inStep && restUntil > lastProgress)
    due = std::min(due, restUntil);
  if (inStep && engine)
    if (std::optional<int64_t> wake = engine->engine->wakeNanos())
      due = std::min(due, *wake);
  return due;
}

void TaskRun::onTimer(int64_t now) {
  for (ReplyBatcher &sink : sinks)
    if (sink.due() <= now)
      sink.flush(now, world.clients, id());
  if (phase == Phase::Going && inStep && engine)
    if (std::optional<int64_t> wake = engine->engine->wakeNanos())
      isDirty |= *wake <= now;
}

} // namespace graphc::runtime
