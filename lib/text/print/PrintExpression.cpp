// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations as expressions: operators, slices, updates, calls.
#include "dialects/tfir/OperandSegments.h"
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "lib/text/Attributes.h"
#include "lib/text/LiteralTypes.h"
#include "lib/text/OperandCounts.h"
#include "lib/text/Operators.h"
#include "lib/text/Types.h"
#include "lib/text/print/GraphPrinter.h"
#include "lib/text/syntax/Lexer.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace graphc::text {

namespace {

std::string inBrackets(StringRef text, bool needed) {
  return needed ? ("(" + text + ")").str() : text.str();
}

/// A literal of at most a few elements, with the constant that it is read as.
std::optional<std::string> shortLiteral(tfir::ConstOp op) {
  constexpr int64_t kMostElements = 8;
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || elements.getNumElements() > kMostElements)
    return std::nullopt;
  std::string text = printElements(elements);
  bool isScalar = elements.getType().getRank() == 0;
  if (text.empty() || isScalar == StringRef(text).starts_with("["))
    return std::nullopt;
  return text;
}

bool hasOtherAttributes(Operation *op, ArrayRef<StringRef> expected) {
  return llvm::any_of(op->getAttrs(), [&](NamedAttribute attribute) {
    return !llvm::is_contained(expected, attribute.getName());
  });
}

} // namespace

bool GraphPrinter::hasCountedResults(Operation *op) {
  const OpSignature *signature = findOp(op->getName().stripDialect());
  return signature && signature->variadicResults &&
         signature->rule == ResultRule::None;
}

bool GraphPrinter::mayStandInside(Operation *op) {
  if (op->getNumResults() == 0 || needsTypes(op) || isa<tfir::ConstOp>(op))
    return isa<tfir::ConstOp>(op) && op->getResult(0).hasOneUse() &&
           !hasOtherAttributes(op, {"value"});
  if (tfir::getNodeName(op))
    return false;
  if (auto read = dyn_cast<tfir::ReadOp>(op))
    return !read->use_empty();
  for (Value result : op->getResults().drop_front())
    if (!result.use_empty() || hasCountedResults(op))
      return false;
  Value value = op->getResult(0);
  return value.hasOneUse() &&
         (*value.user_begin())->getBlock() == op->getBlock();
}

bool GraphPrinter::needsTypes(Operation *op) {
  const OpSignature *signature = findOp(op->getName().stripDialect());
  if (!signature || op->getNumResults() == 0 || isa<tfir::ReadOp>(op))
    return false;
  SmallVector<Type> inferred;
  if (signature->rule == ResultRule::ElementType)
    return cast<RankedTensorType>(op->getResult(0).getType()).getShape() !=
           cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  if (signature->rule == ResultRule::Shape) {
    Type element = op->getNumOperands() == 0
                       ? Float32Type::get(op->getContext())
                       : getElementTypeOrSelf(op->getOperand(0));
    return getElementTypeOrSelf(op->getResult(0)) != element;
  }
  if (signature->rule == ResultRule::Operands)
    return !llvm::equal(
        op->getResultTypes(),
        op->getOperands().take_back(op->getNumResults()).getTypes());
  if (signature->rule == ResultRule::Batch)
    return llvm::any_of(op->getResultTypes(), [](Type type) {
      return !cast<RankedTensorType>(type).isDynamicDim(0);
    });
  auto inferable = dyn_cast<tfir::TypeInferable>(op);
  if (!inferable)
    return true;
  // What is inferred must not come from the written types.
  SmallVector<Type> written(op->getResultTypes());
  Type scalar = RankedTensorType::get({}, Float32Type::get(op->getContext()));
  for (Value result : op->getResults())
    result.setType(scalar);
  ScopedDiagnosticHandler silence(op->getContext(),
                                  [](Diagnostic &) { return success(); });
  bool follows = succeeded(inferable.inferTypes(inferred)) &&
                 llvm::equal(written, inferred);
  for (auto [result, type] : llvm::zip(op->getResults(), written))
    result.setType(type);
  return !follows;
}

