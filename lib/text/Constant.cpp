// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/Constant.h"

#include "lib/text/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <charconv>
#include <cmath>

using llvm::StringRef;

namespace graphc::text {

Constant Constant::ofInteger(int64_t value) {
  Constant constant;
  constant.integer = value;
  return constant;
}

Constant Constant::ofFloat(double value) {
  Constant constant;
  constant.kind = Kind::Float;
  constant.number = value;
  return constant;
}

Constant Constant::ofBool(bool value) {
  Constant constant;
  constant.kind = Kind::Bool;
  constant.integer = value;
  return constant;
}

Constant Constant::ofString(std::string value) {
  Constant constant;
  constant.kind = Kind::String;
  constant.text = std::move(value);
  return constant;
}

size_t Constant::size() const {
  if (kind == Kind::String)
    return text.size();
  size_t sum = 1;
  for (const Constant &element : elements)
    sum += element.size();
  return sum;
}

std::string printFloat(double value, bool single) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char digits[64];
  auto end = single ? std::to_chars(digits, digits + sizeof(digits),
                                    static_cast<float>(value))
                    : std::to_chars(digits, digits + sizeof(digits), value);
  std::string text(digits, end.ptr);
  // Read as double and rounded, it may be the neighbour.
  if (single && static_cast<float>(std::strtod(text.c_str(), nullptr)) !=
                    static_cast<float>(value))
    return printFloat(value, false);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string Constant::print() const {
  switch (kind) {
  case Kind::Integer:
    return isBits ? "0x" + llvm::utohexstr(integer, /*LowerCase=*/true)
                  : std::to_string(integer);
  case Kind::Float:
    return printFloat(number, false);
  case Kind::Bool:
    return integer ? "true" : "false";
  case Kind::String:
    return quote(text);
  case Kind::Open:
    return "?";
  case Kind::List:
    break;
  }
  std::string list = "[";
  for (const Constant &element : elements)
    list += (list.size() > 1 ? ", " : "") + element.print();
  return list + "]";
}

namespace {

using Kind = Constant::Kind;
using Result = std::optional<Constant>;

Result divide(StringRef symbol, int64_t a, int64_t b, std::string &error) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    error = b == 0 ? "divides by 0" : "does not fit into 64 bits";
    return std::nullopt;
  }
  int64_t quotient = a / b, rest = a % b;
  bool isBelow = rest != 0 && (rest < 0) != (b < 0);
  return Constant::ofInteger(symbol == "//" ? quotient - isBelow
                                            : rest + (isBelow ? b : 0));
}

Result power(int64_t base, int64_t exponent, std::string &error) {
  int64_t result = 1;
  // Beyond 63 only these bases stay within 64 bits.
  if (exponent > 63 && base != 0 && base != 1 && base != -1) {
    error = "does not fit into 64 bits";
    return std::nullopt;
  }
  if (exponent > 63)
    exponent = 62 + exponent % 2;
  for (int64_t i = 0; i < exponent; ++i)
    if (llvm::MulOverflow(result, base, result)) {
      error = "does not fit into 64 bits";
      return std::nullopt;
    }
  return Constant::ofInteger(result);
}

Result integers(StringRef symbol, int64_t a, int64_t b, std::string &error) {
  int64_t result = 0;
  bool overflows = false;
  if (symbol == "+")
    overflows = llvm::AddOverflow(a, b, result);
  else if (symbol == "-")
    overflows = llvm::SubOverflow(a, b, result);
  else if (symbol == "*")
    overflows = llvm::MulOverflow(a, b, result);
  else if (symbol == "//" || symbol == "%")
    return divide(symbol, a, b, error);
  else if (symbol == "**" && b >= 0)
    return power(a, b, error);
  else
    return std::nullopt;
  if (overflows) {
    error = "does not fit into 64 bits";
    return std::nullopt;
  }
  return Constant::ofInteger(result);
}

