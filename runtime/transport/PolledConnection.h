// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A connection to another task that the task's thread polls.
#ifndef GRAPHC_RUNTIME_TRANSPORT_POLLEDCONNECTION_H
#define GRAPHC_RUNTIME_TRANSPORT_POLLEDCONNECTION_H

#include "runtime/base/Status.h"
#include "runtime/link/ByteRanges.h"
#include "runtime/link/Connection.h"

#include <functional>
#include <memory>

namespace graphc::runtime {

/// Memory for values of one peer, which outlives connections: engines use
/// places until they release them, whether the peer still lives or not.
/// Thread-safety: one call at a time.
class ReceiveMemory {
public:
  virtual ~ReceiveMemory() = default;
  /// Ignores what is not allocated.
  virtual void release(uint64_t offset) = 0;
};

/// A connection that the runner's thread looks at itself. Thread-safety: the
/// runner's thread, but for wakeWord().
class PolledConnection : public Connection {
public:
  /// Gives what has come to `onPacket`, at most a few hundred KiB per call;
  /// false: there was nothing. The bytes are valid during the call.
  virtual bool
  poll(const std::function<void(const ByteRanges &)> &onPacket) = 0;
  /// True when the peer's process is gone or broke the rules; failure() has the
  /// reason. What it has sent before may still be polled.
  virtual bool isBroken() = 0;
  virtual Status failure() const = 0;
  /// True once when room() was too small for the link, and there is more since.
  virtual bool takeRoom() = 0;
  /// Asks the peer to ring the runner's doorbell from now on (true), or not:
  /// the runner is about to sleep, or awake.
  virtual void setSleeping(bool isSleeping) = 0;
  /// Tells the peer that this process lives, without a packet: its poll() gives
  /// an empty packet. Any thread.
  virtual void heartbeat() = 0;
  /// The peer is told that this side is gone; nothing more comes or goes.
  virtual void close() = 0;
  /// True when transfers that were pending have ended since; reports them once.
  virtual bool takeTransferred() { return false; }
  /// The memory that allocate() takes places from: that of the peer's
  /// connection before, where there was one and it is of the same kind. Before
  /// the link has the connection.
  virtual std::shared_ptr<ReceiveMemory>
  takeMemory(std::shared_ptr<ReceiveMemory> before) {
    return before;
  }
};

} // namespace graphc::runtime

#endif
