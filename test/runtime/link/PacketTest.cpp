// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packets that are what they say, and those that are not.
#include "runtime/link/Packet.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

struct Raw {
  PacketHeader header;
  std::vector<std::byte> body;

  std::string parse() const {
    std::vector<std::byte> bytes(sizeof header + body.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    std::ranges::copy(body, bytes.begin() + sizeof header);
    auto packet = parsePacket(std::span<const std::byte>(bytes));
    return packet.isOk() ? "" : packet.status().message();
  }
};

Raw handshake() {
  HandshakeBody body;
  body.incarnation = 1;
  Raw raw{{.kind = PacketKind::Handshake, .number = kHandshakeMagic},
          std::vector<std::byte>(sizeof body)};
  std::memcpy(raw.body.data(), &body, sizeof body);
  return raw;
}

Raw frame(size_t size, FrameKind kind = FrameKind::Data) {
  FrameHeader header;
  header.kind = kind;
  header.size = static_cast<uint32_t>(size);
  Raw raw{{.kind = PacketKind::Frame, .number = 1},
          std::vector<std::byte>(sizeof header + size)};
  std::memcpy(raw.body.data(), &header, sizeof header);
  return raw;
}

void expectBroken(const Raw &raw, const std::string &how) {
  EXPECT_EQ(raw.parse(), "a packet " + how +
                             ": the connection is damaged or leads to another "
                             "program");
}

TEST(Packet, OfEachKindIsTaken) {
  EXPECT_EQ(handshake().parse(), "");
  EXPECT_EQ((Raw{{.kind = PacketKind::Ack}, {}}).parse(), "");
  for (FrameKind kind : {FrameKind::Data, FrameKind::RemoteRead})
    for (size_t size : {size_t(0), size_t(5), kMaxFrameBytes})
      EXPECT_EQ(frame(size, kind).parse(), "");
}

TEST(Packet, WhatIsNoPacketIsRefused) {
  std::vector<std::byte> brief(sizeof(PacketHeader) - 1);
  EXPECT_NE(parsePacket(std::span<const std::byte>(brief))
                .status()
                .message()
                .find("ends inside its header"),
            std::string::npos);
  expectBroken({{.kind = static_cast<PacketKind>(0)}, {}},
               "is of unknown kind");
  expectBroken({{.kind = static_cast<PacketKind>(4)}, {}},
               "is of unknown kind");
  expectBroken({{.kind = PacketKind::Ack}, std::vector<std::byte>(1)},
               "has bytes after an acknowledgement");
  Raw raw = handshake();
  raw.header.number += 1;
  expectBroken(raw, "is no handshake, though its kind is");
  raw = handshake();
  raw.body.resize(sizeof(uint32_t) - 1);
  expectBroken(raw, "is no handshake, though its kind is");
  for (size_t size : {sizeof(uint32_t), sizeof(HandshakeBody) - 1,
                      sizeof(HandshakeBody) + 1}) {
    raw = handshake();
    raw.body.resize(size);
    expectBroken(raw, "has a handshake of the wrong size");
  }
  raw = handshake();
  std::memset(raw.body.data() + offsetof(HandshakeBody, incarnation), 0, 8);
  expectBroken(raw, "has a handshake without incarnation");
}

TEST(Packet, FramesAreWhatTheirHeadersSay) {
  Raw raw = frame(0);
  raw.body.pop_back();
  expectBroken(raw, "ends inside a frame's header");
  for (int more : {-1, 1}) {
    raw = frame(5);
    raw.body.resize(raw.body.size() + more);
    expectBroken(raw, "and its frame disagree about the size");
  }
  expectBroken(frame(kMaxFrameBytes + 1),
               "and its frame disagree about the size");
  for (int kind : {0, 10})
    expectBroken(frame(5, static_cast<FrameKind>(kind)),
                 "has a frame of unknown kind");
  raw = frame(5);
  raw.header.number = 0;
  expectBroken(raw, "has a frame without number");
}

} // namespace
