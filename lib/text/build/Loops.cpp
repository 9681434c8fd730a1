// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of the compiled graph:
//
//   for i in repeat(8, carry=[h]) { h = tanh(h @ w) }
//   for x in scan(xs, carry=[h], stack=[y]) { ... }
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Types.h"
#include "lib/text/build/LoopParts.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace graphc::text {

bool GraphBuilder::isLoopCall(const TextStatement &statement) const {
  const Expr *call = statement.value;
  return !statement.end && call->kind == ExprKind::Call &&
         (call->text == "repeat" || call->text == "scan" ||
          call->text == "while") &&
         !lookup(call->text);
}

/// Reads `carry=[h, c]` or `carry=h`.
bool GraphBuilder::readLoopNames(const Argument &argument, Loop &loop,
                                 SmallVectorImpl<const Expr *> &names) {
  ArrayRef<Expr *> list = argument.value->kind == ExprKind::List
                              ? argument.value->operands
                              : ArrayRef(argument.value);
  for (const Expr *name : list) {
    if (name->kind != ExprKind::Name) {
      error(name->place) << "'" << argument.name
                         << "' is a list of names, such as " << argument.name
                         << "=[h, c]; name this value, and write its name";
      return false;
    }
    if (!loop.taken.insert(name->text).second) {
      error(name->place) << "the loop names '" << name->text
                         << "' twice; take another name for one of them";
      return false;
    }
    if (!canBind({name->place, name->text, nullptr}))
      return false;
    names.push_back(name);
  }
  return true;
}

bool GraphBuilder::readLoopInputs(const Argument &argument, Loop &loop) {
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
    if (type.getRank() == 0) {
      error(argument.value->place)
          << "'scan' divides the first dimension of a value into steps, and "
          << printType(type) << " has none; write repeat(8) for 8 steps";
      return false;
    }
    loop.inputs.push_back(value);
  }
  return true;
}

bool GraphBuilder::readLoop(const TextStatement &statement, Loop &loop) {
  const Expr *call = statement.value;
  loop.isRepeat = call->text == "repeat";
  loop.taken.insert(statement.name);
  std::vector<std::string> known = {"carry", "stack"};
  if (!loop.isRepeat)
    known.push_back("number");
  for (const Argument &argument : call->arguments) {
    if (argument.name == "carry" || argument.name == "stack" ||
        (argument.name == "number" && !loop.isRepeat)) {
      auto &names = argument.name == "carry"   ? loop.carried
                    : argument.name == "stack" ? loop.stacked
                                               : loop.number;
      if (!readLoopNames(argument, loop, names))
        return false;
    } else if (argument.name == "name" || argument.name == "device" ||
               argument.name == "colocate_with") {
      if (!addCommonArgument(argument, loop.common))
        return false;
    } else if (!argument.name.empty()) {
      std::string nearest = didYouMean(argument.name, known);
      error(argument.value->place)
          << "'" << call->text << "' has no argument '" << argument.name << "'"
          << (!nearest.empty() ? nearest
              : loop.isRepeat
                  ? "; it takes a number of steps, carry=[h] and stack=[y]"
                  : "; it takes values to divide into steps, carry=[h], "
                    "stack=[y] and number=i");
      return false;
    } else if (!loop.isRepeat) {
      if (!readLoopInputs(argument, loop))
        return false;
    } else if (loop.steps) {
      error(argument.value->place)
          << "'repeat' takes one number of steps; remove the second";
      return false;
    } else {
      loop.steps = integer(argument.value, "the number of steps");
      if (!loop.steps)
        return false;
      if (*loop.steps >= 1)
        continue;
      error(argument.value->place)
          << "a loop of " << *loop.steps
          << " steps does nothing; expected at least 1";
      return false;
    }
  }
  if (loop.isRepeat ? loop.steps.has_value() : !loop.inputs.empty())
    return readCarried(loop);
  error(call->place)
      << "'" << call->text << "' needs "
      << (loop.isRepeat ? "the number of steps, such as repeat(8, carry=[h])"
                        : "a value to divide into steps, such as scan(xs, "
                          "stack=[y])");
  return false;
}

/// The values that the first step begins with.
bool GraphBuilder::readCarried(Loop &loop) {
  for (const Expr *name : loop.carried) {
    const Item *item = lookup(name->text);
    if (!item) {
      error(name->place) << "'" << name->text
                         << "' has no value for the first step; give it one "
                            "before the loop, or stack it"
                         << didYouMean(name->text, knownNames());
      return false;
    }
    Value value = materialize(*item, name->place);
    if (!value)
      return false;
    session.observeName(name->text.data(), Item::of(value));
    loop.inits.push_back(value);
  }
  return true;
}

