// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/DerivedOps.h"

#include "dialects/tfir/PipelineAttrs.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

std::string nameOf(Operation *op) {
  if (auto name = getNodeName(op))
    return name.str();
  return kindName(op);
}

/// The slot of the gradient of an op: its stage on the way back.
static std::optional<int64_t> gradientSlot(Operation *op) {
  std::optional<int64_t> slot = getSlot(op);
  auto graph = op->getParentOfType<GraphOp>();
  std::optional<PipelineSpec> pipeline =
      graph && slot ? getPipeline(graph) : std::nullopt;
  if (!pipeline || *slot >= pipeline->stages)
    return slot; // a gradient of a gradient is there already
  return 2 * pipeline->stages - 1 - *slot;
}

void DerivedOps::enterScope(const Twine &newScope, Operation *origin) {
  scope = newScope.str();
  device = origin ? getRequestedDevice(origin) : DeviceAttr();
  colocation = origin ? getColocationAttr(origin) : Attribute();
  slot = origin ? gradientSlot(origin) : std::nullopt;
}

void DerivedOps::enterVariable(const Twine &newScope, VariableOp variable) {
  scope = newScope.str();
  device = variable.getRequestedDevice();
  colocation = variable.getSymNameAttr();
  slot.reset();
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
    return enterScope(newScope, parts.front().getDefiningOp());
  enterVariable(newScope, variable);
  // On the way back, the variable's stage is the last of those that read it.
  DeviceAttr last;
  for (Value part : parts) {
    Operation *maker = part.getDefiningOp();
    std::optional<int64_t> own = maker ? gradientSlot(maker) : std::nullopt;
    if (own <= slot)
      continue;
    slot = own;
    last = getRequestedDevice(maker);
  }
  if (last != device)
    slot.reset();
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
  if (slot && !getSlot(op))
    setSlot(op, slot);
}

} // namespace graphc
