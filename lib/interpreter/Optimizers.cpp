// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of the optimizers: the formulas of docs/ops.md, element by
// element.
#include "lib/interpreter/Frame.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

StringRef slotName(Attribute optimizer) {
  return llvm::TypeSwitch<Attribute, StringRef>(optimizer)
      .Case([](MomentumAttr) { return "Momentum"; })
      .Case([](AdagradAttr) { return "Adagrad"; })
      .Case([](RmspropAttr) { return "RMSProp"; })
      .Case([](AdamAttr) { return "Adam"; })
      .Default([](Attribute) { return "GradientDescent"; });
}

std::vector<double> slotValues(Attribute optimizer) {
  if (isa<MomentumAttr>(optimizer))
    return {0};
  if (auto adagrad = dyn_cast<AdagradAttr>(optimizer))
    return {adagrad.getInitialAccumulator()};
  if (isa<RmspropAttr>(optimizer))
    return {1, 0};
  if (isa<AdamAttr>(optimizer))
    return {0, 0};
  return {};
}

std::vector<std::pair<std::string, double>> sharedValues(Attribute optimizer) {
  if (auto adam = dyn_cast<AdamAttr>(optimizer))
    return {{"beta1_power", adam.getBeta1()}, {"beta2_power", adam.getBeta2()}};
  return {};
}

namespace {

/// One element of a variable with those of its slots.
struct Update {
  FloatMath math;
  bool isSingle;
  const Element &gradient, &rate;
  Element &w;
  llvm::SmallVector<Element *, 4> slots;

  Element number(double value) const {
    return Element::exact(isSingle ? static_cast<float>(value) : value);
  }
  Element mul(const Element &x, double factor) const {
    return math.mul(x, number(factor));
  }
  /// x + share * (target - x)
  Element moved(const Element &x, double share, const Element &target) const {
    return math.add(x, mul(math.sub(target, x), share));
  }

  void momentum(MomentumAttr attr) const {
    Element &a = *slots[0];
    a = math.add(mul(a, attr.getMomentum()), gradient);
    Element step = a;
    if (attr.getNesterov())
      step = math.add(gradient, mul(a, attr.getMomentum()));
    w = math.sub(w, math.mul(rate, step));
  }
  void adagrad() const {
    Element &a = *slots[0];
    a = math.add(a, math.square(gradient));
    w = math.sub(w, math.div(math.mul(rate, gradient), math.sqrt(a)));
  }
  void rmsprop(RmspropAttr attr) const {
    Element &s = *slots[0], &m = *slots[1];
    s = moved(s, 1 - attr.getDecay(), math.square(gradient));
    Element root = math.sqrt(math.add(s, number(attr.getEpsilon())));
    Element step = math.div(math.mul(rate, gradient), root);
    m = math.add(mul(m, attr.getMomentum()), step);
    w = math.sub(w, m);
  }
  void adam(AdamAttr attr, const Element &alpha) const {
    Element &m = *slots[0], &v = *slots[1];
    m = moved(m, 1 - attr.getBeta1(), gradient);
    v = moved(v, 1 - attr.getBeta2(), math.square(gradient));
    Element root = math.add(math.sqrt(v), number(attr.getEpsilon()));
    w = math.sub(w, math.div(math.mul(alpha, m), root));
  }
};

/// rate * sqrt(1 - beta2^t) / (1 - beta1^t), in f64 as the powers are.
Element adamRate(const Element &rate, const Tensor &power1,
                 const Tensor &power2) {
  FloatMath math(ElementKind::F64);
  Element one = Element::exact(1);
  Element first = math.sub(one, power1.elements[0]);
  Element second = math.sub(one, power2.elements[0]);
  return math.div(math.mul(rate, math.sqrt(second)), first);
}

} // namespace

void applyOptimizer(Attribute optimizer, Tensor &variable,
                    const Tensor &gradient, const Element &rate,
                    ArrayRef<Tensor *> slots) {
  Element alpha = rate;
  if (isa<AdamAttr>(optimizer))
    alpha = FloatMath(variable.kind)
                .round(adamRate(rate, *slots[2], *slots[3]), 1, true);
  size_t own = slotValues(optimizer).size();
  for (int64_t i = 0; i < variable.size(); ++i) {
    Update update{FloatMath(variable.kind), variable.kind == ElementKind::F32,
                  gradient.elements[i],     rate,
                  variable.elements[i],     {}};
    for (Tensor *slot : slots.take_front(own))
      update.slots.push_back(&slot->elements[i]);
    llvm::TypeSwitch<Attribute>(optimizer)
        .Case([&](MomentumAttr attr) { update.momentum(attr); })
        .Case([&](AdagradAttr) { update.adagrad(); })
        .Case([&](RmspropAttr attr) { update.rmsprop(attr); })
        .Case([&](AdamAttr attr) { update.adam(attr, alpha); })
        .Default([&](Attribute) {
          update.w =
              update.math.sub(update.w, update.math.mul(rate, update.gradient));
        });
  }
}

} // namespace graphc::interpreter
