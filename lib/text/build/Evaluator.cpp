// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/build/Evaluator.h"

#include "lib/text/Types.h"
#include "lib/text/syntax/Lexer.h"
#include "runtime/base/Suggest.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace mlir;

namespace graphc::text {

std::string didYouMean(StringRef name, const std::vector<std::string> &known) {
  std::string nearest = runtime::nearestName(std::string_view(name), known);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string describe(const Item &item) {
  switch (item.kind) {
  case Item::Kind::Constant:
    return "the constant " + item.constant.print();
  case Item::Kind::Values:
    if (item.values.empty())
      return "a call without results";
    return "a value of type " +
           printType(cast<RankedTensorType>(item.values.front().getType()));
  case Item::Kind::Variable:
    return ("the variable '" + item.symbol.getValue() + "'").str();
  case Item::Kind::Array:
    return "an array of variables";
  case Item::Kind::Dataset:
    return ("the dataset '" + item.symbol.getValue() + "'").str();
  case Item::Kind::Element:
    return "an element type";
  case Item::Kind::Func:
    return ("the func '" + item.func->name + "'").str();
  case Item::Kind::Raw:
    return "an attribute";
  case Item::Kind::List:
    return "a list";
  case Item::Kind::Error:
    break;
  }
  return "an error";
}

const Item *Evaluator::lookup(StringRef name) const {
  auto found = session.globals.find(name);
  return found == session.globals.end() ? nullptr : &found->second;
}

std::vector<std::string> Evaluator::knownNames() const {
  std::vector<std::string> names;
  for (StringRef name : session.globals.keys())
    names.push_back(name.str());
  llvm::sort(names);
  return names;
}

Item Evaluator::evaluate(const Expr *expr, const Wanted &wanted) {
  if (!session.countWork(expr->place))
    return {};
  Item item = evaluateKind(expr, wanted);
  if (session.observer)
    session.observer->observe(*expr, item);
  return item;
}

Item Evaluator::evaluateKind(const Expr *expr, const Wanted &wanted) {
  switch (expr->kind) {
  case ExprKind::Integer: {
    Constant value = Constant::ofInteger(0);
    StringRef digits = expr->text;
    value.isBits = digits.consume_front_insensitive("0x");
    uint64_t bits = 0;
    if (digits.getAsInteger(value.isBits ? 16 : 10, bits) ||
        (!value.isBits && bits > uint64_t(INT64_MAX))) {
      error(expr->place) << "'" << expr->text << "' does not fit into 64 bits";
      return {};
    }
    value.integer = static_cast<int64_t>(bits);
    return Item::of(value);
  }
  case ExprKind::Float: {
    double value = 0;
    if (expr->text.getAsDouble(value))
      value = std::numeric_limits<double>::infinity();
    return Item::of(Constant::ofFloat(value));
  }
  case ExprKind::String: {
    std::optional<std::string> text = interpolate(expr);
    return text ? limitSize(expr, Item::of(Constant::ofString(*text))) : Item();
  }
  case ExprKind::Raw: {
    Item item;
    item.raw = fromMlir(expr, expr->text);
    item.kind = item.raw ? Item::Kind::Raw : Item::Kind::Error;
    return item;
  }
  case ExprKind::Open: {
    Constant open;
    open.kind = Constant::Kind::Open;
    return Item::of(open);
  }
  case ExprKind::Name:
    return evaluateName(expr);
  case ExprKind::List:
    return evaluateList(expr);
  case ExprKind::Call:
    return evaluateCall(expr, wanted);
  case ExprKind::Unary: {
    // The least number is the negative of none.
    const Expr *literal = expr->operands[0];
    if (expr->text == "-" && literal->kind == ExprKind::Integer &&
        literal->text == "9223372036854775808")
      return Item::of(Constant::ofInteger(INT64_MIN));
    Item operand = evaluate(expr->operands[0]);
    return operand.isError() ? Item() : evaluateUnary(expr, operand, wanted);
  }
  case ExprKind::Binary: {
    Item left = evaluate(expr->operands[0]);
    Item right = evaluate(expr->operands[1]);
    return left.isError() || right.isError()
               ? Item()
               : evaluateBinary(expr, left, right, wanted);
  }
  case ExprKind::Subscript: {
    Item base = evaluate(expr->operands[0]);
    return base.isError() ? Item() : evaluateSubscript(expr, base, wanted);
  }
  case ExprKind::Error:
    break;
  }
  return {};
}

Item Evaluator::evaluateName(const Expr *expr) {
  StringRef name = expr->text;
  if (const Item *item = lookup(name))
    return item->isConstant() ? limitSize(expr, *item) : *item;
  if (name == "true" || name == "false")
    return Item::of(Constant::ofBool(name == "true"));
  if (name == "inf")
    return Item::of(Constant::ofFloat(std::numeric_limits<double>::infinity()));
  if (name == "nan")
    return Item::of(
        Constant::ofFloat(std::numeric_limits<double>::quiet_NaN()));
  if (name == "forever")
    return Item::of(Constant::ofInteger(0));
  if (Type type = elementType(name, session.context())) {
    Item item;
    item.kind = Item::Kind::Element;
    item.types.push_back(type);
    return item;
  }
  InFlightDiagnostic diagnostic = error(expr->place);
  std::string nearest = adviceFor(name);
  diagnostic << "'" << name << "' is not defined here" << nearest;
  if (!findOp(name) && nearest.empty())
    diagnostic << "; bind it above by '" << name
               << " = ...', or declare it by let, variable or dataset";
  if (findOp(name))
    diagnostic << "; the operation is called with brackets: '" << name
               << "(...)'";
  return {};
}

std::string Evaluator::adviceFor(StringRef name) const {
  return didYouMean(name, knownNames());
}

Item Evaluator::evaluateList(const Expr *expr) {
  Item list = Item::of(Constant());
  list.constant.kind = Constant::Kind::List;
  bool isConstant = true;
  for (const Expr *operand : expr->operands) {
    Item element = evaluate(operand);
    if (element.isError())
      return {};
    isConstant &= element.isConstant();
    list.elements.push_back(std::move(element));
  }
  if (!isConstant) {
    list.kind = Item::Kind::List;
    return limitSize(expr, std::move(list));
  }
  for (Item &element : list.elements)
    list.constant.elements.push_back(std::move(element.constant));
  list.elements.clear();
  return limitSize(expr, std::move(list));
}

Item Evaluator::limitSize(const Expr *expr, Item item) {
  constexpr size_t kPerWork = 64;
  size_t size = item.size();
  if (!session.countWork(expr->place, size / kPerWork))
    return {};
  if (size <= BuildState::kMaxConstant)
    return item;
  error(expr->place) << "a list or a text has more than "
                     << BuildState::kMaxConstant
                     << " elements; read large data from a dataset or a feed";
  return {};
}

Item Evaluator::evaluateCall(const Expr *expr, const Wanted &) {
  if (findAttribute(expr->text)) {
    Item item;
    item.raw = attributeCall(expr);
    item.kind = item.raw ? Item::Kind::Raw : Item::Kind::Error;
    return item;
  }
  error(expr->place) << "'" << expr->text
                     << "' cannot be called outside of a graph";
  return {};
}

Item Evaluator::foldUnary(const Expr *expr, const Item &operand) {
  std::string message;
  if (auto value = text::evaluate(expr->text, operand.constant, message))
    return Item::of(*value);
  error(expr->place) << "'" << expr->text << "' " << message;
  return {};
}

Item Evaluator::foldBinary(const Expr *expr, const Item &left,
                           const Item &right) {
  std::string message;
  if (auto value =
          text::evaluate(expr->text, left.constant, right.constant, message))
    return limitSize(expr, Item::of(*value));
  error(expr->place) << "'" << expr->text << "' " << message;
  return {};
}

Item Evaluator::evaluateUnary(const Expr *expr, Item operand, const Wanted &) {
  if (operand.isConstant())
    return foldUnary(expr, operand);
  error(expr->place) << "'" << expr->text << "' of " << describe(operand)
                     << " has no value outside of a graph";
  return {};
}

Item Evaluator::evaluateBinary(const Expr *expr, Item left, Item right,
                               const Wanted &) {
  if (left.isConstant() && right.isConstant())
    return foldBinary(expr, left, right);
  error(expr->place) << "'" << expr->text << "' of "
                     << describe(left.isConstant() ? right : left)
                     << " has no value outside of a graph";
  return {};
}

Item Evaluator::evaluateSubscript(const Expr *expr, Item base, const Wanted &) {
  if (base.kind == Item::Kind::Array || base.kind == Item::Kind::List ||
      base.isConstant())
    return elementAt(expr, base);
  error(expr->place) << describe(base)
                     << " has no elements here; an index follows "
                        "a value, a list or an array of "
                        "variables";
  return {};
}

Item Evaluator::elementAt(const Expr *expr, const Item &base) {
  if (base.isConstant() && base.constant.kind != Constant::Kind::List) {
    error(expr->place) << describe(base)
                       << " has no elements; leave the index out";
    return {};
  }
  size_t size =
      base.isConstant() ? base.constant.elements.size() : base.elements.size();
  if (expr->indices.size() != 1 ||
      expr->indices[0].kind != Index::Kind::Single) {
    error(expr->place) << "expected one index, such as [0], after "
                       << describe(base);
    return {};
  }
  std::optional<int64_t> index = integer(expr->indices[0].begin, "an index");
  if (!index)
    return {};
  int64_t count = static_cast<int64_t>(size);
  if (*index < -count || *index >= count) {
    error(expr->indices[0].place) << "there is no element " << *index << "; "
                                  << describe(base) << " has " << size;
    return {};
  }
  size_t at = *index < 0 ? *index + count : *index;
  return base.isConstant() ? Item::of(base.constant.elements[at])
                           : base.elements[at];
}

std::optional<std::string> Evaluator::interpolate(const Expr *expr) {
  std::string text = unescape(expr->text), result;
  for (size_t i = 0; i < text.size(); ++i) {
    bool isDoubled = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] == '{' || text[i] == '}') && isDoubled) {
      result += text[i++];
      continue;
    }
    if (text[i] != '{') {
      result += text[i];
      continue;
    }
    size_t end = text.find('}', i);
    StringRef name = StringRef(text).slice(i + 1, end);
    const Item *item = end == std::string::npos ? nullptr : lookup(name.trim());
    if (!item || !item->isConstant()) {
      error(expr->place) << "'{" << name << "}' in a text is replaced by the "
                         << "constant of that name, but there is none; a brace "
                            "that stays is written '{{'";
      return std::nullopt;
    }
    result += item->constant.kind == Constant::Kind::String
                  ? item->constant.text
                  : item->constant.print();
    i = end;
  }
  return result;
}

