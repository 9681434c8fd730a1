// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions that are short for others.
#include "dialects/tfir/ops/windows/TfirConvOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"
#include "dialects/tfir/ops/windows/Windows.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirConvOps.cpp.inc"

static SmallVector<Value> one(Value value) { return {value}; }

//===-- separable_conv2d, atrous_conv2d -----------------------------------===//

LogicalResult SeparableConv2DOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(*this, getDataFormat())))
    return failure();
  bool isFirst = getDataFormat() == "NCHW";
  RankedTensorType input = tensorType(getInput());
  RankedTensorType pointwise = tensorType(getPointwiseFilter());
  FailureOr<SmallVector<int64_t>> shape = // (C2)
      depthwiseShape(*this, isFirst ? channelsLast(input) : input,
                     tensorType(getDepthwiseFilter()),
                     WindowAttrs::dilatedOf(*this));
  if (failed(shape))
    return failure();
  bool fits =
      pointwise.getRank() == 4 &&
      succeeded(verifyCompatibleShape(pointwise.getShape().take_front(3),
                                      ArrayRef<int64_t>{1, 1, shape->back()}));
  if (!fits) // (C1)
    return emitOpError() << "pointwise_filter has type " << pointwise
                         << ", expected [1, 1, " << shape->back()
                         << ", out] for the result of the depthwise filter";
  shape->back() = pointwise.getDimSize(3);
  RankedTensorType type = input.clone(*shape);
  types.push_back(isFirst ? channelsFirst(type) : type);
  return success();
}

Results SeparableConv2DOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  bool isFirst = getDataFormat() == "NCHW";
  Value images = getInput();
  RankedTensorType type = tensorType(getOutput());
  if (isFirst) {
    images = buildChannelsLast(b, loc, images);
    type = channelsLast(type);
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[3] = tensorType(getPointwiseFilter()).getDimSize(2);
  Value deep = DepthwiseConv2DOp::create(
      b, loc, type.clone(shape), images, getDepthwiseFilter(), getStrides(),
      getPadding(), getExplicitPaddings(), getDilations(), "NHWC");
  Value made = Conv2DOp::create(b, loc, type, deep, getPointwiseFilter(),
                                ArrayRef<int64_t>{1, 1}, "VALID");
  return one(isFirst ? buildChannelsFirst(b, loc, made) : made);
}

LogicalResult AtrousConv2DOp::inferTypes(SmallVectorImpl<Type> &types) {
  int64_t rate = getRate();
  if (rate < 1) // (C1)
    return emitOpError() << "has a rate of " << rate << ", expected >= 1";
  RankedTensorType input = tensorType(getInput());
  FailureOr<SmallVector<int64_t>> shape = convolutionShape( // (C2)
      *this, input, tensorType(getFilter()),
      {{1, 1}, getPadding(), getExplicitPaddings(), {rate, rate}});
  if (failed(shape))
    return failure();
  types.push_back(input.clone(*shape));
  return success();
}

Results AtrousConv2DOp::decompose(OpBuilder &b) {
  int64_t rate = getRate();
  return one(Conv2DOp::create(b, getLoc(), getOutput().getType(), getInput(),
                              getFilter(), ArrayRef<int64_t>{1, 1},
                              getPadding(), getExplicitPaddings(),
                              ArrayRef<int64_t>{rate, rate}));
}

//===-- conv2d_transpose --------------------------------------------------===//

