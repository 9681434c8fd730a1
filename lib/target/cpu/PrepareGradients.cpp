// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cpu/PrepareGradients.h"

#include "dialects/tfir/Support.h"
#include "lib/target/cpu/contraction/Conv2DFilterKernel.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

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
      op.getStridesAttr(), op.getPaddingAttr(), op.getExplicitPaddingsAttr());
  copyNodeAttrs(op, gradient);
  copyNodeAttrs(op, prepared);
  // Values are looked at by name: this is none of the source.
  if (StringAttr name = getNodeName(op))
    setNodeName(prepared, b.getStringAttr(name.getValue() + "/PrepareFilter"));
  op.replaceAllUsesWith(gradient.getOutput());
  op.erase();
}

void prepare(Conv2DBackpropFilterOp op) {
  OpBuilder b(op);
  RankedTensorType filter = tensorType(op.getOutput());
  SmallVector<int64_t> shape(filter.getShape());
  shape.insert(shape.begin(),
               planConv2DBackpropFilter(op.getSpec().conv).partials);
  auto partials = Conv2DFilterPartialsOp::create(
      b, op.getLoc(), filter.clone(shape), op.getInput(), op.getOutBackprop(),
      op.getStridesAttr(), op.getPaddingAttr(), op.getExplicitPaddingsAttr());
  auto sum = SumOp::create(b, op.getLoc(), filter, partials.getPartials(),
                           b.getDenseI64ArrayAttr({0}), UnitAttr());
  copyNodeAttrs(op, partials);
  copyNodeAttrs(op, sum);
  op.replaceAllUsesWith(sum.getY());
  op.erase();
}

} // namespace

void prepareGradient(Operation *op) {
  if (auto byInput = dyn_cast<Conv2DBackpropInputOp>(op))
    prepare(byInput);
  else if (auto byFilter = dyn_cast<Conv2DBackpropFilterOp>(op))
    prepare(byFilter);
}

} // namespace graphc
