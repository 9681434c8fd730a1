// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A connection between two tasks on one host: two rings in shared memory, and
// memory in which values land in place.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHM_SHMCONNECTION_H
#define GRAPHC_RUNTIME_TRANSPORT_SHM_SHMCONNECTION_H

#include "runtime/cluster/TaskId.h"
#include "runtime/transport/Doorbell.h"
#include "runtime/transport/PolledConnection.h"
#include "runtime/transport/shm/FdSocket.h"
#include "runtime/transport/shm/PacketRing.h"
#include "runtime/transport/shm/ReceiveArena.h"

#include <vector>

namespace graphc::runtime {

/// Each side makes the ring that it reads and passes it, with its doorbell,
/// over a unix socket that stays open: its end tells that the peer's process is
/// gone. A peer that is awake is told nothing, so a packet costs no system call
/// then. What the peer writes is checked: it can end the connection and spoil
/// values, no more. Packets of more than 4 KiB are shown in shared memory,
/// where a hostile peer may still change them.
class ShmConnection final : public PolledConnection {
public:
  /// `route`: "shm", or "inproc" where the peer is a thread of this process.
  ShmConnection(FdSocket socket, SharedMemory incoming, SharedMemory outgoing,
                std::shared_ptr<Doorbell> peerBell, const char *route);

  // Connection
  size_t room() const override;
  void transmit(std::span<const std::byte> head,
                std::span<const std::byte> body) override;
  bool isLossless() const override { return true; }
  SharedPlace allocate(size_t bytes) override;
  PeerPlace peerPlace(uint64_t offset, size_t bytes) override;
  const char *route() const override { return routeName; }

  // PolledConnection
  bool poll(const std::function<void(const ByteRanges &)> &onPacket) override;
  bool isBroken() override;
  Status failure() const override { return cause; }
  bool takeRoom() override;
  void setSleeping(bool isSleeping) override;
  void heartbeat() override;
  void close() override;
  std::shared_ptr<ReceiveMemory>
  takeMemory(std::shared_ptr<ReceiveMemory> before) override;

private:
  void readSocket();
  Status takeBlock(ShmDelivery &delivery);
  bool sendBlocks();
  void fail(Status why);

  FdSocket socket;
  SharedMemory incoming, outgoing;
  RingReader reader;
  RingWriter writer;
  std::shared_ptr<Doorbell> peerBell;
  const char *routeName;
  /// Null: no places are given.
  std::shared_ptr<ReceiveArena> arena = std::make_shared<ReceiveArena>();
  size_t blocksSent = 0;
  PeerArena peerArena;
  mutable bool isTight = false; ///< room() has disappointed
  uint32_t heartbeatsSeen = 0;
  int64_t socketReadNanos = 0;
  Status cause; ///< why the connection is broken
  std::vector<std::byte> copy;
};

/// The first exchange over the socket of a connection.
class ShmHandshake {
public:
  /// Sends ours. PERMISSION_DENIED: the other end is another user's.
  static StatusOr<ShmHandshake> begin(FdSocket socket, TaskId self,
                                      const std::shared_ptr<Doorbell> &bell);
  const FdSocket &connection() const { return socket; }

  struct Result {
    TaskId peer;
    std::unique_ptr<ShmConnection> connection;
  };
  /// The peer's message is there. Call once.
  StatusOr<Result> finish(const char *route = "shm");

private:
  ShmHandshake() = default;
  FdSocket socket;
  SharedMemory incoming;
};

} // namespace graphc::runtime

#endif
