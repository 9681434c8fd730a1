// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/MakeInitGraph.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Support.h"
#include "lib/autodiff/DecomposeOp.h"
#include "lib/autodiff/DerivedOps.h"
#include "lib/frontend/Averages.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

FailureOr<GraphOp> addEmptyGraph(ModuleOp module) {
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
  ArrayAttr none = builder.getArrayAttr({});
  auto graph =
      GraphOp::create(builder, module.getLoc(), kInitGraph, none, none, none);
  builder.createBlock(&graph.getBody());
  ReturnOp::create(builder, module.getLoc());
  return graph;
}

/// 0 stands for no seed: the stream follows from the name.
IntegerAttr seedAttr(Builder &builder, int64_t seed) {
  return seed ? builder.getI64IntegerAttr(seed) : IntegerAttr();
}

Value initialValue(OpBuilder &b, VariableOp variable) {
  Location loc = variable.getLoc();
  RankedTensorType type = variable.getTensorType();
  return TypeSwitch<Attribute, Value>(variable.getInitial())
      .Case([&](FillAttr fill) { return splat(b, loc, type, fill.getValue()); })
      .Case([&](RandomNormalInitAttr attr) {
        return RandomNormalOp::create(b, loc, type, APFloat(attr.getMean()),
                                      APFloat(attr.getStddev()),
                                      seedAttr(b, attr.getSeed()));
      })
      .Case([&](TruncatedNormalInitAttr attr) {
        return TruncatedNormalOp::create(b, loc, type, APFloat(attr.getMean()),
                                         APFloat(attr.getStddev()),
                                         seedAttr(b, attr.getSeed()));
      })
      .Case([&](RandomUniformInitAttr attr) {
        return RandomUniformOp::create(b, loc, type, APFloat(attr.getMinval()),
                                       APFloat(attr.getMaxval()),
                                       seedAttr(b, attr.getSeed()));
      })
      .Default([&](Attribute value) {
        return ConstOp::create(b, loc, type, cast<ElementsAttr>(value));
      });
}

LogicalResult initialize(VariableOp variable, VariableOp average,
                         OpBuilder &builder, DerivedOps &derived,
                         UniqueNames &names) {
  StringRef name = variable.getSymName();
  derived.enterVariable(name + "/Initializer", variable);
  Value value = initialValue(builder, variable);
  for (VariableOp target : {variable, average})
    if (target) {
      derived.nameNext(target.getSymName() + "/Assign");
      AssignOp::create(builder, variable.getLoc(), target.getSymName(), value);
    }
  auto random = dyn_cast<Decomposable>(value.getDefiningOp());
  if (!random)
    return success();
  // The stream follows from the name that the op has when it is expanded.
  random->setAttr(kNameAttr, variable.getSymNameAttr());
  return decomposeFully(random, (name + "/Initializer").str(), names);
}

} // namespace

LogicalResult makeInitGraph(ModuleOp module) {
  FailureOr<GraphOp> graph = addEmptyGraph(module);
  if (failed(graph))
    return failure();
  UniqueNames names(*graph);
  DerivedOps derived(names);
  OpBuilder builder(module.getContext(), &derived);
  builder.setInsertionPoint(graph->getReturn());
  for (auto variable : module.getOps<VariableOp>()) {
    StringRef averaged = averagedVariable(variable.getSymName());
    if (!averaged.empty() && module.lookupSymbol<VariableOp>(averaged))
      continue; // with its variable
    auto average =
        module.lookupSymbol<VariableOp>(averageName(variable.getSymName()));
    if (failed(initialize(variable, average, builder, derived, names)))
      return failure();
  }
  return success();
}

} // namespace graphc
