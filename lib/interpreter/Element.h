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

#include "llvm/ADT/APFloat.h"

#include <cstdint>
#include <string>

namespace graphc::interpreter {

/// The element types of the language tfir.
enum class ElementKind {
  F32,
  F64,
  I32,
  I64,
  U8,
  Bool,
  String,
  F16,
  BF16,
  I8,
  I16,
  U16,
  U32,
  U64
};

/// Holds the numbers of each integer type, signed or not.
__extension__ using Integer = __int128;

ElementKind kindOf(mlir::Type elementType);
inline bool isHalf(ElementKind kind) {
  return kind == ElementKind::F16 || kind == ElementKind::BF16;
}
inline bool isFloat(ElementKind kind) {
  return kind == ElementKind::F32 || kind == ElementKind::F64 || isHalf(kind);
}

/// Of integers and truth values; the others have no width here.
int widthOf(ElementKind kind);
bool isUnsigned(ElementKind kind);
/// The numbers at the ends of an integer type.
struct IntegerRange {
  Integer lowest, highest;
};
IntegerRange rangeOf(ElementKind kind);

/// The number in decimal digits. REQUIRES: one of an integer type.
std::string textOf(Integer integer);

/// An element. Floats use `value`, `low`, `high` and `slope`; integers and
/// truth values use `integer` and `isKnown`.
struct Element {
  double value = 0;
  /// Bounds of what a correct program may compute; [-inf, inf] stands for
  /// anything, NaN among it. Both NaN: certainly NaN.
  double low = 0, high = 0;
  /// The derivative along the direction that is being followed (forward mode).
  double slope = 0;
  Integer integer = 0;
  /// False when rounding decides which integer it is.
  bool isKnown = true;

  /// A float without error.
  static Element exact(double value, double slope = 0) {
    return {value, value, value, slope};
  }
  /// A float of which nothing but the interpreter's own result is known.
  static Element anything(double value, double slope = 0);
  static Element of(Integer integer, bool isKnown = true);

  bool isPoint() const;    ///< an interval of one number, or certainly NaN
  bool isAnything() const; ///< any result is right
};

/// Integers wrap around at the width of their type; floats stay.
Element wrap(ElementKind kind, Element x);

/// Encloses both, with the value and the slope of the first.
Element hull(const Element &x, const Element &y);

/// Slope of an extreme `value` of `terms`: the mean of those that have it.
double slopeOfTies(llvm::ArrayRef<Element> terms, double value);

/// The format of a type of 16 bits. REQUIRES: isHalf(kind).
const llvm::fltSemantics &semanticsOf(ElementKind kind);

/// A float as an element of a type of 16 bits: rounded once, both its bounds as
/// its value. REQUIRES: isHalf(kind).
Element roundToHalf(const Element &x, ElementKind kind);

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
