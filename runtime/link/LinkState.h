// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State of a ReliableLink; packets that come are handled in LinkReceive.cpp.
#ifndef GRAPHC_RUNTIME_LINK_LINKSTATE_H
#define GRAPHC_RUNTIME_LINK_LINKSTATE_H

#include "runtime/link/FrameQueue.h"
#include "runtime/link/LinkPace.h"
#include "runtime/link/Packet.h"
#include "runtime/link/ReliableLink.h"

namespace graphc::runtime {

inline constexpr int64_t kNoTimer = INT64_MAX;

// When nothing goes back that could carry it, what was taken is acknowledged
// after such a part of the credit, or so long. Sooner would cost a packet of
// its own where the answer to a value is about to carry it.
inline constexpr size_t kAcksPerCredit = 4;
inline constexpr int64_t kAckNanos = 5'000'000;

/// Tag of a link at one endpoint: of the incarnation of a process, and how
/// often that has given the peer up. Never 0.
inline uint32_t linkTag(uint64_t incarnation, uint32_t epoch) {
  uint64_t mixed = (incarnation + epoch) * 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(mixed >> 32) | 1;
}

inline size_t sizeOfPacket(const FrameHeader &frame) {
  return sizeof(FramePacketHead) + frame.size;
}

struct ReliableLink::State {
  State(LinkIdentity self, TaskId peer, LinkOwner &owner,
        const LinkOptions &options)
      : self(self), peer(peer), owner(owner), options(options) {}

  LinkIdentity self;
  TaskId peer;
  LinkOwner &owner;
  LinkOptions options;
  Status failure;

  // The peer, with the present epochs of both endpoints: how often each has
  // given the other up.
  uint32_t epoch = 0;
  uint64_t peerIncarnation = 0; ///< 0: it has not answered
  uint32_t peerEpoch = 0;
  uint64_t taken = 0;
  bool isUp = false;

  FrameQueue queue;
  uint64_t nextToSend = 1;
  size_t onTheWay = 0; ///< bytes of frames [queue.first(), nextToSend)
  uint64_t duplicates = 0;
  LinkPace pace;

  Connection *connection = nullptr;
  bool hasHandshake = false; ///< the peer's came over this connection
  bool isIntroduced = false; ///< ours was sent
  bool isConfirmed = false;  ///< the peer has it
  size_t untold = 0;         ///< bytes taken since the last packet out
  int64_t ackDue = kNoTimer;
  int64_t handshakeDue = kNoTimer;
  int64_t lastSent = 0, lastHeard = 0, lastProgress = 0, lastCall = 0;
  int64_t lostAt = 0; ///< when the connection went down

  uint32_t tag() const { return linkTag(self.incarnation, epoch); }
  uint32_t peerTag() const {
    return peerIncarnation ? linkTag(peerIncarnation, peerEpoch) : 0;
  }

  void wake(int64_t now);
  PacketHeader header(PacketKind kind, uint64_t number) const;
  void sendHandshake(int64_t now);
  void sendAck(int64_t now);
  void noteSent(int64_t now);
  bool mayTransmit(const FrameHeader &frame) const;
  void transmit(const FrameHeader &frame, const SharedBytes &payload,
                int64_t now);
  void flush(int64_t now);
  void sendAgain(int64_t now);
  /// True when a lossless connection, which is gone, carried what the peer has
  /// not taken.
  bool hasLostFrames() const { return queue.firstKept() > queue.first(); }

  Status takeHandshake(const ReceivedPacket &packet, int64_t now);
  Status checkHandshake(const HandshakeBody &handshake) const;
  void meet(const HandshakeBody &handshake);
  Status takeAck(uint64_t number, int64_t now);
  Status takeFrame(const ReceivedPacket &packet, int64_t now);
  void forgetPeer();
  void giveUp(const Status &why);
  void leaveConnection(const Status &why);
  int64_t nextTimer() const;
};

} // namespace graphc::runtime

#endif
