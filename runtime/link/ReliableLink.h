// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames between two tasks, exactly once and in order, over connections that
// come and go.
#ifndef GRAPHC_RUNTIME_LINK_RELIABLELINK_H
#define GRAPHC_RUNTIME_LINK_RELIABLELINK_H

#include "runtime/base/Status.h"
#include "runtime/link/ByteRanges.h"
#include "runtime/link/Connection.h"
#include "runtime/link/FrameHeader.h"
#include "runtime/link/LinkPace.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace graphc::runtime {

struct LinkOptions {
  int64_t heartbeatNanos = 1'000'000'000; ///< one is sent at least so often
  /// A peer that is silent for so long is given up.
  int64_t silenceNanos = 8'000'000'000;
  /// A peer whose connection is gone is given up after so long without another.
  int64_t reconnectNanos = 2'000'000'000;
  /// Bytes on the way that the peer has not taken; what is more waits here.
  size_t credit = 8 << 20;
  /// On connections that may drop packets: they are sent again after so long.
  int64_t retryNanos = 200'000'000;
};

/// Identity of a link's endpoint.
struct LinkIdentity {
  TaskId task = kNoTask;
  uint64_t incarnation = 0;   ///< of the process: random, not 0
  uint64_t clusterDigest = 0; ///< ClusterSpec::digest
};

/// Callbacks of a link to its owner, during a call to it.
class LinkOwner {
public:
  virtual ~LinkOwner() = default;
  /// The peer answered: it is there, for the first time or after it was given
  /// up.
  virtual void onPeerUp(TaskId peer, uint64_t incarnation) = 0;
  /// The peer is given up or has another incarnation: what was on the way is
  /// lost. A UNAVAILABLE status says why: "stopped answering", "killed or
  /// restarted", …
  virtual void onPeerDown(TaskId peer, const Status &why) = 0;
  virtual void onFrame(TaskId peer, const FrameHeader &header,
                       const ByteRanges &payload) = 0;
};

/// An event machine: the owner tells it what happens and what time it is.
///
/// Each frame has a number; the receiver takes them in order, drops duplicates
/// and acknowledges what it has. What it has not taken is sent again over the
/// next connection. The first packet of a connection in each direction is a
/// handshake with kProtocolVersion, both identities and the number of the last
/// frame taken. send() takes any frame for a peer that is up: what exceeds the
/// credit waits here, in memory that the caller bounds by how much it sends
/// ahead. A frame for a peer that is not up is lost, as what was on the way is.
///
/// A lossless connection ends with its peer's process, so the peer is given up
/// when such a connection goes down. Where another connection replaces one,
/// what was transmitted over a lossless connection is not kept: if the peer has
/// not taken all of it, the link begins anew (onPeerDown, then onPeerUp at both
/// ends).
///
/// The link drops a connection itself when the peer is silent for too long:
/// connection() is null then and failure() is the cause. Silence counts only
/// while the owner calls: after a long pause of its own it hears first.
/// Thread-safety: one call at a time.
class ReliableLink {
public:
  ReliableLink(LinkIdentity self, TaskId peer, LinkOwner &owner,
               const LinkOptions &options = {});
  ~ReliableLink();

  /// A connection to the peer is there; an older one is not used any more.
  void onConnectionUp(Connection &connection, int64_t now);
  void onConnectionDown(const Status &why, int64_t now);
  /// A packet came, of which the first range has at least a
  /// FramePacketHead, or all. DATA_LOSS or another failure: the peer breaks the
  /// protocol or is another than expected; the owner closes the connection.
  Status onPacket(const ByteRanges &packet, int64_t now);
  void onRoom(int64_t now);
  void onTimer(int64_t now);
  /// Time at which onTimer() is due at the latest.
  int64_t nextTimer() const;

  void send(const FrameHeader &header, std::span<const std::byte> payload,
            int64_t now);

  bool isUp() const; ///< the peer has answered and is not given up
  /// Up, and the peer has named itself over the present connection.
  bool isReady() const;
  /// Bytes that wait here or are on the way.
  size_t pending() const;
  Connection *connection() const;
  /// Reason why the peer was given up or the last connection was left.
  const Status &failure() const;
  /// Throughput of frames to the peer since the last call.
  LinkSample takePace(int64_t now);
  /// Frames that came twice and were dropped.
  uint64_t duplicates() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
