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
