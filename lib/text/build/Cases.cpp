// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The func of several that an index names:
//
//   y = case(i, [f, g, h], x)
//     -> if cond(i == 0) { y = f(x) } else if cond(i == 1) { y = g(x) }
//        else { y = h(x) }
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"

#include "mlir/IR/TypeUtilities.h"

#include <utility>

using namespace mlir;

namespace graphc::text {

/// A call that is being built.
struct GraphBuilder::Case {
  const Expr *expr;
  Value index;
  SmallVector<const TextStatement *> funcs;
  SmallVector<Item> operands; ///< of each func
  SmallVector<Type> types;    ///< that the first func returns
};

/// Reads the operands once, however many funcs get them.
bool GraphBuilder::readCase(const Expr *expr, Case &made,
                            std::optional<std::string> &name) {
  ArrayRef<Argument> arguments = expr->arguments;
  bool isGood = arguments.size() >= 2 && arguments[0].name.empty() &&
                arguments[1].name.empty() &&
                arguments[1].value->kind == ExprKind::List &&
                !arguments[1].value->operands.empty();
  if (!isGood) {
    error(expr->place) << "'case' takes an index, a list of funcs and their "
                          "operands, as in case(i, [f, g], x)";
    return false;
  }
  for (Expr *each : arguments[1].value->operands) {
    const TextStatement *func = readFunc({"", each});
    if (!func)
      return false;
    made.funcs.push_back(func);
  }
  for (const Argument &argument : arguments.drop_front(2)) {
    if (argument.name == "name") {
      name = string(argument.value, "a name");
      if (!name)
        return false;
      continue;
    }
    if (!argument.name.empty()) {
      error(argument.value->place)
          << "'case' gives all funcs the same operands, by their place; leave '"
          << argument.name << "=' out";
      return false;
    }
    made.operands.push_back(evaluate(argument.value));
    if (made.operands.back().isError())
      return false;
  }
  return true;
}

/// Builds the func of that number, and appends what it returns.
bool GraphBuilder::buildCase(Case &made, size_t number,
                             SmallVectorImpl<Value> &values) {
  const TextStatement &func = *made.funcs[number];
  Frame inner;
  std::optional<std::string> name;
  if (!bindOperands(made.expr, func, made.operands, {}, inner, name))
    return false;
  Item given = runFunc(made.expr, func, inner, name, {});
  if (given.isError())
    return false;
  if (given.kind == Item::Kind::Values) {
    llvm::append_range(values, given.values);
  } else {
    values.push_back(materialize(given, made.expr->place));
    if (!values.back())
      return false;
  }
  auto declared = [&](const TextStatement &which) {
    return session.diagnostics.locate(which.place);
  };
  if (values.empty()) {
    InFlightDiagnostic diagnostic = error(made.expr->place);
    diagnostic << "'" << func.name << "' returns nothing; end it with 'return'";
    diagnostic.attachNote(declared(func)) << "declared here";
    return false;
  }
  if (number == 0) {
    llvm::append_range(made.types, TypeRange(ValueRange(values)));
    return true;
  }
  const TextStatement &first = *made.funcs.front();
  if (values.size() != made.types.size()) {
    InFlightDiagnostic diagnostic = error(made.expr->place);
    diagnostic << "'" << first.name << "' returns " << made.types.size()
               << (made.types.size() == 1 ? " value" : " values") << ", but '"
               << func.name << "' returns " << values.size()
               << "; the funcs of a 'case' give the same";
    diagnostic.attachNote(declared(func)) << "declared here";
    return false;
  }
  for (auto [value, type] : llvm::zip(values, made.types))
    if (getElementTypeOrSelf(value) != getElementTypeOrSelf(type) ||
        failed(verifyCompatibleShape(value.getType(), type))) {
      InFlightDiagnostic diagnostic = error(made.expr->place);
      diagnostic << "'" << first.name << "' returns "
                 << printType(cast<RankedTensorType>(type)) << ", but '"
                 << func.name << "' returns "
                 << printType(cast<RankedTensorType>(value.getType()))
                 << "; give both one type";
      diagnostic.attachNote(value.getLoc()) << "it is computed here";
      return false;
    }
  return true;
}

/// Builds the choice among the funcs from `number` on.
bool GraphBuilder::buildCases(Case &made, size_t number,
                              SmallVectorImpl<Value> &values) {
  // The last one is for all indices that are left.
  if (number + 1 == made.funcs.size())
    return buildCase(made, number, values);
  const char *place = made.expr->place;
  Call compare(findOp("equal"), place,
               Operands{{Item::of(made.index)},
                        {Item::of(Constant::ofInteger(number))}});
  Value condition = materialize(makeCall(compare, {}), place);
  if (!condition)
    return false;
  Location location = locationOf(place);
  auto op =
      tfir::CondOp::create(b, location, TypeRange(), condition, ValueRange());
  bool good = true;
  for (Region &region : op->getRegions()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&region.emplaceBlock());
    SmallVector<Value> yielded;
    bool isFirst = &region == &op.getThenBody();
    good = good && (isFirst ? buildCase(made, number, yielded)
                            : buildCases(made, number + 1, yielded));
    tfir::YieldOp::create(b, location, good ? yielded : SmallVector<Value>());
  }
  if (!good)
    return false;
  SmallVector<Value> captures = tfir::captureOutside(op);
  SmallVector<Type> types;
  if (!checkKernelControl(op, place) || failed(op.inferResults(types)))
    return false;
  auto whole = tfir::CondOp::create(b, location, types, condition, captures);
  for (auto [to, from] : llvm::zip(whole->getRegions(), op->getRegions()))
    to.takeBody(from);
  op.erase();
  llvm::append_range(values, whole.getResults());
  return true;
}