static constexpr llvm::StringLiteral kCondition = "the condition of 'if'";

std::optional<Constant> Evaluator::constant(const Expr *expr, StringRef what) {
  return constantOf(expr, evaluate(expr), what);
}

std::optional<Constant>
Evaluator::constantOf(const Expr *expr, const Item &item, StringRef what) {
  if (item.isConstant())
    return item.constant;
  if (item.isError())
    return std::nullopt;
  bool isCondition = what == kCondition;
  error(expr->place) << what << " must be known when compiling, but this is "
                     << describe(item) << "; "
                     << (isCondition
                             ? "select(condition, x, y) chooses between values"
                             : "write a number, or a name that 'let' binds");
  return std::nullopt;
}

std::optional<int64_t> Evaluator::integer(const Expr *expr, StringRef what) {
  std::optional<Constant> value = constant(expr, what);
  if (!value)
    return std::nullopt;
  if (value->kind == Constant::Kind::Integer)
    return value->integer;
  error(expr->place) << "expected a whole number such as 2 as " << what
                     << ", but this is " << value->print();
  return std::nullopt;
}

std::optional<std::string> Evaluator::string(const Expr *expr, StringRef what) {
  std::optional<Constant> value = constant(expr, what);
  if (!value)
    return std::nullopt;
  if (value->kind == Constant::Kind::String)
    return value->text;
  error(expr->place) << "expected a text in quotes as " << what
                     << ", but this is " << value->print();
  return std::nullopt;
}

