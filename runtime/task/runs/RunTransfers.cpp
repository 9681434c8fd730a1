// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that reach and leave a run at a task.
#include "runtime/task/runs/TaskRun.h"

#include "runtime/base/CopyBytes.h"
#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr uint64_t kNoLanding = UINT64_MAX;

Status badFrame(const std::string &what) { return internalError(what); }
} // namespace

FrameHeader TaskRun::header(FrameKind kind, uint64_t step) const {
  FrameHeader frame;
  frame.kind = kind;
  frame.runClient = made.key.client;
  frame.runNumber = made.key.number;
  frame.step = step;
  frame.graph = made.graph->number;
  if (const format::Instance *instance = made.graph->graph->instance())
    frame.replica = instance->worker();
  return frame;
}

/// How the value may leave now.
TaskRun::Way TaskRun::wayOf(const RemoteEdge &edge, uint64_t step) {
  if (uint32_t loan = loanOf[edge.edge];
      loan != UINT32_MAX && loans[loan].since <= step)
    return Way::Lent;
  if (landingOf[edge.edge] == kNoLanding)
    return Way::Frames;
  if (findPeer(receiverOf[edge.edge])->begun > step)
    return Way::Landing;
  return isCoordinated() ? Way::Frames : Way::NotNow;
}

bool TaskRun::send(std::span<const RemoteEdge *const> edges, uint64_t step) {
  for (const RemoteEdge *edge : edges)
    if (wayOf(*edge, step) == Way::NotNow)
      return false;
  for (const RemoteEdge *edge : edges)
    sendValue(*edge, step, wayOf(*edge, step));
  return true;
}

void TaskRun::sendValue(const RemoteEdge &edge, uint64_t step, Way way) {
  TaskId peer = receiverOf[edge.edge];
  FrameHeader frame = header(FrameKind::Data, step);
  frame.edge = edge.edge;
  frame.total = edge.bytes.size();
  bool isThere = way == Way::Lent;
  if (way == Way::Landing) {
    PeerPlace place =
        world.peers.peerPlace(peer, landingOf[edge.edge], edge.bytes.size());
    if (place.address)
      copyBytes(place.address, edge.bytes);
    isThere = place.address != nullptr;
  }
  if (!isThere)
    return sendFrames(frame, edge);
  frame.kind = FrameKind::InPlace;
  world.peers.sendFrame(peer, frame, {});
}

void TaskRun::sendFrames(FrameHeader frame, const RemoteEdge &edge) {
  TaskId peer = receiverOf[edge.edge];
  size_t offset = 0;
  do {
    size_t size = std::min(kMostFrameBytes, edge.bytes.size() - offset);
    frame.offset = offset;
    frame.size = static_cast<uint32_t>(size);
    world.peers.sendFrame(peer, frame, edge.bytes.subspan(offset, size));
    offset += size;
  } while (offset < edge.bytes.size());
}

Status TaskRun::onFrame(TaskId from, const FrameHeader &frame,
                        const ByteRanges &payload, int64_t now) {
  Peer *peer = findPeer(from);
  if (!peer)
    return badFrame("it does not take part in the run");
  if (frame.graph != made.graph->number)
    return badFrame("its frame is of graph " + std::to_string(frame.graph));
  if (frame.step > INT64_MAX)
    return badFrame("its frame is of an impossible step");
  if (frame.kind == FrameKind::Begun)
    return onBegun(*peer, frame.step, now);
  if (frame.kind == FrameKind::Landing)
    return onLanding(from, frame);
  if (frame.kind == FrameKind::Borrowed)
    return onBorrowed(from, frame);
  uint32_t number =
      frame.edge < inboxOf.size() ? inboxOf[frame.edge] : UINT32_MAX;
  if (number == UINT32_MAX || inboxes[number].peer != from)
    return badFrame("its frame is of edge " + std::to_string(frame.edge) +
                    ", which does not lead from there to here");
  Inbox &inbox = inboxes[number];
  if (frame.kind == FrameKind::Lent)
    return onLent(inbox, frame);
  lastProgress = now;
  Status status = frame.kind == FrameKind::Data ? onData(inbox, frame, payload)
                                                : onInPlace(inbox, frame);
  if (status.isOk())
    noteBegun(*peer, frame.step);
  return status;
}

/// Whether a step is the current one or the next one.
Status TaskRun::place(uint64_t step, bool &isNext) {
  isNext = true;
  if (!hasBegun) {
    if (!expected)
      expected = step;
    if (step == *expected)
      return Status::ok();
  } else {
    isNext = step == current + 1;
    if (isNext || (step == current && inStep))
      return Status::ok();
  }
  return badFrame("its frame is of step " + std::to_string(step + 1) +
                  ", while this task is at step " +
                  std::to_string(currentStep() + 1));
}

Status TaskRun::onData(Inbox &inbox, const FrameHeader &frame,
                       const ByteRanges &payload) {
  size_t size = payload.size();
  size_t total = inbox.edge->bytes.size();
  bool isNext = false;
  GRAPHC_TRY(place(frame.step, isNext));
  uint64_t &got = isNext ? inbox.parkedBytes : inbox.got;
  bool &isComplete = isNext ? inbox.isParkedComplete : inbox.isComplete;
  if (frame.total != total || isComplete || frame.offset != got ||
      size > total - got || size > kMostFrameBytes || (size == 0 && total > 0))
    return badFrame("its frame has bytes " + std::to_string(frame.offset) +
                    " to " + std::to_string(frame.offset + size) + " of " +
                    std::to_string(frame.total) + " for a value of " +
                    std::to_string(total) + " bytes, of which " +
                    std::to_string(got) + " have come before");
  // What is borrowed is at its place; the sender did not know yet.
  if (!inbox.isBorrowed) {
    if (isNext && inbox.parked.size() < total)
      inbox.parked.resize(total);
    std::byte *target = isNext ? inbox.parked.data() : inbox.edge->bytes.data();
    payload.copyTo(target + got);
  }
  got += size;
  isComplete = got == total;
  inbox.isParked |= isNext;
  if (!isNext && isComplete) {
    engine->engine->arrived(inbox.edge->edge);
    isDirty = true;
  }
  return Status::ok();
}

