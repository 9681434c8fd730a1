// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/link/Packet.h"

#include <cstring>

using namespace graphc::runtime;

namespace {

Status broken(const char *what) {
  return dataLoss(std::string("a packet ") + what +
                  ": the connection is damaged or leads to another program");
}

template <typename T> T readAs(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

Status parseHandshake(std::span<const std::byte> body, ReceivedPacket &packet) {
  if (packet.header.number != kHandshakeMagic || body.size() < sizeof(uint32_t))
    return broken("is no handshake, though its kind is");
  // The version comes first, whatever else another version sends.
  uint32_t version = readAs<uint32_t>(body);
  if (version != kProtocolVersion)
    return failedPrecondition("the peer speaks protocol version " +
                              std::to_string(version) + ", this task " +
                              std::to_string(kProtocolVersion) +
                              ": install the same graphc at both");
  if (body.size() != sizeof(HandshakeBody))
    return broken("has a handshake of the wrong size");
  packet.handshake = readAs<HandshakeBody>(body);
  if (packet.handshake.incarnation == 0)
    return broken("has a handshake without incarnation");
  return Status::ok();
}

Status parseFrame(const ByteRanges &body, ReceivedPacket &packet) {
  if (body.first().size() < sizeof(FrameHeader))
    return broken("ends inside a frame's header");
  packet.frame = readAs<FrameHeader>(body.first());
  packet.payload = body.without(sizeof(FrameHeader));
  if (packet.frame.size > kMaxFrameBytes ||
      packet.frame.size != packet.payload.size())
    return broken("and its frame disagree about the size");
  auto kind = static_cast<uint8_t>(packet.frame.kind);
  if (kind < static_cast<uint8_t>(FrameKind::Data) ||
      kind > static_cast<uint8_t>(FrameKind::RemoteRead))
    return broken("has a frame of unknown kind");
  if (packet.header.number == 0)
    return broken("has a frame without number");
  return Status::ok();
}

} // namespace

StatusOr<ReceivedPacket> graphc::runtime::parsePacket(const ByteRanges &bytes) {
  if (bytes.first().size() < sizeof(PacketHeader))
    return broken("ends inside its header");
  ReceivedPacket packet;
  packet.header = readAs<PacketHeader>(bytes.first());
  ByteRanges body = bytes.without(sizeof(PacketHeader));
  switch (packet.header.kind) {
  case PacketKind::Handshake:
    if (body.size() != body.first().size())
      return broken("has a handshake of the wrong size");
    GRAPHC_TRY(parseHandshake(body.first(), packet));
    return packet;
  case PacketKind::Frame:
    GRAPHC_TRY(parseFrame(body, packet));
    return packet;
  case PacketKind::Ack:
    if (body.size() > 0)
      return broken("has bytes after an acknowledgement");
    return packet;
  }
  return broken("is of unknown kind");
}
