// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/IncomingValues.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace graphc::runtime {

void IncomingValues::open(PlanEngine &used) {
  engine = used.engine.get();
  const auto *edges = spec.graph->graph->edges();
  valueOf.assign(edges ? edges->size() : 0, UINT32_MAX);
  for (const RemoteEdge &edge : engine->incoming()) {
    Incoming value;
    value.edge = &edge;
    value.peer = spec.graph->tasks[edge.peerProgram];
    valueOf[edge.edge] = static_cast<uint32_t>(values.size());
    values.push_back(std::move(value));
  }
  for (const EdgePlace &buffer : used.receiveBuffers)
    values[valueOf[buffer.edge]].hasReceiveBuffer = true;
}

void IncomingValues::close() {
  std::vector<TaskEngine::RemoteRead> edges;
  for (const Incoming &value : values)
    if (value.isReadThere)
      edges.push_back({value.edge->edge, nullptr});
  if (!edges.empty())
    engine->readRemotely(edges);
  values.clear();
  valueOf.clear();
}

bool IncomingValues::leadsHere(uint32_t edge, TaskId from) const {
  uint32_t index = edge < valueOf.size() ? valueOf[edge] : UINT32_MAX;
  return index != UINT32_MAX && values[index].peer == from;
}

bool IncomingValues::hasReceiveBuffers(TaskId from) const {
  return std::ranges::any_of(values, [&](const Incoming &value) {
    return value.peer == from && value.hasReceiveBuffer;
  });
}

void IncomingValues::beginRemoteReads(uint64_t step) {
  if (!std::exchange(hasNewlyExposed, false))
    return;
  std::vector<TaskEngine::RemoteRead> edges;
  for (Incoming &value : values) {
    // A value that has come, or a part of one, has its place already.
    if (!value.exposed.address || value.isReadThere)
      continue;
    if (value.isEarly) {
      hasNewlyExposed = true;
      continue;
    }
    value.isReadThere = true;
    edges.push_back({value.edge->edge, value.exposed.address});
    FrameHeader frame = spec.frame(FrameKind::RemoteRead, step);
    frame.edge = value.edge->edge;
    network.sendFrame(value.peer, frame, {});
  }
  engine->readRemotely(edges);
}

void IncomingValues::takeEarlyArrivals() {
  for (Incoming &value : values)
    takeEarlyArrival(value);
}

void IncomingValues::takeEarlyArrival(Incoming &value) {
  value.got = 0;
  value.isComplete = false;
  if (!value.isEarly)
    return;
  value.got = value.earlyBytes;
  value.isComplete = value.isEarlyComplete;
  if (value.got > 0 && !value.isReadThere)
    std::memcpy(value.edge->bytes.data(), value.early.data(), value.got);
  value.isEarly = value.isEarlyComplete = false;
  value.earlyBytes = 0;
  if (value.isComplete)
    engine->arrived(value.edge->edge, value.earlyNanos);
}

StatusOr<bool> IncomingValues::onData(const FrameHeader &frame,
                                      const ByteRanges &payload, bool isEarly) {
  Incoming &value = values[valueOf[frame.edge]];
  size_t size = payload.size();
  size_t total = value.edge->bytes.size();
  uint64_t &got = isEarly ? value.earlyBytes : value.got;
  bool &isComplete = isEarly ? value.isEarlyComplete : value.isComplete;
  if (frame.total != total || isComplete || frame.offset != got ||
      size > total - got || size > kMaxFrameBytes || (size == 0 && total > 0))
    return internalError("its frame has bytes " + std::to_string(frame.offset) +
                         " to " + std::to_string(frame.offset + size) + " of " +
                         std::to_string(frame.total) + " for a value of " +
                         std::to_string(total) + " bytes, of which " +
                         std::to_string(got) + " have come before");
  // What is read at the sender is at its place; the sender did not know yet.
  if (!value.isReadThere) {
    if (isEarly && value.early.size() < total)
      value.early.resize(total);
    std::byte *target = isEarly ? value.early.data() : value.edge->bytes.data();
    payload.copyTo(target + got);
  }
  got += size;
  isComplete = got == total;
  value.isEarly |= isEarly;
  if (isEarly && isComplete)
    value.earlyNanos = engine->recordedNow();
  if (isEarly || !isComplete)
    return false;
  engine->arrived(value.edge->edge);
  return true;
}

StatusOr<bool> IncomingValues::onInPlace(const FrameHeader &frame,
                                         bool isEarly) {
  Incoming &value = values[valueOf[frame.edge]];
  if ((!value.hasReceiveBuffer && !value.isReadThere) || isEarly ||
      value.isComplete || value.got > 0 ||
      frame.total != value.edge->bytes.size())
    return internalError("it says that edge " + std::to_string(frame.edge) +
                         " is in its place, which it cannot be");
  value.isComplete = true;
  value.got = frame.total;
  engine->arrived(value.edge->edge);
  return true;
}

Status IncomingValues::onExposed(const FrameHeader &frame) {
  Incoming &value = values[valueOf[frame.edge]];
  if (value.isReadThere || value.exposed.address)
    return internalError("it exposes edge " + std::to_string(frame.edge) +
                         " twice");
  // Only who gives a receive buffer tells the sender when a step has begun.
  if (value.hasReceiveBuffer && frame.total == value.edge->bytes.size() &&
      engine->mayReadRemotely(frame.edge))
    value.exposed = network.peerPlace(value.peer, frame.offset, frame.total);
  hasNewlyExposed |= value.exposed.address != nullptr;
  return Status::ok();
}

size_t IncomingValues::earlyBytes() const {
  size_t bytes = 0;
  for (const Incoming &value : values)
    bytes += value.earlyBytes;
  return bytes;
}

} // namespace graphc::runtime
