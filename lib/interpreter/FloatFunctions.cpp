// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of floats beyond arithmetic, for the reference: inverse and
// hyperbolic functions, rounding, remainders.
#include "lib/interpreter/FloatMath.h"

#include <cmath>

namespace graphc::interpreter {

Element FloatMath::expm1(const Element &x) const {
  return monotone(
      x, [](double v) { return std::expm1(v); }, std::exp(x.value),
      kFunctionRoundings);
}

Element FloatMath::erfc(const Element &x) const {
  double slope = -2 / std::sqrt(M_PI) * std::exp(-x.value * x.value);
  return monotone(
      x, [](double v) { return std::erfc(v); }, slope, 4 * kFunctionRoundings);
}

/// Rises between its poles. The reduction of the argument makes an error of the
/// argument, which grows as the tangent does.
Element FloatMath::tan(const Element &x) const {
  double y = std::tan(x.value);
  double slope = 1 + y * y;
  auto branch = [](double v) { return std::floor(v / M_PI + 0.5); };
  double reach = 2 * kFunctionRoundings * roundoff * (1 + std::fabs(x.value));
  if (x.isAnything() || !std::isfinite(x.value) ||
      branch(x.low - reach) != branch(x.high + reach))
    return unknown(y, chain(slope, x.slope));
  Element wide = x;
  wide.low -= reach;
  wide.high += reach;
  return monotone(
      wide, [](double v) { return std::tan(v); }, slope, kFunctionRoundings);
}

Element FloatMath::asin(const Element &x) const {
  return monotone(
      x, [](double v) { return std::asin(v); },
      1 / std::sqrt(1 - x.value * x.value), kFunctionRoundings);
}

/// The compiled one subtracts from pi / 2, so its error is one of numbers that
/// are about so large.
Element FloatMath::acos(const Element &x) const {
  Element result = monotone(
      x, [](double v) { return std::acos(v); },
      -1 / std::sqrt(1 - x.value * x.value), kFunctionRoundings);
  if (result.isAnything() || std::isnan(result.low))
    return result;
  result.low -= kFunctionRoundings * roundoff;
  result.high += kFunctionRoundings * roundoff;
  return result;
}

Element FloatMath::atan(const Element &x) const {
  return monotone(
      x, [](double v) { return std::atan(v); }, 1 / (1 + x.value * x.value),
      kFunctionRoundings);
}

Element FloatMath::sinh(const Element &x) const {
  return monotone(
      x, [](double v) { return std::sinh(v); }, std::cosh(x.value),
      2 * kFunctionRoundings);
}

Element FloatMath::cosh(const Element &x) const {
  Element size = abs(x);
  size.slope = x.slope;
  return monotone(
      size, [](double v) { return std::cosh(v); }, std::sinh(x.value),
      2 * kFunctionRoundings);
}

Element FloatMath::asinh(const Element &x) const {
  return monotone(
      x, [](double v) { return std::asinh(v); }, 1 / std::hypot(x.value, 1),
      2 * kFunctionRoundings);
}

Element FloatMath::acosh(const Element &x) const {
  return monotone(
      x, [](double v) { return std::acosh(v); },
      1 / std::sqrt(x.value * x.value - 1), 2 * kFunctionRoundings);
}

Element FloatMath::atanh(const Element &x) const {
  return monotone(
      x, [](double v) { return std::atanh(v); }, 1 / (1 - x.value * x.value),
      2 * kFunctionRoundings);
}

Element FloatMath::rint(const Element &x) const {
  return monotone(x, [](double v) { return std::nearbyint(v); }, 0, 0);
}

Element FloatMath::trunc(const Element &x) const {
  return monotone(x, [](double v) { return std::trunc(v); }, 0, 0);
}

Element FloatMath::floordiv(const Element &x, const Element &y) const {
  Element result = floor(div(x, y));
  result.slope = 0;
  return result;
}

Element FloatMath::floormod(const Element &x, const Element &y) const {
  double quotient = std::floor(x.value / y.value);
  double value = std::fma(-quotient, y.value, x.value);
  double slope = x.slope - chain(quotient, y.slope);
  // Rounding decides on which side of a whole number the quotient is, and large
  // quotients have no fraction.
  Element known = floordiv(x, y);
  if (x.isAnything() || y.isAnything() || known.low != known.high ||
      std::fabs(quotient) >= 1 / roundoff)
    return unknown(value, slope);
  Element rest = sub(x, mul(Element::exact(quotient), y));
  rest.value = value;
  rest.slope = slope;
  rest.low = std::min(rest.low, value);
  rest.high = std::max(rest.high, value);
  return rest;
}

Element FloatMath::atan2(const Element &x, const Element &y) const {
  double value = std::atan2(x.value, y.value);
  double square = x.value * x.value + y.value * y.value;
  double slope =
      chain(y.value / square, x.slope) - chain(x.value / square, y.slope);
  // The sign of a zero may get lost on the way.
  if (!x.isPoint() || !y.isPoint() || x.value == 0 || y.value == 0 ||
      !std::isfinite(x.value) || !std::isfinite(y.value))
    return unknown(value, slope);
  // A sum with pi: the error is one of numbers that are about so large.
  Element result = Element::exact(value, slope);
  double reach = 4 * kFunctionRoundings * roundoff;
  result.low -= reach;
  result.high += reach;
  return result;
}

} // namespace graphc::interpreter
