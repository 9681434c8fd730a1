// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Element.h"

#include "dialects/tfir/Tfir.h"

#include "llvm/ADT/APFloat.h"

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
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isInteger(1))
    return ElementKind::Bool;
  if (type.isSignlessInteger(8))
    return ElementKind::I8;
  if (type.isUnsignedInteger(8))
    return ElementKind::U8;
  if (type.isSignlessInteger(16))
    return ElementKind::I16;
  if (type.isUnsignedInteger(16))
    return ElementKind::U16;
  if (type.isUnsignedInteger(32))
    return ElementKind::U32;
  if (type.isUnsignedInteger(64))
    return ElementKind::U64;
  if (type.isInteger(32))
    return ElementKind::I32;
  if (type.isInteger(64))
    return ElementKind::I64;
  return ElementKind::String;
}

int widthOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::Bool:
    return 1;
  case ElementKind::I8:
  case ElementKind::U8:
    return 8;
  case ElementKind::I16:
  case ElementKind::U16:
    return 16;
  case ElementKind::I32:
  case ElementKind::U32:
    return 32;
  default:
    return 64;
  }
}

bool isUnsigned(ElementKind kind) {
  return kind == ElementKind::Bool || kind == ElementKind::U8 ||
         kind == ElementKind::U16 || kind == ElementKind::U32 ||
         kind == ElementKind::U64;
}

IntegerRange rangeOf(ElementKind kind) {
  Integer count = Integer(1) << widthOf(kind);
  if (isUnsigned(kind))
    return {0, count - 1};
  return {-count / 2, count / 2 - 1};
}

std::string textOf(Integer integer) {
  return integer < 0 ? std::to_string(static_cast<int64_t>(integer))
                     : std::to_string(static_cast<uint64_t>(integer));
}

Element wrap(ElementKind kind, Element x) {
  if (isFloat(kind) || kind == ElementKind::String)
    return x;
  auto [lowest, highest] = rangeOf(kind);
  if (kind == ElementKind::Bool)
    x.integer = x.integer != 0;
  else if (x.integer < lowest || x.integer > highest)
    x.integer = ((x.integer - lowest) & (highest - lowest)) + lowest;
  return x;
}

Element Element::anything(double value, double slope) {
  return {value, -kInf, kInf, slope};
}

Element Element::of(Integer integer, bool isKnown) {
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

double slopeOfTies(llvm::ArrayRef<Element> terms, double value) {
  double slope = 0, ties = 0;
  for (const Element &term : terms)
    if (term.value == value) {
      slope += term.slope;
      ++ties;
    }
  return ties ? slope / ties : 0;
}

const llvm::fltSemantics &semanticsOf(ElementKind kind) {
  return kind == ElementKind::F16 ? llvm::APFloat::IEEEhalf()
                                  : llvm::APFloat::BFloat();
}

Element roundToHalf(const Element &x, ElementKind kind) {
  const llvm::fltSemantics &semantics = semanticsOf(kind);
  auto rounded = [&](double number) {
    llvm::APFloat value(number);
    bool lost = false;
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
    return value.convertToDouble();
  };
  Element result = x;
  result.value = rounded(x.value);
  // Rounding keeps the order, so that the ends stay the ends.
  if (!x.isAnything()) {
    result.low = rounded(x.low);
    result.high = rounded(x.high);
  }
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
