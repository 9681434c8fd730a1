// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of the optimizers: the formulas of docs/ops.md, element by
// element. It has a table of its own and does not ask OptimizerAttrInterface,
// since what it judges is made by that.
#include "dialects/tfir/training/TfirOptimizers.h"
#include "lib/interpreter/Frame.h"

#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// One element of a variable with those of its slots, and what all share.
struct Update {
  FloatMath math;
  bool isSingle;
  const Element &gradient, &rate;
  const Element &alpha, &beta; ///< from the rate and the powers, if any
  Element &w;
  llvm::SmallVector<Element *, 4> slots = {};

  Element number(double value) const {
    return Element::exact(isSingle ? static_cast<float>(value) : value);
  }
  Element mul(const Element &x, double factor) const {
    return math.mul(x, number(factor));
  }
  /// A step with so much of the weight more. Without decay that is none of it,
  /// also where the weight is infinite or NaN.
  Element withDecay(const Element &step, double decay) const {
    return decay == 0 ? step : math.add(step, mul(w, decay));
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
    Element &s = *slots[0], &m = *slots.back();
    s = moved(s, 1 - attr.getDecay(), math.square(gradient));
    Element spread = s;
    if (attr.getCentered()) {
      Element &c = *slots[1];
      c = moved(c, 1 - attr.getDecay(), gradient);
      spread = math.sub(s, math.square(c));
    }
    Element root = math.sqrt(math.add(spread, number(attr.getEpsilon())));
    Element step = math.div(math.mul(rate, gradient), root);
    m = math.add(mul(m, attr.getMomentum()), step);
    w = math.sub(w, m);
  }
  void adadelta(AdadeltaAttr attr) const {
    Element &s = *slots[0], &d = *slots[1];
    auto root = [&](const Element &x) {
      return math.sqrt(math.add(x, number(attr.getEpsilon())));
    };
    s = moved(s, 1 - attr.getRho(), math.square(gradient));
    Element u = math.mul(math.div(root(d), root(s)), gradient);
    d = moved(d, 1 - attr.getRho(), math.square(u));
    w = math.sub(w, math.mul(rate, u));
  }

  /// Moves the first two slots, the moments of Adam.
  template <typename Attr> void moments(Attr attr) const {
    Element &m = *slots[0], &v = *slots[1];
    m = moved(m, 1 - attr.getBeta1(), gradient);
    v = moved(v, 1 - attr.getBeta2(), math.square(gradient));
  }
  /// alpha * m / (sqrt(v) + epsilon)
  Element adamStep(const Element &m, const Element &v, double epsilon) const {
    Element root = math.add(math.sqrt(v), number(epsilon));
    return math.div(math.mul(alpha, m), root);
  }
  void adam(AdamAttr attr) const {
    moments(attr);
    w = math.sub(w, adamStep(*slots[0], *slots[1], attr.getEpsilon()));
  }
  void nadam(NadamAttr attr) const {
    moments(attr);
    Element ahead = math.add(mul(*slots[0], attr.getBeta1()),
                             mul(gradient, 1 - attr.getBeta1()));
    w = math.sub(w, adamStep(ahead, *slots[1], attr.getEpsilon()));
  }
  void amsgrad(AmsgradAttr attr) const {
    moments(attr);
    *slots[2] = math.max(*slots[2], *slots[1]);
    w = math.sub(w, adamStep(*slots[0], *slots[2], attr.getEpsilon()));
  }
  void adamw(AdamwAttr attr) const {
    moments(attr);
    Element step = adamStep(*slots[0], *slots[1], attr.getEpsilon());
    if (double decay = attr.getWeightDecay(); decay != 0)
      step = math.add(step, math.mul(mul(rate, decay), w));
    w = math.sub(w, step);
  }
  /// `alpha` is rate / (1 - beta1^t).
  void adamax(AdamaxAttr attr) const {
    Element &m = *slots[0], &v = *slots[1];
    m = moved(m, 1 - attr.getBeta1(), gradient);
    v = math.max(mul(v, attr.getBeta2()), math.abs(gradient));
    Element step = math.mul(alpha, m);
    w = math.sub(w, math.div(step, math.add(v, number(attr.getEpsilon()))));
  }
  void lion(LionAttr attr) const {
    Element &m = *slots[0];
    Element mixed =
        math.add(mul(m, attr.getBeta1()), mul(gradient, 1 - attr.getBeta1()));
    Element direction = math.sign(mixed);
    Element step = withDecay(direction, attr.getWeightDecay());
    w = math.sub(w, math.mul(rate, step));
    // Rounding decides which way it goes: of a gradient that is zero but for
    // that, such as that of a sum of softmax, even in double precision.
    if (!direction.isPoint())
      w = Element::anything(w.value, w.slope);
    m = moved(m, 1 - attr.getBeta2(), gradient);
  }

