// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interface to the devices of one kind that a process opens beside its CPU.
#ifndef GRAPHC_RUNTIME_TARGET_ACCELERATOR_H
#define GRAPHC_RUNTIME_TARGET_ACCELERATOR_H

#include "runtime/target/Collectives.h"
#include "runtime/target/DeviceSlots.h"

#include <map>
#include <set>
#include <string>

namespace graphc::runtime {

/// Options of opening devices.
struct DeviceOpenOptions {
  /// Devices of the plan may be the same device of the machine, in turn, where
  /// there are fewer.
  bool share = false;
};

/// Opened devices by their full name in the plan.
using OpenedDevices =
    std::map<std::string, std::unique_ptr<Device>, std::less<>>;

/// A kind of accelerator. Lists of slots are by number of the program in the
/// graph, null for programs on no device of this kind in this process.
/// Thread-safety: const; any number of threads.
class Accelerator {
public:
  virtual ~Accelerator() = default;

  /// Opens a device for each of `devices`, full names of devices of this kind.
  /// A failure names what is missing: software, devices, code. `model` must
  /// outlive the devices.
  virtual StatusOr<OpenedDevices>
  open(const Model &model, const std::set<std::string> &devices,
       const DeviceOpenOptions &options) const = 0;

  /// Finds the transfers that devices make without the host.
  virtual Status link(const format::Graph &graph,
                      std::span<DeviceSlots *const> programs) const = 0;

  /// The sums of a graph that a library makes; null where the plan's
  /// instructions do it all. Slots and devices must outlive them.
  virtual StatusOr<std::unique_ptr<Collectives>>
  findCollectives(const format::Graph &graph,
                  std::span<DeviceSlots *const> programs,
                  const ModelDevices &devices) const = 0;

  /// Lines for people about how the sums of a model are made; none for a
  /// model without an AllReduce on `devices`.
  virtual std::vector<std::string>
  describeCollectives(const Model &model,
                      const ModelDevices &devices) const = 0;
};

} // namespace graphc::runtime

#endif
