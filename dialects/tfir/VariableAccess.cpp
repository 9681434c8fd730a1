// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VariableAccess: the variables of each op that reads or updates some.
#include "dialects/tfir/Tfir.h"

using namespace mlir;
using namespace graphc::tfir;

using Variables = SmallVector<FlatSymbolRefAttr>;

Variables ReadOp::getVariables() { return {getVariableAttr()}; }
void ReadOp::setVariables(ArrayRef<FlatSymbolRefAttr> variables) {
  setVariableAttr(variables[0]);
}
size_t ReadOp::getNumUpdated() { return 0; }
bool ReadOp::isCompoundUpdate() { return false; }

Variables AssignOp::getVariables() { return {getVariableAttr()}; }
void AssignOp::setVariables(ArrayRef<FlatSymbolRefAttr> variables) {
  setVariableAttr(variables[0]);
}
bool AssignOp::isCompoundUpdate() { return false; }

Variables AssignAddOp::getVariables() { return {getVariableAttr()}; }
void AssignAddOp::setVariables(ArrayRef<FlatSymbolRefAttr> variables) {
  setVariableAttr(variables[0]);
}
bool AssignAddOp::isAccumulation() { return true; }

Variables AssignSubOp::getVariables() { return {getVariableAttr()}; }
void AssignSubOp::setVariables(ArrayRef<FlatSymbolRefAttr> variables) {
  setVariableAttr(variables[0]);
}
bool AssignSubOp::isAccumulation() { return true; }

Variables ApplyOp::getVariables() {
  Variables variables{getVariableAttr()};
  if (ArrayAttr slots = getSlotsAttr())
    llvm::append_range(variables, slots.getAsRange<FlatSymbolRefAttr>());
  return variables;
}
void ApplyOp::setVariables(ArrayRef<FlatSymbolRefAttr> variables) {
  setVariableAttr(variables[0]);
  SmallVector<Attribute> slots(variables.drop_front());
  if (!slots.empty())
    setSlotsAttr(ArrayAttr::get(getContext(), slots));
}

Variables UpdateAverageOp::getVariables() {
  return {getAverageAttr(), getVariableAttr()};
}
void UpdateAverageOp::setVariables(ArrayRef<FlatSymbolRefAttr> variables) {
  setAverageAttr(variables[0]);
  setVariableAttr(variables[1]);
}
size_t UpdateAverageOp::getNumUpdated() { return 1; }
