// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices: both bodies written out, with guards around the one that is not
// taken.
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "dialects/tfir/ops/checks/ReportsValues.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace graphc::tfir;

namespace {

Operation::operand_range yieldedBy(Region &body) {
  return body.front().getTerminator()->getOperands();
}

/// Writes `x` for a side: what comes in is `x`, but the gradient that goes out
/// is zero unless the side is taken, whatever its ops make of it.
class SideGuard {
public:
  SideGuard(IfOp op, OpBuilder &builder, Value isTaken, Region &body)
      : op(op), b(builder), isTaken(isTaken), body(body) {}

  /// Guards what the body takes from outside, reads and updates.
  void run();

private:
  Value choose(Location loc, Value taken, Value other);
  void guardGradient(Value value, Operation *before);
  void guardUpdate(VariableAccess update);

  IfOp op;
  OpBuilder &b;
  Value isTaken;
  Region &body;
};

template <typename Op> Op onDeviceOf(Operation *from, Op op) {
  setRequestedDevice(op, getRequestedDevice(from));
  return op;
}

/// `taken` where the condition holds, `other` elsewhere.
Value select(OpBuilder &b, Operation *op, Location loc, Value condition,
             Value taken, Value other) {
  RankedTensorType type = tensorType(taken);
  if (!type.getElementType().isInteger(1))
    return onDeviceOf(op,
                      SelectOp::create(b, loc, type, condition, taken, other));
  // Bools: (c and taken) or (not c and other).
  Value isOther = onDeviceOf(
      op, LogicalNotOp::create(b, loc, condition.getType(), condition));
  Value left =
      onDeviceOf(op, LogicalAndOp::create(b, loc, type, condition, taken));
  Value right =
      onDeviceOf(op, LogicalAndOp::create(b, loc, type, isOther, other));
  return onDeviceOf(op, LogicalOrOp::create(b, loc, type, left, right));
}

Value SideGuard::choose(Location loc, Value taken, Value other) {
  return select(b, op, loc, isTaken, taken, other);
}

void SideGuard::guardGradient(Value value, Operation *before) {
  auto isInside = [&](OpOperand &use) {
    return body.isAncestor(use.getOwner()->getParentRegion());
  };
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(before);
  Location loc = value.getLoc();
  auto stopped =
      onDeviceOf(op, StopGradientOp::create(b, loc, value.getType(), value));
  Value guarded = choose(loc, value, stopped);
  value.replaceUsesWithIf(guarded, [&](OpOperand &use) {
    return isInside(use) && use.getOwner() != stopped &&
           use.getOwner() != guarded.getDefiningOp();
  });
}

/// Updates by what leaves the variable as it is, unless the side is taken.
void SideGuard::guardUpdate(VariableAccess update) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(update);
  Location loc = update.getLoc();
  OpOperand &value = update->getOpOperand(0);
  auto type = cast<RankedTensorType>(value.get().getType());
  Value other;
  if (update.isAccumulation())
    other = splat(b, loc, type, 0);
  else if (isa<AssignRowsOp>(update))
    other = splat(b, loc, type, -1); // no row
  else
    other =
        ReadOp::create(b, loc, type, update.getVariables().front(), UnitAttr());
  onDeviceOf(op, other.getDefiningOp());
  value.set(choose(loc, value.get(), other));
}

bool isFloat(Value value) {
  return isa<FloatType>(tensorType(value).getElementType());
}

void SideGuard::run() {
  llvm::SetVector<Value> outside;
  SmallVector<Operation *> reads;
  SmallVector<VariableAccess> updates;
  body.walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (isFloat(value) && !body.isAncestor(value.getParentRegion()))
        outside.insert(value);
    if (auto read = dyn_cast<ReadOp>(inner)) {
      if (isFloat(read))
        reads.push_back(inner);
    } else if (auto access = dyn_cast<VariableAccess>(inner)) {
      updates.push_back(access);
    }
  });
  for (Value value : outside)
    guardGradient(value, &body.front().front());
  for (Operation *read : reads)
    guardGradient(read->getResult(0), read->getNextNode());
  for (VariableAccess update : updates)
    guardUpdate(update);
}

} // namespace

LogicalResult IfOp::verify() {
  WalkResult result = (*this)->walk([&](Operation *inner) {
    auto access = dyn_cast<VariableAccess>(inner);
    bool updates = access && access.isUpdate() &&
                   !isa<AssignOp, AssignRowsOp>(inner) &&
                   !access.isAccumulation();
    if (!updates && !isa<NextOp>(inner) &&
        !inner->hasTrait<ReportsValues>()) // (C2)
      return WalkResult::advance();
    inner->emitOpError() << "stands in a body of 'tfir.if', of which both are "
                            "done; move it before or behind it";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult IfOp::verifyRegions() {
  for (Region *body : {&getThenBody(), &getElseBody()})
    if (body->front().getNumArguments() != 0)
      return emitOpError() << "has a body with arguments, which a choice does "
                              "not give";
  SmallVector<Type> types;
  if (failed(inferResults(types)))
    return failure();
  if (types.size() != getNumResults()) // (C1)
    return emitOpError() << "has " << getNumResults()
                         << " results, but its bodies yield " << types.size();
  for (auto [index, result, type] : llvm::enumerate(getResults(), types))
    if (failed(verifyCompatibleShape(result.getType(), type)) ||
        getElementTypeOrSelf(result) != getElementTypeOrSelf(type))
      return emitOpError() << "gives " << type << " as result #" << index
                           << ", but " << result.getType() << " is written";
  return success();
}

void IfOp::inferBodies() {}

LogicalResult IfOp::inferResults(SmallVectorImpl<Type> &types) {
  auto ones = yieldedBy(getThenBody()), others = yieldedBy(getElseBody());
  if (ones.size() != others.size()) // (C1)
    return emitOpError() << "yields " << ones.size() << " values from one body "
                         << "and " << others.size() << " from the other";
  for (auto [index, one, other] : llvm::enumerate(ones, others)) {
    if (failed(verifyCompatibleShape(one.getType(), other.getType())) ||
        getElementTypeOrSelf(one) != getElementTypeOrSelf(other)) // (C1)
      return emitOpError() << "yields " << one.getType() << " as value #"
                           << index << " from one body and " << other.getType()
                           << " from the other; expected one type";
    // A size that one side knows is that of both.
    auto type = cast<RankedTensorType>(one.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, known] : llvm::zip(shape, tensorType(other).getShape()))
      dim = ShapedType::isDynamic(dim) ? known : dim;
    types.push_back(type.clone(shape));
  }
  return success();
}

FailureOr<SmallVector<Value>> IfOp::expand(OpBuilder &b, CopyBody copy) {
  for (Type type : getResultTypes())
    if (!cast<ShapedType>(type).hasStaticShape())
      return emitOpError() << "has shapes with '?'; run tfir-bind-shapes "
                              "before both sides are written out";
  Location loc = getLoc();
  Value condition = getCondition();
  Value inverse = onDeviceOf(
      *this, LogicalNotOp::create(b, loc, condition.getType(), condition));
  SideGuard(*this, b, condition, getThenBody()).run();
  SideGuard(*this, b, inverse, getElseBody()).run();
  SmallVector<Value> ones = copy(getThenBody(), {}, -1);
  SmallVector<Value> others = copy(getElseBody(), {}, -1);
  SmallVector<Value> results;
  for (auto [one, other] : llvm::zip(ones, others))
    results.push_back(select(b, *this, loc, condition, one, other));
  return results;
}
