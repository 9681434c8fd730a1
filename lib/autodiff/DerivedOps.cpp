// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/DerivedOps.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

std::string nameOf(Operation *op) {
  if (auto name = getNodeName(op))
    return name.str();
  return kindName(op);
}

void DerivedOps::enterScope(const Twine &newScope, Operation *origin) {
  scope = newScope.str();
  device = origin ? getRequestedDevice(origin) : DeviceAttr();
  colocation = origin ? getColocationAttr(origin) : Attribute();
}

void DerivedOps::enterVariable(const Twine &newScope, VariableOp variable) {
  scope = newScope.str();
  device = variable.getRequestedDevice();
  colocation = variable.getSymNameAttr();
}

void DerivedOps::enterSum(const Twine &newScope, ValueRange parts,
                          VariableOp variable) {
  auto areEqual = [&](function_ref<Attribute(Operation *)> request) {
    return llvm::all_equal(llvm::map_range(parts, [&](Value part) {
      Operation *maker = part.getDefiningOp();
      return maker ? request(maker) : Attribute();
    }));
  };
  if (areEqual(getRequestedDevice) && areEqual(getColocationAttr))
    enterScope(newScope, parts.front().getDefiningOp());
  else
    enterVariable(newScope, variable);
}

void DerivedOps::notifyOperationInserted(Operation *op,
                                         OpBuilder::InsertPoint previous) {
  if (previous.isSet()) // moved, not new
    return;
  if (!getNodeName(op)) {
    std::string base = next.empty() ? scope + "/" + kindName(op) : next;
    setNodeName(op, StringAttr::get(op->getContext(), names.take(base)));
  }
  next.clear();
  if (device && !getRequestedDevice(op))
    setRequestedDevice(op, device);
  if (colocation && !getColocationAttr(op))
    setColocation(op, colocation);
}

} // namespace graphc
