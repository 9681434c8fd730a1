// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ScheduleAttrInterface: the formula of each schedule, and what its numbers may
// be.
#include "dialects/tfir/training/Arithmetic.h"
#include "dialects/tfir/training/TfirOptimizers.h"

#include <cmath>

using namespace mlir;
using namespace graphc::tfir;

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult checkSteps(EmitError emitError, StringRef name,
                                int64_t steps) {
  if (steps >= 1)
    return success();
  return emitError() << name << " is " << steps << ", expected at least 1";
}

/// step / steps, rounded down with `staircase`. Divided, not multiplied by
/// 1 / steps, which may fall short of a whole number.
static Value periods(Arithmetic &a, Value step, int64_t steps,
                     bool staircase = false) {
  Value share = a.div(step, a.number(step, static_cast<double>(steps)));
  return staircase ? a.unary<FloorOp>(share) : share;
}

/// (1 + cos(pi * share)) / 2
static Value halfCosine(Arithmetic &a, Value share) {
  Value cosine = a.unary<CosOp>(a.mul(share, M_PI));
  return a.mul(a.add(cosine, a.number(cosine, 1)), 0.5);
}

//===-- Exponential, and by the time --------------------------------------===//

LogicalResult ExponentialDecayAttr::verify(EmitError emitError, Number,
                                           int64_t steps, Number rate, bool) {
  if (rate.value <= 0)
    return emitError() << "decay_rate is not positive";
  return checkSteps(emitError, "decay_steps", steps);
}

StringRef ExponentialDecayAttr::getScheduleName() const {
  return "ExponentialDecay";
}

Value ExponentialDecayAttr::buildRate(Arithmetic &a, Value step) const {
  Value exponent = periods(a, step, getDecaySteps(), getStaircase());
  Value factor = a.binary<PowOp>(a.number(exponent, getDecayRate()), exponent);
  return a.mul(factor, getInitial());
}

LogicalResult NaturalExpDecayAttr::verify(EmitError emitError, Number,
                                          int64_t steps, Number, bool) {
  return checkSteps(emitError, "decay_steps", steps); // (C1)
}

StringRef NaturalExpDecayAttr::getScheduleName() const {
  return "NaturalExpDecay";
}

Value NaturalExpDecayAttr::buildRate(Arithmetic &a, Value step) const {
  Value share = periods(a, step, getDecaySteps(), getStaircase());
  return a.mul(a.unary<ExpOp>(a.mul(share, -getDecayRate())), getInitial());
}

LogicalResult InverseTimeDecayAttr::verify(EmitError emitError, Number,
                                           int64_t steps, Number rate, bool) {
  if (rate.value < 0) // (C2)
    return emitError() << "decay_rate is " << rate.value
                       << ", expected at least 0";
  return checkSteps(emitError, "decay_steps", steps); // (C1)
}

StringRef InverseTimeDecayAttr::getScheduleName() const {
  return "InverseTimeDecay";
}

Value InverseTimeDecayAttr::buildRate(Arithmetic &a, Value step) const {
  Value share = periods(a, step, getDecaySteps(), getStaircase());
  Value divisor = a.mul(share, getDecayRate());
  return a.div(a.number(step, getInitial()),
               a.add(divisor, a.number(divisor, 1)));
}

//===-- Piecewise, polynomial ---------------------------------------------===//

LogicalResult PiecewiseConstantAttr::verify(EmitError emitError,
                                            ArrayAttr boundaries,
                                            ArrayAttr values) {
  double last = -1;
  for (auto boundary : boundaries.getAsRange<FloatAttr>()) {
    double number = boundary.getValueAsDouble();
    if (number <= last || number != std::floor(number)) // (C1)
      return emitError() << "boundaries are not steps that ascend: " << number
                         << " follows " << last;
    last = number;
  }
  if (values.size() != boundaries.size() + 1) // (C2)
    return emitError() << "there are " << values.size() << " values for "
                       << boundaries.size()
                       << " boundaries, expected one value more";
  return success();
}

StringRef PiecewiseConstantAttr::getScheduleName() const {
  return "PiecewiseConstant";
}

Value PiecewiseConstantAttr::buildRate(Arithmetic &a, Value step) const {
  auto numbers = [](ArrayAttr list) { return list.getAsRange<FloatAttr>(); };
  Value rate;
  auto boundary = numbers(getBoundaries()).begin();
  for (FloatAttr value : numbers(getValues())) {
    Value next = a.number(step, value.getValueAsDouble());
    if (rate)
      next =
          a.select(a.compare<GreaterOp>(
                       step, a.number(step, (*boundary++).getValueAsDouble())),
                   next, rate);
    rate = next;
  }
  return rate;
}

LogicalResult PolynomialDecayAttr::verify(EmitError emitError, Number,
                                          int64_t steps, Number, Number power,
                                          bool) {
  if (power.value <= 0) // (C2)
    return emitError() << "power is " << power.value << ", expected above 0";
  return checkSteps(emitError, "decay_steps", steps); // (C1)
}

StringRef PolynomialDecayAttr::getScheduleName() const {
  return "PolynomialDecay";
}

Value PolynomialDecayAttr::buildRate(Arithmetic &a, Value step) const {
  Value share = periods(a, step, getDecaySteps());
  if (getCycle()) {
    Value cycles = a.unary<CeilOp>(share);
    share = a.div(share, a.maximum(cycles, a.number(cycles, 1)));
  } else {
    share = a.minimum(share, a.number(share, 1));
  }
  Value left = a.sub(a.number(share, 1), share);
  if (getPower().value != 1)
    left = a.binary<PowOp>(left, a.number(left, getPower()));
  return a.add(a.mul(left, getInitial() - getEnd()), a.number(left, getEnd()));
}

