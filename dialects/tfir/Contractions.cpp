// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ContractionInterface: the spec of each matrix product and convolution.
#include "dialects/tfir/MatmulBatch.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/windows/Windows.h"

using namespace mlir;
using namespace graphc::tfir;

/// The convolution of images NHWC with a filter HWIO to a result NHWC; `op`
/// gives strides and padding.
template <typename Op>
static Conv2DSpec convolution(Op op, RankedTensorType images,
                              RankedTensorType filter,
                              RankedTensorType result) {
  WindowAttrs attrs = WindowAttrs::of(op);
  Conv2DSpec spec;
  spec.batch = images.getDimSize(0);
  spec.inHeight = images.getDimSize(1);
  spec.inWidth = images.getDimSize(2);
  spec.inChannels = images.getDimSize(3);
  spec.kernelHeight = filter.getDimSize(0);
  spec.kernelWidth = filter.getDimSize(1);
  spec.outHeight = result.getDimSize(1);
  spec.outWidth = result.getDimSize(2);
  spec.outChannels = result.getDimSize(3);
  spec.strideHeight = op.getStrides()[0];
  spec.strideWidth = op.getStrides()[1];
  spec.padTop = attrs.along(0, spec.inHeight, spec.kernelHeight).padBefore;
  spec.padLeft = attrs.along(1, spec.inWidth, spec.kernelWidth).padBefore;
  return spec;
}

/// The filter before its channels were exchanged.
static RankedTensorType plainFilter(RankedTensorType prepared) {
  SmallVector<int64_t> shape(prepared.getShape());
  std::swap(shape[2], shape[3]);
  return prepared.clone(shape);
}

ContractionSpec MatMulOp::getSpec() {
  ArrayRef<int64_t> a = tensorType(getA()).getShape().take_back(2);
  ArrayRef<int64_t> c = tensorType(getC()).getShape().take_back(2);
  ContractionSpec spec{ContractionKind::Matmul};
  spec.matmul = {c[0], c[1], a[getTransposeA() ? 0 : 1], getTransposeA(),
                 getTransposeB()};
  return spec;
}

MatmulBatch graphc::tfir::batchOf(Operation *contraction) {
  MatmulBatch batch;
  auto product = dyn_cast<MatMulOp>(contraction);
  if (!product)
    return batch;
  batch.shape.assign(tensorType(product.getC()).getShape().drop_back(2));
  auto strideOf = [](Value operand) -> int64_t {
    ArrayRef<int64_t> shape = tensorType(operand).getShape();
    int64_t matrix = ShapedType::getNumElements(shape.take_back(2));
    return ShapedType::getNumElements(shape) == matrix ? 0 : matrix;
  };
  batch.strideA = strideOf(product.getA());
  batch.strideB = strideOf(product.getB());
  return batch;
}

ContractionSpec Conv2DOp::getSpec() {
  ContractionSpec spec{ContractionKind::Conv2D};
  spec.conv = convolution(*this, tensorType(getInput()),
                          tensorType(getFilter()), tensorType(getOutput()));
  return spec;
}

ContractionSpec Conv2DBackpropInputOp::getSpec() {
  ContractionSpec spec{ContractionKind::Conv2DBackpropInput};
  spec.conv =
      convolution(*this, tensorType(getOutput()), tensorType(getFilter()),
                  tensorType(getOutBackprop()));
  return spec;
}

ContractionSpec Conv2DPreparedBackpropInputOp::getSpec() {
  ContractionSpec spec{ContractionKind::Conv2DBackpropInput};
  spec.conv = convolution(*this, tensorType(getOutput()),
                          plainFilter(tensorType(getPrepared())),
                          tensorType(getOutBackprop()));
  spec.filterPrepared = true;
  return spec;
}

ContractionSpec Conv2DBackpropFilterOp::getSpec() {
  ContractionSpec spec{ContractionKind::Conv2DBackpropFilter};
  spec.conv =
      convolution(*this, tensorType(getInput()), tensorType(getOutput()),
                  tensorType(getOutBackprop()));
  return spec;
}

ContractionSpec Conv2DFilterPartialsOp::getSpec() {
  RankedTensorType partials = tensorType(getPartials());
  ContractionSpec spec{ContractionKind::Conv2DBackpropFilter};
  spec.conv = convolution(*this, tensorType(getInput()),
                          partials.clone(partials.getShape().drop_front()),
                          tensorType(getOutBackprop()));
  spec.partials = partials.getDimSize(0);
  return spec;
}

ContractionSpec PrepareFilterOp::getSpec() {
  RankedTensorType filter = tensorType(getFilter());
  ContractionSpec spec{ContractionKind::PrepareFilter};
  spec.conv.batch = spec.conv.inHeight = spec.conv.inWidth = 1;
  spec.conv.outHeight = spec.conv.outWidth = 1;
  spec.conv.kernelHeight = filter.getDimSize(0);
  spec.conv.kernelWidth = filter.getDimSize(1);
  spec.conv.inChannels = filter.getDimSize(2);
  spec.conv.outChannels = filter.getDimSize(3);
  return spec;
}
