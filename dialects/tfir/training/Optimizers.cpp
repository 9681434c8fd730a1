// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OptimizerAttrInterface: name, state and formula of each optimizer.
#include "dialects/tfir/training/Arithmetic.h"
#include "dialects/tfir/training/RowUpdates.h"
#include "dialects/tfir/training/TfirOptimizers.h"

using namespace mlir;
using namespace graphc::tfir;

RankedTensorType graphc::tfir::sharedPowerType(MLIRContext *context) {
  return RankedTensorType::get({}, Float64Type::get(context));
}

bool graphc::tfir::keepsWithoutGradient(Attribute optimizer) {
  // Without a first value a root of 0 divides.
  if (auto adagrad = dyn_cast<AdagradAttr>(optimizer))
    return adagrad.getInitialAccumulator() > 0;
  return isa<SgdAttr>(optimizer);
}

//===-- Gradient descent --------------------------------------------------===//

StringRef SgdAttr::getOptimizerName() const { return "GradientDescent"; }

OptimizerUpdate SgdAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                     ValueRange shared, ValueRange) const {
  return {a.sub(w, a.mul(g, shared[0])), {}};
}

//===-- Momentum ----------------------------------------------------------===//

StringRef MomentumAttr::getOptimizerName() const { return "Momentum"; }

SmallVector<double> MomentumAttr::getSlotValues() const { return {0}; }

OptimizerUpdate MomentumAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                          ValueRange shared,
                                          ValueRange slots) const {
  Value next = a.add(a.mul(slots[0], getMomentum()), g);
  Value step = next;
  if (getNesterov())
    step = a.add(g, a.mul(next, getMomentum()));
  return {a.sub(w, a.mul(step, shared[0])), {next}};
}

//===-- Adagrad -----------------------------------------------------------===//

StringRef AdagradAttr::getOptimizerName() const { return "Adagrad"; }

SmallVector<double> AdagradAttr::getSlotValues() const {
  return {getInitialAccumulator()};
}

OptimizerUpdate AdagradAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                         ValueRange shared,
                                         ValueRange slots) const {
  Value sum = a.add(slots[0], a.square(g));
  return {a.sub(w, a.div(a.mul(g, shared[0]), a.sqrt(sum))), {sum}};
}

//===-- Moving averages: RMSProp, Adadelta, Adam and its kin
//---------------===//

/// average + (1 - decay) * (x - average)
static Value moveTowards(Arithmetic &a, Value average, double decay, Value x) {
  return a.add(average, a.mul(a.sub(x, average), 1 - decay));
}

StringRef RmspropAttr::getOptimizerName() const { return "RMSProp"; }

SmallVector<double> RmspropAttr::getSlotValues() const {
  return getCentered() ? SmallVector<double>{1, 0, 0}
                       : SmallVector<double>{1, 0};
}

OptimizerUpdate RmspropAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                         ValueRange shared,
                                         ValueRange slots) const {
  Value mean = moveTowards(a, slots[0], getDecay(), a.square(g));
  OptimizerUpdate update{nullptr, {mean}};
  Value spread = mean;
  if (getCentered()) {
    Value centre = moveTowards(a, slots[1], getDecay(), g);
    update.slots.push_back(centre);
    spread = a.sub(mean, a.square(centre));
  }
  Value root = a.sqrt(a.add(spread, a.number(mean, getEpsilon())));
  Value step = a.div(a.mul(g, shared[0]), root);
  if (getMomentum().value != 0)
    step = a.add(a.mul(slots.back(), getMomentum()), step);
  update.slots.push_back(step);
  update.variable = a.sub(w, step);
  return update;
}

StringRef AdadeltaAttr::getOptimizerName() const { return "Adadelta"; }

SmallVector<double> AdadeltaAttr::getSlotValues() const { return {0, 0}; }

OptimizerUpdate AdadeltaAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                          ValueRange shared,
                                          ValueRange slots) const {
  Value mean = moveTowards(a, slots[0], getRho(), a.square(g));
  auto root = [&](Value x) {
    return a.sqrt(a.add(x, a.number(x, getEpsilon())));
  };
  Value step = a.mul(a.div(root(slots[1]), root(mean)), g);
  Value steps = moveTowards(a, slots[1], getRho(), a.square(step));
  return {a.sub(w, a.mul(step, shared[0])), {mean, steps}};
}

static Value complement(Arithmetic &a, Value power) {
  return a.sub(a.number(power, 1), power);
}

