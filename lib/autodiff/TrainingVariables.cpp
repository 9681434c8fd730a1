// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/TrainingVariables.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

FlatSymbolRefAttr refTo(VariableOp variable) {
  return FlatSymbolRefAttr::get(variable.getSymNameAttr());
}

VariableOp declare(OpBuilder &builder, SymbolTable &symbols, Location loc,
                   StringRef base, RankedTensorType type, double initial) {
  std::string name = base.str();
  for (unsigned i = 1; symbols.lookup(name); ++i)
    name = (base + "_" + Twine(i)).str();
  auto variable = VariableOp::create(
      builder, loc, name, type, FillAttr::get(builder.getContext(), initial),
      /*trainable=*/false);
  symbols.insert(variable);
  return variable;
}

VariableOp declareShared(SymbolTable &symbols, Location loc, StringRef base,
                         RankedTensorType type, double initial) {
  auto module = cast<ModuleOp>(symbols.getOp());
  OpBuilder builder(*module.getOps<GraphOp>().begin());
  return declare(builder, symbols, loc, base, type, initial);
}

VariableOp declareBeside(OpBuilder &builder, VariableOp variable,
                         SymbolTable &symbols, StringRef name, double initial) {
  VariableOp slot = declare(builder, symbols, variable.getLoc(),
                            (variable.getSymName() + "/" + name).str(),
                            variable.getTensorType(), initial);
  slot.setColocation(variable.getSymNameAttr());
  slot.setRequestedDevice(variable.getRequestedDevice());
  return slot;
}

} // namespace graphc
