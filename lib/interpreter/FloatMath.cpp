// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/FloatMath.h"

#include "dialects/tfir/Tfir.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphc::interpreter {

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
} // namespace

FloatMath::FloatMath(ElementKind kind) : isSingle(kind != ElementKind::F64) {
  roundoff = isSingle ? 0x1p-24 : 0x1p-52;
  largest = isSingle ? double{std::numeric_limits<float>::max()}
                     : std::numeric_limits<double>::max();
  tiny = isSingle ? double{std::numeric_limits<float>::min()}
                  : std::numeric_limits<double>::min();
}

/// Makes an element of which nothing but the interpreter's own result is known.
/// That one is infinite beyond the type's largest number, so that two ways to
/// compute it agree.
Element FloatMath::unknown(double value, double slope) const {
  if (std::fabs(value) > largest)
    value = std::copysign(kInf, value);
  return Element::anything(value, slope);
}

Element FloatMath::round(Element x, double count, bool mayBeExact) const {
  if (count == 0 || x.isAnything() || std::isnan(x.low))
    return x;
  if (mayBeExact && x.isPoint() &&
      (isSingle
           ? static_cast<double>(static_cast<float>(x.value)) == x.value
           : x.value == std::trunc(x.value) && std::fabs(x.value) < 0x1p53))
    return x;
  auto widen = [&](double &bound, double sign) {
    if (std::isinf(bound))
      return;
    bound += sign * (count * roundoff * std::fabs(bound) + tiny);
    if (std::fabs(bound) > largest)
      bound = std::copysign(kInf, bound);
  };
  bool wasPoint = x.isPoint();
  widen(x.low, -1);
  widen(x.high, 1);
  if (std::fabs(x.value) > largest) {
    x.value = std::copysign(kInf, x.value);
    // Far beyond the largest number every rounding gives infinity.
    if (wasPoint || x.low == x.high)
      x.low = x.high = x.value;
  }
  // Rounding decides between a number and infinity.
  if (std::isinf(x.low) != std::isinf(x.high))
    return unknown(x.value, x.slope);
  return x;
}

/// `isCertain`: the operands are points, so a NaN is one for everybody.
Element FloatMath::enclose(double value, double slope,
                           llvm::ArrayRef<double> corners,
                           bool isCertain) const {
  if (std::isnan(value))
    return isCertain ? Element::exact(kNaN, slope) : unknown(value, slope);
  Element result = Element::exact(value, slope);
  for (double corner : corners) {
    if (std::isnan(corner))
      return unknown(value, slope);
    result.low = std::min(result.low, corner);
    result.high = std::max(result.high, corner);
  }
  return result;
}

static bool isAny(const Element &x, const Element &y) {
  return x.isAnything() || y.isAnything();
}

/// True for terms of both signs of which one is infinite: a product that is not
/// rounded before it is added (contracted) may be finite instead.
static bool mayCancel(double least, double most) {
  return least < 0 && most > 0 && (std::isinf(least) || std::isinf(most));
}

Element FloatMath::add(const Element &x, const Element &y) const {
  double value = x.value + y.value, slope = x.slope + y.slope;
  if (isAny(x, y) ||
      mayCancel(std::min(x.low, y.low), std::max(x.high, y.high)))
    return unknown(value, slope);
  return round(enclose(value, slope, {x.low + y.low, x.high + y.high},
                       x.isPoint() && y.isPoint()),
               1, true);
}

Element FloatMath::neg(const Element &x) const {
  return {-x.value, -x.high, -x.low, -x.slope};
}

Element FloatMath::sub(const Element &x, const Element &y) const {
  return add(x, neg(y));
}

Element FloatMath::mul(const Element &x, const Element &y) const {
  double value = x.value * y.value;
  double slope = chain(y.value, x.slope) + chain(x.value, y.slope);
  if (isAny(x, y))
    return unknown(value, slope);
  return round(
      enclose(value, slope,
              {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high},
              x.isPoint() && y.isPoint()),
      1, true);
}

Element FloatMath::div(const Element &x, const Element &y) const {
  double value = x.value / y.value;
  double slope = chain(1 / y.value, x.slope) - chain(value / y.value, y.slope);
  bool arePoints = x.isPoint() && y.isPoint();
  bool overZero = y.low <= 0 && y.high >= 0;
  if (isAny(x, y) || (overZero && !arePoints))
    return unknown(value, slope);
  // The sign of a zero may get lost on the way: x / 0 has either sign.
  if (overZero && !std::isnan(value))
    return unknown(value, slope);
  return round(
      enclose(value, slope,
              {x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high},
              arePoints),
      2, true);
}

