// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the slots of a program are in memory.
#ifndef GRAPHC_RUNTIME_EXECUTOR_SLOTTABLE_H
#define GRAPHC_RUNTIME_EXECUTOR_SLOTTABLE_H

#include "runtime/device/DeviceBuffer.h"
#include "runtime/format/Model.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// What a kernel finds in a slot of kind StepState.
struct alignas(64) StepState {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint32_t replica = 0;
  uint32_t reserved[3] = {};
};

/// Addresses and sizes of the slots of one program, resolved once.
///
/// Inputs (feeds and batches) whose place the memory plan gives to other values
/// later in the step are put outside the arena, so that they are still there
/// when a step is walked a second time to find where a NaN comes from, and
/// feeds need not be written again for each step. Thread-safety: const after
/// create().
class SlotTable {
public:
  /// `variables` are the addresses of the model's variables.
  static StatusOr<SlotTable> create(const Model &model,
                                    const format::Graph &graph,
                                    uint32_t program,
                                    std::span<std::byte *const> variables);

  size_t size() const { return addresses.size(); }
  std::byte *address(uint32_t slot) const { return addresses[slot]; }
  std::span<std::byte> bytes(uint32_t slot) const {
    return {addresses[slot], sizes[slot]};
  }

  /// Whether input `slot` still holds its value at the end of the step.
  bool keepsInput(uint32_t slot) const { return kept[slot]; }

  /// Puts a slot that another program's value is received in to where that
  /// value is.
  void place(uint32_t slot, std::byte *address) { addresses[slot] = address; }

  /// What kernels find in the slots of kind StepState, one per replica.
  void setSeed(uint64_t seed);
  void setStep(uint64_t step);

private:
  std::span<StepState> states() const {
    return {reinterpret_cast<StepState *>(state.data()),
            state.size() / sizeof(StepState)};
  }
  Status makeStates(const format::Program &program);
  std::byte *stateOf(uint32_t replica) const;

  Status placeInputs(const format::Graph &graph, uint32_t program);

  DeviceBuffer arena;
  DeviceBuffer inputs; ///< of the slots that were moved out of the arena
  DeviceBuffer state;  ///< by replica, ascending
  std::vector<std::byte *> addresses;
  std::vector<size_t> sizes;
  std::vector<bool> kept;
};

} // namespace graphc::runtime

#endif
