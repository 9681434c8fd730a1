// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution, bias, dropout and l2_loss.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace graphc::tfir;

//===-- Convolution -------------------------------------------------------===//

/// The output's shape of a convolution, or failure after an error on `op`.
static FailureOr<SmallVector<int64_t>>
convShape(Operation *op, RankedTensorType input, RankedTensorType filter,
          ArrayRef<int64_t> strides, StringRef padding) {
  if (input.getRank() != 4 || filter.getRank() != 4) // (C1)
    return op->emitOpError() << "expects images NHWC and a filter HWIO of rank "
                                "4, but the types are "
                             << input << " and " << filter;
  if (input.getDimSize(3) != filter.getDimSize(2))
    return op->emitOpError()
           << "images have " << input.getDimSize(3)
           << " channels, but the filter takes " << filter.getDimSize(2);
  if (padding != "SAME" && padding != "VALID") // (C2)
    return op->emitOpError()
           << "padding is '" << padding << "', expected \"SAME\" or \"VALID\"";
  if (strides.size() != 2 || strides[0] < 1 || strides[1] < 1) // (C3)
    return op->emitOpError() << "expects two strides >= 1";
  if (failed(verifyWindow(op, strides)))
    return failure();
  SmallVector<int64_t> shape{input.getDimSize(0), 0, 0, filter.getDimSize(3)};
  for (int i = 0; i < 2; ++i) {
    int64_t in = input.getDimSize(1 + i), kernel = filter.getDimSize(i);
    if (ShapedType::isDynamic(in) || ShapedType::isDynamic(kernel)) {
      shape[1 + i] = ShapedType::kDynamic;
      continue;
    }
    shape[1 + i] = windowOf(in, kernel, strides[i], padding == "SAME").out;
    if (shape[1 + i] < 1) // (C4)
      return op->emitOpError() << "a filter of size " << kernel
                               << " does not fit into an image of size " << in;
  }
  return shape;
}

LogicalResult Conv2DOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType input = tensorType(getInput());
  FailureOr<SmallVector<int64_t>> shape = convShape(
      *this, input, tensorType(getFilter()), getStrides(), getPadding());
  if (failed(shape))
    return failure();
  types.push_back(input.clone(*shape));
  return success();
}

LogicalResult Conv2DOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                      MutableArrayRef<Value> result) {
  result[0] = Conv2DBackpropInputOp::create(b, getLoc(), getInput().getType(),
                                            getFilter(), gradients[0],
                                            getStridesAttr(), getPaddingAttr());
  result[1] = Conv2DBackpropFilterOp::create(
      b, getLoc(), getFilter().getType(), getInput(), gradients[0],
      getStridesAttr(), getPaddingAttr());
  return success();
}

/// (C1) of the gradients.
static LogicalResult verifyConv(Operation *op, RankedTensorType input,
                                RankedTensorType filter,
                                RankedTensorType output,
                                ArrayRef<int64_t> strides, StringRef padding) {
  FailureOr<SmallVector<int64_t>> shape =
      convShape(op, input, filter, strides, padding);
  if (failed(shape))
    return failure();
  if (failed(verifyCompatibleShape(*shape, output.getShape())))
    return op->emitOpError()
           << "out_backprop has type " << output << ", but the convolution of "
           << input << " with " << filter << " gives " << output.clone(*shape);
  return success();
}

LogicalResult Conv2DBackpropInputOp::verify() {
  return verifyConv(*this, tensorType(getOutput()), tensorType(getFilter()),
                    tensorType(getOutBackprop()), getStrides(), getPadding());
}

LogicalResult Conv2DBackpropFilterOp::verify() {
  return verifyConv(*this, tensorType(getInput()), tensorType(getOutput()),
                    tensorType(getOutBackprop()), getStrides(), getPadding());
}

/// The filter whose channels and directions were exchanged.
static RankedTensorType exchanged(RankedTensorType filter) {
  SmallVector<int64_t> shape(filter.getShape());
  if (shape.size() == 4)
    std::swap(shape[2], shape[3]);
  return filter.clone(shape);
}

