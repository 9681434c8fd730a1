// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dissolves device scopes into the `device` attribute of the ops inside:
//
//   tfir.device "/job:a" { %y = tfir.neg %x {device = "/gpu:0"} ... }
//     -> %y = tfir.neg %x {device = "/job:a/device:GPU:0"}
//
// Guarantees: no tfir.device is left, every device is a canonical name.
#include "graphc/Passes.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "runtime/base/DeviceName.h"

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

#define GEN_PASS_DEF_FLATTENDEVICESCOPESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// The device inside a scope `text` on `op` that stands in the scope `outer`.
FailureOr<DeviceName> enterScope(Operation *op, StringRef text,
                                 const DeviceName &outer) {
  // As `with tf.device(None)`, nothing of the outer scopes remains.
  if (text.empty())
    return DeviceName();
  runtime::StatusOr<DeviceName> name =
      DeviceName::parse(std::string_view(text));
  if (!name.isOk())
    return op->emitOpError() << name.status().message();
  return outer.overriddenBy(*name);
}

/// Writes the op's device in full.
LogicalResult mergeDevice(Operation *op, const DeviceName &scope) {
  // As TensorFlow does: colocation takes no part of the scopes around it.
  DeviceName device = op->hasAttr(kColocateAttr) ? DeviceName() : scope;
  if (Attribute attr = op->getAttr(kDeviceAttr)) {
    auto text = dyn_cast<StringAttr>(attr);
    if (!text)
      return op->emitOpError()
             << "has " << attr << " as 'device', expected a string such as "
             << "\"/gpu:0\"";
    FailureOr<DeviceName> own = enterScope(op, text.getValue(), device);
    if (failed(own))
      return failure();
    device = *own;
  }
  std::string text = device.toString();
  if (text.empty())
    op->removeAttr(kDeviceAttr);
  else
    op->setAttr(kDeviceAttr, StringAttr::get(op->getContext(), text));
  return success();
}

/// Puts the ops of a scope in its place.
void dissolve(DeviceOp scope) {
  Block &body = scope.getBody().front();
  Operation *yield = body.getTerminator();
  scope->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  scope->getBlock()->getOperations().splice(scope->getIterator(),
                                            body.getOperations());
  scope.erase();
}

LogicalResult flatten(Block &block, const DeviceName &outer) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    auto scope = dyn_cast<DeviceOp>(op);
    if (!scope) {
      if (failed(mergeDevice(&op, outer)))
        return failure();
      continue;
    }
    FailureOr<DeviceName> inner = enterScope(&op, scope.getSpec(), outer);
    if (failed(inner) || failed(flatten(scope.getBody().front(), *inner)))
      return failure();
    dissolve(scope);
  }
  return success();
}

struct FlattenDeviceScopesPass
    : impl::FlattenDeviceScopesPassBase<FlattenDeviceScopesPass> {
  void runOnOperation() override {
    for (auto variable : getOperation().getOps<VariableOp>())
      if (failed(mergeDevice(variable, DeviceName())))
        return signalPassFailure();
    for (auto graph : getOperation().getOps<GraphOp>())
      if (failed(flatten(graph.getBlock(), DeviceName())))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
