// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a program on a device: its slots there, and on the host those that
// the host or another task gives or takes.
#ifndef GRAPHC_RUNTIME_TARGET_DEVICESLOTS_H
#define GRAPHC_RUNTIME_TARGET_DEVICESLOTS_H

#include "runtime/format/Model.h"
#include "runtime/target/Device.h"

namespace graphc::runtime {

/// Inputs of slots; all of it must outlive them.
struct DeviceSlotsSpec {
  const Model *model = nullptr;
  const format::Graph *graph = nullptr;
  uint32_t program = 0;
  const ModelDevices *devices = nullptr; ///< of this process
};

/// Slots of one program. Thread-safety: const after Accelerator::link().
class DeviceSlots {
public:
  /// Memory for the step state of a replica, in bytes.
  static constexpr size_t kStateBytes = 64;

  virtual ~DeviceSlots() = default;

  virtual Device &device() const = 0;

  /// The slot's place on the host; null: it is on the device only.
  virtual std::byte *hostPlace(uint32_t slot) const = 0;

  /// True when the value that the host put to a slot is still there after the
  /// step.
  virtual bool keepsInput(uint32_t slot) const = 0;

  /// The step states on the host, by replica ascending.
  virtual std::span<std::byte> hostStates() const = 0;

  /// True when devices pass on the values of the Send at an instruction without
  /// the host.
  virtual bool isSentByDevice(uint32_t instruction) const = 0;
};

} // namespace graphc::runtime

#endif
