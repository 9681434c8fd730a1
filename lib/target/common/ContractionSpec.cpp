// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/ContractionSpec.h"

#include "lib/target/common/ConvSpec.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

bool isContraction(Operation *op) {
  return isa<MatMulOp, Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp,
             Conv2DPreparedBackpropInputOp, Conv2DFilterPartialsOp,
             PrepareFilterOp>(op);
}

Operation *findContraction(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isContraction(&op))
      return &op;
  return nullptr;
}

double contractionFlops(Operation *contraction) {
  return llvm::TypeSwitch<Operation *, double>(contraction)
      .Case<MatMulOp, Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp,
            Conv2DPreparedBackpropInputOp, Conv2DFilterPartialsOp>(
          [](auto op) { return specOf(op).flops(); })
      .Default([](Operation *) { return 0.0; });
}

/// The filter before its channels were exchanged.
static RankedTensorType plainFilter(RankedTensorType prepared) {
  SmallVector<int64_t> shape(prepared.getShape());
  std::swap(shape[2], shape[3]);
  return prepared.clone(shape);
}

MatmulSpec specOf(MatMulOp op) {
  RankedTensorType a = tensorType(op.getA()), c = tensorType(op.getC());
  return {c.getDimSize(0), c.getDimSize(1),
          a.getDimSize(op.getTransposeA() ? 0 : 1), op.getTransposeA(),
          op.getTransposeB()};
}

Conv2DSpec specOf(Conv2DOp op) {
  return convSpec(op, tensorType(op.getInput()), tensorType(op.getFilter()),
                  tensorType(op.getOutput()));
}

Conv2DSpec specOf(Conv2DBackpropInputOp op) {
  return convSpec(op, tensorType(op.getOutput()), tensorType(op.getFilter()),
                  tensorType(op.getOutBackprop()));
}

Conv2DSpec specOf(Conv2DBackpropFilterOp op) {
  return convSpec(op, tensorType(op.getInput()), tensorType(op.getOutput()),
                  tensorType(op.getOutBackprop()));
}

Conv2DSpec specOf(Conv2DPreparedBackpropInputOp op) {
  return convSpec(op, tensorType(op.getOutput()),
                  plainFilter(tensorType(op.getPrepared())),
                  tensorType(op.getOutBackprop()));
}

Conv2DSpec specOf(Conv2DFilterPartialsOp op) {
  RankedTensorType partials = tensorType(op.getPartials());
  return convSpec(op, tensorType(op.getInput()),
                  partials.clone(partials.getShape().drop_front()),
                  tensorType(op.getOutBackprop()));
}

Conv2DSpec specOf(PrepareFilterOp op) {
  RankedTensorType filter = tensorType(op.getFilter());
  Conv2DSpec spec{};
  spec.batch = spec.inHeight = spec.inWidth = 1;
  spec.outHeight = spec.outWidth = 1;
  spec.kernelHeight = filter.getDimSize(0);
  spec.kernelWidth = filter.getDimSize(1);
  spec.inChannels = filter.getDimSize(2);
  spec.outChannels = filter.getDimSize(3);
  return spec;
}

} // namespace graphc
