// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One range of tiles that several threads compute together.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_TILEJOB_H
#define GRAPHC_RUNTIME_TARGET_CPU_TILEJOB_H

#include <atomic>
#include <cstdint>

namespace graphc::runtime {

/// A place where one thread, the owner, puts up jobs one after the other, and
/// others claim chunks of them. Which thread computes a tile is left to chance,
/// so tiles must be independent. Nothing is allocated.
/// Thread-safety: open() and await() are the owner's; any thread may help().
class alignas(64) TileJob {
public:
  /// Computes the tiles [begin, end). `thread` is what help() was given.
  using Task = void (*)(void *context, int thread, int64_t begin, int64_t end);

  /// The most threads for which a job is cut into enough chunks.
  static constexpr int kMaxThreads = 1024;

  /// Puts up the tiles [0, tiles) for `threads` threads and gives the number of
  /// chunks. REQUIRES: tiles >= 1; the job before is done.
  uint32_t open(int64_t tiles, int threads, Task task, void *context);

  /// True when chunks are left to claim.
  bool isOpen() const { return (unclaimed.load() & kChunkMask) != 0; }

  /// Computes chunks until none is left to claim; false when there was none.
  bool help(int thread);

  /// Returns when every chunk is done: keeps the core for `spinNanos`, then
  /// gives it away, then sleeps.
  void await(int64_t spinNanos);

private:
  static constexpr int kChunkBits = 16;
  static constexpr uint64_t kChunkMask = (uint64_t{1} << kChunkBits) - 1;

  // The job: written while no chunk is left to claim, read by threads that may
  // come late. A reader trusts what it read only after its claim on `unclaimed`
  // succeeded, which proves that the job is still the same.
  std::atomic<Task> task{nullptr};
  std::atomic<void *> context{nullptr};
  std::atomic<int64_t> tiles{0};
  std::atomic<int64_t> grain{0};
  std::atomic<uint32_t> chunks{0};
  uint64_t generation = 0; ///< the owner's

  /// Job number (48 bits) and chunks not yet claimed (16 bits).
  alignas(64) std::atomic<uint64_t> unclaimed{0};
  alignas(64) std::atomic<uint32_t> finished{0}; ///< chunks of this job
  std::atomic<bool> ownerSleeps{false};
};

} // namespace graphc::runtime

#endif
