// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Element.h"

#include "dialects/tfir/Tfir.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphc::interpreter {

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
} // namespace

ElementKind kindOf(mlir::Type type) {
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  if (type.isInteger(1))
    return ElementKind::Bool;
  if (type.isInteger(8))
    return ElementKind::U8;
  if (type.isInteger(32))
    return ElementKind::I32;
  if (type.isInteger(64))
    return ElementKind::I64;
  return ElementKind::String;
}

Element Element::anything(double value, double slope) {
  return {value, -kInf, kInf, slope};
}

Element Element::of(int64_t integer, bool isKnown) {
  Element result;
  result.integer = integer;
  result.isKnown = isKnown;
  return result;
}

bool Element::isPoint() const {
  return low == high || (std::isnan(low) && std::isnan(high));
}

bool Element::isAnything() const { return low == -kInf && high == kInf; }

Element hull(const Element &x, const Element &y) {
  Element result = x;
  result.isKnown = x.isKnown && y.isKnown && x.integer == y.integer;
  bool oneIsNaN = std::isnan(x.low) != std::isnan(y.low);
  if (x.isAnything() || y.isAnything() || oneIsNaN)
    result.low = -kInf, result.high = kInf;
  else
    result.low = std::min(x.low, y.low), result.high = std::max(x.high, y.high);
  return result;
}

static bool isDecided(const Element &x, const Element &y) {
  if (x.isAnything() || y.isAnything())
    return false;
  if (x.isPoint() && y.isPoint())
    return true;
  return x.high < y.low || y.high < x.low;
}

Truth less(const Element &x, const Element &y) {
  return {x.value < y.value, isDecided(x, y)};
}

Truth lessEqual(const Element &x, const Element &y) {
  return {x.value <= y.value, isDecided(x, y)};
}

Truth equal(const Element &x, const Element &y) {
  return {x.value == y.value, isDecided(x, y)};
}

} // namespace graphc::interpreter
