// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/Attributes.h"

#include "dialects/tfir/Tfir.h"
#include "lib/frontend/TfNames.h"
#include "lib/text/Constant.h"
#include "lib/text/Types.h"
#include "lib/text/build/Evaluator.h"
#include "lib/text/syntax/Lexer.h"
#include "runtime/base/Suggest.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc::text {

Attribute parseMlirAttribute(StringRef text, MLIRContext &context,
                             std::string &error) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return success();
  });
  return parseAttribute(text, &context);
}

Attribute Evaluator::fromMlir(const Expr *expr, StringRef text) {
  std::string message;
  Attribute attribute = parseMlirAttribute(text, session.context(), message);
  if (!attribute)
    error(expr->place) << inWordsOfText(message);
  return attribute;
}

std::string Evaluator::attributeText(const Expr *expr) {
  if (expr->kind == ExprKind::Call)
    if (const AttributeSignature *signature = findAttribute(expr->text)) {
      std::string text = "#tfir." + signature->name.str();
      if (expr->arguments.empty())
        return text + (signature->named ? "" : "<>");
      std::string values;
      bool wasNamed = false;
      for (auto [index, argument] : llvm::enumerate(expr->arguments)) {
        StringRef name = argument.name;
        wasNamed |= !name.empty();
        if (name.empty() && !wasNamed && index < signature->parameters.size())
          name = signature->parameters[index].name;
        bool isKnown = llvm::any_of(signature->parameters, [&](auto &known) {
          return known.name == name;
        });
        if (!isKnown) {
          std::vector<std::string> names;
          for (const ArgumentSignature &known : signature->parameters)
            names.push_back(known.name.str());
          if (name.empty())
            error(argument.value->place)
                << "'" << signature->name << "' takes "
                << runtime::quotedList(names)
                << ", and values without a name stand before the others";
          else
            error(argument.value->place)
                << runtime::unknownName("'" + signature->name.str() + "'",
                                        "parameter", std::string(name), names);
          return "";
        }
        std::string value = attributeText(argument.value);
        if (value.empty())
          return "";
        values += values.empty() ? "" : ", ";
        values += signature->named ? (name + " = " + value).str() : value;
      }
      return text + "<" + values + ">";
    }
  if (expr->kind == ExprKind::List) {
    std::string values;
    for (const Expr *element : expr->operands) {
      std::string value = attributeText(element);
      if (value.empty())
        return "";
      values += values.empty() ? value : ", " + value;
    }
    return "[" + values + "]";
  }
  Item item = evaluate(expr);
  if (item.isError())
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (item.kind == Item::Kind::Raw) {
    stream << item.raw;
  } else if (item.isConstant() &&
             item.constant.kind == Constant::Kind::String) {
    stream << '"';
    llvm::printEscapedString(item.constant.text, stream);
    stream << '"';
  } else if (item.isConstant() && item.constant.kind != Constant::Kind::Open) {
    // MLIR's numbers need a point before an exponent.
    text = item.constant.print();
    if (item.constant.kind == Constant::Kind::Float &&
        text.find('.') == std::string::npos)
      if (size_t exponent = text.find('e'); exponent != std::string::npos)
        text.insert(exponent, ".0");
  } else {
    error(expr->place) << "expected a number, but this is " << describe(item);
  }
  return text;
}

Attribute Evaluator::attributeCall(const Expr *expr) {
  std::string text = attributeText(expr);
  return text.empty() ? Attribute() : fromMlir(expr, text);
}

void Evaluator::unknownAttribute(const Expr *expr, const std::string &what) {
  std::vector<std::string> names;
  for (const AttributeSignature &signature : allAttributes())
    names.push_back(signature.name.str());
  InFlightDiagnostic diagnostic = error(expr->place);
  diagnostic << "'" << expr->text << "' is nothing that " << what << " can be";
  std::string name = tfBaseName(expr->text);
  std::optional<TfName> row = findTfName(name);
  if (!row)
    row = findTfName(name + "_optimizer");
  std::string nearest = didYouMean(expr->text, names);
  if (row)
    diagnostic << "; " << inWordsOfText(*row, name);
  else
    diagnostic << (nearest.empty() ? "; docs/ops.md lists the attributes"
                                   : nearest);
}

