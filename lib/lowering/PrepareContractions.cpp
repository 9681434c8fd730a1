// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the target of each graph rewrite gradients of convolutions into the
// forms that it has code for.
//
// A product or convolution without any elements to multiply becomes zeros. A
// batch of matrices times one matrix becomes one product of all rows; of other
// batches, operands that broadcast along some dimensions are written out.
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
  copyNodeAttrs(op, zeros);
  op->replaceAllUsesWith(zeros);
  op->erase();
}

Value reshaped(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getShape() == shape)
    return x;
  return ReshapeOp::create(b, loc, type.clone(shape), x);
}

/// Gives a matrix product of more than two dimensions a form that MatmulBatch
/// describes.
void prepareBatch(MatMulOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType type = op.getC().getType();
  ArrayRef<int64_t> batch = type.getShape().drop_back(2);
  if (batch.empty())
    return;
  auto shapeOf = [](Value x) {
    return cast<RankedTensorType>(x.getType()).getShape();
  };
  auto isOne = [&](Value x) {
    return ShapedType::getNumElements(shapeOf(x).drop_back(2)) == 1;
  };
  ArrayRef<int64_t> matrix = type.getShape().take_back(2);
  int64_t count = ShapedType::getNumElements(batch);
  if (isOne(op.getB()) && (count == 1 || !op.getTransposeA()) &&
      shapeOf(op.getA()).drop_back(2) == batch) {
    // With one product only, the rows of a transposed matrix are columns.
    ArrayRef<int64_t> left = shapeOf(op.getA()).take_back(2);
    Value x = reshaped(b, loc, op.getA(), {count * left[0], left[1]});
    Value y = reshaped(b, loc, op.getB(), shapeOf(op.getB()).take_back(2));
    auto product = MatMulOp::create(
        b, loc, type.clone({count * matrix[0], matrix[1]}), x, y,
        op.getTransposeAAttr(), op.getTransposeBAttr());
    copyNodeAttrs(op, product);
    op.replaceAllUsesWith(
        reshaped(b, loc, product.getC(), type.getShape()));
    op.erase();
    return;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<int64_t> shape = shapeOf(operand.get());
    if (isOne(operand.get()) || shape.drop_back(2) == batch)
      continue;
    SmallVector<int64_t> whole(batch);
    llvm::append_range(whole, shape.take_back(2));
    operand.set(
        BroadcastToOp::create(b, loc, type.clone(whole), operand.get()));
  }
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
    SmallVector<MatMulOp> products;
    getOperation().walk([&](MatMulOp op) { products.push_back(op); });
    llvm::for_each(products, prepareBatch);

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
