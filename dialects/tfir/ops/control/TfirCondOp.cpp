// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices of which one side is computed: types, checks, and their kernel.
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "dialects/tfir/Support.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace graphc::tfir;

namespace {

Operation::operand_range yieldedBy(Region &body) {
  return body.front().getTerminator()->getOperands();
}

bool fits(Type type, Type wanted) {
  return getElementTypeOrSelf(type) == getElementTypeOrSelf(wanted) &&
         succeeded(verifyCompatibleShape(type, wanted));
}

} // namespace

LogicalResult CondOp::verify() {
  if (getNumResults() == 0) // (C1)
    return emitOpError() << "gives no value; yield one from both bodies";
  return success();
}

LogicalResult CondOp::verifyRegions() {
  for (Region *region : {&getThenBody(), &getElseBody()}) {
    StringRef which = region == &getThenBody() ? "first" : "second";
    if (region->getNumArguments() != getCaptures().size()) // (C2)
      return emitOpError() << "has a " << which << " body with "
                           << region->getNumArguments()
                           << " arguments, expected " << getCaptures().size()
                           << ": the captured values";
    for (auto [argument, value] :
         llvm::zip(region->getArguments(), getCaptures()))
      if (!fits(argument.getType(), value.getType())) // (C2)
        return emitOpError() << "has " << argument.getType() << " as argument #"
                             << argument.getArgNumber() << " of its " << which
                             << " body, expected " << value.getType();
  }
  SmallVector<Type> types;
  if (failed(inferResults(types)))
    return failure();
  if (types.size() != getNumResults()) // (C1)
    return emitOpError() << "has " << getNumResults()
                         << " results, but its bodies yield " << types.size();
  for (auto [index, result, type] : llvm::enumerate(getResults(), types))
    if (!fits(result.getType(), type))
      return emitOpError() << "gives " << type << " as result #" << index
                           << ", but " << result.getType() << " is written";
  return success();
}

void CondOp::inferBodies() {
  for (Region *region : {&getThenBody(), &getElseBody()})
    for (auto [argument, value] :
         llvm::zip(region->getArguments(), getCaptures()))
      argument.setType(value.getType());
}

LogicalResult CondOp::inferResults(SmallVectorImpl<Type> &types) {
  auto ones = yieldedBy(getThenBody()), others = yieldedBy(getElseBody());
  if (ones.size() != others.size()) // (C1)
    return emitOpError() << "yields " << ones.size() << " values from one body "
                         << "and " << others.size() << " from the other";
  for (auto [index, one, other] : llvm::enumerate(ones, others)) {
    if (!fits(one.getType(), other.getType())) // (C1)
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

SmallVector<StringRef> CondOp::deviceKinds() { return {"CPU"}; }

StringRef CondOp::differentiableForm() {
  return "'tfir.if', which computes both sides, as 'if c { }' without cond()";
}

SmallVector<Value> CondOp::lowerToScf(OpBuilder &b, ValueRange operands,
                                      LowerBody lower) {
  Location loc = getLoc();
  Value holds =
      tensor::ExtractOp::create(b, loc, operands.front(), ValueRange());
  SmallVector<Type> types;
  for (Type type : getResultTypes())
    types.push_back(lowerType(type));
  auto choice = scf::IfOp::create(b, loc, types, holds, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [body, block] : {std::pair(&getThenBody(), choice.thenBlock()),
                             std::pair(&getElseBody(), choice.elseBlock())}) {
    b.setInsertionPointToEnd(block);
    SmallVector<Value> yielded = lower(*body, operands.drop_front());
    scf::YieldOp::create(b, loc, yielded);
  }
  return SmallVector<Value>(choice.getResults());
}
