// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/TowerRequests.h"

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

using namespace tfir;

bool needsHost(Operation *op, StringRef type) {
  if (isa<NextOp>(op))
    return true;
  auto placeable = dyn_cast<Placeable>(op);
  return placeable && !llvm::is_contained(placeable.deviceKinds(), type) &&
         llvm::is_contained(placeable.deviceKinds(), "CPU");
}

DeviceAttr TowerRequests::requestFor(Operation *op, unsigned device) {
  auto own = getRequestedDevice(op);
  if (layout.isPipeline)
    return own;
  const TowerLayout::TowerDevice &tower = layout.devices[device];
  if (!own && getColocationAttr(op))
    return DeviceAttr(); // where the other is
  if (!own)
    return needsHost(op, *tower.name.getDeviceName().type) ? tower.host
                                                           : tower.name;
  DeviceAttr &request = merged[{own, device}];
  if (request)
    return request;
  const DeviceName &wish = own.getDeviceName();
  DeviceName name = tower.name.getDeviceName();
  // Another type, or another task, has other numbers.
  if (!wish.id && wish.type && wish.type != name.type)
    name.id.reset();
  request = DeviceAttr::get(op->getContext(), name.overriddenBy(wish));
  return request;
}

} // namespace graphc
