// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/Types.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "lib/text/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;

namespace graphc::text {

Type elementType(StringRef name, MLIRContext &context) {
  Builder b(&context);
  if (name == "f32")
    return b.getF32Type();
  if (name == "f64")
    return b.getF64Type();
  if (name == "f16")
    return b.getF16Type();
  if (name == "bf16")
    return b.getBF16Type();
  if (name == "bool")
    return b.getI1Type();
  if (name == "i8")
    return b.getIntegerType(8);
  if (name == "i16")
    return b.getIntegerType(16);
  if (name == "i32")
    return b.getIntegerType(32);
  if (name == "i64")
    return b.getIntegerType(64);
  if (name == "u8")
    return b.getIntegerType(8, /*isSigned=*/false);
  if (name == "u16")
    return b.getIntegerType(16, /*isSigned=*/false);
  if (name == "u32")
    return b.getIntegerType(32, /*isSigned=*/false);
  if (name == "u64")
    return b.getIntegerType(64, /*isSigned=*/false);
  if (name == "string")
    return tfir::StringType::get(&context);
  return {};
}

StringRef elementName(Type type) {
  if (type.isF32())
    return "f32";
  if (type.isF64())
    return "f64";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isSignlessInteger(1))
    return "bool";
  if (tfir::isWholeNumber(type)) {
    bool isUnsigned = type.isUnsignedInteger();
    switch (type.getIntOrFloatBitWidth()) {
    case 8:
      return isUnsigned ? "u8" : "i8";
    case 16:
      return isUnsigned ? "u16" : "i16";
    case 32:
      return isUnsigned ? "u32" : "i32";
    default:
      return isUnsigned ? "u64" : "i64";
    }
  }
  return isa<tfir::StringType>(type) ? "string" : "";
}

std::string printType(RankedTensorType type) {
  std::string text = elementName(type.getElementType()).str();
  if (type.getRank() == 0)
    return text;
  StringRef separator = "[";
  for (int64_t dim : type.getShape()) {
    text += separator;
    text += ShapedType::isDynamic(dim) ? "?" : std::to_string(dim);
    separator = ", ";
  }
  return text + "]";
}

namespace {

/// The text of `tensor<...>` without its brackets in this language; empty when
/// it is no plain tensor type.
std::string printTensor(StringRef inside) {
  std::string dims;
  while (true) {
    auto [dim, rest] = inside.split('x');
    bool isDim =
        dim == "?" || (!dim.empty() && llvm::all_of(dim, llvm::isDigit));
    if (!isDim || rest.empty())
      break;
    dims += (dims.empty() ? "" : ", ") + dim.str();
    inside = rest;
  }
  std::string unsignedName =
      "u" + inside.drop_front(inside.size() > 2 ? 2 : 0).str();
  StringRef element =
      llvm::StringSwitch<StringRef>(inside)
          .Cases({"ui8", "ui16", "ui32", "ui64"}, unsignedName)
          .Case("i1", "bool")
          .Case("!tfir.string", "string")
          .Cases({"f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64"},
                 inside)
          .Default("");
  if (element.empty())
    return "";
  return dims.empty() ? element.str() : (element + "[" + dims + "]").str();
}

/// Replaces what stands between `before` and `behind`, with them, by what
/// `print` makes of it, where that is something.
template <typename Print>
std::string replaceEach(StringRef text, StringRef before, StringRef behind,
                        Print print) {
  std::string result;
  while (true) {
    size_t begin = text.find(before);
    size_t end = begin == StringRef::npos
                     ? begin
                     : text.find(behind, begin + before.size());
    if (end == StringRef::npos)
      return result + text.str();
    std::string inside = print(text.slice(begin + before.size(), end));
    result += text.take_front(begin);
    if (inside.empty())
      result += text.slice(begin, end + behind.size());
    else
      result += inside;
    text = text.drop_front(end + behind.size());
  }
}

/// Erases the prefix of names, but not what ends in it, as the name of a file.
void erasePrefix(std::string &text, StringRef prefix) {
  for (size_t at = text.find(prefix); at != std::string::npos;
       at = text.find(prefix, at)) {
    char before = at == 0 ? ' ' : text[at - 1];
    if (llvm::isAlnum(before) || StringRef("._-/").contains(before))
      at += prefix.size();
    else
      text.erase(at, prefix.size());
  }
}

/// `name=value` for what MLIR's form has between braces as `name = value`;
/// empty for anything else.
std::string printSetting(StringRef inside) {
  auto [name, value] = inside.split(" = ");
  bool isSetting =
      !name.empty() && !value.empty() && llvm::all_of(name, [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z');
      });
  return isSetting ? (name + "=" + value).str() : "";
}

} // namespace

