// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites the gradients of convolutions into the forms that CPUs have kernels
// for:
//
//   conv2d_backprop_input f, dy   ->  prepare_filter f, once for all images,
//                                     conv2d_prepared_backprop_input
//   conv2d_backprop_filter x, dy  ->  sum over the parts of
//                                     conv2d_filter_partials
//
// A product or convolution without any elements to multiply becomes zeros. GPUs
// take the gradients as they are, since their libraries have them.
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/codegen/contraction/Conv2DFilterKernel.h"
#include "lib/lowering/ConvSpec.h"
#include "lib/lowering/DeviceTarget.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_PREPARECONTRACTIONSPASS
#include "graphc/Passes.h.inc"

namespace {

void prepare(Conv2DBackpropInputOp op) {
  OpBuilder b(op);
  RankedTensorType filter = tensorType(op.getFilter());
  SmallVector<int64_t> shape(filter.getShape());
  std::swap(shape[2], shape[3]);
  auto prepared = PrepareFilterOp::create(b, op.getLoc(), filter.clone(shape),
                                          op.getFilter());
  auto gradient = Conv2DPreparedBackpropInputOp::create(
      b, op.getLoc(), op.getOutput().getType(), prepared, op.getOutBackprop(),
      op.getStridesAttr(), op.getPaddingAttr());
  gradient->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  prepared->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(gradient.getOutput());
  op.erase();
}

void prepare(Conv2DBackpropFilterOp op) {
  OpBuilder b(op);
  RankedTensorType filter = tensorType(op.getOutput());
  Conv2DSpec spec = convSpec(op, tensorType(op.getInput()), filter,
                             tensorType(op.getOutBackprop()));
  SmallVector<int64_t> shape(filter.getShape());
  shape.insert(shape.begin(), planConv2DBackpropFilter(spec).partials);
  auto partials = Conv2DFilterPartialsOp::create(
      b, op.getLoc(), filter.clone(shape), op.getInput(), op.getOutBackprop(),
      op.getStridesAttr(), op.getPaddingAttr());
  auto sum = SumOp::create(b, op.getLoc(), filter, partials.getPartials(),
                           b.getDenseI64ArrayAttr({0}), UnitAttr());
  partials->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  sum->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(sum.getY());
  op.erase();
}

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
      if (isa<MatMulOp, Conv2DOp, Conv2DBackpropInputOp,
              Conv2DBackpropFilterOp>(op) &&
          (llvm::any_of(op->getOperandTypes(), isEmpty) ||
           llvm::any_of(op->getResultTypes(), isEmpty)))
        empty.push_back(op);
    });
    llvm::for_each(empty, replaceByZeros);

    SmallVector<Conv2DBackpropInputOp> inputs;
    SmallVector<Conv2DBackpropFilterOp> filters;
    for (auto graph : getOperation().getOps<GraphOp>()) {
      if (isForAccelerator(graph))
        continue;
      graph.walk([&](Conv2DBackpropInputOp op) { inputs.push_back(op); });
      graph.walk([&](Conv2DBackpropFilterOp op) { filters.push_back(op); });
    }
    for (Conv2DBackpropInputOp op : inputs)
      prepare(op);
    for (Conv2DBackpropFilterOp op : filters)
      prepare(op);
  }
};

} // namespace
} // namespace graphc
