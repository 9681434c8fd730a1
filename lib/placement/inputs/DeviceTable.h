// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Table of devices of a module: tfir.devices as a DeviceSet, and back.
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_DEVICETABLE_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_DEVICETABLE_H

#include "dialects/tfir/Tfir.h"
#include "lib/placement/inputs/DeviceSet.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Writes the devices into the module, in place of a table that is there.
void writeDeviceTable(mlir::ModuleOp module, const DeviceSet &devices);

/// Gives the devices of the module's table; cpu:0 where it has none.
DeviceSet readDeviceTable(mlir::ModuleOp module);

/// The device's name as an attribute.
inline tfir::DeviceAttr attributeOf(mlir::MLIRContext *context,
                                    const TargetDevice &device) {
  return tfir::DeviceAttr::get(context, device.name);
}

} // namespace graphc

#endif
