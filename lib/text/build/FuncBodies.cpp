// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations whose body is a func:
//
//   y = recompute(layer, x)
//   y = custom_gradient(round(x), [x], pass_through)
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"

using namespace mlir;

namespace graphc::text {

const TextStatement *GraphBuilder::readFunc(const Argument &argument) {
  Item item = evaluate(argument.value);
  if (item.kind == Item::Kind::Func)
    return item.func;
  if (!item.isError())
    error(argument.value->place)
        << "expected the name of a func, but this is " << describe(item)
        << "; declare 'func f(x) { return ... }' in front of the graph";
  return nullptr;
}

/// Builds the body of `op`, whose block is there, and its end. False after an
/// error.
bool GraphBuilder::buildBody(const Expr *expr, const TextStatement &func,
                             Frame &inner,
                             const std::optional<std::string> &name,
                             const Wanted &wanted, Operation *op) {
  // Values of variables that the body reads are not visible behind it.
  Reads outer = reads;
  SmallVector<Value> yielded;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&op->getRegion(0).front());
  Item given = runFunc(expr, func, inner, name, wanted);
  bool good = !given.isError();
  if (given.kind == Item::Kind::Values) {
    llvm::append_range(yielded, given.values);
  } else if (good) {
    Value value = materialize(given, expr->place);
    good = static_cast<bool>(value);
    if (good)
      yielded.push_back(value);
  }
  tfir::YieldOp::create(b, op->getLoc(), yielded);
  reads = std::move(outer);
  op->walk([&](Operation *each) { forgetReads(each); });
  if (good && yielded.empty()) {
    InFlightDiagnostic diagnostic = error(expr->place);
    diagnostic << "'" << func.name << "' returns nothing; end it with 'return'";
    diagnostic.attachNote(session.diagnostics.locate(func.place))
        << "declared here";
    return false;
  }
  return good;
}

Item GraphBuilder::makeRecompute(const Expr *expr, const Wanted &wanted) {
  if (expr->arguments.empty() || !expr->arguments.front().name.empty()) {
    error(expr->place) << "'recompute' takes a func and its operands, as in "
                          "recompute(layer, x)";
    return {};
  }
  const TextStatement *func = readFunc(expr->arguments.front());
  Frame inner;
  std::optional<std::string> name;
  if (!func ||
      !bindOperands(expr, *func, {}, expr->arguments.drop_front(), inner, name))
    return {};
  Location location = locationOf(expr->place);
  auto op = tfir::RecomputeOp::create(b, location, TypeRange());
  op.getBody().emplaceBlock();
  bool good = buildBody(expr, *func, inner, name, wanted, op);
  SmallVector<Type> types;
  std::string message;
  if (good) {
    ScopedDiagnosticHandler handler(&session.context(), [&](Diagnostic &each) {
      message = each.str();
      return success();
    });
    good =
        succeeded(tfir::verifyControl(op)) && succeeded(op.inferResults(types));
  }
  if (!message.empty())
    error(expr->place) << inWordsOfText(message);
  if (!good)
    return {};
  auto whole = tfir::RecomputeOp::create(b, location, types);
  whole.getBody().takeBody(op.getBody());
  op.erase();
  return Item::of(whole.getResults());
}

/// Reads `y` or `[y, z]`.
bool GraphBuilder::readFloats(const Argument &argument,
                              SmallVectorImpl<Value> &values) {
  Item item = evaluate(argument.value);
  if (item.isError())
    return false;
  SmallVector<Item> items;
  if (item.kind == Item::Kind::List || item.kind == Item::Kind::Array)
    items.assign(item.elements.begin(), item.elements.end());
  else
    items.push_back(std::move(item));
  for (const Item &each : items) {
    Value value = materialize(each, argument.value->place);
    if (!value)
      return false;
    auto type = cast<RankedTensorType>(value.getType());
    if (!isa<FloatType>(type.getElementType())) {
      error(argument.value->place)
          << "gradients are those of floats, but this is " << printType(type)
          << "; leave it out, or cast it";
      return false;
    }
    values.push_back(value);
  }
  return true;
}

Item GraphBuilder::makeCustomGradient(const Expr *expr, const Wanted &wanted) {
  ArrayRef<Argument> arguments = expr->arguments;
  if (arguments.size() < 3 ||
      llvm::any_of(arguments.take_front(3), [](const Argument &argument) {
        return !argument.name.empty();
      })) {
    error(expr->place)
        << "'custom_gradient' takes values, what they have a gradient by, and "
           "a func that makes this gradient from that of the values, as in "
           "custom_gradient(round(x), [x], f)";
    return {};
  }
  SmallVector<Value> values, of;
  if (!readFloats(arguments[0], values) || !readFloats(arguments[1], of))
    return {};
  const TextStatement *func = readFunc(arguments[2]);
  if (!func)
    return {};
  Location location = locationOf(expr->place);
  auto body = std::make_unique<Block>();
  SmallVector<Item> gradients;
  for (Value value : values)
    gradients.push_back(Item::of(body->addArgument(value.getType(), location)));
  Frame inner;
  std::optional<std::string> name;
  if (!bindOperands(expr, *func, gradients, arguments.drop_front(3), inner,
                    name))
    return {};
  auto op = tfir::CustomGradientOp::create(
      b, location, TypeRange(ValueRange(values)), values, of);
  op.getBody().push_back(body.release());
  bool good = buildBody(expr, *func, inner, std::nullopt, {}, op);
  // They are named where they are differentiated.
  op.getBody().walk([](Operation *each) {
    if (isa<tfir::NodeOpInterface>(each))
      tfir::setNodeName(each, {});
  });
  std::string message;
  if (good) {
    ScopedDiagnosticHandler handler(&session.context(), [&](Diagnostic &each) {
      message = each.str();
      return success();
    });
    good = succeeded(tfir::verifyControl(op)) && succeeded(op.verify()) &&
           succeeded(op.verifyRegions());
  }
  if (!message.empty())
    error(expr->place) << inWordsOfText(message);
  if (!good) {
    op.erase();
    return {};
  }
  if (colocation)
    tfir::setColocation(op, colocation);
  if (name)
    tfir::setNodeName(op, b.getStringAttr(prefix + *name));
  else
    nameOp(op, wanted);
  return Item::of(op.getResults());
}

} // namespace graphc::text