//===-- Cosines -----------------------------------------------------------===//

LogicalResult CosineDecayAttr::verify(EmitError emitError, Number,
                                      int64_t steps, Number) {
  return checkSteps(emitError, "decay_steps", steps); // (C1)
}

StringRef CosineDecayAttr::getScheduleName() const { return "CosineDecay"; }

Value CosineDecayAttr::buildRate(Arithmetic &a, Value step) const {
  Value share = periods(a, step, getDecaySteps());
  Value height = halfCosine(a, a.minimum(share, a.number(share, 1)));
  double alpha = getAlpha();
  return a.mul(a.add(a.mul(height, 1 - alpha), a.number(height, alpha)),
               getInitial());
}

LogicalResult CosineRestartsAttr::verify(EmitError emitError, Number,
                                         int64_t steps, Number tMul,
                                         Number mMul, Number) {
  if (tMul.value != 1 && tMul.value < 1.01) // (C2)
    return emitError() << "t_mul is " << tMul.value
                       << ", expected 1, or at least 1.01";
  if (mMul.value <= 0) // (C3)
    return emitError() << "m_mul is " << mMul.value << ", expected above 0";
  return checkSteps(emitError, "first_decay_steps", steps); // (C1)
}

StringRef CosineRestartsAttr::getScheduleName() const { return "SGDRDecay"; }

namespace {

/// Begin, length and factor of each period of a schedule.
struct Periods {
  SmallVector<float> begins, ends, lengths, factors;
};

/// Share of the current period that is done, and the period's factor.
struct InPeriod {
  Value share, factor;
};

} // namespace

/// All periods that begin within as many steps as an f32 can tell apart.
static Periods periodsOf(double first, double tMul, double mMul) {
  Periods periods;
  double begin = 0, length = first, factor = 1;
  for (; begin < (1 << 24); begin += length, length *= tMul, factor *= mMul) {
    periods.begins.push_back(static_cast<float>(begin));
    periods.ends.push_back(static_cast<float>(begin + length));
    periods.lengths.push_back(static_cast<float>(length));
    periods.factors.push_back(static_cast<float>(factor));
  }
  periods.ends.back() = HUGE_VALF;
  return periods;
}

/// Looked up: logarithms would miss the first step of a period by roundings.
static InPeriod lookUp(Arithmetic &a, Value step, const Periods &periods) {
  auto size = static_cast<int64_t>(periods.begins.size());
  auto type = RankedTensorType::get({size}, a.builder.getF32Type());
  auto constant = [&](ArrayRef<float> values) -> Value {
    return ConstOp::create(a.builder, a.loc, type,
                           DenseElementsAttr::get(type, values));
  };
  Value hasBegun = a.compare<GreaterEqualOp>(step, constant(periods.begins));
  Value isLeft = a.compare<LessOp>(step, constant(periods.ends));
  Value zero = a.number(step, 0);
  auto choose = [&](ArrayRef<float> values) {
    return a.sum(
        a.select(hasBegun, a.select(isLeft, constant(values), zero), zero));
  };
  Value done = a.sub(step, choose(periods.begins));
  return {a.div(done, choose(periods.lengths)), choose(periods.factors)};
}

Value CosineRestartsAttr::buildRate(Arithmetic &a, Value step) const {
  InPeriod now;
  if (getTMul().value == 1) {
    Value share = periods(a, step, getFirstDecaySteps());
    Value period = a.unary<FloorOp>(share);
    now = {a.sub(share, period),
           a.binary<PowOp>(a.number(period, getMMul()), period)};
  } else {
    now = lookUp(a, step,
                 periodsOf(static_cast<double>(getFirstDecaySteps()), getTMul(),
                           getMMul()));
  }
  Value height = a.mul(halfCosine(a, now.share), now.factor);
  double alpha = getAlpha();
  return a.mul(a.add(a.mul(height, 1 - alpha), a.number(height, alpha)),
               getInitial());
}

//===-- Up, then down -----------------------------------------------------===//

LogicalResult NoamDecayAttr::verify(EmitError emitError, int64_t dim,
                                    int64_t warmup, Number) {
  if (failed(checkSteps(emitError, "model_dim", dim))) // (C1)
    return failure();
  return checkSteps(emitError, "warmup_steps", warmup);
}

StringRef NoamDecayAttr::getScheduleName() const { return "NoamDecay"; }

Value NoamDecayAttr::buildRate(Arithmetic &a, Value step) const {
  Value next = a.add(step, a.number(step, 1));
  double warmup = std::pow(static_cast<double>(getWarmupSteps()), -1.5);
  double scale = getInitial() / std::sqrt(static_cast<double>(getModelDim()));
  Value rate = a.minimum(a.unary<RsqrtOp>(next), a.mul(next, warmup));
  return a.mul(rate, scale);
}

LogicalResult LinearWarmupAttr::verify(EmitError emitError, Attribute,
                                       int64_t steps, Number) {
  return checkSteps(emitError, "steps", steps); // (C1)
}

StringRef LinearWarmupAttr::getScheduleName() const { return "LinearWarmup"; }

Value LinearWarmupAttr::buildRate(Arithmetic &a, Value step) const {
  Value length = a.number(step, static_cast<double>(getSteps()));
  Value rate;
  if (auto schedule = dyn_cast<ScheduleAttrInterface>(getRate())) {
    Value after = a.sub(step, length);
    rate = schedule.buildRate(a, a.maximum(after, a.number(after, 0)));
  } else {
    rate = a.number(step, cast<FloatAttr>(getRate()).getValueAsDouble());
  }
  Value start = a.number(step, getStart());
  Value rising =
      a.add(start, a.mul(a.sub(rate, start), periods(a, step, getSteps())));
  return a.select(a.compare<LessOp>(step, length), rising, rate);
}
