// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of the optimizers: the formulas of docs/ops.md, element by
// element. It has a table of its own and does not ask OptimizerAttrInterface,
// since what it judges is made by that.
#include "lib/interpreter/Frame.h"

#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

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

  void descend() const { w = math.sub(w, math.mul(rate, gradient)); }
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
  /// `rate` is that of adamRate.
  void adam(AdamAttr attr) const {
    Element &m = *slots[0], &v = *slots[1];
    m = moved(m, 1 - attr.getBeta1(), gradient);
    v = moved(v, 1 - attr.getBeta2(), math.square(gradient));
    Element root = math.add(math.sqrt(v), number(attr.getEpsilon()));
    w = math.sub(w, math.div(math.mul(rate, m), root));
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

/// Name, state and formula of one optimizer.
struct Rule {
  StringRef name;
  std::vector<double> slots; ///< first values
  std::function<void(const Update &)> step;
  /// Powers that all variables share, with their first values.
  std::vector<std::pair<std::string, double>> shared = {};
};

Rule ruleOf(Attribute optimizer) {
  return llvm::TypeSwitch<Attribute, Rule>(optimizer)
      .Case(
          [](SgdAttr) { return Rule{"GradientDescent", {}, &Update::descend}; })
      .Case([](MomentumAttr attr) {
        return Rule{
            "Momentum", {0}, [=](const Update &u) { u.momentum(attr); }};
      })
      .Case([](AdagradAttr attr) {
        return Rule{
            "Adagrad", {attr.getInitialAccumulator()}, &Update::adagrad};
      })
      .Case([](RmspropAttr attr) {
        return Rule{
            "RMSProp", {1, 0}, [=](const Update &u) { u.rmsprop(attr); }};
      })
      .Case([](AdamAttr attr) {
        return Rule{"Adam",
                    {0, 0},
                    [=](const Update &u) { u.adam(attr); },
                    {{"beta1_power", attr.getBeta1()},
                     {"beta2_power", attr.getBeta2()}}};
      });
}

} // namespace

StringRef slotName(Attribute optimizer) { return ruleOf(optimizer).name; }

std::vector<double> slotValues(Attribute optimizer) {
  return ruleOf(optimizer).slots;
}

std::vector<std::pair<std::string, double>> sharedValues(Attribute optimizer) {
  return ruleOf(optimizer).shared;
}

void applyOptimizer(Attribute optimizer, Tensor &variable,
                    const Tensor &gradient, const Element &rate,
                    ArrayRef<Tensor *> slots) {
  Rule rule = ruleOf(optimizer);
  Element effective = rate;
  if (!rule.shared.empty())
    effective = FloatMath(variable.kind)
                    .round(adamRate(rate, *slots[2], *slots[3]), 1, true);
  for (int64_t i = 0; i < variable.size(); ++i) {
    Update update{FloatMath(variable.kind), variable.kind == ElementKind::F32,
                  gradient.elements[i],     effective,
                  variable.elements[i],     {}};
    for (Tensor *slot : slots.take_front(rule.slots.size()))
      update.slots.push_back(&slot->elements[i]);
    rule.step(update);
  }
}

} // namespace graphc::interpreter
