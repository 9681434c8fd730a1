// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/GradientChanges.h"

#include "dialects/tfir/ops/TfirScalarOps.h"
#include "lib/autodiff/TrainingVariables.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

/// The largest scale that a loss gets: twice as much is no f32.
static constexpr double kMaxLossScale = 0x1p127;

bool decays(MinimizeOp minimize, VariableOp variable) {
  ArrayAttr chosen = minimize.getDecayVariablesAttr();
  return !chosen || llvm::is_contained(chosen, refTo(variable));
}

GradientChanges::GradientChanges(MinimizeOp minimize, SymbolTable &symbols,
                                 DerivedOps &derived, OpBuilder &builder)
    : minimize(minimize), symbols(symbols), derived(derived),
      a{builder, minimize.getLoc()} {}

void GradientChanges::enter(Operation *variable, StringRef scope) {
  auto of = cast<VariableOp>(variable);
  derived.enterVariable(of.getSymName() + "/" + scope, of);
}

/// Beside one of the variables.
void GradientChanges::enterShared(const Gradients &gradients, StringRef scope) {
  derived.enterVariable(scope, cast<VariableOp>(gradients.front().first));
}

Value GradientChanges::read(VariableOp variable) {
  return ReadOp::create(a.builder, a.loc, variable.getTensorType(),
                        refTo(variable), /*average=*/UnitAttr());
}

void GradientChanges::assign(VariableOp variable, Value value) {
  AssignOp::create(a.builder, a.loc, refTo(variable), value);
}

//===-- Loss scale --------------------------------------------------------===//

Value GradientChanges::buildLoss() {
  Value loss = minimize.getLoss();
  if (!minimize.getLossScale())
    return loss;
  double initial = minimize.getLossScale()->convertToDouble();
  derived.enterScope("loss_scale", loss.getDefiningOp());
  if (minimize.getLossScaleGrowth()) {
    Builder &b = a.builder;
    scaleVariable = declareShared(symbols, a.loc, "current_loss_scale",
                                  tensorType(loss), initial);
    goodSteps = declareShared(symbols, a.loc, "good_steps",
                              RankedTensorType::get({}, b.getI64Type()), 0);
    scale = read(scaleVariable);
  } else {
    scale = a.number(loss, initial);
  }
  return a.mul(loss, scale);
}

void GradientChanges::unscale(Gradients &gradients) {
  enterShared(gradients, "loss_scale");
  Value inverse = a.div(a.number(scale, 1), scale);
  for (auto &[variable, gradient] : gradients) {
    enter(variable, "unscale");
    Type element = tensorType(gradient).getElementType();
    gradient = a.mul(gradient, a.cast(inverse, element));
  }
}

/// 1 when no gradient has an infinity or a NaN, else 0.
Value GradientChanges::allFinite(const Gradients &gradients) {
  Value bad;
  for (auto &[variable, gradient] : gradients) {
    enter(variable, "finite");
    RankedTensorType type = tensorType(gradient);
    Value isFinite = IsFiniteOp::create(
        a.builder, a.loc, type.clone(a.builder.getI1Type()), gradient);
    Value zero = a.number(scale, 0), one = a.number(scale, 1);
    Value count = a.sum(a.select(isFinite, zero, one));
    bad = bad ? a.add(bad, count) : count;
  }
  enterShared(gradients, "loss_scale");
  return a.select(a.isPositive(bad), a.number(bad, 0), a.number(bad, 1));
}

void GradientChanges::adjustScale(Value isFinite) {
  derived.enterScope("loss_scale", nullptr);
  Value good = read(goodSteps);
  Value next = a.add(good, a.number(good, 1));
  auto growth = static_cast<double>(*minimize.getLossScaleGrowth());
  Value isDue = a.compare<GreaterEqualOp>(next, a.number(next, growth));
  derived.enterVariable("loss_scale", scaleVariable);
  Value holds = a.isPositive(isFinite);
  Value doubled = a.minimum(a.mul(scale, 2), a.number(scale, kMaxLossScale));
  Value halved = a.maximum(a.mul(scale, 0.5), a.number(scale, 1));
  assign(scaleVariable,
         a.select(holds, a.select(isDue, doubled, scale), halved));
  // Integers are on a CPU, whatever device the gradients are on.
  derived.enterScope("loss_scale", nullptr);
  Value zero = a.number(good, 0);
  assign(goodSteps, a.select(holds, a.select(isDue, zero, next), zero));
}

//===-- Towers, micro-batches ---------------------------------------------===//

static VariableOp declareAfter(VariableOp variable, SymbolTable &symbols,
                               StringRef name) {
  OpBuilder builder(variable.getContext());
  builder.setInsertionPointAfter(variable);
  return declareBeside(builder, variable, symbols, name, 0);
}

