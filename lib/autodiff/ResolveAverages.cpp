// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the variables that hold moving averages, and reads those:
//
//   tfir.read @w average  ->  tfir.read @"w/ExponentialMovingAverage"
//
// A variable that is not trained, such as the running mean of a normalisation,
// has no average and is read itself.
//
// Relies on flat device scopes. Guarantees: every trainable variable that a
// graph with tfir.ema reads has an average, and no read asks for one.
#include "graphc/Passes.h"

#include "dialects/tfir/Tfir.h"
#include "lib/frontend/Averages.h"
#include "lib/frontend/FlatGraph.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_RESOLVEAVERAGESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

bool isAveraged(VariableOp variable) {
  return variable.getTrainable() &&
         isa<FloatType>(variable.getTensorType().getElementType());
}

/// The trainable variables that graphs with tfir.ema read, in program order.
FailureOr<SetVector<Operation *>>
averagedVariables(ModuleOp module, const SymbolTable &symbols) {
  SetVector<Operation *> variables;
  for (auto graph : module.getOps<GraphOp>()) {
    if (failed(requireFlat(graph)))
      return failure();
    auto averages = graph.getBlock().getOps<EmaOp>();
    if (averages.empty())
      continue;
    EmaOp ema = *averages.begin();
    if (graph.getBlock().getOps<MinimizeOp>().empty()) // (C2)
      return ema.emitOpError() << "stands in the graph '" << graph.getSymName()
                               << "', which trains nothing; add tfir.minimize";
    if (std::next(averages.begin()) != averages.end()) {
      InFlightDiagnostic error = (*std::next(averages.begin())).emitOpError()
                                 << "is the second of the graph '"
                                 << graph.getSymName() << "'; keep one of them";
      return error.attachNote(ema.getLoc()) << "the first is here";
    }
    for (auto read : graph.getBlock().getOps<ReadOp>()) {
      auto variable = symbols.lookup<VariableOp>(read.getVariable());
      if (isAveraged(variable))
        variables.insert(variable);
    }
  }
  return variables;
}

/// Declares the average after its variable, unless it is there.
LogicalResult declareAverage(VariableOp variable, SymbolTable &symbols) {
  std::string name = averageName(variable.getSymName());
  if (Operation *other = symbols.lookup(name)) {
    auto average = dyn_cast<VariableOp>(other);
    if (average && average.getType() == variable.getType())
      return success();
    return other->emitOpError()
           << "has the name of the moving average of '" << variable.getSymName()
           << "', but is no variable of type " << variable.getType()
           << "; rename it";
  }
  OpBuilder builder(variable.getContext());
  builder.setInsertionPointAfter(variable);
  auto average = cast<VariableOp>(builder.clone(*variable));
  average.setSymName(name);
  average.setTrainable(false);
  average.setColocation(variable.getSymNameAttr());
  symbols.insert(average);
  return success();
}

LogicalResult resolveRead(ReadOp read, const SymbolTable &symbols) {
  std::string name = averageName(read.getVariable());
  if (!symbols.lookup<VariableOp>(name)) {
    auto variable = symbols.lookup<VariableOp>(read.getVariable());
    if (variable && !isAveraged(variable)) {
      read.removeAverageAttr();
      return success();
    }
    return read.emitOpError()
           << "asks for the moving average of '" << read.getVariable()
           << "', but no graph keeps one; add tfir.ema to the graph that "
              "trains it";
  }
  read.setVariable(name);
  read.removeAverageAttr();
  return success();
}

struct ResolveAveragesPass
    : impl::ResolveAveragesPassBase<ResolveAveragesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    FailureOr<SetVector<Operation *>> variables =
        averagedVariables(module, symbols);
    if (failed(variables))
      return signalPassFailure();
    for (Operation *variable : *variables)
      if (failed(declareAverage(cast<VariableOp>(variable), symbols)))
        return signalPassFailure();
    WalkResult result = module.walk([&](ReadOp read) {
      if (!read.getAverage())
        return WalkResult::advance();
      return WalkResult(resolveRead(read, symbols));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace graphc
