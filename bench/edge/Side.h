// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One end of a link, driven as a task's thread drives it.
#ifndef GRAPHC_BENCH_EDGE_SIDE_H
#define GRAPHC_BENCH_EDGE_SIDE_H

#include "bench/edge/Task.h"
#include "runtime/base/Futex.h"
#include "runtime/link/ReliableLink.h"
#include "runtime/transport/TaskRunner.h"

#include <map>

namespace graphc::bench {

inline std::shared_ptr<runtime::Doorbell> makeBell() {
  auto made = runtime::Doorbell::create();
  if (!made.isOk())
    fail(made.status().toString());
  return *made;
}

/// Counts frames by kind. Thread-safety: one thread.
class Side final : public runtime::LinkOwner {
public:
  static constexpr int64_t kLimit = 60'000'000'000;

  Side(runtime::TaskId self, std::shared_ptr<runtime::Doorbell> bell,
       std::unique_ptr<runtime::PolledConnection> given)
      : link({self, self + 1, 1}, 1 - self, *this), bell(std::move(bell)),
        polled(std::move(given)) {
    link.onConnectionUp(*polled, runtime::nowNanos());
    waitUntil([this] { return link.isUp(); });
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
        if (polled->isBroken() || runtime::nowNanos() > until)
          fail("the other process is gone");
        ladder.reset();
      }
    }
  }
  void waitFor(runtime::FrameKind kind, uint64_t count) {
    uint64_t &seen = frames[kind];
    waitUntil([&] { return seen >= count; });
  }

  runtime::PolledConnection &connection() { return *polled; }
  uint64_t lastOffset() const { return offset; }

  void onPeerUp(runtime::TaskId, uint64_t) override {}
  void onPeerDown(runtime::TaskId, const runtime::Status &) override {}
  void onFrame(runtime::TaskId, const runtime::FrameHeader &header,
               const runtime::ByteRanges &) override {
    ++frames[header.kind];
    if (header.kind == runtime::FrameKind::ReceiveBuffer)
      offset = header.offset;
  }

private:
  bool poll() {
    int64_t now = runtime::nowNanos();
    bool isBusy = polled->poll([&](const runtime::ByteRanges &packet) {
      if (!link.onPacket(packet, now).isOk())
        fail("a bad packet came");
    });
    if (polled->takeRoom())
      link.onRoom(now);
    if (now >= link.nextTimer())
      link.onTimer(now);
    return isBusy;
  }

  void sleep() {
    uint32_t rung = bell->count();
    polled->setSleeping(true);
    if (!poll())
      bell->wait(rung, runtime::nowNanos() + 100'000'000);
    polled->setSleeping(false);
  }

  runtime::ReliableLink link;
  std::shared_ptr<runtime::Doorbell> bell;
  std::unique_ptr<runtime::PolledConnection> polled;
  std::map<runtime::FrameKind, uint64_t> frames;
  uint64_t offset = 0;
};

} // namespace graphc::bench

#endif