  void ftrl(FtrlAttr attr) const {
    Element &a = *slots[0], &z = *slots[1];
    auto power = [&](const Element &x) {
      return math.pow(x, number(-attr.getLearningRatePower()));
    };
    Element b = math.add(a, math.square(gradient));
    Element share = math.div(math.sub(power(b), power(a)), rate);
    z = math.sub(math.add(z, gradient), math.mul(share, w));
    a = b;
    Element top = math.sub(mul(math.sign(z), attr.getL1()), z);
    Element bottom =
        math.add(math.div(power(a), rate), number(2 * attr.getL2()));
    Truth isLarge = less(number(attr.getL1()), math.abs(z));
    Element next = math.div(top, bottom), zero = number(0);
    w = isLarge.value ? next : zero;
    if (!isLarge.isKnown)
      w = hull(w, isLarge.value ? zero : next);
  }
  /// w from p, solved for l1 and l2.
  void solve(const Element &p, const Element &r, double l1, double l2) const {
    w = p;
    if (l1 != 0)
      w = math.mul(math.sign(p),
                   math.max(math.sub(math.abs(p), mul(r, l1)), number(0)));
    if (l2 != 0)
      w = math.div(w, math.add(number(1), mul(r, l2)));
  }
  void proximal(ProximalSgdAttr attr) const {
    solve(math.sub(w, math.mul(rate, gradient)), rate, attr.getL1(),
          attr.getL2());
  }
  void proximalAdagrad(ProximalAdagradAttr attr) const {
    Element &a = *slots[0];
    a = math.add(a, math.square(gradient));
    Element own = math.div(rate, math.sqrt(a));
    solve(math.sub(w, math.mul(own, gradient)), own, attr.getL1(),
          attr.getL2());
  }
};

using Updates = std::vector<Update>;

//===-- By norms of the whole variable ------------------------------------===//

Element normOf(const FloatMath &math, ArrayRef<Element> elements) {
  std::vector<Element> squares;
  for (const Element &element : elements)
    squares.push_back(math.square(element));
  return math.sqrt(math.sum(squares));
}

std::vector<Element> weightsOf(const Updates &updates) {
  std::vector<Element> weights;
  for (const Update &update : updates)
    weights.push_back(update.w);
  return weights;
}

/// The ratio, or 1 where a norm is 0.
Element trusted(const Element &ratio, const Element &x, const Element &y) {
  Truth isZero = equal(x, Element::exact(0)),
        isOther = equal(y, Element::exact(0));
  Element one = Element::exact(1);
  bool isKnown = isZero.isKnown && isOther.isKnown;
  bool isOne = isZero.value || isOther.value;
  Element chosen = isOne ? one : ratio;
  return isKnown ? chosen : hull(chosen, isOne ? ratio : one);
}

void lamb(LambAttr attr, const Updates &updates) {
  if (updates.empty())
    return;
  const FloatMath &math = updates.front().math;
  std::vector<Element> steps;
  for (const Update &u : updates) {
    u.moments(attr);
    Element m = math.div(*u.slots[0], u.alpha);
    Element v = math.div(*u.slots[1], u.beta);
    Element step =
        math.div(m, math.add(math.sqrt(v), u.number(attr.getEpsilon())));
    steps.push_back(u.withDecay(step, attr.getWeightDecay()));
  }
  Element weights = normOf(math, weightsOf(updates));
  Element length = normOf(math, steps);
  Element ratio = trusted(math.div(weights, length), weights, length);
  for (auto [u, step] : llvm::zip(updates, steps))
    u.w = math.sub(u.w, math.mul(math.mul(u.rate, ratio), step));
}

