// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/Signatures.h"

#include "lib/text/FuncCalls.h"

#include "llvm/ADT/StringMap.h"

using llvm::ArrayRef;
using llvm::StringRef;

namespace graphc::text {

namespace {

constexpr ResultRule by_none = ResultRule::None;
constexpr ResultRule by_dtype = ResultRule::ElementType;
constexpr ResultRule by_shape = ResultRule::Shape;
constexpr ResultRule by_variable = ResultRule::Variable;
constexpr ResultRule by_batch = ResultRule::Batch;
constexpr ResultRule by_operands = ResultRule::Operands;

/// The generated tables; rows of arguments stand before the row that owns them.
struct Tables {
  Tables();

  std::vector<OpSignature> ops;
  std::vector<AttributeSignature> attributes;
  llvm::StringMap<const OpSignature *> opsByName;
  llvm::StringMap<const AttributeSignature *> attributesByName;
};

constexpr ArgumentSignature kArguments[] = {
#define ARGUMENT(name, kind, variadic, optional, cases, summary)               \
  {name, ArgumentKind::kind, variadic, optional, cases, summary},
#define OPERATION(name, arguments, results, variadic, rule, from, regions,     \
                  summary)
#define PARAMETER(name, optional, summary)
#define ATTRIBUTE(name, parameters, named, summary)
#include "lib/text/Signatures.inc"
};

constexpr ArgumentSignature kParameters[] = {
#define ARGUMENT(name, kind, variadic, optional, cases, summary)
#define OPERATION(name, arguments, results, variadic, rule, from, regions,     \
                  summary)
#define PARAMETER(name, optional, summary)                                     \
  {name, ArgumentKind::Attribute, false, optional, "", summary},
#define ATTRIBUTE(name, parameters, named, summary)
#include "lib/text/Signatures.inc"
};

Tables::Tables() {
  const ArgumentSignature *argument = kArguments;
  const ArgumentSignature *parameter = kParameters;
  auto take = [](const ArgumentSignature *&from, size_t count) {
    from += count;
    return ArrayRef(from - count, count);
  };
#define ARGUMENT(name, kind, variadic, optional, cases, summary)
#define OPERATION(name, arguments, results, variadic, rule, from, regions,     \
                  summary)                                                     \
  ops.push_back({name, take(argument, arguments), results, variadic, rule,     \
                 from, (regions) != 0, summary});
#define PARAMETER(name, optional, summary)
#define ATTRIBUTE(name, parameters, named, summary)                            \
  attributes.push_back({name, take(parameter, parameters), named, summary});
#include "lib/text/Signatures.inc"
  for (const OpSignature &op : ops)
    opsByName[op.name] = &op;
  for (const AttributeSignature &attribute : attributes)
    attributesByName[attribute.name] = &attribute;
}

const Tables &tables() {
  static const Tables all;
  return all;
}

} // namespace

const ArgumentSignature *OpSignature::find(StringRef argument) const {
  for (const ArgumentSignature &each : arguments)
    if (each.name == argument)
      return &each;
  return nullptr;
}

const OpSignature *findOp(StringRef name) {
  return tables().opsByName.lookup(name);
}

const AttributeSignature *findAttribute(StringRef name) {
  return tables().attributesByName.lookup(name);
}

ArrayRef<OpSignature> allOps() { return tables().ops; }
ArrayRef<AttributeSignature> allAttributes() { return tables().attributes; }

bool takesFunc(const OpSignature &op) {
  return op.name == "recompute" || op.name == "custom_gradient";
}

std::string describe(const OpSignature &op) {
  if (takesFunc(op))
    return op.name == "recompute"
               ? "recompute(f, operands...)"
               : "custom_gradient(values, of, f, operands...)";
  std::string text = op.name.str() + "(";
  StringRef separator;
  for (const ArgumentSignature &argument : op.arguments) {
    text += separator;
    text += argument.name;
    if (argument.variadic)
      text += "...";
    if (argument.optional)
      text += "=";
    separator = ", ";
  }
  return text + ")";
}

StringRef exampleOf(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::Operand:
    return "x";
  case ArgumentKind::ElementType:
    return "f32";
  case ArgumentKind::Shape:
    return "[?, 10]";
  case ArgumentKind::Integer:
    return "1";
  case ArgumentKind::Float:
    return "0.5";
  case ArgumentKind::Bool:
  case ArgumentKind::Unit:
    return "true";
  case ArgumentKind::String:
    return "\"text\"";
  case ArgumentKind::StringList:
    return "[\"age\", \"town\"]";
  case ArgumentKind::IntegerList:
    return "[2, 2]";
  case ArgumentKind::Symbol:
    return "w";
  case ArgumentKind::SymbolList:
    return "[w, b]";
  case ArgumentKind::Elements:
    return "[1.0, 2.0]";
  case ArgumentKind::Device:
    return "\"/gpu:0\"";
  case ArgumentKind::Attribute:
    return "sgd(learning_rate=0.1)";
  case ArgumentKind::AttributeList:
    return "[random_crop(\"image\", pad=4)]";
  case ArgumentKind::ColumnList:
    return "[numeric_column(\"age\")]";
  case ArgumentKind::Raw:
    return "`unit`";
  case ArgumentKind::Enumeration:
    return "\"name\"";
  }
  return "";
}

} // namespace graphc::text
