// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element as the interpreter computes it: a double, the interval in which a
// correct program of the element's type must lie, and a derivative.
//
// The interval is what makes a comparison with compiled code fair: it grows by
// the rounding of each operation (the running error analysis of Wilkinson,
// "Error analysis of floating-point computation", 1960), so that a comparison
// or a floor() whose outcome depends on rounding is known to be undecided.
#ifndef GRAPHC_LIB_INTERPRETER_ELEMENT_H
#define GRAPHC_LIB_INTERPRETER_ELEMENT_H

#include "mlir/IR/Types.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace graphc::interpreter {

/// The element types of the language tfir.
enum class ElementKind { F32, F64, I32, I64, U8, Bool, String };

ElementKind kindOf(mlir::Type elementType);
inline bool isFloat(ElementKind kind) {
  return kind == ElementKind::F32 || kind == ElementKind::F64;
}

/// An element. Floats use `value`, `low`, `high` and `slope`; integers and
/// truth values use `integer` and `isKnown`.
struct Element {
  double value = 0;
  /// Bounds of what a correct program may compute; [-inf, inf] stands for
  /// anything, NaN among it. Both NaN: certainly NaN.
  double low = 0, high = 0;
  /// The derivative along the direction that is being followed (forward mode).
  double slope = 0;
  int64_t integer = 0;
  /// False when rounding decides which integer it is.
  bool isKnown = true;

  /// A float without error.
  static Element exact(double value, double slope = 0) {
    return {value, value, value, slope};
  }
  /// A float of which nothing but the interpreter's own result is known.
  static Element anything(double value, double slope = 0);
  static Element of(int64_t integer, bool isKnown = true);

  bool isPoint() const;    ///< an interval of one number, or certainly NaN
  bool isAnything() const; ///< any result is right
};

/// A part of a derivative: what does not move counts for nothing, be its factor
/// infinite or NaN.
inline double chain(double factor, double slope) {
  return slope == 0 ? 0 : factor * slope;
}

/// FloatMath of one float type: widens each result by its rounding.
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

  /// The sum in any order, of terms that may be contracted with the products
  /// that made them.
  Element sum(llvm::ArrayRef<Element> terms) const;

  double unit() const { return roundoff; }

private:
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

/// Encloses both, with the value and the slope of the first.
Element hull(const Element &x, const Element &y);

/// A truth value that may not be known.
struct Truth {
  bool value;
  bool isKnown;
};
Truth less(const Element &x, const Element &y);
Truth lessEqual(const Element &x, const Element &y);
Truth equal(const Element &x, const Element &y);

} // namespace graphc::interpreter

#endif
