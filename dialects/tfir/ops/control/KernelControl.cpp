// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of the ops whose one kernel runs them: what they may have, and how
// they are cut off from what is outside.
#include "dialects/tfir/ops/control/KernelControl.h"

#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/Verify.h"
#include "dialects/tfir/ops/checks/ReportsValues.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace graphc::tfir;

#include "dialects/tfir/KernelControl.cpp.inc"

namespace {

/// Advice for an op that no body may have; empty for one that it may.
StringRef cureFor(Operation *op) {
  if (isa<RandomSource>(op))
    return "draws random numbers; draw before it, or use 'tfir.scan' or "
           "'tfir.if', which do";
  if (isa<ReadOp>(op))
    return "reads a variable; read it before, and capture the value";
  if (isa<VariableAccess>(op))
    return "updates a variable; yield the value, and update behind it";
  if (isa<NextOp>(op))
    return "takes a batch; take it before";
  if (isa<SummaryOpInterface>(op))
    return "is a summary; yield the value, and show it behind";
  if (op->hasTrait<ReportsValues>())
    return "reports on a value; yield the value, and report behind it";
  if (isa<DeviceOp>(op))
    return "is a device scope; put the whole op into the scope";
  if (op->hasTrait<ReplacedByGradients>())
    return "differentiates; move it behind, and use 'tfir.scan' or 'tfir.if' "
           "where a gradient is wanted";
  // (C1)
  bool computes =
      isa<Elementwise, Lowerable, ContractionInterface, Decomposable,
          ControlOpInterface, KernelControlInterface>(op) ||
      isa<ConstOp, ReshapeOp, YieldOp>(op);
  return computes ? "" : "has no code there; move it before or behind it";
}

bool isSplat(ConstOp constant) {
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  return dense && dense.isSplat();
}

} // namespace

LogicalResult graphc::tfir::verifyKernelControl(Operation *op) {
  if (failed(verifyInGraph(op)))
    return failure();
  WalkResult result = op->walk([&](Operation *inner) {
    if (inner == op)
      return WalkResult::advance();
    StringRef cure = cureFor(inner);
    if (cure.empty() &&
        (getRequestedDeviceAttr(inner) || getColocationAttr(inner))) // (C2)
      cure = "has a place of its own; give the place to the whole op";
    if (cure.empty())
      return WalkResult::advance();
    inner->emitOpError() << "stands in a body of '" << op->getName()
                         << "', which is one kernel, and " << cure;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

SmallVector<Value> graphc::tfir::captureOutside(Operation *op) {
  SmallVector<Operation *> hoisted;
  op->walk([&](Operation *inner) {
    auto constant = dyn_cast<ConstOp>(inner);
    if (isa<ReadOp>(inner) || (constant && !isSplat(constant)))
      hoisted.push_back(inner);
  });
  for (Operation *each : hoisted)
    each->moveBefore(op);

  auto regionOf = [&](Operation *inner) -> Region * {
    for (Region &region : op->getRegions())
      if (region.isAncestor(inner->getParentRegion()))
        return &region;
    return nullptr;
  };
  llvm::SetVector<Value> outside;
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value value : inner->getOperands())
      if (llvm::none_of(op->getRegions(), [&](Region &region) {
            return region.isAncestor(value.getParentRegion());
          }))
        outside.insert(value);
  });
  for (Value value : outside)
    for (Region &region : op->getRegions()) {
      Value argument = region.addArgument(value.getType(), value.getLoc());
      value.replaceUsesWithIf(argument, [&](OpOperand &use) {
        return use.getOwner() != op && regionOf(use.getOwner()) == &region;
      });
    }
  return outside.takeVector();
}