std::string inWordsOfText(StringRef message) {
  std::string text = replaceEach(message, "tensor<", ">", printTensor);
  text = replaceEach(text, "array<i64: ", ">",
                     [](StringRef list) { return ("[" + list + "]").str(); });
  // Constraints name types as MLIR's definitions do; the last is a trait's.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
      kTypes[] = {{"ranked tensor of ", ""},
                  {"32-bit float", "f32"},
                  {"64-bit float", "f64"},
                  {"bfloat16 type", "bf16"},
                  {"16-bit float", "f16"},
                  {"32-bit signless integer", "i32"},
                  {"64-bit signless integer", "i64"},
                  {"16-bit signless integer", "i16"},
                  {"8-bit signless integer", "i8"},
                  {"1-bit signless integer", "bool"},
                  {"16-bit unsigned integer", "u16"},
                  {"32-bit unsigned integer", "u32"},
                  {"64-bit unsigned integer", "u64"},
                  {"8-bit unsigned integer", "u8"},
                  {"'ui8'", "'u8'"},
                  {"'ui16'", "'u16'"},
                  {"'ui32'", "'u32'"},
                  {"'ui64'", "'u64'"},
                  {"a string, as an element of a constant tensor", "string"},
                  {" values", ""},
                  {"requires the same element type for all operands",
                   "operands have different element types; cast some of them "
                   "with tfir.cast"}};
  for (const auto &type : kTypes)
    for (size_t at = text.find(type.first); at != std::string::npos;
         at = text.find(type.first, at + type.second.size()))
      text.replace(at, type.first.size(), type.second);
  text = replaceEach(text, "'tfir.", "' op ",
                     [](StringRef op) { return (op + ": ").str(); });
  text = replaceEach(text, "{", "}", printSetting);
  erasePrefix(text, "#tfir.");
  erasePrefix(text, "tfir.");
  return text;
}

std::optional<SmallVector<int64_t>> shapeOf(const Constant &constant,
                                            std::string &error) {
  SmallVector<int64_t> shape;
  if (constant.kind != Constant::Kind::List)
    return shape;
  shape.push_back(constant.elements.size());
  std::optional<SmallVector<int64_t>> inner;
  for (const Constant &element : constant.elements) {
    auto own = shapeOf(element, error);
    if (!own)
      return std::nullopt;
    if (inner && *inner != *own) {
      error = "the lists in a literal differ in length; give them as many "
              "elements";
      return std::nullopt;
    }
    inner = std::move(own);
  }
  if (inner)
    shape.append(*inner);
  return shape;
}

namespace {

/// Calls `visit` with each number, bool or string of a literal.
template <typename Visit>
bool allLeaves(const Constant &constant, Visit visit) {
  if (constant.kind != Constant::Kind::List)
    return visit(constant);
  return llvm::all_of(constant.elements, [&](const Constant &element) {
    return allLeaves(element, visit);
  });
}

bool fitsOne(const Constant &leaf, Type element) {
  switch (leaf.kind) {
  case Constant::Kind::Integer:
    if (isa<FloatType>(element))
      return true;
    if (!tfir::isWholeNumber(element))
      return false;
    // Hexadecimal digits give 64 bits to what has so many.
    if (element.isUnsignedInteger(64))
      return leaf.integer >= 0 || leaf.isBits;
    if (element.isUnsignedInteger())
      return leaf.integer >= 0 &&
             llvm::isUIntN(element.getIntOrFloatBitWidth(), leaf.integer);
    return llvm::isIntN(element.getIntOrFloatBitWidth(), leaf.integer);
  case Constant::Kind::Float:
    return isa<FloatType>(element);
  case Constant::Kind::Bool:
    return element.isSignlessInteger(1);
  case Constant::Kind::String:
    return isa<tfir::StringType>(element);
  case Constant::Kind::List:
  case Constant::Kind::Open:
    break;
  }
  return false;
}

/// Converts a number to an element of the type.
Attribute makeElement(const Constant &leaf, Type element) {
  if (leaf.kind == Constant::Kind::String)
    return StringAttr::get(leaf.text, element);
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return IntegerAttr::get(element,
                            APInt(element.getIntOrFloatBitWidth(), leaf.integer,
                                  /*isSigned=*/!element.isUnsignedInteger(),
                                  /*implicitTrunc=*/true));
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (leaf.isBits)
    return FloatAttr::get(
        type,
        APFloat(semantics, APInt(type.getWidth(), leaf.integer, false, true)));
  APFloat value(leaf.asDouble());
  bool lost = false;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return FloatAttr::get(type, value);
}

} // namespace

Type usualElement(const Constant &constant, MLIRContext &context) {
  Builder b(&context);
  for (Type type :
       {Type(b.getI32Type()), Type(b.getI64Type()), Type(b.getF32Type()),
        Type(b.getI1Type()), Type(tfir::StringType::get(&context))})
    if (fits(constant, type))
      return type;
  return {};
}

bool fits(const Constant &constant, Type element) {
  return allLeaves(
      constant, [&](const Constant &leaf) { return fitsOne(leaf, element); });
}