Attribute Evaluator::initialValue(const Expr *expr, RankedTensorType type) {
  if (expr->kind == ExprKind::Call && !findAttribute(expr->text)) {
    unknownAttribute(expr, "an initial value");
    return {};
  }
  // An operation may have the name of a distribution.
  if (expr->kind == ExprKind::Call)
    return attributeCall(expr);
  Item item = evaluate(expr);
  if (item.isError())
    return {};
  if (item.kind == Item::Kind::Raw)
    return item.raw;
  if (!item.isConstant()) {
    error(expr->place) << "expected an initial value such as 0.0, a list or "
                          "truncated_normal(stddev=0.1), but this is "
                       << describe(item);
    return {};
  }
  const Constant &value = item.constant;
  if (value.isNumber() && !value.isBits)
    return fromMlir(expr, "#tfir.fill<" + attributeText(expr) + ">");
  std::string message;
  Attribute elements = makeElements(value, type, message);
  if (!elements)
    error(expr->place) << message;
  return elements;
}

Attribute Evaluator::attributeList(const Expr *expr,
                                   const ArgumentSignature &argument,
                                   StringRef owner, bool &good) {
  ArgumentSignature one = argument;
  one.kind = ArgumentKind::Attribute;
  SmallVector<Attribute> list;
  good = true;
  for (const Expr *element : expr->operands) {
    bool isGood = true;
    list.push_back(attribute(element, one, owner, isGood));
    good &= isGood;
  }
  return good ? ArrayAttr::get(&session.context(), list) : Attribute();
}

/// The integers of a list, or of the lists in it, such as a pair for each
/// dimension; false when there is something else in it.
static bool flatten(const Constant &list, SmallVectorImpl<int64_t> &integers) {
  for (const Constant &element : list.elements) {
    bool isPlain =
        element.kind == list.elements.front().kind &&
        element.elements.size() == list.elements.front().elements.size();
    if (isPlain && element.kind == Constant::Kind::Integer)
      integers.push_back(element.integer);
    else if (!isPlain || element.kind != Constant::Kind::List ||
             !flatten(element, integers))
      return false;
  }
  return true;
}

