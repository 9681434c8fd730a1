// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of the learning rates: the formulas of docs/ops.md.
#include "dialects/tfir/training/TfirOptimizers.h"
#include "lib/interpreter/Frame.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// One rate at one step, in f32 as compiled code computes it.
class Rate {
public:
  explicit Rate(double step) : step(number(step)), at(step) {}

  Element of(Attribute rate) const {
    if (auto number = dyn_cast<FloatAttr>(rate))
      return Rate::number(number.getValueAsDouble());
    return llvm::TypeSwitch<Attribute, Element>(rate)
        .Case<ExponentialDecayAttr, NaturalExpDecayAttr, InverseTimeDecayAttr,
              PiecewiseConstantAttr, PolynomialDecayAttr, CosineDecayAttr,
              CosineRestartsAttr, NoamDecayAttr, LinearWarmupAttr>(
            [&](auto attr) { return follow(attr); });
  }

private:
  static Element number(double value) {
    return Element::exact(static_cast<float>(value));
  }
  Element mul(const Element &x, double factor) const {
    return math.mul(x, number(factor));
  }
  Element periods(int64_t steps, bool staircase = false) const {
    Element share = math.div(step, number(static_cast<double>(steps)));
    return staircase ? math.floor(share) : share;
  }
  /// The smaller one of the share and 1.
  Element upTo1(const Element &share) const {
    return math.min(share, number(1));
  }
  /// initial * ((1 - alpha) * factor * (1 + cos(pi * share)) / 2 + alpha)
  Element cosine(const Element &share, const Element &factor, double initial,
                 double alpha) const {
    Element wave = math.cos(mul(share, M_PI));
    Element height = math.mul(mul(math.add(wave, number(1)), 0.5), factor);
    return mul(math.add(mul(height, 1 - alpha), number(alpha)), initial);
  }

  Element follow(ExponentialDecayAttr attr) const {
    Element exponent = periods(attr.getDecaySteps(), attr.getStaircase());
    return mul(math.pow(number(attr.getDecayRate()), exponent),
               attr.getInitial());
  }
  Element follow(NaturalExpDecayAttr attr) const {
    Element share = periods(attr.getDecaySteps(), attr.getStaircase());
    return mul(math.exp(mul(share, -attr.getDecayRate())), attr.getInitial());
  }
  Element follow(InverseTimeDecayAttr attr) const {
    Element share = periods(attr.getDecaySteps(), attr.getStaircase());
    return math.div(number(attr.getInitial()),
                    math.add(number(1), mul(share, attr.getDecayRate())));
  }
  Element follow(PiecewiseConstantAttr attr) const {
    size_t range = 0;
    for (auto boundary : attr.getBoundaries().getAsRange<FloatAttr>())
      range += at > boundary.getValueAsDouble();
    return number(cast<FloatAttr>(attr.getValues()[range]).getValueAsDouble());
  }
  Element follow(PolynomialDecayAttr attr) const {
    Element share = periods(attr.getDecaySteps());
    share = attr.getCycle()
                ? math.div(share, math.max(math.ceil(share), number(1)))
                : upTo1(share);
    Element left = math.sub(number(1), share);
    if (attr.getPower().value != 1)
      left = math.pow(left, number(attr.getPower()));
    return math.add(mul(left, attr.getInitial() - attr.getEnd()),
                    number(attr.getEnd()));
  }
  Element follow(CosineDecayAttr attr) const {
    return cosine(upTo1(periods(attr.getDecaySteps())), number(1),
                  attr.getInitial(), attr.getAlpha());
  }
  Element follow(CosineRestartsAttr attr) const {
    double begin = 0, factor = 1;
    auto length = static_cast<double>(attr.getFirstDecaySteps());
    for (; at >= begin + length; length *= attr.getTMul()) {
      begin += length;
      factor *= attr.getMMul();
    }
    Element share = math.div(math.sub(step, number(begin)), number(length));
    // Compiled code has roundings of its own.
    return cosine(math.round(share, 2), math.round(number(factor), 16),
                  attr.getInitial(), attr.getAlpha());
  }
  Element follow(NoamDecayAttr attr) const {
    Element next = math.add(step, number(1));
    double warmup = std::pow(static_cast<double>(attr.getWarmupSteps()), -1.5);
    double dim = static_cast<double>(attr.getModelDim());
    return mul(math.min(math.rsqrt(next), mul(next, warmup)),
               attr.getInitial() / std::sqrt(dim));
  }
  Element follow(LinearWarmupAttr attr) const {
    auto steps = static_cast<double>(attr.getSteps());
    Element rate = Rate(std::max(at - steps, 0.0)).of(attr.getRate());
    if (at >= steps)
      return rate;
    Element start = number(attr.getStart());
    return math.add(start,
                    math.mul(math.sub(rate, start), periods(attr.getSteps())));
  }

  FloatMath math{ElementKind::F32};
  Element step;
  double at;
};

} // namespace

Element rateOf(Attribute optimizer, int64_t globalStep) {
  return Rate(static_cast<double>(globalStep))
      .of(cast<OptimizerAttrInterface>(optimizer).getRate());
}

} // namespace graphc::interpreter
