// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registry of the targets that this build has.
#ifndef GRAPHC_RUNTIME_TARGET_DEVICETARGETS_H
#define GRAPHC_RUNTIME_TARGET_DEVICETARGETS_H

#include "runtime/base/DeviceName.h"
#include "runtime/target/DeviceTarget.h"
#include "runtime/target/ModelDevices.h"

namespace graphc::runtime {

/// All targets, the host's first: a line each in Targets.def.
std::span<const DeviceTarget *const> deviceTargets();

/// The target of programs that threads of the host execute.
const DeviceTarget &hostTarget();

/// The target of a type of device; null: there is none.
const DeviceTarget *targetOfType(std::string_view deviceType);

/// True when this build can execute programs on such a device and the model has
/// code for that.
bool canExecute(const Model &model, const DeviceName &device);

/// The same of the programs of one graph, which may be a variant for the host.
bool canExecute(const Model &model, const format::Graph &graph,
                const DeviceName &device);

/// True when devices of that type are opened beside the host's CPU.
bool isAccelerator(const DeviceName &device);

/// Opens all of `devices`, full names of accelerators of this process; null if
/// there are none. A failure names what is missing: software, devices, code or
/// memory. `model` must outlive them.
StatusOr<std::unique_ptr<ModelDevices>>
openDevices(const Model &model, const std::set<std::string> &devices,
            const DeviceOpenOptions &options);

} // namespace graphc::runtime

#endif