LogicalResult Conv2DTransposeOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(*this, getDataFormat()))) // (C4)
    return failure();
  bool isFirst = getDataFormat() == "NCHW";
  RankedTensorType input = tensorType(getInput());
  RankedTensorType filter = tensorType(getFilter());
  ArrayRef<int64_t> sizes = getOutputShape();
  bool isShape =
      sizes.size() == 4 && (sizes[0] == -1 || sizes[0] >= 1) &&
      llvm::all_of(sizes.drop_front(), [](int64_t size) { return size >= 1; });
  if (!isShape || input.getRank() != 4) // (C1)
    return emitOpError() << "has the output_shape [" << sizes
                         << "] and images of type " << input
                         << ", expected images of rank 4 and four sizes >= 1, "
                            "of which the first may be -1";
  SmallVector<int64_t> shape(sizes);
  if (shape[0] == -1)
    shape[0] = input.getDimSize(0);
  RankedTensorType output = input.clone(shape);
  RankedTensorType last = isFirst ? channelsLast(output) : output;
  FailureOr<SmallVector<int64_t>> gradient = // (C2)
      convolutionShape(*this, last, filter, WindowAttrs::of(*this));
  if (failed(gradient))
    return failure();
  RankedTensorType given = isFirst ? channelsLast(input) : input;
  if (failed(verifyCompatibleShape(*gradient, given.getShape())))
    return emitOpError() << "has images of type " << input
                         << ", but a convolution of " << last << " with "
                         << filter << " gives " << last.clone(*gradient);
  if (failed(verifyNarrowPadding(*this, WindowAttrs::of(*this), filter)))
    return failure(); // (C3)
  types.push_back(output);
  return success();
}

/// `tfir.conv2d` of the images with zeros between and around them and the
/// filter turned by 180 degrees: what is left of a filter over the pixel that
/// it is made from. For the element types that `tfir.conv2d_backprop_input` has
/// no code for.
static Value convolveSpread(OpBuilder &b, Location loc, RankedTensorType type,
                            Value images, Value filter,
                            const WindowAttrs &attrs) {
  RankedTensorType given = tensorType(images);
  SmallVector<int64_t> kernel(tensorType(filter).getShape());
  SmallVector<int64_t> sizes(given.getShape()), begin(4, 0), strides(4, 1);
  for (unsigned i = 0; i < 2; ++i) {
    int64_t size = type.getDimSize(1 + i);
    sizes[1 + i] = size + kernel[i] - 1;
    begin[1 + i] = kernel[i] - 1 - attrs.pads(i, size, kernel[i]).first;
    strides[1 + i] = attrs.strides[i];
  }
  Value spread = PlaceBlockOp::create(b, loc, given.clone(sizes), images, sizes,
                                      begin, strides, APFloat(0.0));
  Value turned = ReverseOp::create(b, loc, filter.getType(), filter,
                                   ArrayRef<int64_t>{0, 1});
  return Conv2DOp::create(b, loc, type, spread,
                          buildTranspose(b, loc, turned, {0, 1, 3, 2}),
                          ArrayRef<int64_t>{1, 1}, "VALID");
}

Results Conv2DTransposeOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  bool isFirst = getDataFormat() == "NCHW";
  RankedTensorType type = tensorType(getOutput());
  Value images = getInput();
  if (isFirst) {
    images = buildChannelsLast(b, loc, images);
    type = channelsLast(type);
  }
  Value made;
  if (hasProductCode(type.getElementType()))
    made = Conv2DBackpropInputOp::create(b, loc, type, getFilter(), images,
                                         getStridesAttr(), getPaddingAttr(),
                                         getExplicitPaddingsAttr());
  else
    made = convolveSpread(b, loc, type, images, getFilter(),
                          WindowAttrs::of(*this));
  return one(isFirst ? buildChannelsFirst(b, loc, made) : made);
}

//===-- conv1d ------------------------------------------------------------===//

LogicalResult Conv1DOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(*this, getDataFormat(), "NWC", "NCW"))) // (C3)
    return failure();
  bool isFirst = getDataFormat() == "NCW";
  RankedTensorType input = tensorType(getInput());
  int64_t stride = getStride(), dilation = getDilation();
  FailureOr<SmallVector<int64_t>> shape = convolutionShape( // (C1), (C2)
      *this, isFirst ? channelsLast(input) : input, tensorType(getFilter()),
      {stride, getPadding(), getExplicitPaddings(), dilation}, /*dims=*/1,
      getGroups());
  if (failed(shape))
    return failure();
  RankedTensorType type = input.clone(*shape);
  types.push_back(isFirst ? channelsFirst(type) : type);
  return success();
}

/// The shape with a height of 1.
static SmallVector<int64_t> withHeight(ArrayRef<int64_t> shape, size_t at) {
  SmallVector<int64_t> result(shape);
  result.insert(result.begin() + at, 1);
  return result;
}

