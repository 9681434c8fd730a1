// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/DeviceTable.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

void writeDeviceTable(ModuleOp module, const DeviceSet &devices) {
  for (auto old : llvm::make_early_inc_range(module.getOps<DevicesOp>()))
    old.erase();
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> entries;
  for (const TargetDevice &device : devices.devices())
    entries.push_back(DeviceEntryAttr::get(
        context, attributeOf(context, device), device.priority,
        device.memoryLimit.value_or(0), device.implied));
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  DevicesOp::create(b, module.getLoc(),
                    DeviceAttr::get(context, devices.clientTask()),
                    b.getArrayAttr(entries));
}

DeviceSet readDeviceTable(ModuleOp module) {
  auto tables = module.getOps<DevicesOp>();
  if (tables.empty())
    return DeviceSet::makeDefault();
  DevicesOp table = *tables.begin();
  std::vector<TargetDevice> devices;
  for (auto entry : table.getEntries().getAsRange<DeviceEntryAttr>()) {
    TargetDevice &device = devices.emplace_back();
    device.name = entry.getDevice().getDeviceName();
    device.fullName = entry.getDevice().getText();
    device.type = *device.name.type;
    device.priority = static_cast<int>(entry.getPriority());
    if (entry.getMemory())
      device.memoryLimit = entry.getMemory();
    device.implied = entry.getImplied();
  }
  return DeviceSet(std::move(devices), table.getClient().getDeviceName());
}

} // namespace graphc