Element FloatMath::max(const Element &x, const Element &y) const {
  bool isFirst = x.value >= y.value || std::isnan(x.value);
  double value = isFirst && !std::isnan(y.value) ? x.value : y.value;
  if (std::isnan(x.value) || std::isnan(y.value))
    value = kNaN;
  // As TensorFlow, whose mask is x >= y: of a NaN the slope is that of y.
  double slope = x.value >= y.value ? x.slope : y.slope;
  if (isAny(x, y))
    return unknown(value, slope);
  if (std::isnan(value))
    return Element::exact(kNaN, slope);
  return {value, std::max(x.low, y.low), std::max(x.high, y.high), slope};
}

Element FloatMath::min(const Element &x, const Element &y) const {
  Element result = neg(max(neg(x), neg(y)));
  return result;
}

Element FloatMath::monotone(const Element &x, Function f, double slope,
                            double roundings) const {
  double value = f(x.value);
  double d = chain(slope, x.slope);
  if (x.isAnything())
    return unknown(value, d);
  return round(enclose(value, d, {f(x.low), f(x.high)}, x.isPoint()), roundings,
               roundings == 0);
}

Element FloatMath::abs(const Element &x) const {
  double sign = x.value > 0 ? 1 : (x.value < 0 ? -1 : x.value);
  Element result = Element::exact(std::fabs(x.value), chain(sign, x.slope));
  if (x.isAnything())
    return unknown(result.value, result.slope);
  double low = std::fabs(x.low), high = std::fabs(x.high);
  result.low = x.low <= 0 && x.high >= 0 ? 0 : std::min(low, high);
  result.high = std::max(low, high);
  if (std::isnan(x.low))
    result.low = kNaN;
  return result;
}

Element FloatMath::square(const Element &x) const {
  Element size = abs(x);
  size.slope = 0;
  Element result = mul(size, size);
  result.slope = chain(2 * x.value, x.slope);
  return result;
}

Element FloatMath::sqrt(const Element &x) const {
  double root = std::sqrt(x.value);
  return monotone(x, [](double v) { return std::sqrt(v); }, 0.5 / root, 2);
}

Element FloatMath::reciprocal(const Element &x) const {
  return div(Element::exact(1), x);
}

Element FloatMath::rsqrt(const Element &x) const { return reciprocal(sqrt(x)); }

Element FloatMath::exp(const Element &x) const {
  return monotone(
      x, [](double v) { return std::exp(v); }, std::exp(x.value),
      kFunctionRoundings);
}

Element FloatMath::log(const Element &x) const {
  Element result = monotone(
      x, [](double v) { return std::log(v); }, 1 / x.value, kFunctionRoundings);
  // log(0) is minus infinity, for a zero of either sign.
  if (x.isPoint() && x.value == 0)
    return Element::exact(-kInf, result.slope);
  return result;
}

Element FloatMath::log1p(const Element &x) const {
  Element result = monotone(
      x, [](double v) { return std::log1p(v); }, 1 / (1 + x.value),
      kFunctionRoundings);
  if (x.isPoint() && x.value == -1)
    return Element::exact(-kInf, result.slope);
  return result;
}

Element FloatMath::tanh(const Element &x) const {
  double y = std::tanh(x.value);
  return monotone(
      x, [](double v) { return std::tanh(v); }, 1 - y * y, kFunctionRoundings);
}

static double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

Element FloatMath::sigmoid(const Element &x) const {
  double y = sigmoidOf(x.value);
  return monotone(x, sigmoidOf, y * (1 - y), kFunctionRoundings);
}

Element FloatMath::softplus(const Element &x) const {
  return monotone(
      x,
      [](double v) {
        return std::fmax(v, 0) + std::log1p(std::exp(-std::fabs(v))) +
               (std::isnan(v) ? v : 0);
      },
      sigmoidOf(x.value), kFunctionRoundings);
}

Element FloatMath::erf(const Element &x) const {
  double slope = 2 / std::sqrt(M_PI) * std::exp(-x.value * x.value);
  return monotone(
      x, [](double v) { return std::erf(v); }, slope, kFunctionRoundings);
}

