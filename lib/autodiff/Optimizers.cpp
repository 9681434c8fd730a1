// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/Optimizers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

StringRef optimizerName(Attribute optimizer) {
  return TypeSwitch<Attribute, StringRef>(optimizer)
      .Case([](SgdAttr) { return "GradientDescent"; })
      .Case([](MomentumAttr) { return "Momentum"; })
      .Case([](AdagradAttr) { return "Adagrad"; })
      .Case([](RmspropAttr) { return "RMSProp"; })
      .Case([](AdamAttr) { return "Adam"; });
}

Attribute learningRate(Attribute optimizer) {
  return TypeSwitch<Attribute, Attribute>(optimizer)
      .Case<SgdAttr, MomentumAttr, AdagradAttr, RmspropAttr, AdamAttr>(
          [](auto attr) { return attr.getLearningRate(); });
}

SmallVector<double> slotValues(Attribute optimizer) {
  using Values = SmallVector<double>;
  return TypeSwitch<Attribute, Values>(optimizer)
      .Case([](MomentumAttr) { return Values{0}; })
      .Case([](AdagradAttr adagrad) {
        return Values{adagrad.getInitialAccumulator()};
      })
      .Case([](RmspropAttr) {
        return Values{1, 0};
      })
      .Case([](AdamAttr) {
        return Values{0, 0};
      })
      .Default(Values{});
}

SmallVector<std::pair<std::string, double>> sharedPowers(Attribute optimizer) {
  auto adam = dyn_cast<AdamAttr>(optimizer);
  if (!adam)
    return {};
  return {{"beta1_power", adam.getBeta1()}, {"beta2_power", adam.getBeta2()}};
}

RankedTensorType powerType(MLIRContext *context) {
  return RankedTensorType::get({}, Float64Type::get(context));
}

Value effectiveRate(Arithmetic &a, Attribute optimizer, Value rate,
                    ValueRange powers) {
  if (powers.empty())
    return rate;
  // rate * sqrt(1 - beta2^t) / (1 - beta1^t), in the type of the powers
  auto complement = [&](Value power) {
    return a.sub(a.number(power, 1), power);
  };
  Value wide = a.cast(rate, tensorType(powers[0]).getElementType());
  Value corrected = a.mul(wide, a.sqrt(complement(powers[1])));
  return a.div(corrected, complement(powers[0]));
}

/// average + (1 - decay) * (x - average)
static Value moveTowards(Arithmetic &a, Value average, double decay, Value x) {
  return a.add(average, a.mul(a.sub(x, average), 1 - decay));
}

static Update momentum(Arithmetic &a, MomentumAttr attr, Value w, Value g,
                       Value rate, Value old) {
  Value next = a.add(a.mul(old, attr.getMomentum()), g);
  Value step = next;
  if (attr.getNesterov())
    step = a.add(g, a.mul(next, attr.getMomentum()));
  return {a.sub(w, a.mul(step, rate)), {next}};
}

static Update adagrad(Arithmetic &a, Value w, Value g, Value rate, Value old) {
  Value sum = a.add(old, a.square(g));
  return {a.sub(w, a.div(a.mul(g, rate), a.sqrt(sum))), {sum}};
}

static Update rmsprop(Arithmetic &a, RmspropAttr attr, Value w, Value g,
                      Value rate, ValueRange old) {
  Value mean = moveTowards(a, old[0], attr.getDecay(), a.square(g));
  Value root = a.sqrt(a.add(mean, a.number(mean, attr.getEpsilon())));
  Value step = a.div(a.mul(g, rate), root);
  if (attr.getMomentum().value != 0)
    step = a.add(a.mul(old[1], attr.getMomentum()), step);
  return {a.sub(w, step), {mean, step}};
}

static Update adam(Arithmetic &a, AdamAttr attr, Value w, Value g, Value rate,
                   ValueRange old) {
  Value m = moveTowards(a, old[0], attr.getBeta1(), g);
  Value v = moveTowards(a, old[1], attr.getBeta2(), a.square(g));
  Value root = a.add(a.sqrt(v), a.number(v, attr.getEpsilon()));
  return {a.sub(w, a.div(a.mul(m, rate), root)), {m, v}};
}

Update buildUpdate(Arithmetic &a, Attribute optimizer, Value w, Value g,
                   Value rate, ValueRange slots) {
  return TypeSwitch<Attribute, Update>(optimizer)
      .Case([&](SgdAttr) {
        return Update{a.sub(w, a.mul(g, rate)), {}};
      })
      .Case([&](MomentumAttr attr) {
        return momentum(a, attr, w, g, rate, slots[0]);
      })
      .Case([&](AdagradAttr) { return adagrad(a, w, g, rate, slots[0]); })
      .Case(
          [&](RmspropAttr attr) { return rmsprop(a, attr, w, g, rate, slots); })
      .Case([&](AdamAttr attr) { return adam(a, attr, w, g, rate, slots); });
}

} // namespace graphc