void lars(LarsAttr attr, const Updates &updates) {
  if (updates.empty())
    return;
  const Update &first = updates.front();
  const FloatMath &math = first.math;
  std::vector<Element> gradients;
  for (const Update &u : updates)
    gradients.push_back(u.gradient);
  Element weights = normOf(math, weightsOf(updates));
  Element length = normOf(math, gradients);
  Element divisor =
      math.add(math.add(length, first.mul(weights, attr.getWeightDecay())),
               first.number(attr.getEpsilon()));
  Element ratio = trusted(math.div(first.mul(weights, attr.getEeta()), divisor),
                          weights, length);
  Element rate = math.mul(first.rate, ratio);
  for (const Update &u : updates) {
    Element &a = *u.slots[0];
    Element d = math.add(u.gradient, u.mul(u.w, attr.getWeightDecay()));
    a = math.add(u.mul(a, attr.getMomentum()), d);
    Element step =
        attr.getNesterov() ? math.add(d, u.mul(a, attr.getMomentum())) : a;
    u.w = math.sub(u.w, math.mul(rate, step));
  }
}

//===-- Powers that variables share ---------------------------------------===//

Element complementOf(const Tensor &power) {
  return FloatMath(ElementKind::F64).sub(Element::exact(1), power.elements[0]);
}

/// rate * sqrt(1 - beta2^t) / (1 - beta1^t), in f64 as the powers are.
Element adamRate(const Element &rate, ArrayRef<Tensor *> powers) {
  FloatMath math(ElementKind::F64);
  Element root = math.sqrt(complementOf(*powers[1]));
  return math.div(math.mul(rate, root), complementOf(*powers[0]));
}

Element adamaxRate(const Element &rate, ArrayRef<Tensor *> powers) {
  return FloatMath(ElementKind::F64).div(rate, complementOf(*powers[0]));
}

Element firstComplement(const Element &, ArrayRef<Tensor *> powers) {
  return complementOf(*powers[0]);
}

Element secondComplement(const Element &, ArrayRef<Tensor *> powers) {
  return complementOf(*powers[1]);
}

//===-- The table ---------------------------------------------------------===//

using Scalar = Element (*)(const Element &rate, ArrayRef<Tensor *> powers);

/// Name, state and formula of one optimizer.
struct Rule {
  StringRef name;
  std::vector<double> slots; ///< first values
  std::function<void(const Update &)> step;
  /// Powers that all variables share, with their first values.
  std::vector<std::pair<std::string, double>> shared = {};
  Scalar alpha = nullptr, beta = nullptr; ///< those of Update
  /// In place of `step`, for all elements of a variable.
  std::function<void(const Updates &)> whole = {};
};

template <typename Attr>
std::vector<std::pair<std::string, double>> betas(Attr attr) {
  return {{"beta1_power", attr.getBeta1()}, {"beta2_power", attr.getBeta2()}};
}

template <typename Attr>
Rule elementwise(StringRef name, std::vector<double> slots, Attr attr,
                 void (Update::*step)(Attr) const) {
  return {name, std::move(slots), [=](const Update &u) { (u.*step)(attr); }};
}

/// A rule with both powers.
template <typename Attr>
Rule likeAdam(StringRef name, std::vector<double> slots, Attr attr,
              void (Update::*step)(Attr) const) {
  Rule rule = elementwise(name, std::move(slots), attr, step);
  rule.shared = betas(attr);
  rule.alpha = adamRate;
  return rule;
}

