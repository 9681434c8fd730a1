// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients that are written by hand.
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "dialects/tfir/Support.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace graphc::tfir;

namespace {

/// True when values of both types may be of one type once shapes are bound.
bool fits(Type type, Type wanted) {
  return getElementTypeOrSelf(type) == getElementTypeOrSelf(wanted) &&
         succeeded(verifyCompatibleShape(type, wanted));
}

} // namespace

LogicalResult CustomGradientOp::verify() {
  if (getValues().empty() || getNumResults() != getValues().size()) // (C1)
    return emitOpError() << "has " << getNumResults() << " results for "
                         << getValues().size()
                         << " values; expected a value, and a result for each";
  for (auto [index, result, value] : llvm::enumerate(getResults(), getValues()))
    if (!fits(result.getType(), value.getType())) // (C1)
      return emitOpError() << "gives " << value.getType() << " as result #"
                           << index << ", but " << result.getType()
                           << " is written";
  WalkResult result = (*this)->walk([&](Operation *inner) {
    auto access = dyn_cast<VariableAccess>(inner);
    if (!(access && access.isUpdate()) && !isa<NextOp>(inner)) // (C4)
      return WalkResult::advance();
    inner->emitOpError() << "stands in the gradient of a value, which is "
                            "computed only where something is differentiated; "
                            "move it out of the body";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult CustomGradientOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getValues().size()) // (C2)
    return emitOpError() << "has a body with " << body.getNumArguments()
                         << " arguments for " << getValues().size()
                         << " values; expected the gradient of each";
  for (auto [argument, value] : llvm::zip(body.getArguments(), getValues()))
    if (!fits(argument.getType(), value.getType())) // (C2)
      return emitOpError() << "has " << argument.getType()
                           << " as the gradient of a value of type "
                           << value.getType() << "; expected its type";
  auto yielded = body.getTerminator()->getOperands();
  if (yielded.size() != getOf().size()) // (C3)
    return emitOpError() << "has a body that gives " << yielded.size()
                         << (yielded.size() == 1 ? " gradient for "
                                                 : " gradients for ")
                         << getOf().size()
                         << " values; expected one for each, in their order";
  for (auto [index, gradient, x] : llvm::enumerate(yielded, getOf()))
    if (!fits(gradient.getType(), x.getType())) { // (C3)
      InFlightDiagnostic error =
          emitOpError() << "gives " << gradient.getType()
                        << " as the gradient of value #" << index
                        << ", which is " << x.getType()
                        << "; expected its type: cast, sum or reshape it";
      return error.attachNote(gradient.getLoc()) << "it is computed here";
    }
  return success();
}

void CustomGradientOp::inferBodies() {
  for (auto [argument, value] :
       llvm::zip(getBody().getArguments(), getValues()))
    argument.setType(value.getType());
}

LogicalResult CustomGradientOp::inferResults(SmallVectorImpl<Type> &types) {
  llvm::append_range(types, getValues().getTypes());
  return verifyRegions();
}

FailureOr<SmallVector<Value>> CustomGradientOp::expand(OpBuilder &, CopyBody) {
  return emitOpError("stays until gradients are written out");
}

LogicalResult CustomGradientOp::buildGradient(OpBuilder &b,
                                              ValueRange gradients,
                                              MutableArrayRef<Value> operands) {
  Block &body = getBody().front();
  IRMapping mapping;
  for (auto [argument, gradient] : llvm::zip(body.getArguments(), gradients))
    mapping.map(argument, gradient
                              ? gradient
                              : splat(b, getLoc(), tensorType(argument), 0));
  for (Operation &op : body.without_terminator()) {
    // The copy gets a name among the gradients, and so may another one.
    Operation *copy = op.clone(mapping);
    copy->walk([](Operation *inner) { graphc::tfir::setNodeName(inner, {}); });
    b.insert(copy);
  }
  size_t values = getValues().size();
  for (auto [index, gradient] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    operands[values + index] = mapping.lookupOrDefault(gradient);
  return success();
}
