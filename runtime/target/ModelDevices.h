// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opened devices of a process for one model, with the variables that are on
// them.
#ifndef GRAPHC_RUNTIME_TARGET_MODELDEVICES_H
#define GRAPHC_RUNTIME_TARGET_MODELDEVICES_H

#include "runtime/target/Accelerator.h"
#include "runtime/target/Device.h"

namespace graphc::runtime {

/// The devices of the plan that are on accelerators of this process, which all
/// graphs of the model share.
/// Thread-safety: one call at a time, but for find().
class ModelDevices {
public:
  /// Compares what the plan needs with what is free, and allocates the
  /// variables. `model` must outlive this.
  static StatusOr<std::unique_ptr<ModelDevices>> create(const Model &model,
                                                        OpenedDevices devices);

  /// Null: not one of the devices.
  Device *find(std::string_view device) const;
  /// The device of a program of the model.
  Device *find(const format::Program &program) const;
  std::string_view nameOfDevice(const format::Program &program) const;

  /// Memory for the values of a program on one of the devices.
  StatusOr<std::unique_ptr<DeviceSlots>> createSlots(const format::Graph &graph,
                                                     uint32_t program) const;

  /// See Accelerator::link(); `programs` may be on devices of several kinds.
  Status link(const format::Graph &graph,
              std::span<DeviceSlots *const> programs) const;

  /// See Accelerator::findCollectives(); the sums of a graph are of devices of
  /// one kind.
  StatusOr<std::unique_ptr<Collectives>>
  findCollectives(const format::Graph &graph,
                  std::span<DeviceSlots *const> programs) const;

  /// Lines about each device of the plan, as TensorFlow's tutorials show it:
  /// ".../cpu:0 -> device: 0, name: ...", by name; then how sums are made.
  std::vector<std::string> describe() const;

  /// Address of variable i of the model; 0: on none of the devices.
  DeviceAddress variable(uint32_t index) const { return places[index].address; }
  Status readVariable(uint32_t index, std::span<std::byte> to) const;
  Status writeVariable(uint32_t index, std::span<const std::byte> from) const;

private:
  struct Place {
    DeviceAddress address = 0;
    const Device *device = nullptr;
  };

  ModelDevices(const Model &model, OpenedDevices devices);
  Status checkMemory() const;
  Status allocateVariables();
  std::vector<std::string> variableHomes() const;

  const Model &model;
  OpenedDevices devices;
  std::vector<const Accelerator *> kinds; ///< of the devices, each once
  std::vector<std::unique_ptr<DeviceAllocation>> memory; ///< of variables
  std::vector<Place> places;                             ///< by variable
};

} // namespace graphc::runtime

#endif
