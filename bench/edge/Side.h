// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One end of a link over shared memory, driven as a task's thread drives it.
#ifndef GRAPHC_BENCH_EDGE_SIDE_H
#define GRAPHC_BENCH_EDGE_SIDE_H

#include "runtime/base/Clock.h"
#include "runtime/cluster/ReliableLink.h"
#include "runtime/device/Futex.h"
#include "runtime/transport/ShmWire.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace graphc::bench {

[[noreturn]] inline void fail(const std::string &what) {
  std::fprintf(stderr, "edge-bench: %s\n", what.c_str());
  std::exit(1);
}

/// Counts frames by kind. Thread-safety: one thread.
class Side final : public runtime::LinkOwner {
public:
  /// Connects with the other process over the socket.
  Side(runtime::FdSocket socket, runtime::TaskId self)
      : link({self, self + 1, 1}, 1 - self, *this) {
    auto made = runtime::Doorbell::create();
    if (!made.isOk())
      fail(made.status().toString());
    bell = *made;
    auto begun = runtime::ShmHandshake::begin(std::move(socket), self, bell);
    if (!begun.isOk())
      fail(begun.status().toString());
    if (!begun->connection().waitReadable(runtime::nowNanos() + kLimit))
      fail("the other process does not answer");
    auto done = begun->finish();
    if (!done.isOk())
      fail(done.status().toString());
    wire = std::move(done->wire);
    link.onWireUp(*wire, runtime::nowNanos());
  }

  void send(runtime::FrameKind kind, uint64_t step, uint64_t offset,
            std::span<const std::byte> payload) {
    runtime::FrameHeader header;
    header.kind = kind;
    header.size = uint32_t(payload.size());
    header.step = step;
    header.offset = offset;
    header.total = payload.size();
    link.send(header, payload, runtime::nowNanos());
  }

  /// Waits as a task does: spins, gives the core away, sleeps.
  template <typename Condition> void waitUntil(Condition isDone) {
    runtime::WaitLadder ladder(5'000);
    int64_t until = runtime::nowNanos() + kLimit;
    while (!isDone()) {
      if (poll()) {
        ladder.reset();
      } else if (!ladder.pause()) {
        sleep();
        if (wire->isBroken() || runtime::nowNanos() > until)
          fail("the other process is gone");
        ladder.reset();
      }
    }
  }
  void waitFor(runtime::FrameKind kind, uint64_t count) {
    uint64_t &seen = frames[kind];
    waitUntil([&] { return seen >= count; });
  }
  void waitUp() {
    waitUntil([this] { return link.isUp(); });
  }

  runtime::ShmWire &shared() { return *wire; }
  uint64_t lastOffset() const { return offset; }

  void onPeerUp(runtime::TaskId, uint64_t) override {}
  void onPeerDown(runtime::TaskId, const runtime::Status &) override {}
  void onFrame(runtime::TaskId, const runtime::FrameHeader &header,
               std::span<const std::byte>) override {
    ++frames[header.kind];
    if (header.kind == runtime::FrameKind::Landing)
      offset = header.offset;
  }

private:
  static constexpr int64_t kLimit = 60'000'000'000;

  bool poll() {
    int64_t now = runtime::nowNanos();
    bool isBusy = wire->poll([&](std::span<const std::byte> packet) {
      if (!link.onPacket(packet, now).isOk())
        fail("a bad packet came");
    });
    if (wire->takeRoom())
      link.onRoom(now);
    if (now >= link.nextTimer())
      link.onTimer(now);
    return isBusy;
  }

  void sleep() {
    uint32_t rung = bell->count();
    wire->setSleeping(true);
    if (!poll())
      bell->wait(rung, runtime::nowNanos() + 100'000'000);
    wire->setSleeping(false);
  }

  runtime::ReliableLink link;
  std::shared_ptr<runtime::Doorbell> bell;
  std::unique_ptr<runtime::ShmWire> wire;
  std::map<runtime::FrameKind, uint64_t> frames;
  uint64_t offset = 0;
};

} // namespace graphc::bench

#endif