LogicalResult PrepareFilterOp::verify() {
  RankedTensorType filter = tensorType(getFilter());
  if (filter.getRank() != 4 || exchanged(filter) != getPrepared().getType())
    return emitOpError() << "cannot prepare " << filter << " as " // (C1)
                         << getPrepared().getType();
  return success();
}

LogicalResult Conv2DPreparedBackpropInputOp::verify() {
  return verifyConv(*this, tensorType(getOutput()),
                    exchanged(tensorType(getPrepared())),
                    tensorType(getOutBackprop()), getStrides(), getPadding());
}

LogicalResult Conv2DFilterPartialsOp::verify() {
  RankedTensorType partials = tensorType(getPartials());
  if (partials.getRank() != 5)
    return emitOpError() << "gives parts of rank 5, not " << partials;
  return verifyConv(*this, tensorType(getInput()),
                    partials.clone(partials.getShape().drop_front()),
                    tensorType(getOutBackprop()), getStrides(), getPadding());
}

//===-- bias_add, dropout, l2_loss: other ops in short --------------------===//

LogicalResult BiasAddOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType value = tensorType(getValue()), bias = tensorType(getBias());
  bool fits = value.getRank() >= 1 && bias.getRank() == 1 &&
              value.getElementType() == bias.getElementType() &&
              succeeded(verifyCompatibleShape(value.getShape().take_back(),
                                              bias.getShape()));
  if (!fits) // (C1)
    return emitOpError() << "bias of type " << bias
                         << " is not a vector for the last dimension of "
                         << value;
  types.push_back(value);
  return success();
}

FailureOr<SmallVector<Value>> BiasAddOp::decompose(OpBuilder &b) {
  return SmallVector<Value>{
      AddOp::create(b, getLoc(), getValue().getType(), getValue(), getBias())};
}

LogicalResult DropoutOp::inferTypes(SmallVectorImpl<Type> &types) {
  double keep = getKeepProb().convertToDouble();
  if (!(keep > 0 && keep <= 1)) // (C1)
    return emitOpError() << "keep_prob is " << keep << ", expected (0, 1]";
  types.push_back(getX().getType());
  return success();
}

FailureOr<SmallVector<Value>> DropoutOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  double keep = getKeepProb().convertToDouble();
  if (keep == 1)
    return SmallVector<Value>{getX()};
  RankedTensorType type = tensorType(getX());
  auto number = RankedTensorType::get({}, type.getElementType());
  auto random = RandomUniformOp::create(b, loc, type, APFloat(0.0),
                                        APFloat(1.0), getSeedAttr());
  // The stream follows from the dropout's name.
  random->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  FailureOr<SmallVector<Value>> u = random.decompose(b);
  random.erase();
  auto mask = RankedTensorType::get(type.getShape(), b.getI1Type());
  Value kept =
      LessOp::create(b, loc, mask, (*u)[0], splat(b, loc, number, keep));
  Value scaled =
      MulOp::create(b, loc, type, getX(), splat(b, loc, number, 1 / keep));
  return SmallVector<Value>{
      SelectOp::create(b, loc, type, kept, scaled, splat(b, loc, number, 0))};
}

LogicalResult L2LossOp::inferTypes(SmallVectorImpl<Type> &types) {
  types.push_back(
      RankedTensorType::get({}, tensorType(getX()).getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> L2LossOp::decompose(OpBuilder &b) {
  Type scalarType = getLoss().getType();
  Value square = SquareOp::create(b, getLoc(), getX().getType(), getX());
  Value sum = SumOp::create(b, getLoc(), scalarType, square,
                            DenseI64ArrayAttr(), UnitAttr());
  Value half = splat(b, getLoc(), cast<RankedTensorType>(scalarType), 0.5);
  return SmallVector<Value>{MulOp::create(b, getLoc(), scalarType, sum, half)};
}
