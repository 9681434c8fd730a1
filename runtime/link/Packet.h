// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of what passes over a connection: packets with a number and what
// the sender has taken. Integers are little-endian.
#ifndef GRAPHC_RUNTIME_LINK_PACKET_H
#define GRAPHC_RUNTIME_LINK_PACKET_H

#include "runtime/base/Status.h"
#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/link/ByteRanges.h"
#include "runtime/link/FrameHeader.h"

#include <span>

namespace graphc::runtime {

enum class PacketKind : uint8_t {
  Handshake = 1, ///< a HandshakeBody follows; first on each connection
  Frame = 2,     ///< a FrameHeader and its payload follow
  Ack = 3 ///< nothing follows: names what was taken, or that one is alive
};

struct PacketHeader {
  PacketKind kind = PacketKind::Ack;
  uint8_t flags = 0;     ///< 0
  uint16_t reserved = 0; ///< 0
  /// Incarnation of the link at the sender, and the one that it believes the
  /// receiver to have (0: unknown). Packets of other incarnations are stale.
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t reserved2 = 0; ///< 0
  /// Frames count from 1. Handshake: kHandshakeMagic. Ack: 0.
  uint64_t number = 0;
  uint64_t ack = 0; ///< number of the last frame taken
};
static_assert(sizeof(PacketHeader) == 32);

inline constexpr uint64_t kHandshakeMagic = 0x6b6e696c63687067; // "gphclink"

struct HandshakeBody {
  uint32_t protocol = kProtocolVersion;
  TaskId task = kNoTask; ///< the sender
  TaskId peer = kNoTask; ///< whom it wants to speak to
  uint32_t epoch = 0;    ///< how often the sender has given the receiver up
  uint64_t incarnation = 0;
  uint64_t clusterDigest = 0;
};
static_assert(sizeof(HandshakeBody) == 32);

struct HandshakePacket {
  PacketHeader packet;
  HandshakeBody handshake;
};

struct FramePacketHead {
  PacketHeader packet;
  FrameHeader frame;
};
static_assert(sizeof(FramePacketHead) == 96);

template <typename T> std::span<const std::byte> bytesOf(const T &value) {
  return std::as_bytes(std::span(&value, 1));
}

/// A packet that was checked: sizes agree, kinds are known.
struct ReceivedPacket {
  PacketHeader header;
  HandshakeBody handshake; ///< of a Handshake
  FrameHeader frame;       ///< of a Frame
  ByteRanges payload;
};

/// DATA_LOSS where the bytes are no packet; FAILED_PRECONDITION for a handshake
/// of another version. The first range of `bytes` has at least the packet's
/// head; `payload` points into them.
StatusOr<ReceivedPacket> parsePacket(const ByteRanges &bytes);

} // namespace graphc::runtime

#endif
