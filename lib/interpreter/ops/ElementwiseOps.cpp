// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of elementwise ops: one element at a time, broadcast as NumPy
// does.
#include "lib/interpreter/ElementMap.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

Element ofTruth(Truth truth) { return Element::of(truth.value, truth.isKnown); }

template <typename Op>
void addCompare(OpTable &table,
                Truth (*ofFloats)(const Element &, const Element &),
                bool (*ofInts)(Integer, Integer)) {
  table.add<Op>([=](Op op, Frame &frame) {
    ElementKind kind = operandKind(op);
    return mapElements(op, frame, [&](ArrayRef<Element> x) {
      if (isFloat(kind))
        return ofTruth(ofFloats(x[0], x[1]));
      return Element::of(ofInts(x[0].integer, x[1].integer),
                         x[0].isKnown && x[1].isKnown);
    });
  });
}

Element floatOfInt(const Element &x, ElementKind to) {
  if (!x.isKnown)
    return Element::anything(static_cast<double>(x.integer));
  return FloatMath(to).round(Element::exact(static_cast<double>(x.integer)), 1,
                             true);
}

/// Drops the fraction. What the type does not hold becomes any integer.
Element intOfFloat(const Element &x, ElementKind to) {
  double whole = std::trunc(x.value);
  bool isSame = std::trunc(x.low) == whole && std::trunc(x.high) == whole;
  auto [lowest, highest] = rangeOf(to);
  bool fits = whole >= static_cast<double>(lowest) &&
              whole < static_cast<double>(highest + 1);
  Integer integer = fits ? static_cast<Integer>(whole) : 0;
  return Element::of(integer, isSame && fits);
}

} // namespace

Element castElement(const Element &x, ElementKind from, ElementKind to) {
  if (from == to)
    return x;
  if (isFloat(from)) {
    if (to == ElementKind::F64)
      return x;
    // The frame rounds on to a type of 16 bits.
    if (isFloat(to))
      return FloatMath(to).round(x, 1, true);
    if (to == ElementKind::Bool) {
      Truth zero = equal(x, Element::exact(0));
      return Element::of(!zero.value, zero.isKnown);
    }
    return intOfFloat(x, to);
  }
  if (isFloat(to))
    return floatOfInt(x, to);
  return wrap(to, x);
}

