// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution, bias, dropout and l2_loss.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/arrange/TfirSpatialOps.h"
#include "dialects/tfir/ops/windows/TfirConvOps.h"
#include "dialects/tfir/ops/windows/Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace graphc::tfir;

//===-- Convolution -------------------------------------------------------===//

LogicalResult Conv2DOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(*this, getDataFormat()))) // (C8)
    return failure();
  RankedTensorType input = tensorType(getInput());
  Type ofFilter = tensorType(getFilter()).getElementType();
  if (input.getElementType() != ofFilter) // (C9)
    return emitOpError() << "images and filter have the element types "
                         << input.getElementType() << " and " << ofFilter
                         << "; cast one of them with tfir.cast";
  bool isFirst = getDataFormat() == "NCHW";
  FailureOr<SmallVector<int64_t>> shape =
      convolutionShape(*this, isFirst ? channelsLast(input) : input,
                       tensorType(getFilter()), WindowAttrs::dilatedOf(*this),
                       /*dims=*/2, getGroups()); // (C1) to (C7)
  if (failed(shape))
    return failure();
  RankedTensorType type = input.clone(*shape);
  types.push_back(isFirst ? channelsFirst(type) : type);
  return success();
}

bool Conv2DOp::isShorthand() {
  WindowAttrs attrs = WindowAttrs::dilatedOf(*this);
  return getDataFormat() != "NHWC" || getGroups() != 1 || attrs.isDilated() ||
         attrs.isWide(tensorType(getFilter()).getShape()) ||
         !hasProductCode(tensorType(getInput()).getElementType());
}

/// The product of the pixels below each place of the filter, as rows, with the
/// filter. REQUIRES: NHWC, one group.
static Value productOfPatches(Conv2DOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value input = op.getInput(), filter = op.getFilter();
  StringRef padding = op.getPadding();
  if (padding == "EXPLICIT") {
    ArrayRef<int64_t> pads = op.getExplicitPaddings();
    for (int64_t i = 0; i < 2; ++i)
      input =
          buildZeroPadding(b, loc, input, 1 + i, pads[2 * i], pads[2 * i + 1]);
    padding = "VALID";
  }
  RankedTensorType type = tensorType(op.getOutput());
  ArrayRef<int64_t> window = tensorType(filter).getShape();
  int64_t terms = window[0] * window[1] * window[2];
  SmallVector<int64_t> shape(type.getShape());
  shape[3] = terms;
  Value patches = ExtractPatchesOp::create(
      b, loc, type.clone(shape), input, window.take_front(2), op.getStrides(),
      b.getDenseI64ArrayAttr(op.getDilations()), padding);
  int64_t rows = ShapedType::getNumElements(type.getShape().drop_back());
  Value product = MatMulOp::create(
      b, loc, type.clone({rows, window[3]}),
      buildReshape(b, loc, patches, {rows, terms}),
      buildReshape(b, loc, filter, {terms, window[3]}), UnitAttr(), UnitAttr());
  return buildReshape(b, loc, product, type.getShape());
}

/// Each step leaves a convolution with one attribute less to expand.
FailureOr<SmallVector<Value>> Conv2DOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value input = getInput(), filter = getFilter();
  int64_t groups = getGroups();
  auto convolve = [&](Value images, Value filter, RankedTensorType type,
                      StringAttr padding, ArrayRef<int64_t> paddings,
                      ArrayRef<int64_t> dilations,
                      int64_t groups = 1) -> Value {
    return Conv2DOp::create(b, loc, type, images, filter, getStrides(),
                            padding.getValue(), paddings, dilations, groups,
                            "NHWC");
  };
  RankedTensorType type = tensorType(getOutput());
  if (getDataFormat() == "NCHW") {
    Value made = convolve(buildChannelsLast(b, loc, input), filter,
                          channelsLast(type), getPaddingAttr(),
                          getExplicitPaddings(), getDilations(), groups);
    return SmallVector<Value>{buildChannelsFirst(b, loc, made)};
  }
  if (groups > 1) {
    if (tensorType(filter).getDimSize(2) == 1 &&
        type.getElementType().isF32()) {
      // The filter of each channel: [height, width, channel, multiplier].
      auto filterShape = tensorType(filter).getShape();
      Value depthwise = buildReshape(b, loc, filter,
                                     {filterShape[0], filterShape[1], groups,
                                      type.getDimSize(3) / groups});
      Value made = DepthwiseConv2DOp::create(
          b, loc, type, input, depthwise, getStrides(), getPadding(),
          getExplicitPaddings(), getDilations(), "NHWC");
      return SmallVector<Value>{made};
    }
    return SmallVector<Value>{
        buildGroups(b, loc, input, filter, type, groups,
                    [&](Value images, Value filter, RankedTensorType type) {
                      return convolve(images, filter, type, getPaddingAttr(),
                                      getExplicitPaddings(), getDilations());
                    })};
  }
  if (!hasProductCode(type.getElementType()))
    return SmallVector<Value>{productOfPatches(*this, b)};
  if (WindowAttrs::dilatedOf(*this).isWide(tensorType(filter).getShape())) {
    ArrayRef<int64_t> pads = getExplicitPaddings();
    for (int64_t i = 0; i < 2; ++i)
      input =
          buildZeroPadding(b, loc, input, 1 + i, pads[2 * i], pads[2 * i + 1]);
    return SmallVector<Value>{convolve(
        input, filter, type, b.getStringAttr("VALID"), {}, getDilations())};
  }
  // A filter with zeros between its elements.
  for (int64_t i = 0; i < 2; ++i)
    filter = buildSpread(b, loc, filter, i, getDilations()[i]);
  return SmallVector<Value>{convolve(input, filter, type, getPaddingAttr(),
                                     getExplicitPaddings(), {1, 1})};
}

