// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers, texts and lists that are known while a text is parsed.
#ifndef GRAPHC_LIB_TEXT_CONSTANT_H
#define GRAPHC_LIB_TEXT_CONSTANT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc::text {

struct Constant {
  enum class Kind { Integer, Float, Bool, String, List, Open };

  Kind kind = Kind::Integer;
  int64_t integer = 0; ///< also of Bool
  double number = 0;
  bool isBits = false; ///< a hexadecimal integer: the bits of a float
  std::string text;
  std::vector<Constant> elements;

  static Constant ofInteger(int64_t value);
  static Constant ofFloat(double value);
  static Constant ofBool(bool value);
  static Constant ofString(std::string value);

  bool isNumber() const { return kind == Kind::Integer || kind == Kind::Float; }
  double asDouble() const {
    return kind == Kind::Float ? number : static_cast<double>(integer);
  }
  /// Numbers in a list and in the lists in it, characters of a string; 1 else.
  size_t size() const;
  /// As a text writes it.
  std::string print() const;
};

/// An operation of two constants, by Python's rules for numbers: `/` gives a
/// float, `//` and `%` round down. Empty, with a message in `error`, when the
/// operator is not for such operands, or the result is no 64-bit integer.
std::optional<Constant> evaluate(llvm::StringRef symbol, const Constant &left,
                                 const Constant &right, std::string &error);
/// The same of `-` and `not`.
std::optional<Constant> evaluate(llvm::StringRef symbol,
                                 const Constant &operand, std::string &error);

/// The shortest decimal number that is read as `value`.
std::string printFloat(double value, bool single);

} // namespace graphc::text

#endif
