// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of a program's slots in memory.
#ifndef GRAPHC_RUNTIME_EXECUTOR_SLOTTABLE_H
#define GRAPHC_RUNTIME_EXECUTOR_SLOTTABLE_H

#include "runtime/format/Model.h"
#include "runtime/target/ModelDevices.h"
#include "runtime/target/cpu/DeviceBuffer.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// Contents of a slot of kind StepState.
struct alignas(64) StepState {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint32_t replica = 0;
  uint32_t reserved[3] = {};
};
static_assert(sizeof(StepState) == DeviceSlots::kStateBytes);

/// Addresses and sizes of the slots of one program, resolved once.
///
/// Inputs (feeds and batches) whose place the memory plan gives to other values
/// later in the step are put outside the arena, so that they are still there
/// when a step is walked a second time to find where a NaN comes from, and
/// feeds need not be written again for each step.
///
/// Of a program on an accelerator, the addresses are those on the host, null
/// for slots that the host never sees; the rest is in onDevice().
/// Thread-safety: const after create().
class SlotTable {
public:
  /// `variables` are the addresses of the model's variables. The program is on
  /// an accelerator if `devices`, which may be null, has its device.
  static StatusOr<SlotTable> create(const Model &model,
                                    const format::Graph &graph,
                                    uint32_t program,
                                    std::span<std::byte *const> variables,
                                    const ModelDevices *devices = nullptr);

  size_t size() const { return addresses.size(); }
  std::byte *address(uint32_t slot) const { return addresses[slot]; }
  std::span<std::byte> bytes(uint32_t slot) const {
    return {addresses[slot], sizes[slot]};
  }

  /// Null: the host executes the program.
  DeviceSlots *onDevice() const { return remote.get(); }

  /// True when input `slot` still holds its value at the end of the step.
  bool keepsInput(uint32_t slot) const { return kept[slot]; }

  /// Puts a slot that another program's value is received in to where that
  /// value is.
  void place(uint32_t slot, std::byte *address) { addresses[slot] = address; }

  /// Finds the transfers between `devices`, which may be null; `tables` by
  /// program, those of other tasks empty.
  static Status linkDevices(const format::Graph &graph,
                            std::span<const SlotTable> tables,
                            const ModelDevices *devices);

  /// The sums that a library makes on `devices`, which may be null; null: none.
  static StatusOr<std::unique_ptr<Collectives>>
  findCollectives(const format::Graph &graph, std::span<const SlotTable> tables,
                  const ModelDevices *devices);

  /// Sets the contents of the slots of kind StepState, one per replica.
  void setSeed(uint64_t seed);
  void setStep(uint64_t step);

private:
  std::span<StepState> states() const {
    std::span<std::byte> bytes = remote ? remote->hostStates() : state.span();
    return {reinterpret_cast<StepState *>(bytes.data()),
            bytes.size() / sizeof(StepState)};
  }
  static StatusOr<SlotTable> createOnDevice(const format::Graph &graph,
                                            uint32_t program,
                                            const ModelDevices &devices);
  Status makeStates(const format::Program &program);
  std::byte *stateOf(uint32_t replica) const;

  Status placeInputs(const format::Graph &graph, uint32_t program);

  std::unique_ptr<DeviceSlots> remote;
  DeviceBuffer arena;
  DeviceBuffer inputs; ///< of the slots that were moved out of the arena
  DeviceBuffer state;  ///< by replica, ascending
  std::vector<std::byte *> addresses;
  std::vector<size_t> sizes;
  std::vector<bool> kept;
};

} // namespace graphc::runtime

#endif