namespace {

LogicalResult castTensor(CastOp op, Frame &frame) {
  ElementKind from = operandKind(op);
  ElementKind to = kindOf(op.getY().getType().getElementType());
  return mapElements(op, frame, [&](ArrayRef<Element> x) {
    return castElement(x[0], from, to);
  });
}

/// The bits of an element as the interpreter computes it.
uint64_t bitsOf(const Element &x, ElementKind kind) {
  if (!isFloat(kind))
    return static_cast<uint64_t>(x.integer);
  if (kind == ElementKind::F64)
    return std::bit_cast<uint64_t>(x.value);
  if (kind == ElementKind::F32)
    return std::bit_cast<uint32_t>(static_cast<float>(x.value));
  llvm::APFloat half(x.value);
  bool lost = false;
  half.convert(semanticsOf(kind), llvm::APFloat::rmNearestTiesToEven, &lost);
  return half.bitcastToAPInt().getZExtValue();
}

/// The element with these bits.
Element elementOfBits(uint64_t bits, ElementKind kind) {
  if (!isFloat(kind))
    return wrap(kind, Element::of(static_cast<int64_t>(bits)));
  if (kind == ElementKind::F64)
    return Element::exact(std::bit_cast<double>(bits));
  if (kind == ElementKind::F32)
    return Element::exact(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  llvm::APFloat half(semanticsOf(kind), llvm::APInt(16, bits, false, true));
  return Element::exact(half.convertToDouble());
}

LogicalResult bitcastTensor(BitcastOp op, Frame &frame) {
  ElementKind from = operandKind(op);
  ElementKind to = kindOf(op.getY().getType().getElementType());
  return mapElements(op, frame, [&](ArrayRef<Element> x) {
    Element result = elementOfBits(bitsOf(x[0], from), to);
    // There are many NaNs, and the sign of a zero is not promised.
    bool isKnown = isFloat(from) ? x[0].isPoint() && x[0].value != 0 &&
                                       !std::isnan(x[0].value)
                                 : x[0].isKnown;
    if (isKnown)
      return result;
    return isFloat(to) ? Element::anything(result.value)
                       : Element::of(result.integer, false);
  });
}

LogicalResult select(SelectOp op, Frame &frame) {
  return mapElements(op, frame, [&](ArrayRef<Element> x) {
    const Element &chosen = x[0].integer ? x[1] : x[2];
    const Element &other = x[0].integer ? x[2] : x[1];
    return x[0].isKnown ? chosen : hull(chosen, other);
  });
}

LogicalResult stopGradient(StopGradientOp op, Frame &frame) {
  return mapElements(op, frame, [](ArrayRef<Element> x) {
    Element result = x[0];
    result.slope = 0;
    return result;
  });
}

void addLogic(OpTable &table) {
  // An operand that decides alone makes the result known.
  table.add<LogicalAndOp>([](LogicalAndOp op, Frame &frame) {
    return mapElements(op, frame, [](ArrayRef<Element> x) {
      bool decides =
          (x[0].isKnown && !x[0].integer) || (x[1].isKnown && !x[1].integer);
      return Element::of(x[0].integer && x[1].integer,
                         decides || (x[0].isKnown && x[1].isKnown));
    });
  });
  table.add<LogicalOrOp>([](LogicalOrOp op, Frame &frame) {
    return mapElements(op, frame, [](ArrayRef<Element> x) {
      bool decides =
          (x[0].isKnown && x[0].integer) || (x[1].isKnown && x[1].integer);
      return Element::of(x[0].integer || x[1].integer,
                         decides || (x[0].isKnown && x[1].isKnown));
    });
  });
  table.add<LogicalNotOp>([](LogicalNotOp op, Frame &frame) {
    return mapElements(op, frame, [](ArrayRef<Element> x) {
      return Element::of(!x[0].integer, x[0].isKnown);
    });
  });
}

Truth notEqual(const Element &x, const Element &y) {
  Truth same = equal(x, y);
  return {!same.value, same.isKnown};
}
Truth greater(const Element &x, const Element &y) { return less(y, x); }
Truth greaterEqual(const Element &x, const Element &y) {
  return lessEqual(y, x);
}

void addComparisons(OpTable &table) {
  using I = Integer;
  addCompare<EqualOp>(table, equal, [](I x, I y) { return x == y; });
  addCompare<NotEqualOp>(table, notEqual, [](I x, I y) { return x != y; });
  addCompare<LessOp>(table, less, [](I x, I y) { return x < y; });
  addCompare<LessEqualOp>(table, lessEqual, [](I x, I y) { return x <= y; });
  addCompare<GreaterOp>(table, greater, [](I x, I y) { return x > y; });
  addCompare<GreaterEqualOp>(table, greaterEqual,
                             [](I x, I y) { return x >= y; });
}

/// (x - y) * (x - y), of which the compiled code rounds both.
Element squaredDifference(const FloatMath &math, const Element &x,
                          const Element &y) {
  return math.square(math.sub(x, y));
}

LogicalResult squaredDifferenceOf(SquaredDifferenceOp op, Frame &frame) {
  ElementKind kind = operandKind(op);
  FloatMath math(kind);
  return mapElements(op, frame, [&](ArrayRef<Element> x) {
    if (isFloat(kind))
      return squaredDifference(math, x[0], x[1]);
    Integer difference = add64(x[0].integer, neg64(x[1].integer));
    // Wrapped first, as the square of what does not fit differs.
    Element d = wrap(kind, Element::of(difference));
    return wrap(kind, Element::of(mul64(d.integer, d.integer),
                                  x[0].isKnown && x[1].isKnown));
  });
}

} // namespace

void addElementwiseOps(OpTable &table) {
  using M = FloatMath;
  addUnary<NegOp>(table, &M::neg, neg64);
  addUnary<AbsOp>(table, &M::abs,
                  [](Integer x) { return x < 0 ? neg64(x) : x; });
  addUnary<SquareOp>(table, &M::square, [](Integer x) { return mul64(x, x); });
  addUnary<SignOp>(table, &M::sign);
  addUnary<FloorOp>(table, &M::floor);
  addUnary<CeilOp>(table, &M::ceil);
  addUnary<SqrtOp>(table, &M::sqrt);
  addUnary<RsqrtOp>(table, &M::rsqrt);
  addUnary<ReciprocalOp>(table, &M::reciprocal);
  addUnary<ExpOp>(table, &M::exp);
  addUnary<LogOp>(table, &M::log);
  addUnary<Log1pOp>(table, &M::log1p);
  addUnary<TanhOp>(table, &M::tanh);
  addUnary<SigmoidOp>(table, &M::sigmoid);
  addUnary<SoftplusOp>(table, &M::softplus);
  addUnary<ErfOp>(table, &M::erf);
  addUnary<SinOp>(table, &M::sin);
  addUnary<CosOp>(table, &M::cos);
  addUnary<ReluOp>(table, &M::relu);
  addUnary<Relu6Op>(table, &M::relu6);

  addBinary<AddOp>(table, &M::add, add64);
  addBinary<SubOp>(table, &M::sub,
                   [](Integer x, Integer y) { return add64(x, neg64(y)); });
  addBinary<MulOp>(table, &M::mul, mul64);
  addBinary<DivOp>(table, &M::div, div64);
  addBinary<MaximumOp>(table, &M::max,
                       [](Integer x, Integer y) { return std::max(x, y); });
  addBinary<MinimumOp>(table, &M::min,
                       [](Integer x, Integer y) { return std::min(x, y); });
  addBinary<PowOp>(table, &M::pow);
  table.add<SquaredDifferenceOp>(squaredDifferenceOf);

  addComparisons(table);
  addLogic(table);
  table.add<SelectOp>(select);
  table.add<CastOp>(castTensor);
  table.add<BitcastOp>(bitcastTensor);
  table.add<StopGradientOp>(stopGradient);
  table.add<IdentityOp>([](IdentityOp op, Frame &frame) {
    frame.set(op.getY(), Tensor(frame.get(op.getX())));
    return success();
  });
}

} // namespace graphc::interpreter
