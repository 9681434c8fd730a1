// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unix socket for small messages that carry file descriptors.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHM_FDSOCKET_H
#define GRAPHC_RUNTIME_TRANSPORT_SHM_FDSOCKET_H

#include "runtime/transport/SharedMemory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Message over the socket beside a pair of rings. Both sides run on the same
/// machine, so the bytes go as they are.
struct ShmMessage {
  enum Kind : uint32_t {
    Handshake =
        1,    ///< descriptors: the ring that the sender reads, its doorbell
    Block = 2 ///< descriptor: the next block of the sender's ReceiveArena
  };
  uint64_t magic = 0;
  uint32_t kind = 0;
  uint32_t version = 0; ///< kProtocolVersion
  uint32_t task = 0;    ///< Handshake: the sender's TaskId
  uint32_t reserved = 0;
  uint64_t bytes = 0; ///< of the ring or the block
};

/// A message with its descriptors.
struct ShmDelivery {
  ShmMessage message;
  std::vector<FileDescriptor> fds;
};

/// Thread-safety: one call at a time.
class FdSocket {
public:
  FdSocket() = default;
  explicit FdSocket(FileDescriptor fd) : file(std::move(fd)) {}

  /// Two ends in this process.
  static StatusOr<std::pair<FdSocket, FdSocket>> pair();
  /// To a name in the abstract namespace. UNAVAILABLE: nobody listens.
  static StatusOr<FdSocket> connect(const std::string &name);
  /// Listens under the name.
  static StatusOr<FdSocket> listen(const std::string &name);
  /// Of a listening socket; nothing waits: UNAVAILABLE.
  StatusOr<FdSocket> accept();

  int fd() const { return file.get(); }
  /// PERMISSION_DENIED where the other end is another user's.
  Status checkPeer() const;

  /// Never waits. UNAVAILABLE: the peer is gone or does not read.
  Status send(ShmMessage message, std::initializer_list<int> fds);

  enum class Received { Message, Nothing, Closed };
  /// Never waits. INVALID_ARGUMENT: what came is no message.
  StatusOr<Received> receive(ShmDelivery &delivery);
  /// Waits for a message, but not past `untilNanos` (nowNanos()).
  bool waitReadable(int64_t untilNanos) const;

private:
  FileDescriptor file;
};

} // namespace graphc::runtime

#endif
