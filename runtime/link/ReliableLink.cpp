// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/link/LinkState.h"

#include <algorithm>
#include <cstdio>

using namespace graphc::runtime;

namespace {

// A handshake that was not answered is sent again.
constexpr int64_t kHandshakeNanos = 200'000'000;

std::string seconds(int64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(nanos) * 1e-9);
  return text;
}

} // namespace

/// Time in which the owner did not call is not silence of the peer.
void ReliableLink::State::wake(int64_t now) {
  if (now - lastCall > 2 * options.heartbeatNanos) {
    lastHeard += now - lastCall;
    lostAt += now - lastCall;
  }
  lastCall = now;
}

PacketHeader ReliableLink::State::header(PacketKind kind,
                                         uint64_t number) const {
  PacketHeader header;
  header.kind = kind;
  header.from = tag();
  header.to = peerTag();
  header.number = number;
  header.ack = taken;
  return header;
}

void ReliableLink::State::noteSent(int64_t now) {
  lastSent = now;
  untold = 0;
  ackDue = kNoTimer;
}

void ReliableLink::State::sendHandshake(int64_t now) {
  HandshakePacket packet;
  packet.packet = header(PacketKind::Handshake, kHandshakeMagic);
  packet.handshake.task = self.task;
  packet.handshake.peer = peer;
  packet.handshake.epoch = epoch;
  packet.handshake.incarnation = self.incarnation;
  packet.handshake.clusterDigest = self.clusterDigest;
  handshakeDue = now + kHandshakeNanos;
  if (connection->room() < sizeof packet)
    return;
  connection->transmit(bytesOf(packet), {});
  isIntroduced = true;
  noteSent(now);
}

void ReliableLink::State::sendAck(int64_t now) {
  PacketHeader packet = header(PacketKind::Ack, 0);
  if (!isIntroduced || connection->room() < sizeof packet) {
    // Room will come, or frames that acknowledge the same.
    ackDue = now + kAckNanos;
    lastSent = now;
    return;
  }
  connection->transmit(bytesOf(packet), {});
  noteSent(now);
}

bool ReliableLink::State::mayTransmit(const FrameHeader &frame) const {
  size_t size = sizeOfPacket(frame);
  return connection && hasHandshake && isIntroduced &&
         (onTheWay == 0 || onTheWay + size <= options.credit) &&
         connection->room() >= size;
}

void ReliableLink::State::transmit(const FrameHeader &frame,
                                   const SharedBytes &payload, int64_t now) {
  FramePacketHead head{header(PacketKind::Frame, nextToSend), frame};
  if (onTheWay == 0)
    lastProgress = now;
  onTheWay += sizeOfPacket(frame);
  pace.onTheWay(onTheWay, now);
  ++nextToSend;
  if (payload.owner)
    connection->transmitShared(bytesOf(head), payload);
  else
    connection->transmit(bytesOf(head), payload.bytes);
  noteSent(now);
}

/// Sends what waits, as far as credit and room go.
void ReliableLink::State::flush(int64_t now) {
  while (nextToSend != queue.end() && mayTransmit(queue.header(nextToSend))) {
    uint64_t number = nextToSend;
    transmit(queue.header(number), queue.payload(number), now);
    if (connection->isLossless() && queue.firstKept() == number)
      queue.dropPayload();
  }
}

void ReliableLink::State::sendAgain(int64_t now) {
  nextToSend = queue.first();
  onTheWay = 0;
  flush(now);
}

/// Drops what was on the way: both endpoints count from 1.
void ReliableLink::State::forgetPeer() {
  queue.clear();
  nextToSend = 1;
  onTheWay = 0;
  pace.forget();
  taken = 0;
  untold = 0;
  ackDue = kNoTimer;
  peerIncarnation = 0;
  peerEpoch = 0;
}

void ReliableLink::State::giveUp(const Status &why) {
  failure = why;
  forgetPeer();
  ++epoch;
  if (!isUp)
    return;
  isUp = false;
  owner.onPeerDown(peer, why);
}

void ReliableLink::State::leaveConnection(const Status &why) {
  failure = why;
  connection = nullptr;
  hasHandshake = isIntroduced = isConfirmed = false;
  handshakeDue = ackDue = kNoTimer;
}

int64_t ReliableLink::State::nextTimer() const {
  if (!connection)
    return isUp ? std::min(lostAt + options.reconnectNanos,
                           lastCall + options.heartbeatNanos)
                : kNoTimer; // often enough for wake()
  int64_t next = std::min(lastHeard + options.silenceNanos,
                          lastSent + options.heartbeatNanos);
  next = std::min({next, ackDue, isConfirmed ? kNoTimer : handshakeDue});
  if (connection->mayDrop() && onTheWay > 0)
    next = std::min(next, lastProgress + options.retryNanos);
  return next;
}

