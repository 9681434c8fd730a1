// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a block: warps that run in turns between barriers, the memory
// they share, and the checks of all they access.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_BLOCKRUN_H
#define GRAPHC_TEST_CUDA_EMULATOR_BLOCKRUN_H

#include "test/cuda/emulator/Launch.h"
#include "test/cuda/emulator/Warp.h"

#include <memory>

namespace graphc::emulator {

/// One object carries out the blocks of a launch one after the other.
class BlockRun {
public:
  explicit BlockRun(Launch &launch);

  /// False: the launch failed.
  bool run(uint32_t block);

  /// Host address of the bytes at `address` in the space of the instruction;
  /// null: they may not be accessed, and the launch failed.
  uint8_t *access(Warp &warp, const Instruction &instruction, uint32_t lane,
                  uint64_t address, AccessKind kind);

  /// The launch fails, because a thread does what `text` says. Always false.
  bool fail(Warp &warp, const Instruction &instruction, uint32_t lane,
            const std::string &text, int code = 0);

  const Launch &ofLaunch() const { return launch; }
  uint32_t number() const { return block; }
  uint32_t threads() const {
    return static_cast<uint32_t>(launch.block.count());
  }

private:
  uint8_t *global(Warp &warp, const Instruction &instruction, uint32_t lane,
                  uint64_t address, AccessKind kind);
  uint8_t *shared(Warp &warp, const Instruction &instruction, uint32_t lane,
                  uint64_t offset, AccessKind kind);
  uint8_t *local(Warp &warp, const Instruction &instruction, uint32_t lane,
                 uint64_t offset, AccessKind kind);
  Allocation *allocationAt(Warp &warp, const Instruction &instruction,
                           uint32_t lane, uint64_t address, AccessKind kind);
  bool check(Warp &warp, const Instruction &instruction, uint32_t lane,
             Shadow &shadow, uint64_t offset, AccessKind kind,
             const std::string &where);
  bool meetAtBarrier(bool &isDone);
  std::string threadName(uint32_t thread) const;
  std::string conflictText(const Conflict &conflict) const;

  Launch &launch;
  uint32_t block = 0;
  uint32_t barriers = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<uint8_t> sharedData;
  Shadow sharedShadow;
  std::vector<Allocation *> lastUsed; ///< by instruction
};

} // namespace graphc::emulator

#endif
