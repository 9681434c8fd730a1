// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that are computed again in the backward pass, and the barrier that
// keeps their copies apart.
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "dialects/tfir/Support.h"

using namespace mlir;
using namespace graphc::tfir;

//===-- recompute ---------------------------------------------------------===//

LogicalResult RecomputeOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != 0) // (C1)
    return emitOpError() << "has a body with arguments, which it does not give";
  auto yielded = body.getTerminator()->getOperandTypes();
  if (yielded.size() != getNumResults()) // (C1)
    return emitOpError() << "has " << getNumResults()
                         << " results, but its body yields " << yielded.size();
  for (auto [index, result, type] : llvm::enumerate(getResultTypes(), yielded))
    if (failed(verifyCompatibleShape(result, type)) ||
        getElementTypeOrSelf(result) != getElementTypeOrSelf(type)) // (C1)
      return emitOpError() << "gives " << type << " as result #" << index
                           << ", but " << result << " is written";
  return success();
}

void RecomputeOp::inferBodies() {}

LogicalResult RecomputeOp::inferResults(SmallVectorImpl<Type> &types) {
  llvm::append_range(types,
                     getBody().front().getTerminator()->getOperandTypes());
  return success();
}

FailureOr<SmallVector<Value>> RecomputeOp::expand(OpBuilder &, CopyBody copy) {
  return copy(getBody(), {}, -1);
}

//===-- optimization_barrier ----------------------------------------------===//

LogicalResult OptimizationBarrierOp::inferTypes(SmallVectorImpl<Type> &types) {
  types.push_back(getX().getType());
  return success();
}

LogicalResult
OptimizationBarrierOp::buildGradient(OpBuilder &, ValueRange gradients,
                                     MutableArrayRef<Value> operands) {
  operands[0] = gradients[0];
  return success();
}