Result compare(StringRef symbol, const Constant &left, const Constant &right) {
  int order = 0;
  if (left.kind == Kind::String && right.kind == Kind::String)
    order = StringRef(left.text).compare(right.text);
  else if (left.kind == Kind::Bool && right.kind == Kind::Bool)
    order = static_cast<int>(left.integer - right.integer);
  else if (left.kind == Kind::Integer && right.kind == Kind::Integer)
    order = left.integer < right.integer ? -1 : left.integer > right.integer;
  else if (left.isNumber() && right.isNumber())
    order = left.asDouble() < right.asDouble()
                ? -1
                : left.asDouble() > right.asDouble();
  else
    return std::nullopt;
  bool holds = symbol == "=="   ? order == 0
               : symbol == "!=" ? order != 0
               : symbol == "<"  ? order < 0
               : symbol == "<=" ? order <= 0
               : symbol == ">"  ? order > 0
                                : order >= 0;
  return Constant::ofBool(holds);
}

Result floats(StringRef symbol, double a, double b, std::string &error) {
  if (symbol == "+")
    return Constant::ofFloat(a + b);
  if (symbol == "-")
    return Constant::ofFloat(a - b);
  if (symbol == "*")
    return Constant::ofFloat(a * b);
  if (symbol == "**")
    return Constant::ofFloat(std::pow(a, b));
  if (b == 0) {
    error = "divides by 0";
    return std::nullopt;
  }
  if (symbol == "/")
    return Constant::ofFloat(a / b);
  if (symbol == "//")
    return Constant::ofFloat(std::floor(a / b));
  if (symbol == "%")
    return Constant::ofFloat(a - b * std::floor(a / b));
  return std::nullopt;
}

std::string kindName(const Constant &constant) {
  switch (constant.kind) {
  case Kind::Integer:
  case Kind::Float:
    return "a number";
  case Kind::Bool:
    return "true or false";
  case Kind::String:
    return "a string";
  case Kind::List:
    return "a list";
  case Kind::Open:
    break;
  }
  return "'?'";
}

} // namespace

Result evaluate(StringRef symbol, const Constant &left, const Constant &right,
                std::string &error) {
  Result result;
  bool isComparison = symbol == "==" || symbol == "!=" || symbol == "<" ||
                      symbol == "<=" || symbol == ">" || symbol == ">=";
  if (isComparison) {
    result = compare(symbol, left, right);
  } else if (symbol == "and" || symbol == "or") {
    if (left.kind == Kind::Bool && right.kind == Kind::Bool)
      result =
          Constant::ofBool(symbol == "and" ? left.integer && right.integer
                                           : left.integer || right.integer);
  } else if (left.kind == Kind::Integer && right.kind == Kind::Integer &&
             symbol != "/") {
    result = integers(symbol, left.integer, right.integer, error);
    if (!result && error.empty())
      result = floats(symbol, left.asDouble(), right.asDouble(), error);
  } else if (left.isNumber() && right.isNumber()) {
    result = floats(symbol, left.asDouble(), right.asDouble(), error);
  } else if (symbol == "+" && left.kind == Kind::List &&
             right.kind == Kind::List) {
    result = left;
    result->elements.insert(result->elements.end(), right.elements.begin(),
                            right.elements.end());
  } else if (symbol == "+" && left.kind == Kind::String &&
             right.kind == Kind::String) {
    result = Constant::ofString(left.text + right.text);
  }
  if (!result && error.empty())
    error = "is not for " + kindName(left) + " and " + kindName(right);
  return result;
}

Result evaluate(StringRef symbol, const Constant &operand, std::string &error) {
  if (symbol == "not" && operand.kind == Kind::Bool)
    return Constant::ofBool(!operand.integer);
  if (symbol == "-" && operand.kind == Kind::Float)
    return Constant::ofFloat(-operand.number);
  if (symbol == "-" && operand.kind == Kind::Integer) {
    int64_t result = 0;
    if (llvm::SubOverflow<int64_t>(0, operand.integer, result)) {
      error = "does not fit into 64 bits";
      return std::nullopt;
    }
    return Constant::ofInteger(result);
  }
  error = "is not for " + kindName(operand);
  return std::nullopt;
}

} // namespace graphc::text