/// All assignments first, so that gradients travel together.
void GradientChanges::combine(Gradients &gradients) {
  SmallVector<VariableOp> means;
  for (auto &[variable, gradient] : gradients) {
    auto of = cast<VariableOp>(variable);
    VariableOp mean = declareAfter(of, symbols, "Gradient");
    mean.setScratch(true);
    means.push_back(mean);
    derived.enterVariable(mean.getSymName(), of);
    assign(mean, gradient);
  }
  for (auto [entry, mean] : llvm::zip(gradients, means)) {
    derived.enterVariable(mean.getSymName(), cast<VariableOp>(entry.first));
    entry.second = read(mean);
  }
}

/// 1 in the last of the steps that make an update; with 0 as `isFinite` the
/// step counts for nothing.
Value GradientChanges::countMicroBatch(Value isFinite) {
  VariableOp counter =
      declareShared(symbols, a.loc, "accumulated_steps",
                    RankedTensorType::get({}, a.builder.getI64Type()), 0);
  derived.enterScope("accumulated_steps", nullptr);
  Value count = read(counter);
  Value next = a.add(count, a.number(count, 1));
  auto steps = static_cast<double>(*minimize.getAccumulate());
  Value isLast = a.compare<GreaterEqualOp>(next, a.number(next, steps));
  Value after = a.select(isLast, a.number(next, 0), next);
  if (isFinite)
    after = a.select(a.isPositive(isFinite), after, count);
  assign(counter, after);
  return a.cast(isLast, a.builder.getF32Type());
}

void GradientChanges::accumulate(Gradients &gradients, Value isFinite) {
  Value isLast = countMicroBatch(isFinite);
  enterShared(gradients, "accumulate");
  update = isFinite ? a.mul(isLast, isFinite) : isLast;
  for (auto &[variable, gradient] : gradients) {
    VariableOp slot = declareAfter(cast<VariableOp>(variable), symbols,
                                   "GradientAccumulator");
    derived.enterVariable(slot.getSymName(), cast<VariableOp>(variable));
    Value before = read(slot);
    Value sum = a.add(before, gradient);
    Value left = isFinite ? a.select(a.isPositive(isFinite), sum, before) : sum;
    assign(slot, a.select(a.isPositive(update), a.number(sum, 0), left));
    auto steps = static_cast<double>(*minimize.getAccumulate());
    gradient = a.div(sum, a.number(sum, steps));
  }
}

//===-- L2, clipping ------------------------------------------------------===//

void GradientChanges::addDecay(Gradients &gradients) {
  double l2 = minimize.getL2()->convertToDouble();
  for (auto &[variable, gradient] : gradients) {
    auto of = cast<VariableOp>(variable);
    if (!decays(minimize, of))
      continue;
    enter(variable, "l2");
    gradient = a.add(gradient, a.mul(read(of), l2));
  }
}

/// limit / max(norm, limit)
static Value shareOf(Arithmetic &a, Value norm, double limit) {
  Value bound = a.number(norm, limit);
  return a.div(bound, a.maximum(norm, bound));
}

void GradientChanges::clipEach(Gradients &gradients) {
  for (auto &[variable, gradient] : gradients) {
    enter(variable, "clip");
    if (minimize.getClipNorm()) {
      double limit = minimize.getClipNorm()->convertToDouble();
      gradient = a.mul(gradient, shareOf(a, a.norm(gradient), limit));
      continue;
    }
    double limit = minimize.getClipValue()->convertToDouble();
    Value above = a.maximum(gradient, a.number(gradient, -limit));
    gradient = a.minimum(above, a.number(gradient, limit));
  }
}

/// By the norm of all gradients, in f64 where one of them is.
void GradientChanges::clipTogether(Gradients &gradients) {
  Type element = a.builder.getF32Type();
  for (auto &[variable, gradient] : gradients)
    if (tensorType(gradient).getElementType().isF64())
      element = a.builder.getF64Type();
  Value total;
  for (auto &[variable, gradient] : gradients) {
    enter(variable, "clip");
    Value part = a.cast(a.sum(a.square(gradient)), element);
    total = total ? a.add(total, part) : part;
  }
  enterShared(gradients, "global_norm");
  double limit = minimize.getClipGlobalNorm()->convertToDouble();
  Value share = shareOf(a, a.sqrt(total), limit);
  for (auto &[variable, gradient] : gradients) {
    enter(variable, "clip");
    Type own = tensorType(gradient).getElementType();
    gradient = a.mul(gradient, a.cast(share, own));
  }
}

void GradientChanges::change(Gradients &gradients) {
  combine(gradients);
  if (scale)
    unscale(gradients);
  Value isFinite;
  if (isDynamic()) {
    update = isFinite = allFinite(gradients);
    adjustScale(isFinite);
  }
  if (minimize.getAccumulate())
    accumulate(gradients, isFinite);
  if (minimize.getL2())
    addDecay(gradients);
  if (minimize.getClipGlobalNorm())
    clipTogether(gradients);
  else if (minimize.getClipNorm() || minimize.getClipValue())
    clipEach(gradients);
}

} // namespace graphc
