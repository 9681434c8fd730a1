// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices of the compiled graph: `if c { y = a } else { y = b }` with a value
// as condition, and `if cond(c) { }`, of which the side that is taken is done.
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace graphc::text {

namespace {

Value valueOf(const Item *item) {
  return item && item->kind == Item::Kind::Values && item->values.size() == 1
             ? item->values.front()
             : Value();
}

const Item *find(const llvm::MapVector<StringRef, Item> &names,
                 StringRef name) {
  auto found = names.find(name);
  return found == names.end() ? nullptr : &found->second;
}

} // namespace

bool GraphBuilder::runSide(const TextStatement &statement, bool isThen,
                           Block &body) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  run(isThen ? statement.body : statement.otherwise);
  if (!frame->hasReturned)
    return true;
  error(statement.place) << "'return' cannot stand in an 'if' whose condition "
                            "is a value; give the value a name on both sides, "
                            "and return it behind";
  // Once is enough.
  frame->hasReturned = false;
  frame->returned.clear();
  return false;
}

/// Finds the names that mean something else behind the choice: those that had a
/// value before, and those that both sides bind.
bool GraphBuilder::giveChosen(const TextStatement &statement,
                              const Names &before,
                              const std::array<Names, 2> &sides,
                              SmallVectorImpl<StringRef> &names,
                              std::array<SmallVector<Value>, 2> &values) {
  for (auto &[name, item] : sides[0]) {
    Value old = valueOf(find(before, name));
    Value one = valueOf(&item), other = valueOf(find(sides[1], name));
    if (!one || !other || (one == old && other == old))
      continue;
    bool isSame =
        succeeded(verifyCompatibleShape(one.getType(), other.getType())) &&
        getElementTypeOrSelf(one) == getElementTypeOrSelf(other);
    if (isSame) {
      names.push_back(name);
      values[0].push_back(one);
      values[1].push_back(other);
    } else if (old) {
      InFlightDiagnostic diagnostic = error(statement.place);
      diagnostic << "'" << name << "' is "
                 << printType(cast<RankedTensorType>(one.getType()))
                 << " on one side of 'if' and "
                 << printType(cast<RankedTensorType>(other.getType()))
                 << " on the other; give both one type";
      diagnostic.attachNote(one.getLoc()) << "the one is computed here";
      return false;
    }
  }
  return true;
}

std::string GraphBuilder::adviceFor(StringRef name) const {
  if (frame && frame->oneSided.contains(name))
    return ("; an 'if' gives '" + name +
            "' a value on one side only: give it one on the other, or before")
        .str();
  return Evaluator::adviceFor(name);
}

void GraphBuilder::runChoice(const TextStatement &statement, const Item &item,
                             bool takesOne) {
  Value condition = materialize(item, statement.value->place);
  if (!condition)
    return;
  auto type = cast<RankedTensorType>(condition.getType());
  if (type.getRank() != 0 || !type.getElementType().isInteger(1)) {
    error(statement.value->place)
        << "the condition of 'if' is one bool, but this is " << printType(type)
        << "; compare a number, such as x > 0, or write select(c, x, y) for a "
           "choice of each element";
    return;
  }
  Location location = locationOf(statement.place);
  auto create = [&](TypeRange types, ValueRange captures) -> Operation * {
    if (takesOne)
      return tfir::CondOp::create(b, location, types, condition, captures);
    return tfir::IfOp::create(b, location, types, condition);
  };
  Operation *op = create(TypeRange(), ValueRange());
  Names before = frame->names;
  Reads outer = reads;
  Attribute outerColocation = colocation;
  if (takesOne)
    colocation = {};
  std::array<Names, 2> sides;
  bool good = true;
  for (auto [index, region] : llvm::enumerate(op->getRegions())) {
    frame->names = before;
    // Reads in a body of tfir.cond stand before the op.
    if (!takesOne)
      reads = outer;
    good &= runSide(statement, index == 0, region.emplaceBlock());
    sides[index] = std::move(frame->names);
  }
  colocation = outerColocation;
  frame->names = before;
  if (!takesOne)
    reads = std::move(outer);
  op->walk([&](Operation *inner) { forgetReads(inner); });

  for (size_t side : {0, 1})
    for (const auto &[name, item] : sides[side])
      if (!before.contains(name) && !sides[1 - side].contains(name))
        frame->oneSided.insert(name);
  SmallVector<StringRef> names;
  std::array<SmallVector<Value>, 2> values;
  good = good && giveChosen(statement, before, sides, names, values);
  if (!good)
    values = {};
  for (auto [region, yielded] : llvm::zip(op->getRegions(), values)) {
    OpBuilder inside = OpBuilder::atBlockEnd(&region.front());
    tfir::YieldOp::create(inside, location, yielded);
  }
  SmallVector<Type> types;
  SmallVector<Value> captures;
  if (takesOne) {
    captures = tfir::captureOutside(op);
    good = good && checkKernelControl(op, statement.place);
  }
  std::string message;
  if (good) {
    ScopedDiagnosticHandler handler(&session.context(), [&](Diagnostic &each) {
      message = each.str();
      return success();
    });
    auto choice = dyn_cast<tfir::IfOp>(op);
    good = choice ? succeeded(choice.verify()) &&
                        succeeded(choice.inferResults(types))
                  : succeeded(cast<tfir::CondOp>(op).inferResults(types));
  }
  if (!message.empty())
    error(statement.place) << inWordsOfText(message);
  // One kernel assigns nothing, so that one without values does nothing.
  if (good && takesOne && names.empty())
    op->erase();
  if (!good || names.empty())
    return;
  Operation *whole = create(types, captures);
  if (takesOne && colocation)
    tfir::setColocation(whole, colocation);
  for (auto [to, from] : llvm::zip(whole->getRegions(), op->getRegions()))
    to.takeBody(from);
  op->erase();
  for (auto [name, value] : llvm::zip(names, whole->getResults()))
    frame->names[name] = Item::of(value);
}

} // namespace graphc::text