std::optional<bool> Evaluator::condition(const Expr *expr) {
  return conditionOf(expr, evaluate(expr));
}

std::optional<bool> Evaluator::conditionOf(const Expr *expr, const Item &item) {
  std::optional<Constant> value = constantOf(expr, item, kCondition);
  if (!value)
    return std::nullopt;
  if (value->kind == Constant::Kind::Bool)
    return value->integer != 0;
  error(expr->place) << "expected true or false as condition, as from n > 0, "
                     << "but this is " << value->print();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> Evaluator::shape(const Expr *expr) {
  std::optional<Constant> value = constant(expr, "a shape");
  if (!value)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  bool isShape = value->kind == Constant::Kind::List;
  for (const Constant &size : value->elements) {
    bool isOpen = size.kind == Constant::Kind::Open ||
                  (size.kind == Constant::Kind::Integer && size.integer == -1);
    isShape &=
        isOpen || (size.kind == Constant::Kind::Integer && size.integer >= 0);
    sizes.push_back(isOpen ? ShapedType::kDynamic : size.integer);
  }
  if (isShape)
    return sizes;
  error(expr->place) << "expected a shape such as [?, 10], but this is "
                     << value->print();
  return std::nullopt;
}

Type Evaluator::element(StringRef name, const char *place) {
  if (Type type = elementType(name, session.context()))
    return type;
  static const std::vector<std::string> names = {
      "f32", "f64", "f16", "bf16", "i8",  "i16",  "i32",
      "i64", "u8",  "u16", "u32",  "u64", "bool", "string"};
  static const std::vector<std::pair<StringRef, StringRef>> others = {
      {"float", "f32"},   {"float32", "f32"},   {"double", "f64"},
      {"float64", "f64"}, {"int", "i32"},       {"int32", "i32"},
      {"int64", "i64"},   {"uint8", "u8"},      {"ui8", "u8"},
      {"int8", "i8"},     {"int16", "i16"},     {"uint16", "u16"},
      {"uint32", "u32"},  {"uint64", "u64"},    {"ui16", "u16"},
      {"ui32", "u32"},    {"ui64", "u64"},      {"half", "f16"},
      {"float16", "f16"}, {"bfloat16", "bf16"}, {"i1", "bool"},
      {"tensor", ""},     {"str", "string"}};
  InFlightDiagnostic diagnostic = error(place);
  diagnostic << "'" << name << "' is no element type";
  for (auto [other, here] : others)
    if (other == name && !here.empty())
      return diagnostic << "; it is '" << here << "' here", Type();
  std::string nearest = didYouMean(name, names);
  diagnostic << (nearest.empty() ? "; there are f32, f64, f16, bf16, i8 to "
                                   "i64, u8 to u64, bool and string, as in "
                                   "f32[2, 3]"
                                 : nearest);
  return {};
}

RankedTensorType Evaluator::type(const TypeExpr *written) {
  Type elements = element(written->element, written->place);
  SmallVector<int64_t> sizes;
  bool good = elements != Type();
  for (const Expr *dim : written->dims) {
    if (dim->kind == ExprKind::Open) {
      sizes.push_back(ShapedType::kDynamic);
      continue;
    }
    std::optional<int64_t> size = integer(dim, "the size of a dimension");
    if (size && *size < 0) {
      error(dim->place) << "a dimension has " << *size
                        << " as size; write '?' for one that is bound later";
      size.reset();
    }
    good &= size.has_value();
    sizes.push_back(size.value_or(0));
  }
  return good ? RankedTensorType::get(sizes, elements) : RankedTensorType();
}

} // namespace graphc::text