ReliableLink::ReliableLink(LinkIdentity self, TaskId peer, LinkOwner &owner,
                           const LinkOptions &options)
    : state(std::make_unique<State>(self, peer, owner, options)) {}

ReliableLink::~ReliableLink() = default;

void ReliableLink::onConnectionUp(Connection &connection, int64_t now) {
  state->wake(now);
  state->connection = &connection;
  state->hasHandshake = state->isIntroduced = state->isConfirmed = false;
  state->lastHeard = now;
  state->sendHandshake(now);
}

void ReliableLink::onConnectionDown(const Status &why, int64_t now) {
  state->wake(now);
  if (!state->connection)
    return;
  bool isLossless = state->connection->isLossless();
  state->leaveConnection(why);
  state->lostAt = now;
  if (state->isUp && isLossless)
    state->giveUp(unavailable("was killed or has ended: " + why.message()));
}

Status ReliableLink::onPacket(const ByteRanges &bytes, int64_t now) {
  state->wake(now);
  if (!state->connection)
    return Status::ok();   // of a connection that was left
  if (bytes.size() == 0) { // a heartbeat: the peer lives, but its loop is busy
    state->lastHeard = now;
    return Status::ok();
  }
  GRAPHC_ASSIGN_OR_RETURN(ReceivedPacket packet, parsePacket(bytes));
  if (packet.header.kind == PacketKind::Handshake)
    return state->takeHandshake(packet, now);
  if (!state->hasHandshake && !state->connection->mayDrop())
    return dataLoss("the peer's first packet is not a handshake");
  // Of another epoch of either endpoint: what it states is not true any more.
  if (packet.header.from != state->peerTag() ||
      packet.header.to != state->tag())
    return Status::ok();
  state->lastHeard = now;
  state->isConfirmed = true;
  GRAPHC_TRY(state->takeAck(packet.header.ack, now));
  if (!state->hasHandshake) { // lost, but these two know each other
    if (state->hasLostFrames()) {
      Status why = unavailable("lost what was on the way");
      state->leaveConnection(why);
      state->giveUp(why);
      return Status::ok();
    }
    state->hasHandshake = true;
    state->sendAgain(now);
  }
  if (packet.header.kind == PacketKind::Frame)
    GRAPHC_TRY(state->takeFrame(packet, now));
  if (state->connection && state->nextToSend != state->queue.end())
    state->flush(now);
  if (state->connection && state->ackDue <= now)
    state->sendAck(now);
  return Status::ok();
}

void ReliableLink::onRoom(int64_t now) {
  state->wake(now);
  if (state->connection)
    state->flush(now);
}

void ReliableLink::onTimer(int64_t now) {
  State &link = *state;
  link.wake(now);
  if (!link.connection) {
    if (link.isUp && now >= link.lostAt + link.options.reconnectNanos)
      link.giveUp(unavailable(
          "did not come back within " + seconds(link.options.reconnectNanos) +
          " after its connection was lost: " + link.failure.message()));
    return;
  }
  if (now >= link.lastHeard + link.options.silenceNanos) {
    Status why = unavailable("stopped answering: nothing came from it for " +
                             seconds(now - link.lastHeard));
    link.leaveConnection(why);
    link.giveUp(why);
    return;
  }
  if (!link.isConfirmed && now >= link.handshakeDue)
    link.sendHandshake(now);
  if (link.connection->mayDrop() && link.onTheWay > 0 &&
      now >= link.lastProgress + link.options.retryNanos) {
    link.lastProgress = now;
    link.sendAgain(now);
  }
  if (now >= link.ackDue || now >= link.lastSent + link.options.heartbeatNanos)
    link.sendAck(now);
}

int64_t ReliableLink::nextTimer() const { return state->nextTimer(); }

void ReliableLink::send(const FrameHeader &header,
                        std::span<const std::byte> payload, int64_t now) {
  State &link = *state;
  if (!link.isUp)
    return;
  FrameHeader frame = header;
  frame.size = static_cast<uint32_t>(payload.size());
  bool isNext = link.nextToSend == link.queue.end() && link.mayTransmit(frame);
  bool isKept = !isNext || !link.connection->isLossless();
  link.queue.push(frame, payload, isKept);
  if (!isNext)
    return;
  uint64_t number = link.nextToSend;
  link.transmit(frame,
                isKept ? link.queue.payload(number) : SharedBytes{payload, {}},
                now);
}

bool ReliableLink::isUp() const { return state->isUp; }

bool ReliableLink::isReady() const {
  return state->isUp && state->connection && state->hasHandshake;
}

size_t ReliableLink::pending() const { return state->queue.bytes(); }

Connection *ReliableLink::connection() const { return state->connection; }

const Status &ReliableLink::failure() const { return state->failure; }

LinkSample ReliableLink::takePace(int64_t now) { return state->pace.take(now); }

uint64_t ReliableLink::duplicates() const { return state->duplicates; }
