// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of what tfir.minimize does between gradients and optimizer.
#include "lib/interpreter/BeforeUpdate.h"

#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

static Element numberOf(const Tensor &like, double value) {
  return Element::exact(
      like.kind == ElementKind::F32 ? static_cast<float>(value) : value);
}

static std::optional<double> valueOf(std::optional<APFloat> number) {
  if (!number)
    return std::nullopt;
  return number->convertToDouble();
}

/// Applies a function to each element.
template <typename Function>
static void forEach(Gradients &gradients, Function function) {
  for (auto &[variable, gradient] : gradients)
    for (Element &element : gradient.elements)
      element = function(FloatMath(gradient.kind), gradient, element);
}

static bool areFinite(const Gradients &gradients) {
  for (auto &[variable, gradient] : gradients)
    for (const Element &element : gradient.elements)
      if (!std::isfinite(element.value))
        return false;
  return true;
}

static Element squares(const Tensor &tensor) {
  FloatMath math(tensor.kind);
  std::vector<Element> terms;
  for (const Element &element : tensor.elements)
    terms.push_back(math.square(element));
  return math.sum(terms);
}

/// g * limit / max(norm, limit)
static void scaleTo(Tensor &gradient, const Element &norm, double limit) {
  FloatMath math(gradient.kind);
  Element bound = numberOf(gradient, limit);
  Element share = math.div(bound, math.max(norm, bound));
  for (Element &element : gradient.elements)
    element = math.mul(element, share);
}

bool decays(MinimizeOp op, StringAttr variable) {
  ArrayAttr chosen = op.getDecayVariablesAttr();
  return !chosen ||
         llvm::is_contained(chosen, FlatSymbolRefAttr::get(variable));
}

/// The scale doubles after enough finite steps, and is halved by another one.
static void adjustScale(MinimizeOp op, Frame &frame, bool isFinite) {
  Element &scale = frame.trainingState(op, kLossScale).elements[0];
  Element &good = frame.trainingState(op, kGoodSteps).elements[0];
  bool isDue =
      good.integer + 1 >= static_cast<int64_t>(*op.getLossScaleGrowth());
  double factor = !isFinite ? 0.5 : isDue ? 2 : 1;
  double next = std::min(scale.value * factor, 0x1p127);
  scale = Element::exact(isFinite ? next : std::max(next, 1.0));
  good.integer = isFinite && !isDue ? good.integer + 1 : 0;
}

/// Adds to the sums; true in the last of the steps, which gets the means.
static bool accumulate(MinimizeOp op, Frame &frame, Gradients &gradients) {
  auto steps = static_cast<int64_t>(*op.getAccumulate());
  Element &count = frame.trainingState(op, kAccumulatedSteps).elements[0];
  bool isLast = count.integer + 1 >= steps;
  count.integer = isLast ? 0 : count.integer + 1;
  for (auto &[variable, gradient] : gradients) {
    Tensor &sums = frame.trainingState(
        op, (variable.getValue() + "/" + kAccumulator).str());
    FloatMath math(gradient.kind);
    for (auto [sum, element] : llvm::zip(sums.elements, gradient.elements)) {
      sum = math.add(sum, element);
      element = math.div(sum, numberOf(sums, static_cast<double>(steps)));
      if (isLast)
        sum = Element::exact(0);
    }
  }
  return isLast;
}

static void addDecay(MinimizeOp op, Frame &frame, Gradients &gradients) {
  for (auto &[variable, gradient] : gradients) {
    if (!decays(op, variable))
      continue;
    FloatMath math(gradient.kind);
    const Tensor &weights = frame.variable(variable);
    Element l2 = numberOf(gradient, *valueOf(op.getL2()));
    for (auto [g, w] : llvm::zip(gradient.elements, weights.elements))
      g = math.add(g, math.mul(w, l2));
  }
}

static void clip(MinimizeOp op, Gradients &gradients) {
  if (auto limit = valueOf(op.getClipValue()))
    forEach(gradients, [&](const FloatMath &math, const Tensor &gradient,
                           const Element &element) {
      return math.min(math.max(element, numberOf(gradient, -*limit)),
                      numberOf(gradient, *limit));
    });
  if (auto limit = valueOf(op.getClipNorm()))
    for (auto &[variable, gradient] : gradients)
      scaleTo(gradient, FloatMath(gradient.kind).sqrt(squares(gradient)),
              *limit);
  auto limit = valueOf(op.getClipGlobalNorm());
  if (!limit)
    return;
  ElementKind kind = ElementKind::F32;
  std::vector<Element> parts;
  for (auto &[variable, gradient] : gradients) {
    parts.push_back(squares(gradient));
    if (gradient.kind == ElementKind::F64)
      kind = gradient.kind;
  }
  FloatMath math(kind);
  Element norm = math.sqrt(math.sum(parts));
  for (auto &[variable, gradient] : gradients)
    scaleTo(gradient, norm, *limit);
}

bool changeGradients(MinimizeOp op, Frame &frame, Gradients &gradients) {
  bool isFinite = true;
  if (std::optional<double> number = valueOf(op.getLossScale())) {
    bool isDynamic = op.getLossScaleGrowth().has_value();
    double scale = isDynamic
                       ? frame.trainingState(op, kLossScale).elements[0].value
                       : *number;
    forEach(gradients, [&](const FloatMath &math, const Tensor &gradient,
                           const Element &element) {
      Element scaled = math.mul(element, numberOf(gradient, scale));
      return math.mul(scaled, numberOf(gradient, 1 / scale));
    });
    if (isDynamic) {
      isFinite = areFinite(gradients);
      adjustScale(op, frame, isFinite);
    }
  }
  if (!isFinite)
    return false;
  if (op.getAccumulate() && !accumulate(op, frame, gradients))
    return false;
  if (op.getL2())
    addDecay(op, frame, gradients);
  clip(op, gradients);
  return true;
}

} // namespace graphc::interpreter
