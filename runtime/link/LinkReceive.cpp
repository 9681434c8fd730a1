// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Receives packets of a link: handshakes, acknowledgements, frames.
#include "runtime/link/LinkState.h"

#include <algorithm>

using namespace graphc::runtime;

namespace {

// A fault that the simulation must find, for a test that is built with one. 1:
// frames that come twice are taken twice; 2: frames that are missing are not
// missed.
#ifdef GRAPHC_PLANT_FAULT
constexpr int kPlantedFault = GRAPHC_PLANT_FAULT;
#else
constexpr int kPlantedFault = 0;
#endif

} // namespace

Status
ReliableLink::State::checkHandshake(const HandshakeBody &handshake) const {
  if (handshake.task != peer || handshake.peer != self.task)
    return failedPrecondition(
        "task number " + std::to_string(handshake.task) +
        ", which looks for task number " + std::to_string(handshake.peer) +
        ", answers where task number " + std::to_string(peer) +
        " is expected: an address in the cluster is wrong");
  if (handshake.clusterDigest != self.clusterDigest)
    return failedPrecondition(
        "the peer was started with another cluster: give all tasks the same "
        "jobs and indices");
  return Status::ok();
}

void ReliableLink::State::meet(const HandshakeBody &handshake) {
  bool wasUp = isUp;
  bool isSameProcess = handshake.incarnation == peerIncarnation;
  forgetPeer();
  isUp = false;
  if (wasUp) {
    failure = unavailable(isSameProcess ? "gave up this task and came back"
                                        : "was killed or restarted");
    owner.onPeerDown(peer, failure);
  }
  peerIncarnation = handshake.incarnation;
  peerEpoch = handshake.epoch;
  isUp = true;
}

Status ReliableLink::State::takeHandshake(const ReceivedPacket &packet,
                                          int64_t now) {
  const HandshakeBody &handshake = packet.handshake;
  GRAPHC_TRY(checkHandshake(handshake));
  bool isKnown =
      handshake.incarnation == peerIncarnation && handshake.epoch == peerEpoch;
  if (handshake.incarnation == peerIncarnation && handshake.epoch < peerEpoch)
    return Status::ok(); // overtaken by a later one
  bool knowsUs = packet.header.to == tag();
  bool isFirst = !hasHandshake;
  hasHandshake = true;
  lastHeard = now;
  isConfirmed |= knowsUs;
  if (isKnown && knowsUs)
    GRAPHC_TRY(takeAck(packet.header.ack, now));
  if (isKnown && isFirst && hasLostFrames()) {
    giveUp(unavailable("lost what was on the way"));
    isConfirmed = false;
    if (connection)
      sendHandshake(now);
    isKnown = false;
  }
  if (!isKnown) {
    meet(handshake);
    owner.onPeerUp(peer, handshake.incarnation);
  }
  if (!connection)
    return Status::ok();
  if (isFirst)
    sendAgain(now);
  if (!knowsUs)
    sendAck(now); // confirms the handshake
  return Status::ok();
}

Status ReliableLink::State::takeAck(uint64_t number, int64_t now) {
  if (number >= queue.end())
    return dataLoss("the peer has taken frame " + std::to_string(number) +
                    ", which was not sent");
  while (queue.first() <= number) {
    if (queue.first() < nextToSend) {
      onTheWay -= sizeOfPacket(queue.header(queue.first()));
      pace.onTaken(sizeOfPacket(queue.header(queue.first())));
    }
    queue.pop();
    lastProgress = now;
  }
  pace.onTheWay(onTheWay, now);
  nextToSend = std::max(nextToSend, queue.first());
  return Status::ok();
}

Status ReliableLink::State::takeFrame(const ReceivedPacket &packet,
                                      int64_t now) {
  uint64_t number = packet.header.number;
  if (number <= taken && kPlantedFault != 1) {
    ++duplicates;
    ackDue = std::min(ackDue, now);
    return Status::ok();
  }
  if (number > taken + 1 && kPlantedFault != 2) {
    if (!connection->mayDrop())
      return dataLoss("frame " + std::to_string(number) + " came after frame " +
                      std::to_string(taken));
    return Status::ok(); // the frames between come again, and this one
  }
  taken = std::max(taken, number);
  untold += packet.payload.size() + sizeof(FramePacketHead);
  if (untold >= options.credit / kAcksPerCredit)
    ackDue = now;
  else if (ackDue == kNoTimer)
    ackDue = now + kAckNanos;
  owner.onFrame(peer, packet.frame, packet.payload);
  return Status::ok();
}
