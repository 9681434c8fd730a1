// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device of a plan on an accelerator of this process: memory and copies, and
// the programs that it runs.
#ifndef GRAPHC_RUNTIME_TARGET_DEVICE_H
#define GRAPHC_RUNTIME_TARGET_DEVICE_H

#include "runtime/base/Status.h"
#include "runtime/target/DeviceFacts.h"

#include <cstddef>
#include <memory>
#include <span>

namespace graphc::runtime {

class Accelerator;
class DeviceProgram;
class ModelDevices;
class DeviceSlots;
struct DeviceProgramSpec;
struct DeviceSlotsSpec;

/// Address in the memory of a device. 0: none.
using DeviceAddress = uint64_t;

/// Memory of a device, freed with its owner.
/// Thread-safety: const.
class DeviceAllocation {
public:
  virtual ~DeviceAllocation() = default;
  /// A multiple of 256; 0 of no bytes.
  virtual DeviceAddress address() const = 0;
};

/// One device. Failures name it.
/// Thread-safety: one call at a time.
class Device {
public:
  virtual ~Device() = default;

  /// The opener and linker of devices of this kind.
  virtual const Accelerator &accelerator() const = 0;

  virtual const DeviceFacts &facts() const = 0;

  /// Bytes that can be allocated.
  virtual StatusOr<uint64_t> freeBytes() const = 0;

  /// Zeroed memory of `bytes` bytes; RESOURCE_EXHAUSTED that names what it was
  /// for. The device must outlive it.
  virtual StatusOr<std::unique_ptr<DeviceAllocation>>
  allocate(size_t bytes, std::string_view what) const = 0;

  /// Copies that are done when the call returns.
  virtual Status upload(DeviceAddress to,
                        std::span<const std::byte> from) const = 0;
  virtual Status download(std::span<std::byte> to,
                          DeviceAddress from) const = 0;

  /// Memory for the values of a program that is on this device.
  virtual StatusOr<std::unique_ptr<DeviceSlots>>
  createSlots(const DeviceSlotsSpec &spec) = 0;

  /// The program with all its slots linked: see Accelerator::link().
  virtual StatusOr<std::unique_ptr<DeviceProgram>>
  createProgram(const DeviceProgramSpec &spec) = 0;
};

} // namespace graphc::runtime

#endif