Status TaskRun::onInPlace(Inbox &inbox, const FrameHeader &frame) {
  bool isNext = false;
  GRAPHC_TRY(place(frame.step, isNext));
  if ((!inbox.hasLanding && !inbox.isBorrowed) || isNext || inbox.isComplete ||
      inbox.got > 0 || frame.total != inbox.edge->bytes.size())
    return badFrame("it says that edge " + std::to_string(frame.edge) +
                    " is in its place, which it cannot be");
  inbox.isComplete = true;
  inbox.got = frame.total;
  engine->engine->arrived(inbox.edge->edge);
  isDirty = true;
  return Status::ok();
}

Status TaskRun::onLanding(TaskId from, const FrameHeader &frame) {
  if (frame.edge >= receiverOf.size() || receiverOf[frame.edge] != from ||
      landingOf[frame.edge] != kNoLanding)
    return badFrame("it gives a place for edge " + std::to_string(frame.edge) +
                    ", which it does not receive from here or has one");
  uint64_t size = made.graph->graph->edges()->Get(frame.edge)->size();
  // A place that cannot be reached from here is no fault: frames get there.
  if (frame.total == size &&
      world.peers.peerPlace(from, frame.offset, size).address)
    landingOf[frame.edge] = frame.offset;
  return Status::ok();
}

Status TaskRun::onLent(Inbox &inbox, const FrameHeader &frame) {
  if (inbox.isBorrowed || inbox.lent.address)
    return badFrame("it lends edge " + std::to_string(frame.edge) + " twice");
  // Only who gives a landing place tells the sender when a step has begun.
  if (inbox.hasLanding && frame.total == inbox.edge->bytes.size() &&
      engine->engine->mayBorrow(frame.edge))
    inbox.lent = world.peers.peerPlace(inbox.peer, frame.offset, frame.total);
  hasNewLoans |= inbox.lent.address != nullptr;
  return Status::ok();
}

/// Before a step: from now on its values are read at the senders'.
void TaskRun::borrow() {
  if (!std::exchange(hasNewLoans, false))
    return;
  std::vector<TaskEngine::Borrowed> edges;
  for (Inbox &inbox : inboxes) {
    // A value that has come, or a part of one, has its place already.
    if (!inbox.lent.address || inbox.isBorrowed)
      continue;
    if (inbox.isParked) {
      hasNewLoans = true;
      continue;
    }
    inbox.isBorrowed = true;
    edges.push_back({inbox.edge->edge, inbox.lent.address});
    FrameHeader frame = header(FrameKind::Borrowed, current);
    frame.edge = inbox.edge->edge;
    world.peers.sendFrame(inbox.peer, frame, {});
  }
  engine->engine->borrow(edges);
}

/// The engine's values are in this task's memory again, for the next run.
void TaskRun::giveBack() {
  std::vector<TaskEngine::Borrowed> edges;
  for (const Inbox &inbox : inboxes)
    if (inbox.isBorrowed)
      edges.push_back({inbox.edge->edge, nullptr});
  if (!edges.empty())
    engine->engine->borrow(edges);
}

/// Whether the value of the step before was read, or was sent in another way.
bool TaskRun::isBack(const Loan &loan) const {
  return loan.since >= current || findPeer(loan.peer)->begun > current;
}

void TaskRun::takeBack() {
  for (const Loan &loan : loans)
    if (inStep && isBack(loan)) {
      engine->engine->cameBack(loan.edge);
      isDirty = true;
    }
}

Status TaskRun::onBorrowed(TaskId from, const FrameHeader &frame) {
  uint32_t loan = frame.edge < loanOf.size() ? loanOf[frame.edge] : UINT32_MAX;
  if (loan == UINT32_MAX || loans[loan].peer != from ||
      loans[loan].since != UINT64_MAX)
    return badFrame("it borrows edge " + std::to_string(frame.edge) +
                    ", which is not lent to it or is so already");
  loans[loan].since = frame.step;
  return Status::ok();
}

/// Values of a step, or of Begun, say that the step has begun at the peer.
void TaskRun::noteBegun(Peer &peer, uint64_t step) {
  if (peer.begun > step)
    return;
  peer.begun = step + 1;
  takeBack();
}

void TaskRun::excusePause(int64_t now) {
  lastProgress = now;
  for (const Peer &peer : peerList)
    if (hasBegun && world.peers.isPeerUp(peer.id))
      world.peers.sendFrame(peer.id, header(FrameKind::Begun, current), {});
}

Status TaskRun::onBegun(Peer &peer, uint64_t step, int64_t now) {
  if (hasBegun && step > current + 1)
    return badFrame("it has begun step " + std::to_string(step + 1) +
                    ", while this task is at step " +
                    std::to_string(currentStep() + 1));
  noteBegun(peer, step);
  lastProgress = now;
  isDirty |= inStep;
  return Status::ok();
}

} // namespace graphc::runtime
