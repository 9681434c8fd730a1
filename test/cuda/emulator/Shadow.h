// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shadow memory: bytes that were written, and who used them last.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_SHADOW_H
#define GRAPHC_TEST_CUDA_EMULATOR_SHADOW_H

#include "test/cuda/emulator/Timeline.h"

#include <memory>

namespace graphc::emulator {

enum class AccessKind : uint8_t { Read, Write, Atomic };

/// Someone who uses memory: a thread of a launch, or a copy (thread 0).
struct Actor {
  OperationId operation = 0;
  uint32_t block = 0;
  /// Barriers that the block passed, and what the warp passed since the last:
  /// (barriers << 12) | synchronisations.
  uint32_t epoch = 0;
  uint32_t thread = 0;
  uint32_t line = 0;
  const Timeline *timeline = nullptr;
  const Clock *clock = nullptr; ///< what the operation is ordered behind
};

/// A use of memory that was noted.
struct Access {
  OperationId operation = 0;
  uint32_t block = 0;
  uint32_t epoch = 0;
  uint32_t thread : 10 = 0;
  uint32_t line : 18 = 0;
  uint32_t isAtomic : 1 = 0;
  uint32_t manyLanes : 1 = 0;  ///< others of its warp did so, too
  uint32_t manyWarps : 1 = 0;  ///< others of its block did so, too
  uint32_t manyBlocks : 1 = 0; ///< other blocks did so, too
};

/// Two uses that nothing orders, one of them a write.
enum class Race : uint8_t { None, Threads, Blocks, Operations };

struct Conflict {
  Race race = Race::None;
  Access other;
  bool otherWrote = false;
};

/// Thread-safety: none; the driver's lock is held.
class Shadow {
public:
  /// The memory of one block is used by one block after the other.
  Shadow(uint64_t bytes, bool isOfOneBlock);

  bool isInitialised(uint64_t offset, uint64_t bytes) const;
  void markInitialised(uint64_t offset, uint64_t bytes);
  /// Nothing is initialised.
  void forget();

  /// Notes a use; tells whom it conflicts with.
  Conflict use(uint64_t offset, uint64_t bytes, const Actor &actor,
               AccessKind kind);

private:
  struct Cell {
    Access write, read;
  };
  /// Cells of four bytes each, until someone uses fewer.
  struct Page {
    unsigned shift = 2;
    std::vector<Cell> cells;
    /// Reads whose place was taken by one that is not ordered after them.
    std::vector<std::pair<uint32_t, Access>> displaced;
  };

  Page &pageOf(uint64_t offset, uint64_t bytes);
  Race raceWith(const Access &other, const Actor &actor, bool isAtomic) const;
  Race raceWithReads(const Access &other, const Actor &actor,
                     bool isAtomic) const;
  Conflict use(Page &page, uint32_t number, const Actor &actor,
               AccessKind kind);
  Conflict useAfterDisplaced(Page &page, uint32_t number, const Actor &actor);
  void noteRead(Page &page, uint32_t number, const Actor &actor, bool isAtomic);

  bool isOfOneBlock;
  std::vector<uint64_t> initialised; ///< a bit per byte
  std::vector<std::unique_ptr<Page>> pages;
};

} // namespace graphc::emulator

#endif
