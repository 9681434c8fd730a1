// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/lowering/DeviceTarget.h"

#include "dialects/tfir/Names.h"
#include "runtime/base/DeviceName.h"

using namespace mlir;

namespace graphc {

bool isAccelerator(StringRef device) {
  auto name = runtime::DeviceName::parse(device.str());
  return name.isOk() && name->type == "GPU";
}

bool isForAccelerator(tfir::GraphOp partition) {
  auto device = partition->getAttrOfType<StringAttr>(tfir::kDeviceAttr);
  return device && !partition.getOnHost() && isAccelerator(device.getValue());
}

bool isForAccelerator(exec::ProgramOp program) {
  return !program.getOnHost() && isAccelerator(program.getDevice());
}

} // namespace graphc
