// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two links with a connection between them that a test rules over.
#ifndef GRAPHC_TEST_RUNTIME_LINK_LINKPAIR_H
#define GRAPHC_TEST_RUNTIME_LINK_LINKPAIR_H

#include "runtime/link/ReliableLink.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace graphc::test {

using namespace graphc::runtime;

/// One direction: keeps packets until the test delivers them.
class TestConnection final : public Connection {
public:
  size_t room() const override { return roomLeft; }
  void transmit(std::span<const std::byte> head,
                std::span<const std::byte> body) override {
    std::vector<std::byte> packet(head.begin(), head.end());
    packet.insert(packet.end(), body.begin(), body.end());
    packets.push_back(std::move(packet));
  }
  bool isLossless() const override { return lossless; }
  bool mayDrop() const override { return drops; }
  const char *route() const override { return "test"; }

  std::deque<std::vector<std::byte>> packets;
  size_t roomLeft = SIZE_MAX;
  bool lossless = false;
  bool drops = false;
};

/// One end: a link, what came out of it, its connection.
struct LinkEnd final : LinkOwner {
  LinkEnd(TaskId self, TaskId peer, uint64_t incarnation,
          const LinkOptions &options = {}, uint64_t cluster = 5)
      : link({self, incarnation, cluster}, peer, *this, options) {}

  void onPeerUp(TaskId, uint64_t incarnation) override {
    ++ups;
    log += "up " + std::to_string(incarnation) + "; ";
  }
  void onPeerDown(TaskId, const Status &why) override {
    ++downs;
    log += "down: " + why.message() + "; ";
  }
  void onFrame(TaskId, const FrameHeader &header,
               const ByteRanges &payload) override {
    steps.push_back(header.step);
    bytes += payload.size();
    if (payload.size() > 0 &&
        payload.first()[0] != static_cast<std::byte>(header.step))
      isDamaged = true;
  }

  void send(uint64_t step, size_t size, int64_t now) {
    std::vector<std::byte> payload(size, static_cast<std::byte>(step));
    FrameHeader header;
    header.step = step;
    link.send(header, payload, now);
  }

  ReliableLink link;
  std::unique_ptr<TestConnection> connection;
  std::vector<uint64_t> steps;
  size_t bytes = 0;
  int ups = 0, downs = 0;
  bool isDamaged = false;
  std::string log;
};

/// Task 1 and task 2.
struct LinkPair {
  explicit LinkPair(const LinkOptions &options = {})
      : options(options), a(std::make_unique<LinkEnd>(1, 2, 100, options)),
        b(std::make_unique<LinkEnd>(2, 1, 200, options)) {}

  void connect(bool lossless = false, bool drops = false) {
    for (LinkEnd *end : {a.get(), b.get()}) {
      auto old = std::move(end->connection); // used until the new one is told
      end->connection = std::make_unique<TestConnection>();
      end->connection->lossless = lossless;
      end->connection->drops = drops;
      end->link.onConnectionUp(*end->connection, now);
    }
  }
  void cut() {
    for (LinkEnd *end : {a.get(), b.get()}) {
      end->link.onConnectionDown(unavailable("cut"), now);
      end->connection.reset();
    }
  }
  Status deliverOne(LinkEnd &from, LinkEnd &to) {
    std::vector<std::byte> packet = std::move(from.connection->packets.front());
    from.connection->packets.pop_front();
    return to.link.onPacket(packet, now);
  }
  /// Delivers until nothing is on the way.
  Status deliver() {
    while (a->connection &&
           (!a->connection->packets.empty() || !b->connection->packets.empty()))
      for (auto [from, to] : {std::pair(a.get(), b.get()), {b.get(), a.get()}})
        if (!from->connection->packets.empty())
          GRAPHC_TRY(deliverOne(*from, *to));
    return Status::ok();
  }
  void timers() {
    for (LinkEnd *end : {a.get(), b.get()})
      if (now >= end->link.nextTimer())
        end->link.onTimer(now);
  }

  LinkOptions options;
  int64_t now = 1'000'000'000;
  std::unique_ptr<LinkEnd> a, b;
};

/// Steps 0 to `count` - 1.
inline std::vector<uint64_t> upTo(uint64_t count) {
  std::vector<uint64_t> steps(count);
  for (uint64_t i = 0; i < count; ++i)
    steps[i] = i;
  return steps;
}

} // namespace graphc::test

#endif
