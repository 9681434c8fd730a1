// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes with floats of 16 bits as f32:
//
//   %z = tfir.add %x, %y : bf16  ->  %z = cast (tfir.add (cast %x), (cast %y))
//
// Guarantees: no op but casts and what moves elements has f16 or bf16 operands
// or results, so that neither gradients nor code know these types.
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/precision/HalfCasts.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_WIDENHALVESPASS
#include "graphc/Passes.h.inc"

namespace {

/// True for ops that compute something with their elements. Ops with bodies
/// hand values to these, and ops of the state, of transfers and of training
/// hand them on.
bool computes(Operation *op) {
  if (op->hasTrait<MovesElements>() || isa<CastOp>(op) ||
      op->getNumRegions() != 0)
    return false;
  return isa<Elementwise, Lowerable, ContractionInterface, Decomposable>(op);
}

void widen(Operation *op, UniqueNames &names) {
  OpBuilder b(op);
  Type single = b.getF32Type();
  llvm::SmallDenseMap<Value, Value> wide;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isHalfTensor(operand.get().getType()))
      continue;
    Value &cast = wide[operand.get()];
    if (!cast)
      cast = castLike(b, operand.get(), single, op, names);
    operand.set(cast);
  }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    if (!isHalfTensor(result.getType()))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(type.clone(single));
    Value narrow = castLike(b, result, type.getElementType(), op, names);
    result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
  }
}

struct WidenHalvesPass : impl::WidenHalvesPassBase<WidenHalvesPass> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>()) {
      SmallVector<Operation *> found;
      graph.getBody().walk([&](Operation *op) {
        if (computes(op) &&
            (llvm::any_of(op->getOperandTypes(), isHalfTensor) ||
             llvm::any_of(op->getResultTypes(), isHalfTensor)))
          found.push_back(op);
      });
      if (found.empty())
        continue;
      UniqueNames names(graph);
      for (Operation *op : found)
        widen(op, names);
    }
  }
};

} // namespace
} // namespace graphc
