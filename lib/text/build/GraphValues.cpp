// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values in a graph: operators, constants, variables that are read, slices.
#include "lib/text/Operators.h"
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"

using namespace mlir;

namespace graphc::text {

namespace {

bool isTensor(const Item &item) {
  return item.isConstant() || item.kind == Item::Kind::Values ||
         item.kind == Item::Kind::Variable;
}

} // namespace

Item GraphBuilder::evaluateUnary(const Expr *expr, Item operand,
                                 const Wanted &wanted) {
  if (operand.isConstant())
    return foldUnary(expr, operand);
  const OpSignature *signature = findOp(operationOf(expr->text, 1));
  if (!signature || !isTensor(operand))
    return Evaluator::evaluateUnary(expr, std::move(operand), wanted);
  Call call(signature, expr->place, Operands{{std::move(operand)}});
  return makeCall(call, wanted);
}

Item GraphBuilder::evaluateBinary(const Expr *expr, Item left, Item right,
                                  const Wanted &wanted) {
  if (left.isConstant() && right.isConstant())
    return foldBinary(expr, left, right);
  StringRef operation = operationOf(expr->text, 2);
  const OpSignature *signature = findOp(operation);
  if (!signature) {
    error(expr->place) << "the operator '" << expr->text
                       << "' stands for the operation '" << operation
                       << "', which is not there yet";
    return {};
  }
  if (!isTensor(left) || !isTensor(right)) {
    error(expr->place) << "'" << expr->text << "' is not for "
                       << describe(isTensor(left) ? right : left)
                       << "; it joins values, variables and numbers";
    return {};
  }
  // Elements of the one side do not become those of the other by themselves.
  for (auto [literal, other] : {std::pair(&left, &right), {&right, &left}}) {
    Type type = literal->isConstant()
                    ? other->kind == Item::Kind::Variable ? other->types.front()
                      : other->values.empty() ? Type()
                                              : other->values.front().getType()
                    : Type();
    if (!type)
      continue;
    Type element = cast<RankedTensorType>(type).getElementType();
    if (fits(literal->constant, element))
      continue;
    std::string range = rangeOf(element);
    bool isWhole = literal->constant.kind == Constant::Kind::Integer;
    error(expr->place) << literal->constant.print() << " is no "
                       << elementName(element) << ", which the other side of '"
                       << expr->text << "' has; "
                       << (isWhole && !range.empty()
                               ? range
                               : "write cast(x, f32) for it");
    return {};
  }
  Call call(signature, expr->place,
            Operands{{std::move(left)}, {std::move(right)}});
  return makeCall(call, wanted);
}

Value GraphBuilder::makeConstant(const Constant &constant,
                                 RankedTensorType type, const char *place,
                                 const Wanted &wanted) {
  std::string message;
  DenseElementsAttr elements = makeElements(constant, type, message);
  if (!elements) {
    error(place) << message;
    return {};
  }
  auto op = tfir::ConstOp::create(b, locationOf(place), type, elements);
  nameOp(op, wanted);
  if (colocation)
    tfir::setColocation(op, colocation);
  return op;
}

Value GraphBuilder::readVariable(const Item &variable, const char *place) {
  Value &value = reads[{variable.symbol, averages ? 1 : 0}];
  if (value)
    return value;
  auto op = tfir::ReadOp::create(b, locationOf(place), variable.types.front(),
                                 FlatSymbolRefAttr::get(variable.symbol),
                                 averages ? b.getUnitAttr() : UnitAttr());
  if (colocation)
    tfir::setColocation(op, colocation);
  return value = op;
}

void GraphBuilder::forgetReads(Operation *op) {
  if (auto access = dyn_cast<tfir::VariableAccess>(op)) {
    SmallVector<FlatSymbolRefAttr> variables = access.getVariables();
    variables.truncate(access.getNumUpdated());
    for (FlatSymbolRefAttr updated : variables)
      reads.erase({updated.getAttr(), 0});
    return;
  }
  // Training updates what it trains.
  if (op->hasTrait<tfir::ReplacedByGradients>() && op->getNumResults() == 0)
    reads.clear();
}

Value GraphBuilder::materialize(const Item &item, const char *place,
                                Type element, const Wanted &wanted) {
  switch (item.kind) {
  case Item::Kind::Error:
    return {};
  case Item::Kind::Values:
    if (!item.values.empty())
      return item.values.front();
    break;
  case Item::Kind::Variable:
    return readVariable(item, place);
  case Item::Kind::Constant: {
    if (!element)
      element = usualElement(item.constant, session.context());
    std::string message = item.constant.print() + " is no tensor";
    std::optional<SmallVector<int64_t>> shape;
    if (element)
      shape = shapeOf(item.constant, message);
    if (!shape) {
      error(place) << message;
      return {};
    }
    return makeConstant(item.constant, RankedTensorType::get(*shape, element),
                        place, wanted);
  }
  default:
    break;
  }
  error(place) << "expected a value, but this is " << describe(item);
  return {};
}

//===-- Slices ------------------------------------------------------------===//

Item GraphBuilder::evaluateSubscript(const Expr *expr, Item base,
                                     const Wanted &wanted) {
  if (base.kind != Item::Kind::Values && base.kind != Item::Kind::Variable)
    return Evaluator::evaluateSubscript(expr, std::move(base), wanted);
  Value value = materialize(base, expr->place);
  return value ? slice(expr, value, wanted) : Item();
}

Item GraphBuilder::slice(const Expr *expr, Value value, const Wanted &wanted) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> begin(type.getRank(), 0), size(type.getRank(), -1);
  SmallVector<bool> dropped(type.getRank(), false);
  size_t ellipses = llvm::count_if(expr->indices, [](const Index &index) {
    return index.kind == Index::Kind::Ellipsis;
  });
  size_t given = expr->indices.size() - ellipses;
  if (ellipses > 1 || given > static_cast<size_t>(type.getRank())) {
    auto counted = [](int64_t number, StringRef one, StringRef many) {
      return std::to_string(number) + (number == 1 ? one : many).str();
    };
    error(expr->place) << "this value is " << printType(type) << " and has "
                       << counted(type.getRank(), " dimension", " dimensions")
                       << ", but "
                       << counted(given, " index is", " indices are")
                       << " given; "
                       << (ellipses > 1          ? "write '...' once"
                           : type.getRank() == 0 ? "leave the brackets out"
                                                 : "leave some of them out");
    return {};
  }
  size_t dim = 0;
  for (const Index &index : expr->indices) {
    if (index.kind == Index::Kind::Ellipsis) {
      dim += type.getRank() - given;
      continue;
    }
    int64_t extent = type.getDimSize(dim);
    auto place = [&](const Expr *where, int64_t &result) {
      std::optional<int64_t> number = integer(where, "an index");
      if (!number)
        return false;
      result = *number;
      if (result >= 0)
        return true;
      if (ShapedType::isDynamic(extent)) {
        error(where->place) << "a negative index counts from the end, but "
                               "dimension "
                            << dim << " of " << printType(type)
                            << " has no size yet; count from the first";
        return false;
      }
      result += extent;
      if (result >= 0)
        return true;
      error(where->place) << "the index " << *number
                          << " lies in front of dimension " << dim << " of "
                          << printType(type) << "; its first is " << -extent;
      return false;
    };
    // A range may end behind the last element, an index is that of one.
    auto isInside = [&](const Expr *where, int64_t number, int64_t last) {
      if (ShapedType::isDynamic(extent) || number <= last)
        return true;
      error(where->place) << number << " lies behind dimension " << dim
                          << " of " << printType(type) << "; "
                          << (last == extent ? "a range ends at "
                                             : "the last index is ")
                          << last << (last == extent ? " at most" : "");
      return false;
    };
    if (index.begin && !place(index.begin, begin[dim]))
      return {};
    bool isSingle = index.kind == Index::Kind::Single;
    bool isLastKnown = !ShapedType::isDynamic(extent);
    int64_t last = isSingle && isLastKnown ? extent - 1 : extent;
    if (index.begin && !isInside(index.begin, begin[dim], last))
      return {};
    if (isSingle) {
      size[dim] = 1;
      dropped[dim] = true;
    } else if (index.end) {
      int64_t end = 0;
      if (!place(index.end, end))
        return {};
      if (!isInside(index.end, end, extent))
        return {};
      if (end < begin[dim]) {
        error(index.place) << "the range ends at " << end
                           << ", in front of its begin at " << begin[dim]
                           << "; a range is written first:end";
        return {};
      }
      size[dim] = end - begin[dim];
    }
    ++dim;
  }
  bool drops = llvm::is_contained(dropped, true);
  Call call(findOp("slice"), expr->place, Operands{{Item::of(value)}});
  call.attributes.push_back(
      b.getNamedAttr("begin", b.getDenseI64ArrayAttr(begin)));
  call.attributes.push_back(
      b.getNamedAttr("size", b.getDenseI64ArrayAttr(size)));
  Item block = makeCall(call, drops ? Wanted() : wanted);
  if (block.isError() || !drops)
    return block;
  Call shaped(findOp("reshape"), expr->place, Operands{{block}});
  auto blockType = cast<RankedTensorType>(block.values.front().getType());
  for (auto [extent, isDropped] : llvm::zip(blockType.getShape(), dropped))
    if (!isDropped)
      shaped.shape.push_back(extent);
  return makeCall(shaped, wanted);
}

} // namespace graphc::text
