// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/Mirrors.h"

#include "dialects/tfir/Support.h"
#include "lib/replication/shards/UpdateShards.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

using namespace tfir;

bool isUpdate(Operation *op) {
  auto access = dyn_cast<VariableAccess>(op);
  return access && access.isUpdate();
}

SmallVector<FlatSymbolRefAttr> variablesOf(Operation *op) {
  auto access = dyn_cast<VariableAccess>(op);
  return access ? access.getVariables() : SmallVector<FlatSymbolRefAttr>();
}

/// The variables that graphs with towers touch.
static DenseSet<StringAttr> touchedVariables(ModuleOp module) {
  DenseSet<StringAttr> touched;
  for (auto graph : module.getOps<GraphOp>())
    if (graph.getTowers() > 1)
      for (Operation &op : graph.getBlock())
        for (FlatSymbolRefAttr name : variablesOf(&op))
          touched.insert(name.getAttr());
  return touched;
}

static bool isFloat(VariableOp variable) {
  return isa<FloatType>(variable.getTensorType().getElementType());
}

void followVariable(Operation *op) {
  auto wish = getRequestedDevice(op);
  if (wish && !wish.getDeviceName().id)
    setRequestedDevice(op, {});
}

void requestFor(VariableOp variable, const TowerLayout &layout) {
  if (!layout.variables || getColocationAttr(variable))
    return;
  auto own = getRequestedDevice(variable);
  DeviceName name = layout.variables.getDeviceName();
  DeviceName wish = own ? own.getDeviceName() : DeviceName();
  // No device but a CPU keeps integers.
  if (!isFloat(variable) && name.type != "CPU") {
    name.type = "CPU";
    name.id.reset();
  }
  // Another type leaves the number open.
  if (wish.type && !wish.id && wish.type != name.type)
    name.id.reset();
  setRequestedDevice(variable, DeviceAttr::get(variable.getContext(),
                                               name.overriddenBy(wish)));
}

LogicalResult Mirrors::declare(VariableOp variable, const TowerLayout &layout,
                               SymbolTable &symbols) {
  if (auto device = getRequestedDevice(variable))
    return variable.emitOpError()
           << "asks for the device \"" << device.getText()
           << "\", but is to be mirrored on every device with a tower; remove "
              "'device', or choose --reduce=ps";
  OpBuilder b(variable.getContext());
  b.setInsertionPointAfter(variable);
  auto beside = getColocation(variable);
  Copies &copies = names[variable.getSymNameAttr()];
  copies.type = variable.getTensorType();
  copies.isScratch = variable.getScratch();
  for (unsigned copy = 1; copy < layout.copies(); ++copy) {
    std::string name = (variable.getSymName() + "/mirror_" + Twine(copy)).str();
    if (Operation *other = symbols.lookup(name))
      return other->emitOpError()
             << "has the name of the mirror of '" << variable.getSymName()
             << "' on '" << layout.devices[copy].name.getText()
             << "'; rename it";
    auto mirror = cast<VariableOp>(b.clone(*variable));
    mirror.setSymName(name);
    mirror.setMirrorOf(variable.getSymName());
    setRequestedDevice(mirror, layout.devices[copy].name);
    // Its variable has come before it.
    if (beside && names.count(beside))
      setColocation(mirror,
                    copyOf(FlatSymbolRefAttr::get(beside), copy).getAttr());
    copies.names.push_back(FlatSymbolRefAttr::get(mirror.getSymNameAttr()));
  }
  setRequestedDevice(variable, layout.devices.front().name);
  return success();
}

FailureOr<Mirrors> Mirrors::make(ModuleOp module, const TowerLayout &layout,
                                 const UpdateShards &shards) {
  Mirrors mirrors;
  DenseSet<StringAttr> touched = touchedVariables(module);
  SymbolTable symbols(module);
  for (auto variable :
       llvm::make_early_inc_range(module.getOps<VariableOp>())) {
    if (!touched.contains(variable.getSymNameAttr()) ||
        shards.isSlot(variable.getSymNameAttr()))
      continue;
    if (!layout.mirrored || !isFloat(variable))
      requestFor(variable, layout);
    else if (failed(mirrors.declare(variable, layout, symbols)))
      return failure();
  }
  return mirrors;
}

void Mirrors::redirect(Operation *op, unsigned copy) const {
  auto access = dyn_cast<VariableAccess>(op);
  if (!access)
    return;
  SmallVector<FlatSymbolRefAttr> variables = access.getVariables();
  for (FlatSymbolRefAttr &variable : variables)
    variable = copyOf(variable, copy);
  access.setVariables(variables);
}

void Mirrors::follow(GraphOp graph) const {
  if (names.empty())
    return;
  llvm::SetVector<StringAttr> assigned;
  for (auto access : graph.getBlock().getOps<VariableAccess>()) {
    SmallVector<FlatSymbolRefAttr> variables = access.getVariables();
    variables.truncate(access.getNumUpdated());
    for (FlatSymbolRefAttr variable : variables)
      if (isMirrored(variable))
        assigned.insert(variable.getAttr());
  }
  OpBuilder b(graph.getReturn());
  for (StringAttr variable : assigned) {
    const Copies &copies = names.find(variable)->second;
    Value value = ReadOp::create(b, graph.getLoc(), copies.type,
                                 FlatSymbolRefAttr::get(variable),
                                 /*average=*/UnitAttr());
    for (FlatSymbolRefAttr copy : copies.names)
      AssignOp::create(b, graph.getLoc(), copy, value);
  }
}

} // namespace graphc
