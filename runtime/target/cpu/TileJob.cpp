// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/TileJob.h"

#include "runtime/base/Futex.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
// Enough chunks that a late thread still finds work, few enough that claiming
// costs nothing. At most twice this number, so kMaxThreads fits the chunk bits.
constexpr int64_t kChunksPerThread = 4;
} // namespace

uint32_t TileJob::open(int64_t tileCount, int threads, Task run, void *with) {
  static_assert(2 * kChunksPerThread * kMaxThreads <= kChunkMask);
  int64_t step = std::max<int64_t>(1, tileCount / (kChunksPerThread * threads));
  auto total = static_cast<uint32_t>((tileCount + step - 1) / step);
  task.store(run, std::memory_order_relaxed);
  context.store(with, std::memory_order_relaxed);
  tiles.store(tileCount, std::memory_order_relaxed);
  grain.store(step, std::memory_order_relaxed);
  chunks.store(total, std::memory_order_relaxed);
  finished.store(0, std::memory_order_relaxed);
  unclaimed.store(++generation << kChunkBits | total);
  return total;
}

bool TileJob::help(int thread) {
  bool helped = false;
  uint64_t seen = unclaimed.load(std::memory_order_acquire);
  while (uint64_t left = seen & kChunkMask) {
    Task run = task.load(std::memory_order_relaxed);
    void *with = context.load(std::memory_order_relaxed);
    int64_t all = tiles.load(std::memory_order_relaxed);
    int64_t step = grain.load(std::memory_order_relaxed);
    uint32_t total = chunks.load(std::memory_order_relaxed);
    if (!unclaimed.compare_exchange_weak(seen, seen - 1,
                                         std::memory_order_acq_rel,
                                         std::memory_order_acquire))
      continue;
    int64_t begin = static_cast<int64_t>(total - left) * step;
    run(with, thread, begin, std::min(begin + step, all));
    helped = true;
    // seq_cst with ownerSleeps: either this thread sees that the owner went to
    // sleep, or the owner sees the chunk before it does.
    if (finished.fetch_add(1) + 1 == total && ownerSleeps.load())
      futexWake(finished, 1);
    seen = unclaimed.load(std::memory_order_acquire);
  }
  return helped;
}

void TileJob::await(int64_t spinNanos) {
  uint32_t total = chunks.load(std::memory_order_relaxed);
  WaitLadder ladder(spinNanos);
  uint32_t seen;
  while ((seen = finished.load(std::memory_order_acquire)) != total) {
    if (ladder.pause())
      continue;
    ownerSleeps.store(true);
    seen = finished.load();
    if (seen != total)
      futexWait(finished, seen);
    ownerSleeps.store(false);
  }
}

} // namespace graphc::runtime
