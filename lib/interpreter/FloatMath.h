// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic and functions of float elements: values, intervals and
// derivatives.
#ifndef GRAPHC_LIB_INTERPRETER_FLOATMATH_H
#define GRAPHC_LIB_INTERPRETER_FLOATMATH_H

#include "lib/interpreter/Element.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphc::interpreter {

/// A part of a derivative: what does not move counts for nothing, be its factor
/// infinite or NaN.
inline double chain(double factor, double slope) {
  return slope == 0 ? 0 : factor * slope;
}

/// Arithmetic of one float type: widens each result by its rounding.
class FloatMath {
public:
  explicit FloatMath(ElementKind kind);

  /// `count` roundings of a result in this type; a result that the type holds
  /// exactly stays as it is if `mayBeExact`.
  Element round(Element x, double count = 1, bool mayBeExact = false) const;

  Element add(const Element &x, const Element &y) const;
  Element sub(const Element &x, const Element &y) const;
  Element mul(const Element &x, const Element &y) const;
  Element div(const Element &x, const Element &y) const;
  Element neg(const Element &x) const;
  /// On ties the slope is that of x.
  Element max(const Element &x, const Element &y) const;
  Element min(const Element &x, const Element &y) const;
  Element pow(const Element &x, const Element &y) const;

  Element abs(const Element &x) const;
  Element square(const Element &x) const;
  Element sqrt(const Element &x) const;
  Element rsqrt(const Element &x) const;
  Element reciprocal(const Element &x) const;
  Element exp(const Element &x) const;
  Element log(const Element &x) const;
  Element log1p(const Element &x) const;
  Element tanh(const Element &x) const;
  Element sigmoid(const Element &x) const;
  Element softplus(const Element &x) const;
  Element erf(const Element &x) const;
  Element sin(const Element &x) const;
  Element cos(const Element &x) const;
  Element relu(const Element &x) const;
  Element relu6(const Element &x) const;
  Element floor(const Element &x) const;
  Element ceil(const Element &x) const;
  Element sign(const Element &x) const;

  Element expm1(const Element &x) const;
  Element erfc(const Element &x) const;
  Element tan(const Element &x) const;
  Element asin(const Element &x) const;
  Element acos(const Element &x) const;
  Element atan(const Element &x) const;
  Element sinh(const Element &x) const;
  Element cosh(const Element &x) const;
  Element asinh(const Element &x) const;
  Element acosh(const Element &x) const;
  Element atanh(const Element &x) const;
  /// From halfway to the even one.
  Element rint(const Element &x) const;
  Element trunc(const Element &x) const;
  Element floordiv(const Element &x, const Element &y) const;
  Element floormod(const Element &x, const Element &y) const;
  Element atan2(const Element &x, const Element &y) const;

  /// The sum in any order, of terms that may be contracted with the products
  /// that made them.
  Element sum(llvm::ArrayRef<Element> terms) const;

  double unit() const { return roundoff; }

private:
  /// Roundings that a function such as exp() may be wrong by: the compiled ones
  /// are polynomials, accurate to some units in the last place.
  static constexpr double kFunctionRoundings = 16;

  Element unknown(double value, double slope) const;
  using Function = llvm::function_ref<double(double)>;
  Element monotone(const Element &x, Function f, double slope,
                   double roundings) const;
  Element wave(const Element &x, Function f, double slope) const;
  Element enclose(double value, double slope, llvm::ArrayRef<double> corners,
                  bool isCertain) const;

  double roundoff; ///< half the distance from 1 to the next number
  double largest;
  double tiny; ///< results below may be flushed to zero
  bool isSingle;
};

} // namespace graphc::interpreter

#endif
