// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/aggregate/TensorMath.h"

#include <cmath>
#include <limits>

namespace graphc::interpreter {

Tensor TensorMath::map(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<const Tensor *> operands,
                       llvm::function_ref<Element(Row)> function) const {
  Tensor result;
  result.kind = kind;
  result.shape = shape.vec();
  llvm::SmallVector<Element> x(operands.size());
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index) {
    for (auto [element, operand] : llvm::zip(x, operands))
      element = operand->broadcastAt(index);
    result.elements.push_back(function(x));
  });
  return result;
}

/// Calls `body` with the group that each element belongs to, in row-major
/// order. Returns the shape of the groups.
static std::vector<int64_t>
forEachGroup(const Tensor &x, llvm::ArrayRef<int64_t> axes,
             llvm::function_ref<void(int64_t group, int64_t place)> body) {
  Tensor kept;
  kept.shape = x.shape;
  for (int64_t axis : axes)
    kept.shape[axis] = 1;
  int64_t place = 0;
  forEachIndex(x.shape, [&](llvm::ArrayRef<int64_t> index) {
    llvm::SmallVector<int64_t> at(index);
    for (int64_t axis : axes)
      at[axis] = 0;
    body(kept.offset(at), place++);
  });
  return kept.shape;
}

Tensor TensorMath::reduce(const Tensor &x, llvm::ArrayRef<int64_t> axes,
                          llvm::function_ref<Element(Row)> function) const {
  Tensor result;
  result.kind = kind;
  result.shape = x.shape;
  for (int64_t axis : axes)
    result.shape[axis] = 1;
  std::vector<std::vector<Element>> groups(result.size());
  forEachGroup(x, axes, [&](int64_t group, int64_t place) {
    groups[group].push_back(x.elements[place]);
  });
  for (const std::vector<Element> &group : groups)
    result.elements.push_back(function(group));
  return result;
}

Tensor TensorMath::replace(
    const Tensor &x, llvm::ArrayRef<int64_t> axes,
    llvm::function_ref<std::vector<Element>(Row)> function) const {
  std::vector<std::vector<Element>> groups;
  reduce(x, axes, [&](Row row) {
    groups.push_back(function(row));
    return Element();
  });
  Tensor result = x;
  std::vector<size_t> next(groups.size());
  forEachGroup(x, axes, [&](int64_t group, int64_t place) {
    result.elements[place] = groups[group][next[group]++];
  });
  return result;
}

Element TensorMath::mean(Row x) const {
  if (x.empty())
    return Element::anything(std::numeric_limits<double>::quiet_NaN());
  // Perhaps by the reciprocal of the number, which is rounded, too.
  return round(div(sum(x), number(static_cast<double>(x.size()))), 2,
               /*mayBeExact=*/x.size() == 1);
}

Element TensorMath::variance(Row x) const {
  Element centre = mean(x);
  std::vector<Element> squares;
  for (const Element &element : x)
    squares.push_back(square(sub(element, centre)));
  return mean(squares);
}

Element TensorMath::sumOfSquares(Row x) const {
  std::vector<Element> squares;
  for (const Element &element : x)
    squares.push_back(square(element));
  return sum(squares);
}

Element TensorMath::product(Row x) const {
  Element result = number(1);
  double above = 0, below = 0; // powers of 2 of partial products
  for (const Element &factor : x) {
    result = mul(result, factor);
    double power = std::log2(std::fabs(factor.value));
    (power > 0 ? above : below) += std::isnan(power) ? 0 : power;
  }
  // Other orders overflow or vanish elsewhere.
  double most = kind == ElementKind::F64 ? 1000 : 120;
  bool mayVanish = std::isfinite(below) && below < -most;
  if (x.size() > 1 && (above > most || mayVanish))
    return Element::anything(result.value, result.slope);
  return result;
}

Element TensorMath::shiftOf(Row x) const {
  Element largest = number(-std::numeric_limits<double>::infinity());
  for (const Element &element : x)
    largest = max(largest, element);
  return number(std::isfinite(largest.value) ? largest.value : 0);
}

Element TensorMath::root(const Element &x) const {
  if (x.value == 0 && !x.isAnything())
    return x.isPoint() ? number(0) : sqrt(max(number(0), {0, 0, x.high}));
  // Squares are not negative, whatever the bounds of their sum.
  Element bounded = x;
  if (x.value > 0)
    bounded.low = std::max(bounded.low, 0.0);
  return sqrt(bounded);
}

Element TensorMath::root(const Element &x, double p) const {
  return x.value == 0 && x.isPoint() ? number(0) : pow(x, number(1 / p));
}

llvm::SmallVector<int64_t>
axesFromZero(std::optional<llvm::ArrayRef<int64_t>> axes, int64_t rank) {
  llvm::SmallVector<int64_t> result;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!axes || llvm::is_contained(*axes, axis) ||
        llvm::is_contained(*axes, axis - rank))
      result.push_back(axis);
  return result;
}

} // namespace graphc::interpreter