/// rate * sqrt(1 - beta2^t) / (1 - beta1^t), in the type of the powers
static Value correctedRate(Arithmetic &a, Value rate, ValueRange powers) {
  Value wide = a.cast(rate, tensorType(powers[0]).getElementType());
  Value corrected = a.mul(wide, a.sqrt(complement(a, powers[1])));
  return a.div(corrected, complement(a, powers[0]));
}

template <typename Attr> static SmallVector<SharedPower> powersOf(Attr attr) {
  return {{"beta1_power", attr.getBeta1()}, {"beta2_power", attr.getBeta2()}};
}

namespace {

struct Moments {
  Value m, v;
};

} // namespace

template <typename Attr>
static Moments momentsOf(Attr attr, Arithmetic &a, Value g, ValueRange slots) {
  return {moveTowards(a, slots[0], attr.getBeta1(), g),
          moveTowards(a, slots[1], attr.getBeta2(), a.square(g))};
}

/// alpha * m / (sqrt(v) + epsilon)
static Value adamStep(Arithmetic &a, Value alpha, Value m, Value v,
                      double epsilon) {
  return a.div(a.mul(m, alpha), a.add(a.sqrt(v), a.number(v, epsilon)));
}

StringRef AdamAttr::getOptimizerName() const { return "Adam"; }

SmallVector<double> AdamAttr::getSlotValues() const { return {0, 0}; }

SmallVector<SharedPower> AdamAttr::getSharedPowers() const {
  return powersOf(*this);
}

SmallVector<Value> AdamAttr::buildShared(Arithmetic &a, Value rate,
                                         ValueRange powers) const {
  return {correctedRate(a, rate, powers)};
}

OptimizerUpdate AdamAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                      ValueRange shared,
                                      ValueRange slots) const {
  auto [m, v] = momentsOf(*this, a, g, slots);
  return {a.sub(w, adamStep(a, shared[0], m, v, getEpsilon())), {m, v}};
}

// tf.contrib.opt.NadamOptimizer is an AdamOptimizer, also by name.
StringRef NadamAttr::getOptimizerName() const { return "Adam"; }

SmallVector<double> NadamAttr::getSlotValues() const { return {0, 0}; }

SmallVector<SharedPower> NadamAttr::getSharedPowers() const {
  return powersOf(*this);
}

SmallVector<Value> NadamAttr::buildShared(Arithmetic &a, Value rate,
                                          ValueRange powers) const {
  return {correctedRate(a, rate, powers)};
}

OptimizerUpdate NadamAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                       ValueRange shared,
                                       ValueRange slots) const {
  auto [m, v] = momentsOf(*this, a, g, slots);
  Value ahead = a.add(a.mul(m, getBeta1()), a.mul(g, 1 - getBeta1()));
  return {a.sub(w, adamStep(a, shared[0], ahead, v, getEpsilon())), {m, v}};
}

StringRef AmsgradAttr::getOptimizerName() const { return "AMSGrad"; }

SmallVector<double> AmsgradAttr::getSlotValues() const { return {0, 0, 0}; }

SmallVector<SharedPower> AmsgradAttr::getSharedPowers() const {
  return powersOf(*this);
}

SmallVector<Value> AmsgradAttr::buildShared(Arithmetic &a, Value rate,
                                            ValueRange powers) const {
  return {correctedRate(a, rate, powers)};
}

OptimizerUpdate AmsgradAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                         ValueRange shared,
                                         ValueRange slots) const {
  auto [m, v] = momentsOf(*this, a, g, slots);
  Value high = a.maximum(slots[2], v);
  return {a.sub(w, adamStep(a, shared[0], m, high, getEpsilon())),
          {m, v, high}};
}

StringRef AdamwAttr::getOptimizerName() const { return "AdamW"; }

SmallVector<double> AdamwAttr::getSlotValues() const { return {0, 0}; }

SmallVector<SharedPower> AdamwAttr::getSharedPowers() const {
  return powersOf(*this);
}

Attribute AdamwAttr::withoutDecay() const {
  return get(getContext(), getLearningRate(), getBeta1(), getBeta2(),
             getEpsilon(), /*weight_decay=*/0.0);
}

SmallVector<Value> AdamwAttr::buildShared(Arithmetic &a, Value rate,
                                          ValueRange powers) const {
  return {correctedRate(a, rate, powers), rate};
}

