// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packets between two tasks: real ones, changed ones and made up ones, over
// connections that come and go. An input is a list of events.
#include "runtime/link/Packet.h"
#include "test/fuzz/Input.h"
#include "test/runtime/link/LinkPair.h"

using namespace graphc;
using namespace graphc::test;

namespace {

constexpr int kMaxEvents = 400;
constexpr size_t kMaxWaiting = 4096; ///< packets of a connection

/// The owner of a link closes a connection whose peer breaks the protocol.
void take(LinkPair &links, const Status &status) {
  requireMessage(status);
  if (!status.isOk())
    links.cut();
}

/// Delivers the next packet of `from`, changed at some byte or cut.
void deliverChanged(LinkPair &links, LinkEnd &from, LinkEnd &to, Input &input) {
  if (!from.connection || from.connection->packets.empty())
    return;
  auto place = input.take<uint16_t>();
  auto change = input.take<std::byte>();
  std::vector<std::byte> &packet = from.connection->packets.front();
  if (change == std::byte(0))
    packet.resize(std::min<size_t>(place, packet.size()));
  else if (!packet.empty())
    packet[place % packet.size()] ^= change;
  take(links, links.deliverOne(from, to));
}

/// Delivers bytes of the input, in one range or in two.
void deliverMade(LinkPair &links, LinkEnd &to, Input &input) {
  auto size = input.take<uint8_t>();
  auto head = input.take<uint8_t>();
  std::span<const std::byte> given = input.takeBytes(size);
  // Its own memory, so that a read after it is found.
  std::vector<std::byte> bytes(given.begin(), given.end());
  size_t least = std::min(bytes.size(), sizeof(FramePacketHead));
  size_t first = std::clamp<size_t>(head, least, bytes.size());
  ByteRange whole(bytes);
  ByteRange rest = whole.subspan(first);
  requireMessage(parsePacket(ByteRanges(whole)).status());
  take(links,
       to.link.onPacket({whole.first(first), std::span(&rest, 1)}, links.now));
}

void happen(LinkPair &links, Input &input) {
  auto event = input.take<uint8_t>();
  bool isForward = event & 0x80;
  LinkEnd &from = isForward ? *links.a : *links.b;
  LinkEnd &to = isForward ? *links.b : *links.a;
  switch (event % 8) {
  case 0:
    return deliverMade(links, to, input);
  case 1:
    return deliverChanged(links, from, to, input);
  case 2:
    if (from.connection && !from.connection->packets.empty())
      take(links, links.deliverOne(from, to));
    return;
  case 3:
    return from.send(event, input.take<uint8_t>() * size_t(17), links.now);
  case 4:
    // A connection that loses nothing, one that may, or neither.
    return links.connect((event & 0x30) == 0x10, (event & 0x30) == 0x20);
  case 5:
    return links.cut();
  case 6:
    links.now += int64_t(input.take<uint8_t>()) * 50'000'000;
    return links.timers();
  default:
    if (from.connection) {
      from.connection->roomLeft = size_t(input.take<uint8_t>()) * 32;
      from.link.onRoom(links.now);
    }
  }
}

/// Two real links say no more than a bounded number of packets to each other.
void checkWaiting(const LinkEnd &end) {
  if (end.connection)
    require(end.connection->packets.size() < kMaxWaiting,
            "packets lead to a bounded number of packets");
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  LinkPair links;
  links.connect();
  for (int i = 0; i < kMaxEvents && !input.isEmpty(); ++i)
    happen(links, input);
  checkWaiting(*links.a);
  checkWaiting(*links.b);
  return 0;
}