Attribute Evaluator::attribute(const Expr *expr,
                               const ArgumentSignature &argument,
                               StringRef owner, bool &good) {
  Builder b(&session.context());
  good = true;
  bool isRawCall = argument.kind == ArgumentKind::Attribute;
  if (isRawCall && expr->kind == ExprKind::Call && !findAttribute(expr->text)) {
    unknownAttribute(expr, "'" + argument.name.str() + "' of " + owner.str());
    good = false;
    return {};
  }
  if (isRawCall && expr->kind == ExprKind::Call) {
    Attribute call = attributeCall(expr);
    good = call != Attribute();
    return call;
  }
  bool isList = argument.kind == ArgumentKind::AttributeList ||
                argument.kind == ArgumentKind::ColumnList;
  if (isList && expr->kind == ExprKind::List)
    return attributeList(expr, argument, owner, good);
  Item item = evaluate(expr);
  good = !item.isError();
  if (!good)
    return {};
  if (item.kind == Item::Kind::Raw)
    return item.raw;
  const Constant &value = item.constant;
  bool isConstant = item.isConstant();
  auto is = [&](Constant::Kind kind) {
    return isConstant && value.kind == kind;
  };
  switch (argument.kind) {
  case ArgumentKind::Integer:
    if (is(Constant::Kind::Integer))
      return b.getI64IntegerAttr(value.integer);
    break;
  case ArgumentKind::Float:
    if (isConstant && value.isNumber())
      return b.getF64FloatAttr(value.asDouble());
    break;
  case ArgumentKind::Bool:
    if (is(Constant::Kind::Bool))
      return b.getBoolAttr(value.integer);
    break;
  case ArgumentKind::Unit:
    if (is(Constant::Kind::Bool))
      return value.integer ? Attribute(b.getUnitAttr()) : Attribute();
    break;
  case ArgumentKind::String:
    if (is(Constant::Kind::String))
      return b.getStringAttr(value.text);
    break;
  case ArgumentKind::Device:
    if (is(Constant::Kind::String)) {
      Attribute device =
          fromMlir(expr, "#tfir.device<" + quote(value.text) + ">");
      good = device != Attribute();
      return device;
    }
    break;
  case ArgumentKind::Enumeration: {
    std::vector<std::string> names;
    SmallVector<StringRef> cases;
    argument.cases.split(cases, ',');
    for (StringRef each : cases) {
      auto [name, number] = each.split('=');
      names.push_back(name.str());
      int32_t bits = 0;
      if (is(Constant::Kind::String) && value.text == name &&
          !number.getAsInteger(10, bits))
        return b.getI32IntegerAttr(bits);
    }
    good = false;
    error(expr->place) << "'" << argument.name << "' of " << owner
                       << " cannot be " << describe(item) << "; there are "
                       << runtime::quotedList(names);
    return {};
  }
  case ArgumentKind::StringList: {
    SmallVector<StringRef> texts;
    bool isText = is(Constant::Kind::List);
    for (const Constant &element : value.elements) {
      isText &= element.kind == Constant::Kind::String;
      texts.push_back(element.text);
    }
    if (isText)
      return b.getStrArrayAttr(texts);
    break;
  }
  case ArgumentKind::IntegerList: {
    SmallVector<int64_t> list;
    if (is(Constant::Kind::List) && flatten(value, list))
      return b.getDenseI64ArrayAttr(list);
    break;
  }
  case ArgumentKind::Symbol:
    if (item.symbol)
      return FlatSymbolRefAttr::get(item.symbol);
    if (is(Constant::Kind::String))
      return FlatSymbolRefAttr::get(b.getStringAttr(value.text));
    break;
  case ArgumentKind::SymbolList: {
    SmallVector<Attribute> symbols;
    for (const Item &element : item.elements)
      if (element.symbol)
        symbols.push_back(FlatSymbolRefAttr::get(element.symbol));
    if (item.kind == Item::Kind::List && symbols.size() == item.elements.size())
      return b.getArrayAttr(symbols);
    break;
  }
  case ArgumentKind::Elements:
    if (isConstant)
      if (Type element = usualElement(value, session.context())) {
        std::string message;
        if (auto shape = shapeOf(value, message))
          if (Attribute elements = makeElements(
                  value, RankedTensorType::get(*shape, element), message))
            return elements;
      }
    break;
  case ArgumentKind::AttributeList:
  case ArgumentKind::ColumnList: {
    // A name that stands for a list.
    SmallVector<Attribute> attributes;
    for (const Item &element : item.elements)
      if (element.kind == Item::Kind::Raw)
        attributes.push_back(element.raw);
    if (item.kind == Item::Kind::List &&
        attributes.size() == item.elements.size())
      return b.getArrayAttr(attributes);
    break;
  }
  case ArgumentKind::Attribute:
  case ArgumentKind::Raw:
  case ArgumentKind::Operand:
  case ArgumentKind::ElementType:
  case ArgumentKind::Shape:
    break;
  }
  good = false;
  error(expr->place) << "'" << argument.name << "' of " << owner
                     << " cannot be " << describe(item) << "; write it as "
                     << argument.name << "=" << exampleOf(argument.kind);
  return {};
}

namespace {

/// Divides `a = 1, b = #tfir.c<d = 2>` at its commas outside of brackets.
SmallVector<StringRef> splitParameters(StringRef text) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\'))
      inString = !inString;
    if (inString)
      continue;
    if (c == '<' || c == '[' || c == '(')
      ++depth;
    else if (c == '>' || c == ']' || c == ')')
      --depth;
    else if (c == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.trim().empty())
    parts.push_back(text.drop_front(begin).trim());
  return parts;
}

std::string callOf(StringRef text);