OptimizerUpdate AdamwAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                       ValueRange shared,
                                       ValueRange slots) const {
  auto [m, v] = momentsOf(*this, a, g, slots);
  Value step = adamStep(a, shared[0], m, v, getEpsilon());
  if (getWeightDecay().value != 0)
    step = a.add(step, a.mul(w, a.mul(shared[1], getWeightDecay())));
  return {a.sub(w, step), {m, v}};
}

StringRef AdamaxAttr::getOptimizerName() const { return "AdaMax"; }

SmallVector<double> AdamaxAttr::getSlotValues() const { return {0, 0}; }

SmallVector<SharedPower> AdamaxAttr::getSharedPowers() const {
  return {{"beta1_power", getBeta1()}};
}

SmallVector<Value> AdamaxAttr::buildShared(Arithmetic &a, Value rate,
                                           ValueRange powers) const {
  Value wide = a.cast(rate, tensorType(powers[0]).getElementType());
  return {a.div(wide, complement(a, powers[0]))};
}

OptimizerUpdate AdamaxAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                        ValueRange shared,
                                        ValueRange slots) const {
  Value m = moveTowards(a, slots[0], getBeta1(), g);
  Value v = a.maximum(a.mul(slots[1], getBeta2()), a.abs(g));
  Value step = a.div(a.mul(m, shared[0]), a.add(v, a.number(v, getEpsilon())));
  return {a.sub(w, step), {m, v}};
}

//===-- By norms: LAMB, LARS ----------------------------------------------===//

/// `ratio` where both norms are positive, else 1.
static Value trusted(Arithmetic &a, Value ratio, Value first, Value second) {
  return a.select(a.isPositive(a.minimum(first, second)), ratio,
                  a.number(ratio, 1));
}

StringRef LambAttr::getOptimizerName() const { return "LAMB"; }

SmallVector<double> LambAttr::getSlotValues() const { return {0, 0}; }

SmallVector<SharedPower> LambAttr::getSharedPowers() const {
  return powersOf(*this);
}

Attribute LambAttr::withoutDecay() const {
  return get(getContext(), getLearningRate(), getBeta1(), getBeta2(),
             getEpsilon(), /*weight_decay=*/0.0);
}

/// The rate, 1 - beta1^t, 1 - beta2^t.
SmallVector<Value> LambAttr::buildShared(Arithmetic &a, Value rate,
                                         ValueRange powers) const {
  return {rate, complement(a, powers[0]), complement(a, powers[1])};
}

OptimizerUpdate LambAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                      ValueRange shared,
                                      ValueRange slots) const {
  auto [m, v] = momentsOf(*this, a, g, slots);
  Value root = a.sqrt(a.div(v, shared[2]));
  Value step =
      a.div(a.div(m, shared[1]), a.add(root, a.number(root, getEpsilon())));
  if (getWeightDecay().value != 0)
    step = a.add(step, a.mul(w, getWeightDecay()));
  Value weights = a.norm(w), length = a.norm(step);
  Value ratio = trusted(a, a.div(weights, length), weights, length);
  return {a.sub(w, a.mul(step, a.mul(ratio, shared[0]))), {m, v}};
}

StringRef LarsAttr::getOptimizerName() const { return "LARSOptimizer"; }

SmallVector<double> LarsAttr::getSlotValues() const { return {0}; }

Attribute LarsAttr::withoutDecay() const {
  return get(getContext(), getLearningRate(), getMomentum(),
             /*weight_decay=*/0.0, getEeta(), getEpsilon(), getNesterov());
}

OptimizerUpdate LarsAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                      ValueRange shared,
                                      ValueRange slots) const {
  Value weights = a.norm(w), length = a.norm(g);
  Value divisor = a.add(a.add(length, a.mul(weights, getWeightDecay())),
                        a.number(length, getEpsilon()));
  Value ratio =
      trusted(a, a.div(a.mul(weights, getEeta()), divisor), weights, length);
  Value rate = a.mul(ratio, shared[0]);
  Value decayed = a.add(g, a.mul(w, getWeightDecay()));
  Value next = a.add(a.mul(slots[0], getMomentum()), decayed);
  Value step = next;
  if (getNesterov())
    step = a.add(decayed, a.mul(next, getMomentum()));
  return {a.sub(w, a.mul(step, rate)), {next}};
}

//===-- Lion --------------------------------------------------------------===//

StringRef LionAttr::getOptimizerName() const { return "Lion"; }

SmallVector<double> LionAttr::getSlotValues() const { return {0}; }

Attribute LionAttr::withoutDecay() const {
  return get(getContext(), getLearningRate(), getBeta1(), getBeta2(),
             /*weight_decay=*/0.0);
}