bool GraphPrinter::isLiteral(Operation *op, unsigned operand) {
  auto constant = op->getOperand(operand).getDefiningOp<tfir::ConstOp>();
  return constant && constant->hasOneUse() && !names.contains(constant) &&
         !hasOtherAttributes(constant, {"value"}) &&
         shortLiteral(constant).has_value();
}

bool GraphPrinter::isMention(tfir::ReadOp read) {
  StringRef variable = read.getVariable();
  if (hasOtherAttributes(read, {"variable"}) || !isPlainName(variable) ||
      !globals.contains(variable) || reads.contains(variable))
    return false;
  Operation *last = read;
  for (Operation *user : read->getUsers()) {
    if (user->getBlock() != read->getBlock())
      return false;
    if (last->isBeforeInBlock(user))
      last = user;
  }
  // The parser reads once until the variable is updated.
  for (Operation *op = read->getNextNode(); op != last;
       op = op->getNextNode()) {
    bool updates = false;
    op->walk([&](Operation *inner) {
      auto access = dyn_cast<tfir::VariableAccess>(inner);
      updates |= access ? access.getNumUpdated() > 0
                        : inner->hasTrait<tfir::ReplacedByGradients>() &&
                              inner->getNumResults() == 0;
    });
    if (updates)
      return false;
  }
  return true;
}

SmallVector<GraphPrinter::Expression>
GraphPrinter::takeOperands(Operation *op) {
  unsigned count = op->getNumOperands();
  SmallVector<Expression> operands(count);
  SmallVector<bool> isTaken(count, false);
  SmallVector<unsigned> literals;
  for (unsigned i = 0; i < count; ++i)
    if (isLiteral(op, i))
      literals.push_back(i);
  // The parser makes literals right before the operation, in their order.
  for (size_t i = 0; i < literals.size(); ++i)
    if (pending.size() < literals.size() ||
        pending[pending.size() - literals.size() + i].op !=
            op->getOperand(literals[i]).getDefiningOp()) {
      literals.clear();
      break;
    }
  if (!literalsKeepTypes(op, literals))
    literals.clear();
  auto isLast = [&](Value value) {
    return !pending.empty() && value.getDefiningOp() == pending.back().op &&
           value == pending.back().op->getResult(0);
  };
  for (unsigned i : llvm::reverse(literals)) {
    operands[i].text = *shortLiteral(cast<tfir::ConstOp>(pending.back().op));
    if (StringRef(operands[i].text).starts_with("-"))
      operands[i].precedence = Precedence::Sign;
    isTaken[i] = true;
    pending.pop_back();
  }
  for (bool wantsReads : {true, false})
    for (unsigned i = count; i-- > 0;) {
      Value value = op->getOperand(i);
      bool isRead = value.getDefiningOp<tfir::ReadOp>() != nullptr;
      if (isTaken[i] || isRead != wantsReads || !isLast(value) ||
          isa<tfir::ConstOp>(pending.back().op))
        continue;
      if (isRead) {
        auto read = cast<tfir::ReadOp>(pending.back().op);
        if (!isMention(read)) {
          if (!value.hasOneUse())
            break;
          operands[i] = pending.back().expression;
          // A call of read() is made with the other operands.
          if (count > 1)
            break;
        } else {
          operands[i].text = read.getVariable().str();
          names[value] = operands[i].text;
          reads[read.getVariable()] = read;
        }
      } else {
        operands[i] = pending.back().expression;
      }
      isTaken[i] = true;
      pending.pop_back();
    }
  for (unsigned i = 0; i < count; ++i)
    if (!isTaken[i])
      operands[i].text = nameOf(op->getOperand(i));
  return operands;
}

