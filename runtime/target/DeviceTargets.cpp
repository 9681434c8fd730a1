// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/DeviceTargets.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"

namespace graphc::runtime {

#define GRAPHC_TARGET(name) const DeviceTarget &name##Target();
#include "runtime/target/Targets.def"
#undef GRAPHC_TARGET

std::span<const DeviceTarget *const> deviceTargets() {
#define GRAPHC_TARGET(name) &name##Target(),
  static const DeviceTarget *const kTargets[] = {
#include "runtime/target/Targets.def"
  };
#undef GRAPHC_TARGET
  return kTargets;
}

const DeviceTarget &hostTarget() { return *deviceTargets().front(); }

const DeviceTarget *targetOfType(std::string_view deviceType) {
  for (const DeviceTarget *target : deviceTargets())
    if (target->deviceType() == deviceType)
      return target;
  return nullptr;
}

bool canExecute(const Model &model, const DeviceName &device) {
  const DeviceTarget *target = targetOfType(device.type.value_or(""));
  return target && target->hasCode(model);
}

bool canExecute(const Model &model, const format::Graph &graph,
                const DeviceName &device) {
  return graph.host() ? device.type == hostTarget().deviceType()
                      : canExecute(model, device);
}

bool isAccelerator(const DeviceName &device) {
  const DeviceTarget *target = targetOfType(device.type.value_or(""));
  return target && target->accelerator();
}

StatusOr<std::unique_ptr<ModelDevices>>
openDevices(const Model &model, const std::set<std::string> &devices,
            const DeviceOpenOptions &options) {
  std::map<const Accelerator *, std::set<std::string>> namesOf;
  for (const std::string &name : devices) {
    const DeviceTarget *target =
        targetOfType(nameOfDevice(name).type.value_or(""));
    if (!target || !target->accelerator())
      return failedPrecondition(quote(name) +
                                " is not a device that can be opened");
    namesOf[target->accelerator()].insert(name);
  }
  OpenedDevices opened;
  for (const auto &[kind, names] : namesOf) {
    GRAPHC_ASSIGN_OR_RETURN(OpenedDevices more,
                            kind->open(model, names, options));
    opened.merge(more);
  }
  if (opened.empty())
    return std::unique_ptr<ModelDevices>();
  return ModelDevices::create(model, std::move(opened));
}

} // namespace graphc::runtime