LogicalResult Conv2DOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                      MutableArrayRef<Value> result) {
  result[0] = Conv2DBackpropInputOp::create(
      b, getLoc(), getInput().getType(), getFilter(), gradients[0],
      getStridesAttr(), getPaddingAttr(), getExplicitPaddingsAttr());
  result[1] = Conv2DBackpropFilterOp::create(
      b, getLoc(), getFilter().getType(), getInput(), gradients[0],
      getStridesAttr(), getPaddingAttr(), getExplicitPaddingsAttr());
  return success();
}

/// The sum of g * conv2d_backprop_input(f, y) is that of y * conv2d(g, f).
LogicalResult
Conv2DBackpropInputOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                     MutableArrayRef<Value> result) {
  result[0] = Conv2DBackpropFilterOp::create(
      b, getLoc(), getFilter().getType(), gradients[0], getOutBackprop(),
      getStridesAttr(), getPaddingAttr(), getExplicitPaddingsAttr());
  result[1] = Conv2DOp::create(b, getLoc(), getOutBackprop().getType(),
                               gradients[0], getFilter(), getStrides(),
                               getPadding(), getExplicitPaddings());
  return success();
}

LogicalResult
Conv2DBackpropFilterOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                      MutableArrayRef<Value> result) {
  result[0] = Conv2DBackpropInputOp::create(
      b, getLoc(), getInput().getType(), gradients[0], getOutBackprop(),
      getStridesAttr(), getPaddingAttr(), getExplicitPaddingsAttr());
  result[1] = Conv2DOp::create(b, getLoc(), getOutBackprop().getType(),
                               getInput(), gradients[0], getStrides(),
                               getPadding(), getExplicitPaddings());
  return success();
}

/// (C1) of the gradients.
static LogicalResult verifyConv(Operation *op, RankedTensorType input,
                                RankedTensorType filter,
                                RankedTensorType output,
                                const WindowAttrs &attrs) {
  FailureOr<SmallVector<int64_t>> shape =
      convolutionShape(op, input, filter, attrs);
  if (failed(shape))
    return failure();
  if (failed(verifyCompatibleShape(*shape, output.getShape())))
    return op->emitOpError()
           << "out_backprop has type " << output << ", but the convolution of "
           << input << " with " << filter << " gives " << output.clone(*shape);
  return verifyNarrowPadding(op, attrs, filter); // (C2)
}

LogicalResult Conv2DBackpropInputOp::verify() {
  return verifyConv(*this, tensorType(getOutput()), tensorType(getFilter()),
                    tensorType(getOutBackprop()), WindowAttrs::of(*this));
}

LogicalResult Conv2DBackpropFilterOp::verify() {
  return verifyConv(*this, tensorType(getInput()), tensorType(getOutput()),
                    tensorType(getOutBackprop()), WindowAttrs::of(*this));
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
                    tensorType(getOutBackprop()), WindowAttrs::of(*this));
}

LogicalResult Conv2DFilterPartialsOp::verify() {
  RankedTensorType partials = tensorType(getPartials());
  if (partials.getRank() != 5)
    return emitOpError() << "gives parts of rank 5, not " << partials;
  return verifyConv(*this, tensorType(getInput()),
                    partials.clone(partials.getShape().drop_front()),
                    tensorType(getOutBackprop()), WindowAttrs::of(*this));
}

//===-- bias_add, dropout, l2_loss: other ops in short --------------------===//

LogicalResult BiasAddOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(*this, getDataFormat()))) // (C2)
    return failure();
  RankedTensorType value = tensorType(getValue()), bias = tensorType(getBias());
  bool isFirst = getDataFormat() == "NCHW";
  int64_t axis = isFirst ? 1 : value.getRank() - 1;
  bool fits = value.getRank() > axis && axis >= 0 && bias.getRank() == 1 &&
              value.getElementType() == bias.getElementType() &&
              succeeded(verifyCompatibleShape(value.getShape().slice(axis, 1),
                                              bias.getShape()));
  if (!fits) // (C1)
    return emitOpError() << "bias of type " << bias << " is not a vector for "
                         << (isFirst ? "dimension 1" : "the last dimension")
                         << " of " << value;
  types.push_back(value);
  return success();
}

FailureOr<SmallVector<Value>> BiasAddOp::decompose(OpBuilder &b) {
  Value bias = getBias();
  if (getDataFormat() == "NCHW") {
    RankedTensorType value = tensorType(getValue());
    SmallVector<int64_t> shape(value.getRank() - 1, 1);
    shape[0] = value.getDimSize(1);
    bias = buildReshape(b, getLoc(), bias, shape);
  }
  return SmallVector<Value>{
      AddOp::create(b, getLoc(), getValue().getType(), getValue(), bias)};
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
  auto single = RankedTensorType::get({}, b.getF32Type());
  auto random =
      RandomUniformOp::create(b, loc, type.clone(b.getF32Type()), APFloat(0.0),
                              APFloat(1.0), getSeedAttr());
  // The stream follows from the dropout's name.
  random->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  FailureOr<SmallVector<Value>> u = random.decompose(b);
  random.erase();
  auto mask = RankedTensorType::get(type.getShape(), b.getI1Type());
  Value kept =
      LessOp::create(b, loc, mask, (*u)[0], splat(b, loc, single, keep));
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