Rule ruleOf(Attribute optimizer) {
  return llvm::TypeSwitch<Attribute, Rule>(optimizer)
      .Case(
          [](SgdAttr) { return Rule{"GradientDescent", {}, &Update::descend}; })
      .Case([](MomentumAttr attr) {
        return elementwise("Momentum", {0}, attr, &Update::momentum);
      })
      .Case([](AdagradAttr attr) {
        return Rule{
            "Adagrad", {attr.getInitialAccumulator()}, &Update::adagrad};
      })
      .Case([](RmspropAttr attr) {
        std::vector<double> slots{1, 0};
        if (attr.getCentered())
          slots.push_back(0);
        return elementwise("RMSProp", slots, attr, &Update::rmsprop);
      })
      .Case([](AdadeltaAttr attr) {
        return elementwise("Adadelta", {0, 0}, attr, &Update::adadelta);
      })
      .Case([](AdamAttr attr) {
        return likeAdam("Adam", {0, 0}, attr, &Update::adam);
      })
      .Case([](NadamAttr attr) {
        return likeAdam("Adam", {0, 0}, attr, &Update::nadam);
      })
      .Case([](AmsgradAttr attr) {
        return likeAdam("AMSGrad", {0, 0, 0}, attr, &Update::amsgrad);
      })
      .Case([](AdamwAttr attr) {
        return likeAdam("AdamW", {0, 0}, attr, &Update::adamw);
      })
      .Case([](AdamaxAttr attr) {
        Rule rule = elementwise("AdaMax", {0, 0}, attr, &Update::adamax);
        rule.shared = {{"beta1_power", attr.getBeta1()}};
        rule.alpha = adamaxRate;
        return rule;
      })
      .Case([](LambAttr attr) {
        Rule rule{"LAMB", {0, 0}, {}, betas(attr)};
        rule.alpha = firstComplement;
        rule.beta = secondComplement;
        rule.whole = [=](const Updates &updates) { lamb(attr, updates); };
        return rule;
      })
      .Case([](LarsAttr attr) {
        Rule rule{"LARSOptimizer", {0}, {}};
        rule.whole = [=](const Updates &updates) { lars(attr, updates); };
        return rule;
      })
      .Case([](LionAttr attr) {
        return elementwise("Lion", {0}, attr, &Update::lion);
      })
      .Case([](FtrlAttr attr) {
        return elementwise("Ftrl", {attr.getInitialAccumulator(), 0}, attr,
                           &Update::ftrl);
      })
      .Case([](ProximalSgdAttr attr) {
        return elementwise("ProximalGradientDescent", {}, attr,
                           &Update::proximal);
      })
      .Case([](ProximalAdagradAttr attr) {
        return elementwise("ProximalAdagrad", {attr.getInitialAccumulator()},
                           attr, &Update::proximalAdagrad);
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

Attribute withoutDecay(Attribute optimizer) {
  MLIRContext *context = optimizer.getContext();
  Number none = 0.0;
  return llvm::TypeSwitch<Attribute, Attribute>(optimizer)
      .Case([&](AdamwAttr attr) {
        return AdamwAttr::get(context, attr.getLearningRate(), attr.getBeta1(),
                              attr.getBeta2(), attr.getEpsilon(), none);
      })
      .Case([&](LambAttr attr) {
        return LambAttr::get(context, attr.getLearningRate(), attr.getBeta1(),
                             attr.getBeta2(), attr.getEpsilon(), none);
      })
      .Case([&](LarsAttr attr) {
        return LarsAttr::get(context, attr.getLearningRate(),
                             attr.getMomentum(), none, attr.getEeta(),
                             attr.getEpsilon(), attr.getNesterov());
      })
      .Case([&](LionAttr attr) {
        return LionAttr::get(context, attr.getLearningRate(), attr.getBeta1(),
                             attr.getBeta2(), none);
      })
      .Default(optimizer);
}

void applyOptimizer(Attribute optimizer, Tensor &variable,
                    const Tensor &gradient, const Element &rate,
                    ArrayRef<Tensor *> slots) {
  Rule rule = ruleOf(optimizer);
  FloatMath math(variable.kind);
  ArrayRef<Tensor *> powers = slots.drop_front(rule.slots.size());
  auto shared = [&](Scalar scalar) {
    return scalar ? math.round(scalar(rate, powers), 1, true) : rate;
  };
  Element alpha = shared(rule.alpha), beta = shared(rule.beta);
  Updates updates;
  for (int64_t i = 0; i < variable.size(); ++i) {
    updates.push_back({math, variable.kind == ElementKind::F32,
                       gradient.elements[i], rate, alpha, beta,
                       variable.elements[i]});
    for (Tensor *slot : slots.take_front(rule.slots.size()))
      updates.back().slots.push_back(&slot->elements[i]);
    if (rule.step)
      rule.step(updates.back());
  }
  if (rule.whole)
    rule.whole(updates);
}

} // namespace graphc::interpreter