Results Conv1DOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  bool isFirst = getDataFormat() == "NCW";
  RankedTensorType type = tensorType(getOutput());
  if (isFirst)
    type = channelsLast(type);
  Value x = isFirst ? buildChannelsLast(b, loc, getInput()) : Value(getInput());
  x = buildReshape(b, loc, x, withHeight(tensorType(x).getShape(), 1));
  Value filter = buildReshape(
      b, loc, getFilter(), withHeight(tensorType(getFilter()).getShape(), 0));
  SmallVector<int64_t> paddings;
  if (!getExplicitPaddings().empty())
    paddings = {0, 0, getExplicitPaddings()[0], getExplicitPaddings()[1]};
  int64_t stride = getStride(), dilation = getDilation();
  Value made =
      Conv2DOp::create(b, loc, type.clone(withHeight(type.getShape(), 1)), x,
                       filter, ArrayRef<int64_t>{1, stride}, getPadding(),
                       paddings, ArrayRef<int64_t>{1, dilation}, getGroups());
  made = buildReshape(b, loc, made, type.getShape());
  return one(isFirst ? buildChannelsFirst(b, loc, made) : made);
}

//===-- conv3d ------------------------------------------------------------===//

LogicalResult Conv3DOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed( // (C3)
          verifyDataFormat(*this, getDataFormat(), "NDHWC", "NCDHW")))
    return failure();
  bool isFirst = getDataFormat() == "NCDHW";
  RankedTensorType input = tensorType(getInput());
  FailureOr<SmallVector<int64_t>> shape = convolutionShape( // (C1), (C2)
      *this, isFirst ? channelsLast(input) : input, tensorType(getFilter()),
      WindowAttrs::dilatedOf(*this), /*dims=*/3);
  if (failed(shape))
    return failure();
  RankedTensorType type = input.clone(*shape);
  types.push_back(isFirst ? channelsFirst(type) : type);
  return success();
}

/// Planes that one place of the filter meets lie beside each other as channels:
///   x [n, d, h, w, c] -> [n * out, h, w, depth * c]
///   f [depth, h, w, c, o] -> [h, w, depth * c, o]
Results Conv3DOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  bool isFirst = getDataFormat() == "NCDHW";
  WindowAttrs attrs = WindowAttrs::dilatedOf(*this);
  Value x = isFirst ? buildChannelsLast(b, loc, getInput()) : Value(getInput());
  RankedTensorType type = tensorType(getOutput());
  if (isFirst)
    type = channelsLast(type);
  Value filter = getFilter();
  auto f = llvm::to_vector(tensorType(filter).getShape());
  int64_t depth = tensorType(x).getDimSize(1), out = type.getDimSize(1);
  auto [before, after] = attrs.pads(0, depth, f[0]);
  x = buildZeroPadding(b, loc, x, 1, before, after);
  SmallVector<Value> planes;
  for (int64_t i = 0; i < f[0]; ++i)
    planes.push_back(
        buildEvery(b, loc, x, 1, i * attrs.dilation(0), out, attrs.strides[0]));
  x = buildConcat(b, loc, planes, 4);
  auto shape = llvm::to_vector(tensorType(x).getShape());
  x = buildReshape(b, loc, x, {shape[0] * out, shape[2], shape[3], shape[4]});
  filter = buildTranspose(b, loc, filter, {1, 2, 0, 3, 4});
  filter = buildReshape(b, loc, filter, {f[1], f[2], f[0] * f[3], f[4]});
  ArrayRef<int64_t> y = type.getShape();
  Value made =
      Conv2DOp::create(b, loc, type.clone({y[0] * out, y[2], y[3], y[4]}), x,
                       filter, getStrides().drop_front(), getPadding(),
                       attrs.isExplicit() ? getExplicitPaddings().drop_front(2)
                                          : ArrayRef<int64_t>(),
                       getDilations().drop_front());
  made = buildReshape(b, loc, made, y);
  return one(isFirst ? buildChannelsFirst(b, loc, made) : made);
}
