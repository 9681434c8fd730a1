// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of activations, clipping and sums of several tensors.
#include "dialects/tfir/ops/TfirActivationOps.h"
#include "lib/interpreter/ElementMap.h"

#include <cmath>

namespace graphc::interpreter {

using namespace tfir;

namespace {

Element number(double value) { return Element::exact(value); }

/// x where it is positive, else y; either where rounding decides.
Element rectified(const Element &x, const Element &y) {
  Truth positive = less(number(0), x);
  if (positive.isKnown)
    return positive.value ? x : y;
  return positive.value ? hull(x, y) : hull(y, x);
}

Element scale(const FloatMath &math, const Element &x, double factor) {
  return math.mul(x, math.round(number(factor)));
}

Element elu(const FloatMath &math, const Element &x, double alpha) {
  return rectified(x, scale(math, math.expm1(math.min(x, number(0))), alpha));
}

Element gelu(const FloatMath &math, const Element &x, bool isApproximate) {
  Element inner;
  if (isApproximate) {
    Element cube = math.mul(math.square(x), x);
    inner = math.tanh(scale(math, math.add(x, scale(math, cube, 0.044715)),
                            std::sqrt(2 / M_PI)));
  } else {
    inner = math.erf(scale(math, x, M_SQRT1_2));
  }
  return math.mul(scale(math, x, 0.5), math.add(inner, number(1)));
}

/// `function` gets the op, the arithmetic of its type and the operands'
/// elements.
template <typename Op, typename Function>
void add(OpTable &table, Function function) {
  table.add<Op>([=](Op op, Frame &frame) {
    FloatMath math(operandKind(op));
    return mapElements(op, frame, [&](llvm::ArrayRef<Element> x) {
      return function(op, math, x);
    });
  });
}

using X = llvm::ArrayRef<Element>;
using M = FloatMath;

double alphaOf(llvm::APFloat alpha) { return alpha.convertToDouble(); }

Element clipIntegers(X x) {
  Integer value = std::max(std::min(x[0].integer, x[2].integer), x[1].integer);
  return Element::of(value, x[0].isKnown && x[1].isKnown && x[2].isKnown);
}

mlir::LogicalResult addAll(AddNOp op, Frame &frame) {
  ElementKind kind = operandKind(op);
  FloatMath math(kind);
  return mapElements(op, frame, [&](X x) {
    Element sum = x[0];
    for (const Element &term : x.drop_front())
      sum = isFloat(kind)
                ? math.add(sum, term)
                : wrap(kind, Element::of(add64(sum.integer, term.integer),
                                         sum.isKnown && term.isKnown));
    return sum;
  });
}

} // namespace

void addActivationOps(OpTable &table) {
  add<LeakyReluOp>(table, [](LeakyReluOp op, const M &m, X x) {
    return rectified(x[0], scale(m, x[0], alphaOf(op.getAlpha())));
  });
  add<EluOp>(table, [](EluOp op, const M &m, X x) {
    return elu(m, x[0], alphaOf(op.getAlpha()));
  });
  add<SeluOp>(table, [](SeluOp, const M &m, X x) {
    return scale(m, elu(m, x[0], 1.6732632423543772), 1.0507009873554805);
  });
  add<CeluOp>(table, [](CeluOp op, const M &m, X x) {
    double alpha = alphaOf(op.getAlpha());
    Element scaled = m.min(scale(m, x[0], 1 / alpha), number(0));
    return rectified(x[0], scale(m, m.expm1(scaled), alpha));
  });
  add<SoftsignOp>(table, [](SoftsignOp, const M &m, X x) {
    return m.div(x[0], m.add(m.abs(x[0]), number(1)));
  });
  add<SwishOp>(table, [](SwishOp, const M &m, X x) {
    return m.mul(x[0], m.sigmoid(x[0]));
  });
  add<HardSigmoidOp>(table, [](HardSigmoidOp, const M &m, X x) {
    Element line = m.add(scale(m, x[0], 0.2), number(0.5));
    return m.min(m.max(line, number(0)), number(1));
  });
  add<HardSwishOp>(table, [](HardSwishOp, const M &m, X x) {
    Element gate = m.relu6(m.add(x[0], number(3)));
    return scale(m, m.mul(x[0], gate), 1.0 / 6);
  });
  add<MishOp>(table, [](MishOp, const M &m, X x) {
    return m.mul(x[0], m.tanh(m.softplus(x[0])));
  });
  add<LogSigmoidOp>(table, [](LogSigmoidOp, const M &m, X x) {
    return m.neg(m.softplus(m.neg(x[0])));
  });
  add<GeluOp>(table, [](GeluOp op, const M &m, X x) {
    return gelu(m, x[0], op.getApproximate());
  });
  add<PreluOp>(table, [](PreluOp, const M &m, X x) {
    return rectified(x[0], m.mul(x[0], x[1]));
  });
  add<ClipByValueOp>(table, [](ClipByValueOp op, const M &m, X x) {
    if (!isFloat(operandKind(op)))
      return clipIntegers(x);
    return m.max(m.min(x[0], x[2]), x[1]);
  });
  table.add<AddNOp>(addAll);
}

} // namespace graphc::interpreter
