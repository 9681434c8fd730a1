// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that end by a condition: types, checks, and their kernel.
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "dialects/tfir/Support.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace graphc::tfir;

namespace {

/// True when a value of the type may stand where `wanted` is written.
bool fits(Type type, Type wanted) {
  return getElementTypeOrSelf(type) == getElementTypeOrSelf(wanted) &&
         succeeded(verifyCompatibleShape(type, wanted));
}

Operation::operand_range yieldedBy(Region &body) {
  return body.front().getTerminator()->getOperands();
}

} // namespace

LogicalResult WhileOp::verify() {
  constexpr int64_t kMaxSteps = std::numeric_limits<int32_t>::max();
  int64_t limit = static_cast<int64_t>(getLimit());
  if (limit < 1 || limit > kMaxSteps) // (C1)
    return emitOpError() << "has the limit " << limit << ", expected 1 to "
                         << kMaxSteps << " steps";
  if (getInits().empty()) // (C1)
    return emitOpError() << "carries no value, so that no step changes its "
                            "condition; carry what the condition is about";
  return success();
}

void WhileOp::argumentTypes(SmallVectorImpl<Type> &types) {
  types.push_back(
      RankedTensorType::get({}, IntegerType::get(getContext(), 32)));
  llvm::append_range(types, getInits().getTypes());
  llvm::append_range(types, getCaptures().getTypes());
}

LogicalResult WhileOp::verifyRegions() {
  SmallVector<Type> wanted;
  argumentTypes(wanted);
  for (Region *region : {&getCondition(), &getBody()}) {
    StringRef which = region == &getBody() ? "body" : "condition";
    if (region->getNumArguments() != wanted.size()) // (C2)
      return emitOpError() << "has a " << which << " with "
                           << region->getNumArguments()
                           << " arguments, expected " << wanted.size()
                           << ": the number of the step, carried values, "
                              "captured ones";
    for (auto [argument, type] : llvm::zip(region->getArguments(), wanted))
      if (!fits(argument.getType(), type)) // (C2)
        return emitOpError() << "has " << argument.getType() << " as argument #"
                             << argument.getArgNumber() << " of its " << which
                             << ", expected " << type;
  }
  SmallVector<Type> types;
  if (failed(inferResults(types)))
    return failure();
  if (types.size() != getNumResults()) // (C4)
    return emitOpError() << "has " << getNumResults() << " results, but "
                         << types.size() << " values are carried";
  for (auto [index, result, type] : llvm::enumerate(getResults(), types))
    if (!fits(result.getType(), type))
      return emitOpError() << "gives " << type << " as result #" << index
                           << ", but " << result.getType() << " is written";
  return success();
}

void WhileOp::inferBodies() {
  SmallVector<Type> types;
  argumentTypes(types);
  for (Region *region : {&getCondition(), &getBody()})
    for (auto [argument, type] : llvm::zip(region->getArguments(), types))
      argument.setType(type);
}

LogicalResult WhileOp::inferResults(SmallVectorImpl<Type> &types) {
  Operation::operand_range condition = yieldedBy(getCondition());
  auto flag = condition.size() == 1
                  ? dyn_cast<RankedTensorType>(condition[0].getType())
                  : nullptr;
  if (!flag || flag.getRank() != 0 || !flag.getElementType().isInteger(1)) {
    InFlightDiagnostic error = emitOpError() << "has a condition of ";
    if (condition.size() == 1)
      error << condition[0].getType();
    else
      error << condition.size() << " values";
    return error << ", expected one bool, such as a comparison of scalars, or "
                    "tfir.any or tfir.all of several"; // (C3)
  }
  Operation::operand_range yielded = yieldedBy(getBody());
  if (yielded.size() != getInits().size()) // (C4)
    return emitOpError() << "yields " << yielded.size() << " values, but "
                         << getInits().size() << " are carried";
  for (auto [index, init, value] : llvm::enumerate(getInits(), yielded)) {
    if (!fits(value.getType(), init.getType())) // (C4)
      return emitOpError() << "carries " << init.getType() << " as value #"
                           << index << ", but a step yields " << value.getType()
                           << "; a carried value keeps its type";
    types.push_back(init.getType());
  }
  return success();
}

SmallVector<StringRef> WhileOp::deviceKinds() { return {"CPU"}; }

StringRef WhileOp::differentiableForm() {
  return "'tfir.scan', a loop of a known number of steps, as 'for i in "
         "repeat(8, carry=[x])'";
}

SmallVector<Value> WhileOp::lowerToScf(OpBuilder &b, ValueRange operands,
                                       LowerBody lower) {
  Location loc = getLoc();
  size_t carried = getInits().size();
  Type i32 = b.getI32Type();
  // The arguments of a body: the count of scf's loop as a tensor, if it is
  // used.
  auto argumentsOf = [&](Region &body, ValueRange of) {
    SmallVector<Value> arguments(1);
    if (!body.getArgument(0).use_empty())
      arguments[0] = tensor::FromElementsOp::create(
          b, loc, RankedTensorType::get({}, i32), of.front());
    llvm::append_range(arguments, of.drop_front());
    llvm::append_range(arguments, operands.drop_front(carried));
    return arguments;
  };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  SmallVector<Value> inits = {number(0)};
  llvm::append_range(inits, operands.take_front(carried));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(b, loc, types, inits);
  SmallVector<Location> places(types.size(), loc);
  OpBuilder::InsertionGuard guard(b);

  Block *before = b.createBlock(&loop.getBefore(), {}, types, places);
  Value holds = lower(getCondition(),
                      argumentsOf(getCondition(), before->getArguments()))[0];
  holds = tensor::ExtractOp::create(b, loc, holds, ValueRange());
  Value isBelow = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::slt, before->getArgument(0),
      number(static_cast<int64_t>(getLimit())));
  scf::ConditionOp::create(b, loc,
                           arith::AndIOp::create(b, loc, isBelow, holds),
                           before->getArguments());

  Block *after = b.createBlock(&loop.getAfter(), {}, types, places);
  SmallVector<Value> next =
      lower(getBody(), argumentsOf(getBody(), after->getArguments()));
  next.insert(next.begin(),
              arith::AddIOp::create(b, loc, after->getArgument(0), number(1)));
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults().drop_front());
}
