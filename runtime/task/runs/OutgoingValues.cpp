// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/OutgoingValues.h"

#include <algorithm>
#include <string>
#include <utility>

namespace graphc::runtime {

namespace {
constexpr uint64_t kNoBuffer = UINT64_MAX;
} // namespace

void OutgoingValues::open(PlanEngine &used) {
  engine = used.engine.get();
  const auto *edges = spec.graph->graph->edges();
  size_t count = edges ? edges->size() : 0;
  receiveBufferOf.assign(count, kNoBuffer);
  puts.assign(count, std::nullopt);
  receiverOf.assign(count, kNoTask);
  exposedOf.assign(count, UINT32_MAX);
  for (const RemoteEdge &edge : engine->outgoing())
    receiverOf[edge.edge] = spec.graph->tasks[edge.peerProgram];
  for (const EdgePlace &place : used.exposed) {
    exposedOf[place.edge] = static_cast<uint32_t>(exposed.size());
    exposed.push_back({place.edge, place.peer});
  }
}

void OutgoingValues::close() {
  exposed.clear();
  exposedOf.clear();
}

OutgoingValues::Way OutgoingValues::wayOf(const RemoteEdge &edge,
                                          uint64_t step) const {
  if (uint32_t index = exposedOf[edge.edge];
      index != UINT32_MAX && exposed[index].since <= step)
    return Way::Exposed;
  if (receiveBufferOf[edge.edge] == kNoBuffer)
    return Way::Frames;
  if (peers.find(receiverOf[edge.edge])->begun > step)
    return Way::Put;
  return spec.isCoordinated() ? Way::Frames : Way::NotNow;
}

bool OutgoingValues::send(std::span<const RemoteEdge *const> edges,
                          uint64_t step) {
  for (const RemoteEdge *edge : edges)
    if (wayOf(*edge, step) == Way::NotNow)
      return false;
  bool isPending = false;
  for (const RemoteEdge *edge : edges)
    if (wayOf(*edge, step) == Way::Put)
      isPending |= !put(*edge);
  if (isPending)
    return false;
  for (const RemoteEdge *edge : edges)
    sendValue(*edge, step, wayOf(*edge, step));
  return true;
}

/// Begins the put of a value, or looks after it. False: it is pending.
bool OutgoingValues::put(const RemoteEdge &edge) {
  TaskId peer = receiverOf[edge.edge];
  std::optional<Transfer> &transfer = puts[edge.edge];
  if (!transfer)
    transfer = network.put(peer, receiveBufferOf[edge.edge], edge.bytes);
  else if (transfer->state == Transfer::State::Pending)
    transfer->state = network.transferState(peer, transfer->id);
  return transfer->state != Transfer::State::Pending;
}

bool OutgoingValues::hasPending(TaskId peer) const {
  for (size_t edge = 0; edge < puts.size(); ++edge)
    if (puts[edge] && puts[edge]->state == Transfer::State::Pending &&
        receiverOf[edge] == peer)
      return true;
  return false;
}

void OutgoingValues::sendValue(const RemoteEdge &edge, uint64_t step, Way way) {
  TaskId peer = receiverOf[edge.edge];
  FrameHeader frame = spec.frame(FrameKind::Data, step);
  frame.edge = edge.edge;
  frame.total = edge.bytes.size();
  std::optional<Transfer> transfer =
      std::exchange(puts[edge.edge], std::nullopt);
  // Where a put has failed, frames get there.
  bool isThere =
      way == Way::Exposed ||
      (way == Way::Put && transfer && transfer->state == Transfer::State::Done);
  if (!isThere)
    return sendFrames(frame, edge);
  frame.kind = FrameKind::InPlace;
  network.sendFrame(peer, frame, {});
}

void OutgoingValues::sendFrames(FrameHeader frame, const RemoteEdge &edge) {
  TaskId peer = receiverOf[edge.edge];
  size_t offset = 0;
  do {
    size_t size = std::min(kMaxFrameBytes, edge.bytes.size() - offset);
    frame.offset = offset;
    frame.size = static_cast<uint32_t>(size);
    network.sendFrame(peer, frame, edge.bytes.subspan(offset, size));
    offset += size;
  } while (offset < edge.bytes.size());
}

Status OutgoingValues::onReceiveBuffer(TaskId from, const FrameHeader &frame) {
  if (frame.edge >= receiverOf.size() || receiverOf[frame.edge] != from ||
      receiveBufferOf[frame.edge] != kNoBuffer)
    return internalError("it gives a buffer for edge " +
                         std::to_string(frame.edge) +
                         ", which it does not receive from here or has one");
  uint64_t size = spec.graph->graph->edges()->Get(frame.edge)->size();
  // A buffer that cannot be reached from here is no fault: frames get there.
  if (frame.total == size && network.reaches(from, frame.offset, size))
    receiveBufferOf[frame.edge] = frame.offset;
  return Status::ok();
}

Status OutgoingValues::onRemoteRead(TaskId from, const FrameHeader &frame) {
  uint32_t index =
      frame.edge < exposedOf.size() ? exposedOf[frame.edge] : UINT32_MAX;
  if (index == UINT32_MAX || exposed[index].peer != from ||
      exposed[index].since != UINT64_MAX)
    return internalError("it reads edge " + std::to_string(frame.edge) +
                         ", which is not exposed to it or is read already");
  exposed[index].since = frame.step;
  return Status::ok();
}

/// True when the value of the step before was read, or was sent in another way.
bool OutgoingValues::isReleased(const Exposed &buffer, uint64_t step) const {
  return buffer.since >= step || peers.find(buffer.peer)->begun > step;
}

bool OutgoingValues::releaseExposed(uint64_t step) {
  bool isAny = false;
  for (const Exposed &buffer : exposed)
    if (isReleased(buffer, step)) {
      engine->cameBack(buffer.edge);
      isAny = true;
    }
  return isAny;
}

TaskId OutgoingValues::awaitedReader(uint64_t step) const {
  auto found = std::ranges::find_if(exposed, [&](const Exposed &buffer) {
    return !isReleased(buffer, step);
  });
  return found == exposed.end() ? kNoTask : found->peer;
}

} // namespace graphc::runtime
