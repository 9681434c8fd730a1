// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of the compiled graph that end by a condition:
//
//   for i in while(x > 1, carry=[x], limit=50) { x = x / 2 }
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Types.h"
#include "lib/text/build/LoopParts.h"

using namespace mlir;

namespace graphc::text {

bool GraphBuilder::readWhile(const TextStatement &statement, Loop &loop) {
  const Expr *call = statement.value;
  loop.taken.insert(statement.name);
  for (const Argument &argument : call->arguments) {
    if (argument.name == "carry") {
      if (!readLoopNames(argument, loop, loop.carried))
        return false;
    } else if (argument.name == "limit") {
      loop.steps = integer(argument.value, "the limit of steps");
      if (!loop.steps)
        return false;
    } else if (argument.name == "name" || argument.name == "device" ||
               argument.name == "colocate_with") {
      if (!addCommonArgument(argument, loop.common))
        return false;
    } else if (!argument.name.empty()) {
      std::string nearest = didYouMean(argument.name, {"carry", "limit"});
      error(argument.value->place)
          << "'while' has no argument '" << argument.name << "'"
          << (nearest.empty() ? "; it takes a condition, carry=[x] and limit=50"
                              : nearest);
      return false;
    } else if (loop.condition) {
      error(argument.value->place)
          << "'while' takes one condition; join two by 'and'";
      return false;
    } else {
      loop.condition = argument.value;
    }
  }
  if (!loop.condition || loop.carried.empty() || !loop.steps) {
    error(call->place) << "'while' needs "
                       << (!loop.condition ? "a condition"
                           : !loop.steps
                               ? "a limit of steps, so that it ends in any case"
                               : "the names whose values a step changes")
                       << ", such as while(x > 1, carry=[x], limit=50)";
    return false;
  }
  return readCarried(loop);
}

void GraphBuilder::bindCarried(const TextStatement &statement, const Loop &loop,
                               Block &block) {
  bind(statement.name, Item::of(block.getArgument(0)));
  for (auto [name, value] :
       llvm::zip(loop.carried, block.getArguments().drop_front()))
    bind(name->text, Item::of(value));
}

/// Builds the ops of the condition, and gives its value.
Value GraphBuilder::runCondition(const TextStatement &statement, Loop &loop,
                                 Block &block) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&block);
  bindCarried(statement, loop, block);
  Value condition =
      materialize(evaluate(loop.condition), loop.condition->place);
  // An expression has no name; in a scope its operations would have some.
  block.walk([](Operation *op) { tfir::setNodeName(op, {}); });
  if (!condition)
    return {};
  auto type = cast<RankedTensorType>(condition.getType());
  if (type.getRank() == 0 && type.getElementType().isInteger(1))
    return condition;
  error(loop.condition->place)
      << "the condition of 'while' is one bool, but this is " << printType(type)
      << "; compare a number, such as x > 0, or take all(c) or any(c) of "
         "several bools";
  return {};
}

/// Reports what the bodies of an op cannot have, at the place of the text that
/// it comes from.
bool GraphBuilder::checkKernelControl(Operation *op, const char *place) {
  std::string message;
  Location location = locationOf(place);
  {
    ScopedDiagnosticHandler handler(&session.context(), [&](Diagnostic &each) {
      message = each.str();
      location = each.getLocation();
      return success();
    });
    if (succeeded(tfir::verifyKernelControl(op)))
      return true;
  }
  session.diagnostics.error(location) << inWordsOfText(message);
  return false;
}

void GraphBuilder::runWhile(const TextStatement &statement) {
  Loop loop;
  if (!readWhile(statement, loop))
    return;
  Location location = locationOf(statement.place);
  constexpr int64_t kMaxSteps = std::numeric_limits<int32_t>::max();
  if (*loop.steps < 1 || *loop.steps > kMaxSteps) {
    error(statement.value->place)
        << "the limit of 'while' is " << *loop.steps << ", expected 1 to "
        << kMaxSteps << " steps";
    return;
  }
  IntegerAttr limit = b.getI64IntegerAttr(*loop.steps);
  auto op = tfir::WhileOp::create(b, location, TypeRange(), loop.inits,
                                  ValueRange(), limit);
  SmallVector<Type> types;
  op.argumentTypes(types);
  SmallVector<Location> places(types.size(), location);
  Block &condition = op.getCondition().emplaceBlock();
  Block &body = op.getBody().emplaceBlock();
  condition.addArguments(types, places);
  body.addArguments(types, places);

  // Bodies are built where they stand, of what is outside, and cut off from it
  // behind. Variables are read before the loop, so that what was read stays
  // read.
  auto outerNames = frame->names;
  Attribute outerColocation = colocation;
  colocation = {};
  Value holds = runCondition(statement, loop, condition);
  SmallVector<Value> yielded;
  bool good = holds != nullptr;
  if (good) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body);
    bindCarried(statement, loop, body);
    good = runStep(statement, loop, body, yielded);
  }
  colocation = outerColocation;
  frame->names = std::move(outerNames);
  OpBuilder inside = OpBuilder::atBlockEnd(&condition);
  tfir::YieldOp::create(inside, location,
                        holds ? ValueRange(holds) : ValueRange());
  inside.setInsertionPointToEnd(&body);
  tfir::YieldOp::create(inside, location, yielded);

  SmallVector<Value> captures = tfir::captureOutside(op);
  if (!good || !checkKernelControl(op, statement.place))
    return;
  auto whole =
      tfir::WhileOp::create(b, location, ValueRange(loop.inits).getTypes(),
                            loop.inits, captures, limit);
  whole->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  nameLoop(whole, loop);
  if (colocation && !tfir::getColocationAttr(whole))
    tfir::setColocation(whole, colocation);
  whole.getCondition().takeBody(op.getCondition());
  whole.getBody().takeBody(op.getBody());
  op.erase();
  for (auto [name, value] : llvm::zip(loop.carried, whole.getResults()))
    bind(name->text, Item::of(value));
}

} // namespace graphc::text
