// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/pipeline/StageDevices.h"

#include "lib/placement/inputs/DeviceTable.h"
#include "lib/replication/TowerDevices.h"
#include "lib/replication/TowerRequests.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

StageDevices::StageDevices(const DeviceSet &set, MLIRContext *context)
    : set(set), context(context), possible(towerDevices(set)) {}

SmallVector<size_t> StageDevices::asked(DeviceAttr request) const {
  SmallVector<size_t> meant = set.matching(request.getDeviceName());
  llvm::erase_if(meant, [&](size_t device) {
    return !llvm::is_contained(possible, device);
  });
  return meant;
}

void StageDevices::choose(int64_t stages) {
  chosen.assign(possible.begin(), possible.begin() + stages);
}

void StageDevices::choose(ArrayRef<size_t> devices) {
  chosen.assign(devices.begin(), devices.end());
}

std::optional<int64_t> StageDevices::stageOn(size_t device) const {
  auto found = llvm::find(chosen, device);
  if (found == chosen.end())
    return std::nullopt;
  return std::distance(chosen.begin(), found);
}

DeviceAttr StageDevices::nameOf(int64_t stage, bool onHost) const {
  std::optional<size_t> device = chosen[stage];
  if (onHost)
    device = set.hostOf(*device);
  return device ? attributeOf(context, set[*device]) : DeviceAttr();
}

DeviceAttr StageDevices::deviceFor(Operation *op, int64_t stage) const {
  StringRef type = set[chosen[stage]].type;
  return nameOf(stage, type != "CPU" && needsHost(op, type));
}

DeviceAttr StageDevices::deviceFor(VariableOp variable, int64_t stage) const {
  bool isFloat = isa<FloatType>(variable.getTensorType().getElementType());
  return nameOf(stage, !isFloat && set[chosen[stage]].type != "CPU");
}

} // namespace graphc
