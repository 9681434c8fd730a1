// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A connection between two tasks, as a ReliableLink uses it.
#ifndef GRAPHC_RUNTIME_LINK_CONNECTION_H
#define GRAPHC_RUNTIME_LINK_CONNECTION_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace graphc::runtime {

/// A place in memory that both ends see.
struct SharedPlace {
  std::byte *address = nullptr; ///< null: there is none
  uint64_t offset = 0;          ///< the same place for the peer
};

/// A place in the peer's memory.
struct PeerPlace {
  std::byte *address = nullptr; ///< null: there is none
  std::shared_ptr<const void>
      memory; ///< keeps it mapped, without the connection too
};

/// Bytes that `owner` keeps as they are; without owner, valid during a call.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// A copy between this process's memory and a peer's, which may end later than
/// the call that began it.
struct Transfer {
  enum class State { Done, Pending, Failed };
  State state = State::Failed;
  uint64_t id = 0; ///< Pending: to ask for it
};

/// Copies by store and load, where both processes map the place.
Transfer putBytes(const PeerPlace &place, std::span<const std::byte> bytes);
Transfer getBytes(const PeerPlace &place, std::span<std::byte> bytes);

/// Carries packets in order while it is up; whoever owns it tells the link when
/// it is up and when it is gone. Thread-safety: one call at a time.
class Connection {
public:
  virtual ~Connection() = default;

  /// Bytes of packets that transmit() would take now. A link asks before each
  /// packet, and is told (ReliableLink::onRoom) when there is room again.
  virtual size_t room() const = 0;

  /// Sends a packet: `head` and then `body`, which may be reused after the
  /// call.
  virtual void transmit(std::span<const std::byte> head,
                        std::span<const std::byte> body) = 0;

  /// The same, where the connection may keep the body's owner instead of a
  /// copy.
  virtual void transmitShared(std::span<const std::byte> head,
                              const SharedBytes &body) {
    transmit(head, body.bytes);
  }

  /// True when everything transmitted arrives once and in order as long as the
  /// peer's process lives, so that nothing need be kept to be sent again.
  virtual bool isLossless() const { return false; }

  /// True when packets may be lost, doubled or overtaken while the connection
  /// is up, so that they must be sent again after a time.
  virtual bool mayDrop() const { return false; }

  /// Memory of this process that the peer can read and write, for values that
  /// are to land in place or are read in place; null where the connection has
  /// none. It outlives the connection: who drives the task takes it back
  /// (NodeDriver::releaseShared).
  virtual SharedPlace allocate(size_t bytes) { return {}; }

  /// The peer's place at `offset`, where this process can map it.
  virtual PeerPlace peerPlace(uint64_t offset, size_t bytes) { return {}; }

  /// True when put() and get() reach the peer's memory there.
  virtual bool reaches(uint64_t offset, size_t bytes) {
    return peerPlace(offset, bytes).address != nullptr;
  }
  /// Copies to, or from, the peer's memory at `offset`. The bytes stay as they
  /// are until the transfer has ended; what is transmitted after a put() has
  /// ended arrives after its bytes.
  virtual Transfer put(uint64_t offset, std::span<const std::byte> bytes) {
    return putBytes(peerPlace(offset, bytes.size()), bytes);
  }
  virtual Transfer get(uint64_t offset, std::span<std::byte> bytes) {
    return getBytes(peerPlace(offset, bytes.size()), bytes);
  }
  /// Of a transfer that was pending. Done and Failed are told once, then the id
  /// is unknown, which is Failed, too.
  virtual Transfer::State transferState(uint64_t id) {
    return Transfer::State::Failed;
  }

  /// The transport's name: "shm", "grpc", "inproc", "sim".
  virtual const char *route() const = 0;
};

} // namespace graphc::runtime

#endif
