// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/DecomposeOp.h"

#include "dialects/tfir/ops/control/RecomputeAttr.h"
#include "lib/autodiff/DerivedOps.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

LogicalResult decomposeFully(Decomposable root, StringRef scope,
                             UniqueNames &names) {
  SmallVector<Decomposable> left{root};
  while (!left.empty()) {
    Decomposable op = left.pop_back_val();
    DerivedOps derived(names);
    derived.enterScope(op == root ? scope.str() : nameOf(op), op);
    OpBuilder builder(op->getContext(), &derived);
    builder.setInsertionPoint(op);
    Operation *before = op->getPrevNode();
    FailureOr<SmallVector<Value>> values = op.decompose(builder);
    if (failed(values))
      return failure();
    // A result stays a value of its own: a gradient by it is not that by the
    // operand, which others may use.
    for (Value &value : *values)
      if (llvm::is_contained(op->getOperands(), value))
        value =
            IdentityOp::create(builder, op->getLoc(), value.getType(), value);
    for (Operation *made = op->getPrevNode(); made != before;
         made = made->getPrevNode()) {
      setRecomputed(made, getRecomputed(op));
      if (auto inner = dyn_cast<Decomposable>(made);
          inner && inner.isShorthand())
        left.push_back(inner);
    }
    op->replaceAllUsesWith(*values);
    op->erase();
  }
  return success();
}

} // namespace graphc
