// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dissolves device scopes into the `device` attribute of the ops inside:
//
//   tfir.device "/job:a" { %y = tfir.neg %x {device = "/gpu:0"} ... }
//     -> %y = tfir.neg %x {device = #tfir.device<"/job:a/device:GPU:0">}
//
// Guarantees: no tfir.device is left, every device is parsed, and
// `colocate_with` names ops and variables that there are.
#include "graphc/Passes.h"

#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/checks/ReportsValues.h"
#include "runtime/base/DeviceName.h"
#include "runtime/base/Suggest.h"

#include "llvm/ADT/StringMap.h"

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
  runtime::StatusOr<runtime::ParsedDeviceName> parsed =
      runtime::parseDeviceName(std::string_view(text));
  if (!parsed.isOk())
    return op->emitOpError() << parsed.status().message();
  if (parsed->warning)
    op->emitWarning() << *parsed->warning;
  return outer.overriddenBy(parsed->name);
}

/// Replaces the op's device by the parsed name, merged with the scopes.
LogicalResult mergeDevice(Operation *op, const DeviceName &scope) {
  // As TensorFlow does: colocation takes no part of the scopes around it.
  DeviceName device = getColocationAttr(op) ? DeviceName() : scope;
  Attribute attr = getRequestedDeviceAttr(op);
  if (auto parsed = dyn_cast_if_present<DeviceAttr>(attr)) {
    device = device.overriddenBy(parsed.getDeviceName());
  } else if (auto text = dyn_cast_if_present<StringAttr>(attr)) {
    FailureOr<DeviceName> own = enterScope(op, text.getValue(), device);
    if (failed(own))
      return failure();
    device = *own;
  }
  // Checks and prints run on the host of a device that has no code for them;
  // ops that are short for others leave that to these.
  if (op->hasTrait<ReportsValues>() && !isa<Decomposable>(op) && device.type &&
      !llvm::is_contained(cast<Placeable>(op).deviceKinds(), *device.type))
    device = device.hostDevice();
  if (device == DeviceName())
    setRequestedDevice(op, {});
  else
    setRequestedDevice(op, DeviceAttr::get(op->getContext(), device));
  return success();
}

/// Replaces the text of an assigned device by the parsed name.
LogicalResult parseAssigned(Operation *op) {
  auto text = dyn_cast_if_present<StringAttr>(getAssignedDeviceAttr(op));
  if (!text)
    return success();
  runtime::StatusOr<runtime::ParsedDeviceName> parsed =
      runtime::parseDeviceName(std::string_view(text.getValue()));
  if (!parsed.isOk())
    return op->emitOpError() << "has " << text << " as 'assigned_device'; "
                             << parsed.status().message();
  setAssignedDevice(op, DeviceAttr::get(op->getContext(), parsed->name));
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

LogicalResult flatten(Block &block, const DeviceName &outer);

/// The bodies of a loop are in the scopes around it, and in its own.
LogicalResult flattenBodies(Operation *op) {
  DeviceAttr device = getRequestedDevice(op);
  DeviceName scope = device ? device.getDeviceName() : DeviceName();
  for (Region &body : op->getRegions())
    if (failed(flatten(body.front(), scope)))
      return failure();
  return success();
}

LogicalResult flatten(Block &block, const DeviceName &outer) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    auto scope = dyn_cast<DeviceOp>(op);
    if (!scope) {
      if (failed(mergeDevice(&op, outer)) || failed(parseAssigned(&op)) ||
          (isa<ControlOpInterface>(op) && failed(flattenBodies(&op))))
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

/// The names that ops of a graph, or variables, can be colocated with.
class KnownNames {
public:
  explicit KnownNames(ModuleOp module) {
    for (auto variable : module.getOps<VariableOp>())
      names[variable.getSymName()] = nullptr;
  }

  void add(GraphOp graph) {
    graph.getBody().walk([&](Operation *op) {
      if (auto name = getNodeName(op))
        names[name.getValue()] = op;
    });
  }

  /// Fails with an error when the op is to be where nothing is.
  LogicalResult check(Operation *op, StringRef place) const;

private:
  llvm::StringMap<Operation *> names; ///< null for a variable
};

LogicalResult KnownNames::check(Operation *op, StringRef place) const {
  Attribute attr = getColocationAttr(op);
  if (!attr)
    return success();
  auto list = dyn_cast<ArrayAttr>(attr);
  for (Attribute entry : list ? list.getValue() : ArrayRef(attr)) {
    auto name = cast<StringAttr>(entry);
    if (name.empty())
      return op->emitOpError()
             << "has " << attr << " as 'colocate_with', expected the name of "
             << "an op or a variable, such as \"fc1/weights\"";
    if (auto found = names.find(name.getValue()); found != names.end()) {
      Operation *other = found->second;
      if (!other || other->getParentRegion()->isAncestor(op->getParentRegion()))
        continue;
      return op->emitOpError()
             << "is to be where '" << name.getValue()
             << "' is, which is in the body of a loop and there once per step; "
                "name an op outside of it, or a variable";
    }
    std::vector<std::string> known;
    for (StringRef one : names.keys())
      known.push_back(one.str());
    llvm::sort(known);
    return op->emitOpError()
           << "is to be where '" << name.getValue() << "' is; "
           << runtime::unknownName(place.str(), "op or variable",
                                   name.getValue().str(), known)
           << (known.empty() ? "; give the op that is meant that 'name'" : "");
  }
  return success();
}

LogicalResult checkColocations(ModuleOp module) {
  KnownNames variables(module);
  for (auto variable : module.getOps<VariableOp>())
    if (failed(variables.check(variable, "the module")))
      return failure();
  for (auto graph : module.getOps<GraphOp>()) {
    KnownNames known = variables;
    known.add(graph);
    std::string place = "the graph '" + graph.getSymName().str() + "'";
    WalkResult result = graph.getBody().walk(
        [&](Operation *op) { return WalkResult(known.check(op, place)); });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

struct FlattenDeviceScopesPass
    : impl::FlattenDeviceScopesPassBase<FlattenDeviceScopesPass> {
  void runOnOperation() override {
    for (auto variable : getOperation().getOps<VariableOp>())
      if (failed(mergeDevice(variable, DeviceName())) ||
          failed(parseAssigned(variable)))
        return signalPassFailure();
    for (auto graph : getOperation().getOps<GraphOp>())
      if (failed(flatten(graph.getBlock(), DeviceName())))
        return signalPassFailure();
    if (failed(checkColocations(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace graphc
