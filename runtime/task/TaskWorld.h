// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything outside a task that the task acts on: its clock, its peers, its
// clients, its log.
#ifndef GRAPHC_RUNTIME_TASK_TASKWORLD_H
#define GRAPHC_RUNTIME_TASK_TASKWORLD_H

#include "runtime/link/Frame.h"
#include "runtime/link/Wire.h"
#include "runtime/protocol/cluster.pb.h"

#include <chrono>
#include <span>
#include <string_view>

namespace graphc::runtime {

/// A client's conversation with this task; never used again.
using ClientId = uint64_t;

enum class Severity { Info, Warning, Error };

inline int64_t systemMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Calls return at once. Thread-safety: as the machine that calls.
class TaskWorld {
public:
  virtual ~TaskWorld() = default;

  virtual int64_t nowNanos() const = 0;
  /// Since 1970, as the machine's clock says.
  virtual int64_t clockMillis() const { return systemMillis(); }

  /// Wants a link to a peer: TaskMachine::onPeerUp follows, or onPeerDown after
  /// the time to connect has passed. Nothing where there is one.
  virtual void connect(TaskId peer) = 0;
  virtual bool isPeerUp(TaskId peer) const = 0;
  /// Whether what is said to the peer reaches it now: it is up, and its
  /// connection is not being replaced. TaskMachine::onPeerUp follows where it
  /// is not; until then it may turn out that the peer was restarted.
  virtual bool isPeerReady(TaskId peer) const { return isPeerUp(peer); }
  virtual void sendFrame(TaskId peer, const FrameHeader &header,
                         std::span<const std::byte> payload) = 0;
  /// Memory shared with a peer, see Wire; nothing where the peer is not up. A
  /// place is given back at any time.
  virtual SharedPlace allocateShared(TaskId peer, size_t bytes) = 0;
  virtual void releaseShared(TaskId peer, uint64_t offset) = 0;
  virtual PeerPlace peerPlace(TaskId peer, uint64_t offset, size_t bytes) = 0;

  /// Whether the client's queue has room for further results.
  virtual bool canReply(ClientId client) const = 0;
  virtual void reply(ClientId client, protocol::Reply reply) = 0;

  virtual void log(Severity severity, std::string_view text) = 0;

  /// What a step of so many instructions costs in time that passes only here,
  /// for simulations; 0 where time passes by itself.
  virtual int64_t stepNanos(size_t instructions) { return 0; }

  /// The process was asked to end.
  virtual void stop() = 0;
};

} // namespace graphc::runtime

#endif
