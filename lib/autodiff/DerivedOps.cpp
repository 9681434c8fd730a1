// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/DerivedOps.h"

#include "dialects/tfir/Names.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

std::string nameOf(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(kNameAttr))
    return name.str();
  return kindName(op);
}

void DerivedOps::enterScope(const Twine &newScope, Operation *origin) {
  scope = newScope.str();
  device = origin ? origin->getAttr(kDeviceAttr) : Attribute();
  colocation = origin ? origin->getAttr(kColocateAttr) : Attribute();
}

void DerivedOps::enterVariable(const Twine &newScope, VariableOp variable) {
  scope = newScope.str();
  device = variable->getAttr(kDeviceAttr);
  colocation = variable.getSymNameAttr();
}

void DerivedOps::enterSum(const Twine &newScope, ValueRange parts,
                          VariableOp variable) {
  auto areEqual = [&](StringRef name) {
    return llvm::all_equal(llvm::map_range(parts, [&](Value part) {
      Operation *maker = part.getDefiningOp();
      return maker ? maker->getAttr(name) : Attribute();
    }));
  };
  if (areEqual(kDeviceAttr) && areEqual(kColocateAttr))
    enterScope(newScope, parts.front().getDefiningOp());
  else
    enterVariable(newScope, variable);
}

void DerivedOps::notifyOperationInserted(Operation *op,
                                         OpBuilder::InsertPoint previous) {
  if (previous.isSet()) // moved, not new
    return;
  if (!op->hasAttr(kNameAttr)) {
    std::string base = next.empty() ? scope + "/" + kindName(op) : next;
    op->setAttr(kNameAttr, StringAttr::get(op->getContext(), names.take(base)));
  }
  next.clear();
  if (device && !op->hasAttr(kDeviceAttr))
    op->setAttr(kDeviceAttr, device);
  if (colocation && !op->hasAttr(kColocateAttr))
    op->setAttr(kColocateAttr, colocation);
}

} // namespace graphc
