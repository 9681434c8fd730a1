// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies values from one place in memory to another by whichever threads have
// time for it.
#ifndef GRAPHC_RUNTIME_STATE_SNAPSHOTCOPY_H
#define GRAPHC_RUNTIME_STATE_SNAPSHOTCOPY_H

#include "runtime/executor/UpdateGate.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace graphc::runtime {

/// One copy of values, chunk by chunk. Thread-safety: any thread, after the
/// last add().
class SnapshotCopy final : public GateWork {
public:
  /// `onDone` is called once, by the thread that ends the copy.
  explicit SnapshotCopy(std::function<void()> onDone)
      : onDone(std::move(onDone)) {}

  /// REQUIRES: `to` is as large as `from`; both stay until the copy is done.
  void add(std::span<const std::byte> from, std::span<std::byte> to);

  void help() override;
  /// Helps with `threads` threads, the caller's among them, and returns when
  /// all is copied.
  void finish(int threads = 1);
  /// Gives others so much time to begin before finish().
  void finishLater(int64_t nanos);

private:
  struct Chunk {
    const std::byte *from;
    std::byte *to;
    size_t size;
  };

  std::vector<Chunk> chunks;
  std::function<void()> onDone;
  std::atomic<size_t> next{0};
  std::atomic<size_t> copied{0};
  std::atomic<uint32_t> isDone{0};
};

} // namespace graphc::runtime

#endif