/// sin and cos: 1-Lipschitz, so the error of the argument bounds that of the
/// result; the reduction of a large argument costs precision.
Element FloatMath::wave(const Element &x, Function f, double slope) const {
  double value = f(x.value), d = chain(slope, x.slope);
  if (x.isAnything() || std::isinf(x.low) != std::isinf(x.high))
    return unknown(value, d);
  if (std::isnan(value))
    return x.isPoint() ? Element::exact(kNaN, d) : unknown(value, d);
  double reach = std::max(x.high - x.value, x.value - x.low) +
                 kFunctionRoundings * roundoff *
                     (1 + std::max(std::fabs(x.low), std::fabs(x.high)) / 64);
  return {value, std::max(value - reach, -1 - reach),
          std::min(value + reach, 1 + reach), d};
}

Element FloatMath::sin(const Element &x) const {
  return wave(x, [](double v) { return std::sin(v); }, std::cos(x.value));
}

Element FloatMath::cos(const Element &x) const {
  return wave(x, [](double v) { return std::cos(v); }, -std::sin(x.value));
}

Element FloatMath::relu(const Element &x) const {
  return monotone(
      x, [](double v) { return v < 0 ? 0 : v; }, x.value > 0 ? 1 : 0, 0);
}

Element FloatMath::relu6(const Element &x) const {
  return monotone(
      x, [](double v) { return v < 0 ? 0 : (v > 6 ? 6 : v); },
      x.value > 0 && x.value < 6 ? 1 : 0, 0);
}

Element FloatMath::floor(const Element &x) const {
  return monotone(x, [](double v) { return std::floor(v); }, 0, 0);
}

Element FloatMath::ceil(const Element &x) const {
  return monotone(x, [](double v) { return std::ceil(v); }, 0, 0);
}

Element FloatMath::sign(const Element &x) const {
  return monotone(
      x, [](double v) { return v > 0 ? 1 : (v < 0 ? -1 : v); }, 0, 0);
}

Element FloatMath::pow(const Element &x, const Element &y) const {
  double value = std::pow(x.value, y.value);
  if (y.value == 0)
    value = 1;
  // As TensorFlow: the logarithm of what is not positive counts as 0.
  double logarithm = x.value > 0 ? std::log(x.value) : 0;
  double slope = chain(y.value * std::pow(x.value, y.value - 1), x.slope) +
                 chain(value * logarithm, y.slope);
  bool arePoints = x.isPoint() && y.isPoint();
  if (isAny(x, y) || (x.low <= 0 && !arePoints))
    return unknown(value, slope);
  // C's special cases (1 to the NaN, infinities, zeros) are not promised.
  double steep = std::fabs(y.value * logarithm);
  if (!std::isfinite(x.value) || !std::isfinite(steep) || x.value == 0)
    return unknown(value, slope);
  Element result = enclose(value, slope,
                           {std::pow(x.low, y.low), std::pow(x.low, y.high),
                            std::pow(x.high, y.low), std::pow(x.high, y.high)},
                           arePoints);
  return round(result, kFunctionRoundings + 8 * steep);
}

Element FloatMath::sum(llvm::ArrayRef<Element> terms) const {
  if (terms.empty())
    return Element::exact(0);
  if (terms.size() == 1)
    return terms.front();
  long double value = 0, low = 0, high = 0, size = 0, slope = 0;
  double least = 0, most = 0;
  bool arePoints = true, isWhole = true;
  bool isAny = llvm::any_of(
      terms, [](const Element &term) { return term.isAnything(); });
  for (const Element &term : terms) {
    value += term.value;
    slope += term.slope;
    // Sums of infinities take the x87 a hundred times as long.
    if (isAny)
      continue;
    low += term.low;
    high += term.high;
    least = std::min(least, term.low);
    most = std::max(most, term.high);
    size += std::max(std::fabs(term.low), std::fabs(term.high));
    arePoints &= term.isPoint();
    isWhole &= term.value == std::trunc(term.value);
  }
  double result = static_cast<double>(value);
  double derivative = static_cast<double>(slope);
  if (isAny || mayCancel(least, most))
    return unknown(result, derivative);
  if (!std::isfinite(result))
    return arePoints ? Element::exact(result, derivative)
                     : unknown(result, derivative);
  // Whole numbers are added without rounding while they fit.
  if (arePoints && isWhole && size < 1 / roundoff)
    return Element::exact(result, derivative);
  if (size > largest)
    return unknown(result, derivative);
  long double error = size * roundoff * (terms.size() + 1) + tiny;
  Element bounds = {result, static_cast<double>(low - error),
                    static_cast<double>(high + error), derivative};
  return round(bounds);
}

} // namespace graphc::interpreter
