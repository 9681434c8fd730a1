// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 32 threads that execute together: their registers, and where each of them is.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_WARP_H
#define GRAPHC_TEST_CUDA_EMULATOR_WARP_H

#include "test/cuda/emulator/Program.h"

#include <bit>
#include <type_traits>

namespace graphc::emulator {

class BlockRun;

constexpr uint32_t kLanes = 32;

/// Threads that diverged run as groups. The group that has come least far goes
/// on, so groups meet again where their paths join.
class Warp {
public:
  Warp(const Kernel &kernel, BlockRun &block, uint32_t number);

  /// All threads at the first instruction.
  void start(uint32_t threads);

  /// Until every thread waits at a barrier or has exited. False: the launch
  /// failed.
  bool run();

  /// All threads wait at a barrier: they go on.
  void release();

  uint64_t *row(Row row) { return registers.data() + size_t{row} * kLanes; }
  BlockRun &owner() { return block; }
  uint32_t firstThread() const { return number * kLanes; }
  uint32_t running() const { return live; }
  uint32_t waitingLanes() const { return waiting; }
  uint32_t waitsAt() const { return barrier; }
  uint32_t syncs() const { return epoch; }

  std::vector<uint8_t> local;            ///< a stretch per lane
  std::vector<uint8_t> localInitialised; ///< a flag per byte of `local`

private:
  struct Group {
    uint32_t at;
    uint32_t lanes;
  };

  bool step(Group &group);
  uint32_t guarded(const Instruction &instruction, uint32_t lanes);
  void branch(Group &group, const Instruction &instruction, uint32_t taken);
  bool branchByTable(Group &group, const Instruction &instruction);
  bool waitAtBarrier(Group &group, uint32_t lanes);
  bool synchronise(Group &group, const Instruction &instruction,
                   uint32_t lanes);
  void add(uint32_t at, uint32_t lanes);
  bool isParked(const Group &group) const;

  const Kernel &kernel;
  BlockRun &block;
  uint32_t number;
  uint32_t live = 0;
  uint32_t waiting = 0;
  uint32_t parked = 0;  ///< lanes that wait for others of their warp
  uint32_t barrier = 0; ///< the instruction at which lanes wait
  uint32_t epoch = 0;   ///< warp synchronisations since the last barrier
  uint32_t jumps = 0;   ///< backwards, to find loops that do not end
  std::vector<Group> groups;
  std::vector<uint64_t> registers;
};

template <typename F> void eachLane(uint32_t lanes, F &&f) {
  if (lanes == ~0u) {
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      f(lane);
    return;
  }
  for (; lanes; lanes &= lanes - 1)
    f(static_cast<uint32_t>(std::countr_zero(lanes)));
}

/// The value in a register, and back. Whoever reads a register takes as many of
/// its bits as the instruction's type has.
template <typename T> T fromBits(uint64_t bits) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<T>(static_cast<uint16_t>(bits));
}

template <typename T> uint64_t toBits(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<uint64_t>(value);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint16_t>(value);
}

/// Handlers of instructions that compute each lane from its own operands.
template <typename Op, typename R, typename T>
bool computeUnary(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]);
  eachLane(lanes, [&](uint32_t l) {
    out[l] = toBits<R>(Op::apply(fromBits<T>(a[l])));
  });
  return true;
}

template <typename Op, typename R, typename T>
bool computeBinary(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *b = warp.row(i.src[1]);
  eachLane(lanes, [&](uint32_t l) {
    out[l] = toBits<R>(Op::apply(fromBits<T>(a[l]), fromBits<T>(b[l])));
  });
  return true;
}

template <typename Op, typename R, typename T>
bool computeTernary(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *b = warp.row(i.src[1]), *c = warp.row(i.src[2]);
  eachLane(lanes, [&](uint32_t l) {
    out[l] = toBits<R>(
        Op::apply(fromBits<T>(a[l]), fromBits<T>(b[l]), fromBits<R>(c[l])));
  });
  return true;
}

} // namespace graphc::emulator

#endif
