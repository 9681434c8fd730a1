// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OptimizerAttrInterface and ScheduleAttrInterface: name, state and formula of
// each optimizer, and the formula of each schedule.
#include "dialects/tfir/training/Arithmetic.h"

using namespace mlir;
using namespace graphc::tfir;

RankedTensorType graphc::tfir::sharedPowerType(MLIRContext *context) {
  return RankedTensorType::get({}, Float64Type::get(context));
}

//===-- Schedules ---------------------------------------------------------===//

StringRef ExponentialDecayAttr::getScheduleName() const {
  return "ExponentialDecay";
}

Value ExponentialDecayAttr::buildRate(Arithmetic &a, Value step) const {
  // Divided, not multiplied by 1 / decay_steps, which may fall short of a whole
  // number.
  Value exponent = a.div(step, a.number(step, getDecaySteps()));
  if (getStaircase())
    exponent = a.unary<FloorOp>(exponent);
  Value factor = a.binary<PowOp>(a.number(exponent, getDecayRate()), exponent);
  return a.mul(factor, getInitial());
}

//===-- Gradient descent --------------------------------------------------===//

StringRef SgdAttr::getOptimizerName() const { return "GradientDescent"; }

OptimizerUpdate SgdAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                     Value rate, ValueRange) const {
  return {a.sub(w, a.mul(g, rate)), {}};
}

//===-- Momentum ----------------------------------------------------------===//

StringRef MomentumAttr::getOptimizerName() const { return "Momentum"; }

SmallVector<double> MomentumAttr::getSlotValues() const { return {0}; }

OptimizerUpdate MomentumAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                          Value rate, ValueRange slots) const {
  Value next = a.add(a.mul(slots[0], getMomentum()), g);
  Value step = next;
  if (getNesterov())
    step = a.add(g, a.mul(next, getMomentum()));
  return {a.sub(w, a.mul(step, rate)), {next}};
}

//===-- Adagrad -----------------------------------------------------------===//

StringRef AdagradAttr::getOptimizerName() const { return "Adagrad"; }

SmallVector<double> AdagradAttr::getSlotValues() const {
  return {getInitialAccumulator()};
}

OptimizerUpdate AdagradAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                         Value rate, ValueRange slots) const {
  Value sum = a.add(slots[0], a.square(g));
  return {a.sub(w, a.div(a.mul(g, rate), a.sqrt(sum))), {sum}};
}

//===-- Moving averages: RMSProp, Adam ------------------------------------===//

/// average + (1 - decay) * (x - average)
static Value moveTowards(Arithmetic &a, Value average, double decay, Value x) {
  return a.add(average, a.mul(a.sub(x, average), 1 - decay));
}

StringRef RmspropAttr::getOptimizerName() const { return "RMSProp"; }

SmallVector<double> RmspropAttr::getSlotValues() const { return {1, 0}; }

OptimizerUpdate RmspropAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                         Value rate, ValueRange slots) const {
  Value mean = moveTowards(a, slots[0], getDecay(), a.square(g));
  Value root = a.sqrt(a.add(mean, a.number(mean, getEpsilon())));
  Value step = a.div(a.mul(g, rate), root);
  if (getMomentum().value != 0)
    step = a.add(a.mul(slots[1], getMomentum()), step);
  return {a.sub(w, step), {mean, step}};
}

StringRef AdamAttr::getOptimizerName() const { return "Adam"; }

SmallVector<double> AdamAttr::getSlotValues() const { return {0, 0}; }

SmallVector<SharedPower> AdamAttr::getSharedPowers() const {
  return {{"beta1_power", getBeta1()}, {"beta2_power", getBeta2()}};
}

/// rate * sqrt(1 - beta2^t) / (1 - beta1^t), in the type of the powers
Value AdamAttr::buildEffectiveRate(Arithmetic &a, Value rate,
                                   ValueRange powers) const {
  if (powers.empty())
    return rate;
  auto complement = [&](Value power) {
    return a.sub(a.number(power, 1), power);
  };
  Value wide = a.cast(rate, tensorType(powers[0]).getElementType());
  Value corrected = a.mul(wide, a.sqrt(complement(powers[1])));
  return a.div(corrected, complement(powers[0]));
}

OptimizerUpdate AdamAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                      Value rate, ValueRange slots) const {
  Value m = moveTowards(a, slots[0], getBeta1(), g);
  Value v = moveTowards(a, slots[1], getBeta2(), a.square(g));
  Value root = a.add(a.sqrt(v), a.number(v, getEpsilon()));
  return {a.sub(w, a.div(a.mul(m, rate), root)), {m, v}};
}