/// Builds the ops of a step and gives what it yields.
bool GraphBuilder::runLoopBody(const TextStatement &statement, Loop &loop,
                               Block &body, SmallVectorImpl<Value> &yielded) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  Value number = body.getArgument(0);
  ValueRange slices = body.getArguments().slice(1, loop.inputs.size());
  ValueRange carried = body.getArguments().take_back(loop.inits.size());
  Item each = Item::of(loop.isRepeat ? number : slices.front());
  if (slices.size() > 1) {
    each = Item();
    each.kind = Item::Kind::List;
    for (Value slice : slices)
      each.elements.push_back(Item::of(slice));
  }
  bind(statement.name, std::move(each));
  for (const Expr *name : loop.number)
    bind(name->text, Item::of(number));
  for (auto [name, value] : llvm::zip(loop.carried, carried))
    bind(name->text, Item::of(value));
  return runStep(statement, loop, body, yielded);
}

/// Builds the ops of a body, whose names are bound, and finds what a step gives
/// to the names that are carried and stacked.
bool GraphBuilder::runStep(const TextStatement &statement, Loop &loop,
                           Block &body, SmallVectorImpl<Value> &yielded) {
  ValueRange carried = body.getArguments().take_back(loop.inits.size());
  run(statement.body);
  if (frame->hasReturned) {
    error(statement.place) << "'return' cannot stand in a loop of the compiled "
                              "graph; carry or stack the value, and return it "
                              "behind the loop";
    return false;
  }
  for (auto [index, name] : llvm::enumerate(
           llvm::concat<const Expr *>(loop.carried, loop.stacked))) {
    const Item *item = lookup(name->text);
    if (!item) {
      if (!session.diagnostics.hasErrors())
        error(name->place) << "the loop has no value '" << name->text
                           << "' to stack"
                           << didYouMean(name->text, knownNames());
      return false;
    }
    Type before = index < carried.size() ? carried[index].getType() : Type();
    Value value = materialize(*item, name->place,
                              before ? getElementTypeOrSelf(before) : Type());
    if (!value)
      return false;
    yielded.push_back(value);
    if (!before ||
        (succeeded(verifyCompatibleShape(before, value.getType())) &&
         getElementTypeOrSelf(before) == getElementTypeOrSelf(value)))
      continue;
    InFlightDiagnostic diagnostic = error(name->place);
    diagnostic << "'" << name->text << "' is "
               << printType(cast<RankedTensorType>(before))
               << " before the loop and "
               << printType(cast<RankedTensorType>(value.getType()))
               << " after a step; a carried value keeps its type, so reshape "
                  "or cast one of them";
    diagnostic.attachNote(value.getLoc()) << "the value is computed here";
    return false;
  }
  return true;
}

void GraphBuilder::nameLoop(Operation *op, const Loop &loop) {
  for (NamedAttribute attribute : loop.common.attributes)
    op->setAttr(attribute.getName(), attribute.getValue());
  if (loop.common.name)
    tfir::setNodeName(op, b.getStringAttr(prefix + *loop.common.name));
}

void GraphBuilder::runLoop(const TextStatement &statement) {
  if (statement.value->text == "while")
    return runWhile(statement);
  Loop loop;
  if (!readLoop(statement, loop)) {
    // Names that the loop would have stacked are unknown, in silence.
    for (const Expr *name : loop.stacked)
      bind(name->text, {});
    return;
  }
  Location location = locationOf(statement.place);
  auto op = tfir::ScanOp::create(b, location, TypeRange(),
                                 loop.steps ? b.getI64IntegerAttr(*loop.steps)
                                            : IntegerAttr(),
                                 loop.inputs, loop.inits);
  nameLoop(op, loop);
  Block &body = op.getBody().emplaceBlock();
  SmallVector<Type> types;
  op.argumentTypes(types);
  body.addArguments(types, SmallVector<Location>(types.size(), location));

  // A read of the body is one of each step. What names mean is forgotten behind
  // the loop.
  auto outerNames = frame->names;
  Reads outerReads = std::move(reads);
  reads.clear();
  SmallVector<Value> yielded;
  bool good = runLoopBody(statement, loop, body, yielded);
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  tfir::YieldOp::create(inside, location, yielded);
  reads = std::move(outerReads);
  op.getBody().walk([&](Operation *inner) { forgetReads(inner); });
  frame->names = std::move(outerNames);

  SmallVector<Type> results;
  std::string message;
  if (good) {
    ScopedDiagnosticHandler handler(&session.context(), [&](Diagnostic &each) {
      message = each.str();
      return success();
    });
    good = succeeded(op.verify()) && succeeded(op.inferResults(results));
  }
  if (!message.empty())
    error(statement.place) << inWordsOfText(message);
  if (!good) {
    for (const Expr *name : loop.stacked)
      bind(name->text, {});
    return;
  }
  auto whole = tfir::ScanOp::create(b, location, results, op.getStepsAttr(),
                                    loop.inputs, loop.inits);
  whole->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  whole.getBody().takeBody(op.getBody());
  op.erase();
  for (auto [name, value] :
       llvm::zip(llvm::concat<const Expr *>(loop.carried, loop.stacked),
                 whole.getResults()))
    bind(name->text, Item::of(value));
}

} // namespace graphc::text