Item GraphBuilder::makeCase(const Expr *expr, const Wanted &wanted) {
  Case made{expr, {}, {}, {}, {}};
  std::optional<std::string> name;
  if (!readCase(expr, made, name))
    return {};
  const Expr *place = expr->arguments.front().value;
  Item item = evaluate(place);
  if (item.isError())
    return {};
  size_t last = made.funcs.size() - 1;
  // One that is known when compiling is a call of its func.
  if (item.isConstant()) {
    std::optional<int64_t> index = integer(place, "the index of 'case'");
    if (!index)
      return {};
    bool isInside = *index >= 0 && static_cast<size_t>(*index) < last;
    Frame inner;
    std::optional<std::string> own;
    const TextStatement &func = *made.funcs[isInside ? *index : last];
    if (!bindOperands(expr, func, made.operands, {}, inner, own))
      return {};
    return runFunc(expr, func, inner, name, wanted);
  }
  made.index = materialize(item, place->place);
  if (!made.index)
    return {};
  auto type = cast<RankedTensorType>(made.index.getType());
  if (type.getRank() != 0 || !type.getElementType().isSignlessInteger() ||
      type.getElementType().isInteger(1)) {
    error(place->place) << "the index of 'case' is one integer, but this is "
                        << printType(type)
                        << "; write if cond(c) { } else { } for a bool, and "
                           "cast(x, i32) of a float";
    return {};
  }
  // The choice has no name of its own; its funcs stand in a scope of the name.
  std::string outer = prefix;
  StringRef scope = name             ? StringRef(*name)
                    : wanted.isWhole ? StringRef()
                                     : wanted.name;
  if (!scope.empty())
    prefix = scopeNames.take(prefix + scope.str()) + "/";
  Attribute outerColocation = std::exchange(colocation, {});
  SmallVector<Value> values;
  bool good = buildCases(made, 0, values);
  prefix = outer;
  colocation = outerColocation;
  if (!good)
    return {};
  if (colocation && last > 0)
    tfir::setColocation(values.front().getDefiningOp(), colocation);
  return Item::of(values);
}

} // namespace graphc::text