std::optional<GraphPrinter::Expression>
GraphPrinter::printOperator(Operation *op, ArrayRef<Expression> operands) {
  const Operator *symbol = findOperator(op->getName().stripDialect());
  if (!symbol || symbol->operands != operands.size())
    return std::nullopt;
  StringAttr name = tfir::getNodeName(op);
  if (op->getAttrs().size() > (name ? 1u : 0u) || (name && !usesOwnName(op)))
    return std::nullopt;
  auto level = static_cast<Precedence>(symbol->precedence);
  if (operands.size() == 1) {
    if (operands[0].precedence < level)
      return Expression{symbol->symbol.str() + "(" + operands[0].text + ")",
                        level};
    StringRef space = symbol->symbol == "not" ? " " : "";
    return Expression{(symbol->symbol + space + operands[0].text).str(), level};
  }
  // Powers bind to the right, others to the left.
  bool isPower = level == Precedence::Power;
  bool left = isPower ? operands[0].precedence <= level
                      : operands[0].precedence < level;
  bool right = isPower ? operands[1].precedence < level
                       : operands[1].precedence <= level;
  return Expression{inBrackets(operands[0].text, left) + " " +
                        symbol->symbol.str() + " " +
                        inBrackets(operands[1].text, right),
                    level};
}

std::optional<GraphPrinter::Expression>
GraphPrinter::printSlice(Operation *op, ArrayRef<Expression> operands) {
  auto slice = dyn_cast<tfir::SliceOp>(op);
  StringAttr name = tfir::getNodeName(op);
  if (!slice || slice.getBegin().empty() || (name && !usesOwnName(op)) ||
      hasOtherAttributes(op, {"begin", "size", "name"}))
    return std::nullopt;
  std::string indices;
  for (auto [begin, size] : llvm::zip(slice.getBegin(), slice.getSize())) {
    if (begin < 0 || size < -1)
      return std::nullopt;
    indices += indices.empty() ? "" : ", ";
    indices += begin == 0 ? "" : std::to_string(begin);
    indices += ":";
    indices += size == -1 ? "" : std::to_string(begin + size);
  }
  return Expression{
      inBrackets(operands[0].text, operands[0].precedence < Precedence::Atom) +
      "[" + indices + "]"};
}

std::optional<std::string>
GraphPrinter::printRowUpdate(tfir::AssignRowsOp op,
                             ArrayRef<Expression> operands) {
  StringRef variable = op.getVariable();
  if (hasOtherAttributes(op, {"variable", "combine", "nd"}) ||
      !isPlainName(variable) || !globals.contains(variable))
    return std::nullopt;
  bool isCalled = !op.getNd() ||
                  llvm::is_contained({"update", "add", "sub"}, op.getCombine());
  if (!isCalled)
    return std::nullopt;
  return ((op.getNd() ? "scatter_nd_" : "scatter_") + op.getCombine() + "(" +
          variable + ", " + operands[0].text + ", " + operands[1].text + ")")
      .str();
}

std::optional<std::string>
GraphPrinter::printUpdate(Operation *op, ArrayRef<Expression> operands) {
  if (auto rows = dyn_cast<tfir::AssignRowsOp>(op))
    return printRowUpdate(rows, operands);
  StringRef symbol = isa<tfir::AssignOp>(op)      ? ":="
                     : isa<tfir::AssignAddOp>(op) ? "+="
                     : isa<tfir::AssignSubOp>(op) ? "-="
                                                  : "";
  if (symbol.empty() || hasOtherAttributes(op, {"variable"}))
    return std::nullopt;
  StringRef variable =
      op->getAttrOfType<FlatSymbolRefAttr>("variable").getValue();
  if (!isPlainName(variable) || !globals.contains(variable))
    return std::nullopt;
  return (variable + " " + symbol + " " + operands[0].text).str();
}