/// The value of a parameter in MLIR's form; empty where a text has none for it.
std::string parameterOf(StringRef text) {
  if (text.starts_with("#"))
    return callOf(text);
  StringRef inside = text;
  if (!inside.consume_front("[") || !inside.consume_back("]"))
    return text.str();
  std::string list, separator;
  for (StringRef element : splitParameters(inside)) {
    std::string value = parameterOf(element);
    if (value.empty())
      return "";
    list += separator + value;
    separator = ", ";
  }
  return "[" + list + "]";
}

/// An attribute in MLIR's form as a call; empty when it is not of that kind.
std::string callOf(StringRef text) {
  if (!text.consume_front("#tfir."))
    return "";
  auto [name, rest] = text.split('<');
  const AttributeSignature *signature = findAttribute(name);
  if (!signature || (!rest.empty() && !rest.consume_back(">")))
    return "";
  std::string call = name.str() + "(", separator;
  for (StringRef parameter : splitParameters(rest)) {
    auto [key, value] = signature->named ? parameter.split(" = ")
                                         : std::pair(StringRef(), parameter);
    std::string nested = parameterOf(value);
    if (nested.empty())
      return "";
    call += separator + key.str() + (key.empty() ? "" : "=") + nested;
    separator = ", ";
  }
  return call + ")";
}

std::string inMlir(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// An element of a list of symbols, as a name where it is one.
std::string printSymbol(StringRef symbol) {
  return isPlainName(symbol) ? symbol.str() : quote(symbol);
}

} // namespace

std::string printCallOf(StringRef attribute) { return callOf(attribute); }

std::string printAttribute(Attribute attribute,
                           const ArgumentSignature &argument) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (argument.kind != ArgumentKind::Enumeration || !number)
    return printAttribute(attribute, argument.kind);
  SmallVector<StringRef> cases;
  argument.cases.split(cases, ',');
  for (StringRef each : cases)
    if (each.split('=').second == std::to_string(number.getInt()))
      return quote(each.split('=').first);
  return printAttribute(attribute, ArgumentKind::Raw);
}

std::string printAttribute(Attribute attribute, ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::Integer:
    if (auto integer = dyn_cast<IntegerAttr>(attribute))
      return std::to_string(integer.getInt());
    break;
  case ArgumentKind::Float:
    if (auto number = dyn_cast<FloatAttr>(attribute))
      if (!number.getValue().isNaN())
        return printFloat(number.getValueAsDouble(), false);
    break;
  case ArgumentKind::Bool:
    if (auto value = dyn_cast<BoolAttr>(attribute))
      return value.getValue() ? "true" : "false";
    break;
  case ArgumentKind::Unit:
    if (isa<UnitAttr>(attribute))
      return "true";
    break;
  case ArgumentKind::String:
    if (auto string = dyn_cast<StringAttr>(attribute))
      if (isa<NoneType>(string.getType()))
        return quote(string.getValue());
    break;
  case ArgumentKind::Device:
    if (auto device = dyn_cast<tfir::DeviceAttr>(attribute))
      return quote(device.getText());
    break;
  case ArgumentKind::IntegerList:
    if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute)) {
      std::string text;
      for (int64_t value : list.asArrayRef())
        text += (text.empty() ? "" : ", ") + std::to_string(value);
      return "[" + text + "]";
    }
    break;
  case ArgumentKind::Symbol:
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
      return printSymbol(symbol.getValue());
    break;
  case ArgumentKind::Attribute:
    if (std::string call = callOf(inMlir(attribute)); !call.empty())
      return call;
    break;
  case ArgumentKind::StringList:
    if (auto list = dyn_cast<ArrayAttr>(attribute)) {
      std::string text;
      for (auto element : list.getAsRange<StringAttr>())
        text += (text.empty() ? "" : ", ") + quote(element.getValue());
      return "[" + text + "]";
    }
    break;
  case ArgumentKind::AttributeList:
  case ArgumentKind::ColumnList:
    if (auto list = dyn_cast<ArrayAttr>(attribute)) {
      std::string text;
      for (Attribute element : list)
        text += (text.empty() ? "" : ", ") +
                printAttribute(element, ArgumentKind::Attribute);
      return "[" + text + "]";
    }
    break;
  default:
    break;
  }
  return "`" + inMlir(attribute) + "`";
}

} // namespace graphc::text
