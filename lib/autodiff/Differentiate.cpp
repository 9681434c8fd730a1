// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands tfir.gradients, tfir.minimize and tfir.ema, in program order:
//
//   tfir.minimize %loss using #tfir.sgd<learning_rate = 0.1>
//     -> %g = ... ; tfir.apply @w, %g, %rate ... ; tfir.assign_add @global_step
//
// Relies on flat device scopes, static shapes and tfir-decompose. Guarantees:
// none of the three is left, nor any tfir.stop_gradient, tfir.custom_gradient
// or mark of tfir.recompute, which have done their work. An error of one does
// not hide those of others.
#include "graphc/Passes.h"

#include "dialects/tfir/ops/control/RecomputeAttr.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/autodiff/Backpropagate.h"
#include "lib/autodiff/ExpandTraining.h"
#include "lib/frontend/FlatGraph.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

LogicalResult expandGradients(GradientsOp op, UniqueNames &names) {
  SmallVector<Value> xs(op.getXs());
  auto gradients = backpropagate(op.getY(), xs, op, names);
  if (failed(gradients))
    return failure();
  for (auto [index, gradient] : llvm::enumerate(*gradients))
    if (!gradient) { // (C3)
      InFlightDiagnostic error =
          op.emitOpError() << "y does not depend on x number " << index
                           << "; compute it from this value, or leave it out";
      return error.attachNote(op.getXs()[index].getLoc())
             << "the value is here";
    }
  op.replaceAllUsesWith(*gradients);
  op.erase();
  return success();
}

/// Removes what has a meaning for gradients alone.
void removeMarks(GraphOp graph) {
  for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
    setRecomputed(&op, std::nullopt);
    if (auto stop = dyn_cast<StopGradientOp>(op))
      stop.replaceAllUsesWith(stop.getX());
    else if (auto custom = dyn_cast<CustomGradientOp>(op))
      custom.replaceAllUsesWith(custom.getValues());
    else
      continue;
    op.erase();
  }
}

/// Variables that the graphs of a module train, and those that they only read.
struct ModuleTraining {
  llvm::SmallPtrSet<Operation *, 16> trained;
  UntrainedReads untrained;

  /// Another loss, also of another graph, may train what one does not reach.
  void warnOfUntrained() const {
    for (auto [variable, location] : untrained)
      if (!trained.contains(variable))
        emitWarning(location)
            << "the loss does not depend on variable '"
            << cast<VariableOp>(variable).getSymName()
            << "': it is not trained; use it in the loss, or declare it with "
               "{trainable = false}";
  }
};

LogicalResult differentiate(GraphOp graph, SymbolTable &symbols,
                            ModuleTraining &training) {
  if (failed(requireFlat(graph)))
    return failure();
  UniqueNames names(graph);
  TrainedVariables trained;
  bool isFailed = false;
  for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
    if (auto gradients = dyn_cast<GradientsOp>(op)) {
      if (failed(expandGradients(gradients, names))) {
        isFailed = true;
        // Of their types, so that what uses the gradients fails by itself only.
        gradients.replaceAllUsesWith(gradients.getXs());
        gradients.erase();
      }
    } else if (auto minimize = dyn_cast<MinimizeOp>(op)) {
      isFailed |= failed(expandMinimize(minimize, names, symbols, trained,
                                        training.untrained));
    }
  }
  for (auto &[variable, updates] : trained)
    training.trained.insert(variable);
  if (isFailed)
    return failure();
  for (auto ema : llvm::make_early_inc_range(graph.getBlock().getOps<EmaOp>()))
    expandEma(ema, names, trained);
  removeMarks(graph);
  return success();
}

struct DifferentiatePass : impl::DifferentiatePassBase<DifferentiatePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    ModuleTraining training;
    bool isFailed = false;
    for (auto graph : getOperation().getOps<GraphOp>())
      isFailed |= failed(differentiate(graph, symbols, training));
    training.warnOfUntrained();
    if (isFailed)
      signalPassFailure();
  }
};

} // namespace
} // namespace graphc