/// A literal of the type.
static StringRef exampleElement(Type element) {
  if (isa<FloatType>(element))
    return "0.5";
  if (isa<tfir::StringType>(element))
    return "\"text\"";
  return element.isSignlessInteger(1) ? "true" : "1";
}

std::string rangeOf(Type element) {
  if (!tfir::isWholeNumber(element))
    return "";
  unsigned width = element.getIntOrFloatBitWidth();
  APInt lowest = APInt::getSignedMinValue(width),
        highest = APInt::getSignedMaxValue(width);
  bool isUnsigned = element.isUnsignedInteger();
  if (isUnsigned)
    lowest = APInt::getMinValue(width), highest = APInt::getMaxValue(width);
  return (elementName(element) + " is from " +
          llvm::toString(lowest, 10, !isUnsigned) + " to " +
          llvm::toString(highest, 10, !isUnsigned))
      .str();
}

/// Advice for a literal that does not fit the type.
static std::string cureOf(const Constant &constant, Type element) {
  bool isWhole = allLeaves(constant, [](const Constant &leaf) {
    return leaf.kind == Constant::Kind::Integer;
  });
  std::string range = rangeOf(element);
  return isWhole && !range.empty()
             ? range
             : "write it as " + exampleElement(element).str();
}

DenseElementsAttr makeElements(const Constant &constant, RankedTensorType type,
                               std::string &error) {
  Type element = type.getElementType();
  if (!type.hasStaticShape()) {
    error = "a constant has no '?' in its type; write its sizes";
    return {};
  }
  auto shape = shapeOf(constant, error);
  if (!shape)
    return {};
  if (!fits(constant, element)) {
    error = constant.print() + " is no " + elementName(element).str() + "; " +
            cureOf(constant, element);
    return {};
  }
  if (constant.kind == Constant::Kind::List &&
      ArrayRef(*shape) != type.getShape()) {
    error = "the literal has the type " +
            printType(RankedTensorType::get(*shape, element)) + ", not " +
            printType(type) + "; write as many elements, or one for all";
    return {};
  }
  SmallVector<Attribute> elements;
  // One number also fills a tensor without elements.
  if (type.getNumElements() > 0)
    allLeaves(constant, [&](const Constant &leaf) {
      elements.push_back(makeElement(leaf, element));
      return true;
    });
  if (isa<tfir::StringType>(element)) {
    SmallVector<StringRef> texts;
    for (Attribute each : elements)
      texts.push_back(cast<StringAttr>(each).getValue());
    return DenseStringElementsAttr::get(type, texts);
  }
  return DenseElementsAttr::get(type, elements);
}

namespace {

/// One number as a literal; empty for NaNs other than the usual one.
std::string printElement(Attribute element) {
  if (auto number = dyn_cast<FloatAttr>(element)) {
    APFloat value = number.getValue();
    if (value.isNaN()) {
      APFloat usual = APFloat::getQNaN(value.getSemantics());
      if (!value.bitwiseIsEqual(usual))
        return "0x" +
               llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), true);
    }
    return printFloat(number.getValueAsDouble(), !number.getType().isF64());
  }
  if (auto integer = dyn_cast<IntegerAttr>(element)) {
    if (integer.getType().isSignlessInteger(1))
      return integer.getValue().isZero() ? "false" : "true";
    bool isUnsigned = integer.getType().isUnsignedInteger();
    // Decimal digits end at the largest i64.
    if (isUnsigned && integer.getValue().ugt(INT64_MAX))
      return "0x" + llvm::utohexstr(integer.getValue().getZExtValue(), true);
    return llvm::toString(integer.getValue(), 10, !isUnsigned);
  }
  return "";
}

/// The elements from `next` on as lists of the shape.
void printList(ArrayRef<int64_t> shape, llvm::function_ref<std::string()> next,
               std::string &text) {
  if (shape.empty()) {
    text += next();
    return;
  }
  text += "[";
  for (int64_t i = 0; i < shape.front(); ++i) {
    if (i > 0)
      text += ", ";
    printList(shape.drop_front(), next, text);
  }
  text += "]";
}

} // namespace

std::string printElements(DenseElementsAttr elements) {
  std::string text;
  ArrayRef<int64_t> shape = elements.getType().getShape();
  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements)) {
    ArrayRef<StringRef> values = strings.getRawStringData();
    if (values.size() == 1 && elements.getNumElements() >= 1)
      return quote(values.front());
    auto value = values.begin();
    printList(shape, [&] { return quote(*value++); }, text);
    return text;
  }
  // Lists do not tell how long they would be.
  if (elements.getNumElements() == 0)
    return isa<FloatType>(elements.getElementType()) ? "0.0"
           : elements.getElementType().isInteger(1)  ? "false"
                                                     : "0";
  if (elements.isSplat())
    return printElement(elements.getSplatValue<Attribute>());
  auto values = elements.getValues<Attribute>();
  auto at = values.begin();
  printList(shape, [&] { return printElement(*at++); }, text);
  return text;
}

} // namespace graphc::text
