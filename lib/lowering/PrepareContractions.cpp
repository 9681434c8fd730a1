// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the target of each graph rewrite gradients of convolutions into the
// forms that it has code for.
//
// A product or convolution without any elements to multiply becomes zeros.
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/target/Target.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_PREPARECONTRACTIONSPASS
#include "graphc/Passes.h.inc"

namespace {

bool isEmpty(Type type) {
  return cast<RankedTensorType>(type).getNumElements() == 0;
}

void replaceByZeros(Operation *op) {
  OpBuilder b(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto zeros = ConstOp::create(
      b, op->getLoc(), type,
      DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType())));
  zeros->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(zeros);
  op->erase();
}

struct PrepareContractionsPass
    : impl::PrepareContractionsPassBase<PrepareContractionsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> empty;
    getOperation().walk([&](Operation *op) {
      if (isa<ContractionInterface>(op) &&
          (llvm::any_of(op->getOperandTypes(), isEmpty) ||
           llvm::any_of(op->getResultTypes(), isEmpty)))
        empty.push_back(op);
    });
    llvm::for_each(empty, replaceByZeros);

    for (auto graph : getOperation().getOps<GraphOp>()) {
      const Target &target = targetOf(graph);
      SmallVector<ContractionInterface> contractions(
          graph.getBlock().getOps<ContractionInterface>());
      for (ContractionInterface contraction : contractions)
        target.prepareContraction(contraction);
    }
  }
};

} // namespace
} // namespace graphc
