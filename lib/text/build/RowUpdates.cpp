// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that update rows of a variable, where nobody takes their value:
//
//   scatter_add(counts, ids, ones)
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "lib/text/TextCalls.h"
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace graphc::text {

namespace {

/// The parts of a name such as `scatter_nd_add`.
struct RowUpdate {
  StringRef combine; ///< as in tfir.assign_rows; empty for other names
  bool nd = false;
};

RowUpdate rowUpdateOf(StringRef name) {
  RowUpdate update;
  if (!name.consume_front("scatter_"))
    return update;
  update.nd = name.consume_front("nd_");
  bool isKnown = update.nd ? llvm::is_contained({"update", "add", "sub"}, name)
                           : llvm::is_contained({"update", "add", "sub", "mul",
                                                 "div", "min", "max"},
                                                name);
  update.combine = isKnown ? name : "";
  return update;
}

/// The type of the updates that indices of a variable ask for; null where there
/// is none.
RankedTensorType updatesFor(RankedTensorType variable, RankedTensorType indices,
                            bool nd) {
  SmallVector<int64_t> shape(indices.getShape());
  int64_t dims = 1;
  if (nd) {
    if (shape.empty())
      return {};
    dims = shape.pop_back_val();
  }
  if (dims < 1 || dims > variable.getRank())
    return {};
  llvm::append_range(shape, variable.getShape().drop_front(dims));
  return variable.clone(shape);
}

} // namespace

bool GraphBuilder::runRowUpdate(const Expr *expr) {
  RowUpdate update = rowUpdateOf(expr->text);
  if (update.combine.empty() || lookup(expr->text))
    return false;
  Item done = makeRowUpdate(expr, update.combine, update.nd);
  if (session.observer)
    session.observer->observe(*expr, done);
  return true;
}

/// An error where the updates do not fit the variable.
bool GraphBuilder::checkRows(Operation *op, RankedTensorType variable,
                             StringRef written) {
  std::string message;
  {
    ScopedDiagnosticHandler handler(&session.context(), [&](Diagnostic &each) {
      message = each.str();
      return success();
    });
    if (succeeded(cast<tfir::AssignRowsOp>(op).verifyVariable(variable)))
      return true;
  }
  report(op, message, written);
  op->erase();
  return false;
}

Item GraphBuilder::makeRowUpdate(const Expr *expr, StringRef combine, bool nd) {
  // As the op of values is called, which has the same operands.
  OpSignature written = *findOp(("scatter_" + combine).str());
  if (const TextCall *called = findTextCall(expr->text))
    written.name = called->name;
  std::vector<std::vector<const Expr *>> slots(written.arguments.size());
  Call call(findOp("assign_rows"), expr->place);
  call.written = (expr->text + "(variable, indices, updates)").str();
  if (!matchArguments(expr, written, slots, call))
    return {};
  const Expr *place = slots[0].front();
  Item target = evaluate(place), ids = evaluate(slots[1].front()),
       updates = evaluate(slots[2].front());
  if (target.isError() || ids.isError() || updates.isError())
    return {};
  if (target.kind != Item::Kind::Variable) {
    InFlightDiagnostic diagnostic = error(place->place);
    diagnostic << "only variables are updated, but this is "
               << describe(target);
    if (nd)
      diagnostic << "; scatter_nd(indices, updates, shape) makes a value";
    else
      diagnostic << "; give the value a name, as in 'y = " << written.name
                 << "(x, indices, updates)'";
    return {};
  }
  auto variable = cast<RankedTensorType>(target.types.front());
  // Variables are read before literals are made, as for any call.
  for (Item *item : {&ids, &updates})
    if (item->kind == Item::Kind::Variable) {
      Value value = readVariable(*item, expr->place);
      if (!value)
        return {};
      *item = Item::of(value);
    }
  Value indices = materialize(ids, slots[1].front()->place);
  if (!indices)
    return {};
  RankedTensorType wanted =
      updatesFor(variable, cast<RankedTensorType>(indices.getType()), nd);
  bool isFilled = updates.isConstant() && wanted && wanted.hasStaticShape();
  Value rows =
      isFilled ? makeConstant(updates.constant, wanted, slots[2].front()->place)
               : materialize(updates, slots[2].front()->place,
                             variable.getElementType());
  if (!rows)
    return {};
  call.operands = {{}, {Item::of(indices)}, {Item::of(rows)}};
  call.attributes.push_back(
      b.getNamedAttr("variable", FlatSymbolRefAttr::get(target.symbol)));
  call.attributes.push_back(
      b.getNamedAttr("combine", b.getStringAttr(combine)));
  if (nd)
    call.attributes.push_back(b.getNamedAttr("nd", b.getUnitAttr()));
  Item made = makeCall(call, {});
  if (made.isError() ||
      !checkRows(&*std::prev(b.getInsertionPoint()), variable, call.written))
    return {};
  return made;
}

} // namespace graphc::text
