// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As two tasks on one host do it, a ReliableLink over shared memory: values of
// 64 KiB and more are written where the receiver reads them, and the next one
// is written when the receiver has said that the place is free.
#include "bench/edge/Processes.h"
#include "bench/edge/Side.h"
#include "runtime/base/CopyBytes.h"
#include "runtime/transport/shm/ShmConnection.h"

using namespace graphc::bench;
using namespace graphc::runtime;

namespace {

std::unique_ptr<Side> connect(FdSocket socket, TaskId self) {
  auto bell = makeBell();
  auto begun = ShmHandshake::begin(std::move(socket), self, bell);
  if (!begun.isOk())
    fail(begun.status().toString());
  if (!begun->connection().waitReadable(nowNanos() + Side::kLimit))
    fail("the other process does not answer");
  auto done = begun->finish();
  if (!done.isOk())
    fail(done.status().toString());
  return std::make_unique<Side>(self, bell, std::move(done->connection));
}

/// Answers each value: data by data, a value in place by a free place.
[[noreturn]] void receiveShared(const Task &task, FdSocket socket) {
  auto connected = connect(std::move(socket), 1);
  Side &side = *connected;
  std::byte small[kMaxLatencyBytes] = {};
  SharedPlace place;
  if (!task.isLatency()) {
    place = side.connection().allocate(task.bytes);
    if (!place.address)
      fail("no shared memory for " + std::to_string(task.bytes) + " bytes");
    side.send(FrameKind::ReceiveBuffer, 0, place.offset, {});
  }
  for (uint64_t step = 0;; ++step) {
    if (task.isLatency()) {
      side.waitFor(FrameKind::Data, step + 1);
      side.send(FrameKind::Data, step, 0, std::span(small, task.bytes));
    } else {
      side.send(FrameKind::Begun, step, 0, {});
      side.waitFor(FrameKind::InPlace, step + 1);
    }
  }
}

void sendShared(const Task &task, FdSocket socket) {
  auto connected = connect(std::move(socket), 0);
  Side &side = *connected;
  std::vector<std::byte> value(task.bytes, std::byte(1));
  uint64_t step = 0;
  if (task.isLatency())
    return measure(task, [&] {
      side.send(FrameKind::Data, step, 0, value);
      side.waitFor(FrameKind::Data, ++step);
    });
  side.waitFor(FrameKind::ReceiveBuffer, 1);
  PeerPlace place = side.connection().peerPlace(side.lastOffset(), task.bytes);
  if (!place.address)
    fail("the receiver's memory is not there");
  measure(task, [&] {
    side.waitFor(FrameKind::Begun, step + 1);
    copyBytes(place.address, value);
    side.send(FrameKind::InPlace, step++, 0, {});
  });
}

} // namespace

void graphc::bench::runShm(const Task &task) {
  auto sockets = FdSocket::pair();
  if (!sockets.isOk())
    fail(sockets.status().toString());
  runBoth([&] { receiveShared(task, std::move(sockets->first)); },
          [&] { sendShared(task, std::move(sockets->second)); });
}
