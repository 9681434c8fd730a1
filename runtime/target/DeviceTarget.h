// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interface to a target: what a kind of device is called, which of them this
// machine has, and what code for them is in a model.
#ifndef GRAPHC_RUNTIME_TARGET_DEVICETARGET_H
#define GRAPHC_RUNTIME_TARGET_DEVICETARGET_H

#include "runtime/format/Model.h"
#include "runtime/target/DeviceFacts.h"

#include <memory>
#include <set>
#include <string>

namespace graphc::runtime {

class Accelerator;

/// A target that programs are compiled for. There is one object of each, in the
/// table of DeviceTargets.cpp.
/// Thread-safety: const; any number of threads.
class DeviceTarget {
public:
  virtual ~DeviceTarget() = default;

  /// The name of its executables in a model.
  virtual std::string_view name() const = 0;

  /// The type of its devices in names: TYPE of "/device:TYPE:0".
  virtual std::string_view deviceType() const = 0;

  /// The devices of this machine that the process may use, in their order; none
  /// where what they need is not installed.
  virtual std::vector<DeviceFacts> listDevices() const = 0;

  /// True when a model has code for devices of this kind at all.
  virtual bool hasCode(const Model &model) const = 0;

  /// The architectures that a model has code for, separated by commas.
  virtual std::string archsOf(const Model &model) const = 0;

  /// True when a model has no code that devices of architecture `arch` execute.
  /// False of an architecture that is not known.
  virtual bool lacksCodeFor(const Model &model,
                            std::string_view arch) const = 0;

  /// Fix where code for an architecture is lacking.
  virtual std::string cureFor(std::string_view arch) const = 0;

  /// The opener of its devices; null: threads of the host execute programs.
  virtual const Accelerator *accelerator() const { return nullptr; }
};

} // namespace graphc::runtime

#endif
