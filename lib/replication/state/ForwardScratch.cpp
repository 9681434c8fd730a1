// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/state/ForwardScratch.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

static bool isScratch(FlatSymbolRefAttr name, const SymbolTable &symbols) {
  auto variable = symbols.lookup<VariableOp>(name.getAttr());
  return variable && variable.getScratch();
}

bool isScratchRead(ReadOp read, const SymbolTable &symbols) {
  return isScratch(read.getVariableAttr(), symbols);
}

/// In the graph of a worker that leaves updates to another one, what came
/// before them is left without use.
static void eraseUnused(GraphOp graph, const SymbolTable &symbols) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBlock()))) {
    auto read = dyn_cast<ReadOp>(op);
    bool isRead = read && isScratchRead(read, symbols);
    if (op.use_empty() && (isRead || isPure(&op)) &&
        !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  }
}

/// The variables that the graph updates in a way that needs their value.
static DenseSet<Attribute> updatedIn(GraphOp graph) {
  DenseSet<Attribute> updated;
  for (auto access : graph.getBlock().getOps<VariableAccess>())
    if (access.isCompoundUpdate())
      for (FlatSymbolRefAttr name : access.getVariables())
        updated.insert(name);
  return updated;
}

void forwardScratch(GraphOp graph, const SymbolTable &symbols) {
  DenseMap<Attribute, Value> assigned;
  DenseSet<Attribute> updated = updatedIn(graph);
  bool isAny = false;
  for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
    if (auto assign = dyn_cast<AssignOp>(op)) {
      if (!isScratch(assign.getVariableAttr(), symbols) ||
          updated.contains(assign.getVariableAttr()))
        continue;
      assigned[assign.getVariableAttr()] = assign.getValue();
      assign.erase();
    } else if (auto read = dyn_cast<ReadOp>(op)) {
      if (!isScratchRead(read, symbols) ||
          updated.contains(read.getVariableAttr()))
        continue;
      auto found = assigned.find(read.getVariableAttr());
      isAny |= found == assigned.end();
      if (found == assigned.end())
        continue;
      read.replaceAllUsesWith(found->second);
      read.erase();
    }
  }
  if (isAny)
    eraseUnused(graph, symbols);
}

/// Puts what stands beside a scratch variable beside the one that it is for.
static void followOwner(Operation *op, const SymbolTable &symbols) {
  auto beside = getColocation(op);
  if (!beside)
    return;
  auto variable = symbols.lookup<VariableOp>(beside);
  if (variable && variable.getScratch())
    setColocation(op, getColocationAttr(variable));
}

void eraseScratch(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto variable : module.getOps<VariableOp>())
    if (!variable.getScratch())
      followOwner(variable, symbols);
  DenseSet<Attribute> updated;
  for (auto graph : module.getOps<GraphOp>()) {
    forwardScratch(graph, symbols);
    for (Attribute name : updatedIn(graph))
      updated.insert(name);
    for (Operation &op : graph.getBlock())
      followOwner(&op, symbols);
  }
  for (auto variable : llvm::make_early_inc_range(module.getOps<VariableOp>()))
    if (variable.getScratch() &&
        !updated.contains(FlatSymbolRefAttr::get(variable.getSymNameAttr())))
      variable.erase();
}

} // namespace graphc
