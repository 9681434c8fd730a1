// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of reductions.
#include "dialects/tfir/Support.h"
#include "lib/interpreter/Frame.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Groups = std::vector<std::vector<Element>>;

/// The elements that each element of the result is made of, in row-major order.
template <typename Op> FailureOr<Groups> groupsOf(Op op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(op, op.getAxes(), x.rank());
  if (failed(axes))
    return failure();
  // Places in a result that keeps the reduced dimensions with size 1.
  Tensor kept;
  kept.shape = x.shape;
  for (int64_t axis : *axes)
    kept.shape[axis] = 1;
  Groups groups(kept.size());
  int64_t place = 0;
  forEachIndex(x.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> at(index);
    for (int64_t axis : *axes)
      at[axis] = 0;
    groups[kept.offset(at)].push_back(x.elements[place++]);
  });
  return groups;
}

template <typename Op, typename Function>
LogicalResult reduce(Op op, Frame &frame, Function function) {
  FailureOr<Groups> groups = groupsOf(op, frame);
  if (failed(groups))
    return failure();
  std::vector<Element> elements;
  for (const std::vector<Element> &group : *groups)
    elements.push_back(function(ArrayRef<Element>(group)));
  frame.setElements(op.getY(), std::move(elements));
  return success();
}

template <typename Op> ElementKind kind(Op op) {
  return kindOf(op.getX().getType().getElementType());
}

Element sumIntegers(ElementKind kind, ArrayRef<Element> terms) {
  uint64_t sum = 0;
  bool isKnown = true;
  for (const Element &term : terms) {
    sum += static_cast<uint64_t>(term.integer);
    isKnown &= term.isKnown;
  }
  return wrap(kind, Element::of(static_cast<int64_t>(sum), isKnown));
}

LogicalResult sum(SumOp op, Frame &frame) {
  FloatMath math(kind(op));
  return reduce(op, frame, [&](ArrayRef<Element> terms) {
    return isFloat(kind(op)) ? math.sum(terms) : sumIntegers(kind(op), terms);
  });
}

LogicalResult mean(MeanOp op, Frame &frame) {
  FloatMath math(kind(op));
  return reduce(op, frame, [&](ArrayRef<Element> terms) {
    Element count = Element::exact(static_cast<double>(terms.size()));
    if (terms.empty()) // 0 / 0, or 0 times the reciprocal
      return Element::anything(std::numeric_limits<double>::quiet_NaN());
    // Perhaps by the reciprocal, which is rounded, too.
    return math.round(math.div(math.sum(terms), count), 2,
                      /*mayBeExact=*/terms.size() == 1);
  });
}

/// The largest, or with sign -1 the smallest; its slope is the mean of those of
/// the ties.
Element extreme(ArrayRef<Element> terms, double sign, const FloatMath &math) {
  double inf = std::numeric_limits<double>::infinity();
  Element best = Element::exact(-inf);
  for (const Element &term : terms)
    best = math.max(best, sign > 0 ? term : math.neg(term));
  if (sign < 0)
    best = math.neg(best);
  best.slope = slopeOfTies(terms, best.value);
  return best;
}

Element extremeInteger(ElementKind kind, ArrayRef<Element> terms, int sign) {
  auto [lowest, highest] = rangeOf(kind);
  Element best = Element::of(sign > 0 ? lowest : highest);
  for (const Element &term : terms) {
    bool isBetter =
        sign > 0 ? term.integer > best.integer : term.integer < best.integer;
    best = Element::of(isBetter ? term.integer : best.integer,
                       best.isKnown && term.isKnown);
  }
  return best;
}

template <typename Op> LogicalResult extremeOf(Op op, Frame &frame, int sign) {
  FloatMath math(kind(op));
  return reduce(op, frame, [&](ArrayRef<Element> terms) {
    return isFloat(kind(op)) ? extreme(terms, sign, math)
                             : extremeInteger(kind(op), terms, sign);
  });
}

/// The place of the first largest element; unknown where rounding decides.
Element largestPlace(ArrayRef<Element> row, bool isFloat) {
  int64_t best = 0;
  bool isKnown = true;
  for (size_t i = 0; i < row.size(); ++i) {
    bool isMore = isFloat ? row[i].value > row[best].value
                          : row[i].integer > row[best].integer;
    best = isMore ? static_cast<int64_t>(i) : best;
  }
  for (size_t i = 0; i < row.size(); ++i) {
    if (!isFloat)
      isKnown &= row[i].isKnown;
    else if (static_cast<int64_t>(i) != best)
      isKnown &= less(row[i], row[best]).isKnown;
    isKnown &= !isFloat || !std::isnan(row[i].value);
  }
  return Element::of(best, isKnown);
}

LogicalResult argMax(ArgMaxOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  int64_t axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0)
    axis += x.rank();
  Tensor kept;
  kept.shape = x.shape;
  kept.shape[axis] = 1;
  Groups rows(kept.size());
  int64_t place = 0;
  forEachIndex(x.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> at(index);
    at[axis] = 0;
    rows[kept.offset(at)].push_back(x.elements[place++]);
  });
  std::vector<Element> elements;
  for (const std::vector<Element> &row : rows)
    elements.push_back(largestPlace(row, x.isFloat()));
  frame.setElements(op.getY(), std::move(elements));
  return success();
}

} // namespace

void addReductionOps(OpTable &table) {
  table.add<SumOp>(sum);
  table.add<MeanOp>(mean);
  table.add<MaxOp>(
      [](MaxOp op, Frame &frame) { return extremeOf(op, frame, 1); });
  table.add<MinOp>(
      [](MinOp op, Frame &frame) { return extremeOf(op, frame, -1); });
  table.add<ArgMaxOp>(argMax);
}

} // namespace graphc::interpreter
