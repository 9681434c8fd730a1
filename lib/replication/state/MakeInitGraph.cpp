// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/state/MakeInitGraph.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Support.h"
#include "lib/autodiff/DecomposeOp.h"
#include "lib/autodiff/DerivedOps.h"
#include "lib/frontend/Averages.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

FailureOr<GraphOp> addInitGraph(ModuleOp module) {
  if (Operation *other = module.lookupSymbol(kInitGraph))
    return other->emitOpError()
           << "has the name '" << kInitGraph
           << "', under which the compiler makes the graph that gives "
              "variables their initial values; rename it";
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto graphs = module.getOps<GraphOp>();
  if (graphs.empty())
    builder.setInsertionPointToEnd(module.getBody());
  else
    builder.setInsertionPoint(*graphs.begin());
  return addGraph(builder, module.getLoc(), kInitGraph);
}

Value initialValue(OpBuilder &b, VariableOp variable) {
  RankedTensorType type = variable.getTensorType();
  if (auto initial = dyn_cast<InitialValueAttrInterface>(variable.getInitial()))
    return initial.buildInitialValue(b, variable.getLoc(), type);
  return ConstOp::create(b, variable.getLoc(), type,
                         cast<ElementsAttr>(variable.getInitial()));
}

/// Those that start with the same value as the variable, and the variable
/// itself at the front: its average, and the mirrors of both.
using Targets = SmallVector<VariableOp>;

LogicalResult initialize(const Targets &targets, OpBuilder &builder,
                         DerivedOps &derived, UniqueNames &names) {
  VariableOp variable = targets.front();
  StringRef name = variable.getSymName();
  derived.enterVariable(name + "/Initializer", variable);
  Value value = initialValue(builder, variable);
  for (VariableOp target : targets) {
    derived.enterVariable(name + "/Initializer", target);
    derived.nameNext(target.getSymName() + "/Assign");
    AssignOp::create(builder, variable.getLoc(), target.getSymName(), value);
  }
  auto random = dyn_cast<Decomposable>(value.getDefiningOp());
  if (!random)
    return success();
  // The stream follows from the name that the op has when it is expanded.
  setNodeName(random, variable.getSymNameAttr());
  return decomposeFully(random, (name + "/Initializer").str(), names);
}

/// The variable whose value this one starts with.
StringAttr originOf(VariableOp variable, const SymbolTable &symbols) {
  if (auto of = variable.getMirrorOf())
    if (auto mirrored = symbols.lookup<VariableOp>(*of))
      variable = mirrored;
  StringRef averaged = averagedVariable(variable.getSymName());
  if (!averaged.empty())
    if (auto origin = symbols.lookup<VariableOp>(averaged))
      variable = origin;
  return variable.getSymNameAttr();
}

llvm::MapVector<StringAttr, Targets> groupByValue(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::MapVector<StringAttr, Targets> groups;
  // Origins first, wherever they stand in the file.
  for (auto variable : module.getOps<VariableOp>())
    if (originOf(variable, symbols) == variable.getSymNameAttr())
      groups[variable.getSymNameAttr()].push_back(variable);
  for (auto variable : module.getOps<VariableOp>())
    if (StringAttr origin = originOf(variable, symbols);
        origin != variable.getSymNameAttr())
      groups[origin].push_back(variable);
  return groups;
}

} // namespace

GraphOp addGraph(OpBuilder &builder, Location loc, StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  ArrayAttr none = builder.getArrayAttr({});
  auto graph = GraphOp::create(builder, loc, name, none, none, none);
  builder.createBlock(&graph.getBody());
  ReturnOp::create(builder, loc);
  return graph;
}

LogicalResult initializeIn(GraphOp graph,
                           llvm::function_ref<bool(VariableOp)> isChosen) {
  UniqueNames names(graph);
  DerivedOps derived(names);
  OpBuilder builder(graph.getContext(), &derived);
  builder.setInsertionPoint(graph.getReturn());
  for (auto &[name, targets] : groupByValue(graph->getParentOfType<ModuleOp>()))
    if (isChosen(targets.front()) &&
        failed(initialize(targets, builder, derived, names)))
      return failure();
  return success();
}

LogicalResult makeInitGraph(ModuleOp module) {
  FailureOr<GraphOp> graph = addInitGraph(module);
  if (failed(graph))
    return failure();
  return initializeIn(*graph, [](VariableOp) { return true; });
}

} // namespace graphc
