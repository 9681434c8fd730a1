// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/TowerRequests.h"

#include "dialects/tfir/Names.h"

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

using namespace tfir;

static bool needsHost(Operation *op, StringRef type) {
  if (isa<NextOp>(op))
    return true;
  auto placeable = dyn_cast<Placeable>(op);
  return placeable && !llvm::is_contained(placeable.deviceKinds(), type) &&
         llvm::is_contained(placeable.deviceKinds(), "CPU");
}

FailureOr<StringAttr> TowerRequests::requestFor(Operation *op,
                                                unsigned device) {
  const TowerLayout::TowerDevice &tower = layout.devices[device];
  auto own = op->getAttrOfType<StringAttr>(kDeviceAttr);
  if (!own && op->hasAttr(kColocateAttr))
    return StringAttr(); // where the other is
  if (!own)
    return needsHost(op, *tower.parsed.type) ? tower.host : tower.name;
  StringAttr &request = merged[{own, device}];
  if (request)
    return request;
  auto wish = DeviceName::parse(std::string_view(own.getValue()));
  if (!wish.isOk())
    return op->emitOpError() << wish.status().message();
  DeviceName name = tower.parsed;
  // Another type, or another task, has other numbers.
  if (!wish->id && wish->type && wish->type != name.type)
    name.id.reset();
  request =
      StringAttr::get(op->getContext(), name.overriddenBy(*wish).toString());
  return request;
}

} // namespace graphc