OptimizerUpdate LionAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                      ValueRange shared,
                                      ValueRange slots) const {
  Value step =
      a.sign(a.add(a.mul(slots[0], getBeta1()), a.mul(g, 1 - getBeta1())));
  if (getWeightDecay().value != 0)
    step = a.add(step, a.mul(w, getWeightDecay()));
  Value next = moveTowards(a, slots[0], getBeta2(), g);
  return {a.sub(w, a.mul(step, shared[0])), {next}};
}

//===-- Solved for l1 and l2: FTRL, proximal rules ------------------------===//

/// Fails with an error for a number that is negative.
static LogicalResult
checkSigns(function_ref<InFlightDiagnostic()> emitError,
           ArrayRef<std::pair<StringRef, double>> numbers) {
  for (auto [name, number] : numbers)
    if (number < 0)
      return emitError() << name << " is " << number << ", expected at least 0";
  return success();
}

LogicalResult FtrlAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Attribute, Number power, Number initial,
                               Number l1, Number l2) {
  if (power.value > 0) // (C1)
    return emitError() << "learning_rate_power is " << power.value
                       << ", expected at most 0";
  return checkSigns(
      emitError,
      {{"initial_accumulator", initial}, {"l1", l1}, {"l2", l2}}); // (C2)
}

StringRef FtrlAttr::getOptimizerName() const { return "Ftrl"; }

SmallVector<double> FtrlAttr::getSlotValues() const {
  return {getInitialAccumulator(), 0};
}

OptimizerUpdate FtrlAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                      ValueRange shared,
                                      ValueRange slots) const {
  double exponent = -getLearningRatePower();
  auto power = [&](Value x) {
    return exponent == 0.5 ? a.sqrt(x)
                           : a.binary<PowOp>(x, a.number(x, exponent));
  };
  Value sum = a.add(slots[0], a.square(g));
  Value now = power(sum);
  Value share = a.div(a.sub(now, power(slots[0])), shared[0]);
  Value linear = a.sub(a.add(slots[1], g), a.mul(share, w));
  Value numerator = a.sub(a.mul(a.sign(linear), getL1()), linear);
  Value divisor = a.add(a.div(now, shared[0]), a.number(now, 2 * getL2()));
  Value isLarge =
      a.compare<GreaterOp>(a.abs(linear), a.number(linear, getL1()));
  Value next =
      a.select(isLarge, a.div(numerator, divisor), a.number(linear, 0));
  return {next, {sum, linear}};
}

/// sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2)
static Value solved(Arithmetic &a, Value p, Value rate, double l1, double l2) {
  if (l1 != 0) {
    Value left = a.sub(a.abs(p), a.mul(rate, l1));
    p = a.mul(a.sign(p), a.maximum(left, a.number(left, 0)));
  }
  if (l2 == 0)
    return p;
  return a.div(p, a.add(a.mul(rate, l2), a.number(rate, 1)));
}

LogicalResult
ProximalSgdAttr::verify(function_ref<InFlightDiagnostic()> emitError, Attribute,
                        Number l1, Number l2) {
  return checkSigns(emitError, {{"l1", l1}, {"l2", l2}}); // (C1)
}

StringRef ProximalSgdAttr::getOptimizerName() const {
  return "ProximalGradientDescent";
}

OptimizerUpdate ProximalSgdAttr::buildUpdate(Arithmetic &a, Value w, Value g,
                                             ValueRange shared,
                                             ValueRange) const {
  Value p = a.sub(w, a.mul(g, shared[0]));
  return {solved(a, p, shared[0], getL1(), getL2()), {}};
}

LogicalResult
ProximalAdagradAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            Attribute, Number initial, Number l1, Number l2) {
  return checkSigns(
      emitError,
      {{"initial_accumulator", initial}, {"l1", l1}, {"l2", l2}}); // (C1)
}

StringRef ProximalAdagradAttr::getOptimizerName() const {
  return "ProximalAdagrad";
}

SmallVector<double> ProximalAdagradAttr::getSlotValues() const {
  return {getInitialAccumulator()};
}

OptimizerUpdate ProximalAdagradAttr::buildUpdate(Arithmetic &a, Value w,
                                                 Value g, ValueRange shared,
                                                 ValueRange slots) const {
  Value sum = a.add(slots[0], a.square(g));
  Value rate = a.div(shared[0], a.sqrt(sum));
  Value p = a.sub(w, a.mul(g, rate));
  return {solved(a, p, rate, getL1(), getL2()), {sum}};
}
