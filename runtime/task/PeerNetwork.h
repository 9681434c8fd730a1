// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's links to the other tasks of its cluster, and the memory that it
// shares with them.
#ifndef GRAPHC_RUNTIME_TASK_PEERNETWORK_H
#define GRAPHC_RUNTIME_TASK_PEERNETWORK_H

#include "runtime/link/Connection.h"
#include "runtime/link/FrameHeader.h"

#include <span>

namespace graphc::runtime {

/// Calls return at once. Thread-safety: as the machine that calls.
class PeerNetwork {
public:
  virtual ~PeerNetwork() = default;

  /// Wants a link to a peer: TaskMachine::onPeerUp follows, or onPeerDown after
  /// the time to connect has passed. Nothing where there is one.
  virtual void connect(TaskId peer) = 0;
  virtual bool isPeerUp(TaskId peer) const = 0;
  /// True when messages reach the peer now: it is up, and its connection is not
  /// being replaced. TaskMachine::onPeerUp follows where it is not; until then
  /// it may turn out that the peer was restarted.
  virtual bool isPeerReady(TaskId peer) const { return isPeerUp(peer); }
  virtual void sendFrame(TaskId peer, const FrameHeader &header,
                         std::span<const std::byte> payload) = 0;
  /// Memory shared with a peer, see Connection; nothing where the peer is not
  /// up. A place is given back at any time.
  virtual SharedPlace allocateShared(TaskId peer, size_t bytes) = 0;
  virtual void releaseShared(TaskId peer, uint64_t offset) = 0;
  virtual PeerPlace peerPlace(TaskId peer, uint64_t offset, size_t bytes) = 0;
  /// True when put() reaches a receive buffer of a peer, see Connection.
  virtual bool reaches(TaskId peer, uint64_t offset, size_t bytes) {
    return peerPlace(peer, offset, bytes).address != nullptr;
  }
  /// Puts a value into a receive buffer. TaskMachine::onTransfersEnded follows
  /// where it is pending.
  virtual Transfer put(TaskId peer, uint64_t offset,
                       std::span<const std::byte> bytes) {
    return putBytes(peerPlace(peer, offset, bytes.size()), bytes);
  }
  virtual Transfer::State transferState(TaskId peer, uint64_t id) {
    return Transfer::State::Failed;
  }
};

} // namespace graphc::runtime

#endif