FailureOr<GraphPrinter::Expression>
GraphPrinter::printCall(Operation *op, const OpSignature &signature,
                        ArrayRef<Expression> operands, bool isBound) {
  DictionaryAttr defaults = defaultsOf(op);
  std::string arguments;
  bool isNamed = false;
  auto add = [&](const ArgumentSignature &argument, const std::string &value,
                 bool byName) {
    arguments += arguments.empty() ? "" : ", ";
    isNamed |= byName;
    arguments += isNamed ? argument.name.str() + "=" + value : value;
  };
  SmallVector<size_t> counts = operandCounts(op, signature);
  size_t next = 0, group = 0; // of the operands, and of their arguments
  auto type = op->getNumResults() == 0
                  ? RankedTensorType()
                  : cast<RankedTensorType>(op->getResult(0).getType());
  for (const ArgumentSignature &argument : signature.arguments) {
    if (argument.kind == ArgumentKind::Operand) {
      size_t count = counts[group++];
      if (argument.optional && count == 0) {
        isNamed = true; // it is not there
        continue;
      }
      std::string list;
      for (size_t i = 0; i < count; ++i)
        list += (i > 0 ? ", " : "") + operands[next++].text;
      if (argument.variadic)
        list = "[" + list + "]";
      add(argument, list, false);
    } else if (argument.kind == ArgumentKind::ElementType) {
      add(argument, elementName(type.getElementType()).str(), false);
    } else if (argument.kind == ArgumentKind::Shape) {
      std::string sizes;
      for (int64_t size : type.getShape())
        sizes += (sizes.empty() ? "" : ", ") +
                 (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
      add(argument, "[" + sizes + "]", false);
    } else if (Attribute value = op->getAttr(argument.name);
               value && value != defaults.get(argument.name)) {
      bool isFirst = argument.kind == ArgumentKind::Symbol ||
                     argument.kind == ArgumentKind::Elements ||
                     argument.kind == ArgumentKind::Attribute;
      std::string printed = printAttribute(value, argument);
      if (argument.kind == ArgumentKind::Symbol && !globals.contains(printed))
        printed = printAttribute(
            StringAttr::get(op->getContext(),
                            cast<FlatSymbolRefAttr>(value).getValue()),
            ArgumentKind::String);
      add(argument, printed, !isFirst || argument.optional);
    } else {
      // What follows must be given by name.
      isNamed = true;
    }
  }
  for (NamedAttribute attribute : op->getAttrs()) {
    StringRef key = attribute.getName();
    if (signature.find(key) || (key == "name" && isBound) ||
        key == tfir::kOperandSegments)
      continue;
    bool isCommon =
        (key == "device" || key == "colocate_with" || key == "name") &&
        isa<StringAttr>(attribute.getValue());
    if (!isCommon)
      return op->emitOpError()
             << "has '" << key
             << "', which a text cannot have; texts end where "
                "phase 'parsed' begins";
    arguments += (arguments.empty() ? "" : ", ") + key.str() + "=" +
                 printAttribute(attribute.getValue(), ArgumentKind::String);
  }
  return Expression{signature.name.str() + "(" + arguments + ")"};
}

FailureOr<GraphPrinter::Expression>
GraphPrinter::printExpression(Operation *op) {
  const OpSignature *signature = findOp(op->getName().stripDialect());
  if (!signature || signature->hasRegions ||
      !isa_and_present<tfir::TfirDialect>(op->getDialect()))
    return op->emitError() << "'" << op->getName()
                           << "' is nothing that a text can have";
  StringAttr name = tfir::getNodeName(op);
  bool isBound = name && usesOwnName(op);
  if (auto constant = dyn_cast<tfir::ConstOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    std::string literal = elements ? printElements(elements) : "";
    if (!literal.empty() && (!name || isBound) &&
        !hasOtherAttributes(op, {"value", "name"}))
      return Expression{literal};
    return Expression{"const(" +
                      printAttribute(constant.getValue(), ArgumentKind::Raw) +
                      [&] {
                        std::string rest;
                        for (NamedAttribute attribute : op->getAttrs())
                          if (attribute.getName() != "value" &&
                              !(attribute.getName() == "name" && isBound))
                            rest += ", " + attribute.getName().str() + "=" +
                                    printAttribute(attribute.getValue(),
                                                   ArgumentKind::String);
                        return rest;
                      }() +
                      ")"};
  }
  SmallVector<Expression> operands = takeOperands(op);
  if (std::optional<std::string> update = printUpdate(op, operands))
    return Expression{*update};
  std::optional<Expression> result = printOperator(op, operands);
  if (!result)
    result = printSlice(op, operands);
  if (result)
    return *result;
  return printCall(op, *signature, operands, isBound);
}

} // namespace graphc::text
