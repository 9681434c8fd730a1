// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions that are short for others.
#include "dialects/tfir/ops/windows/TfirConvOps.h"

#include "dialects/tfir/CallForm.h"
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

Results Conv1DOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  bool isFirst = getDataFormat() == "NCW";
  RankedTensorType type = tensorType(getOutput());
  if (isFirst)
    type = channelsLast(type);
  Value x = isFirst ? buildChannelsLast(b, loc, getInput()) : Value(getInput());
  x = buildReshape(b, loc, x, withHeight(tensorType(x).getShape()));
  Value filter = buildReshape(
      b, loc, getFilter(), withHeight(tensorType(getFilter()).getShape(), 0));
  int64_t stride = getStride(), dilation = getDilation();
  Value made =
      Conv2DOp::create(b, loc, type.clone(withHeight(type.getShape())), x,
                       filter, ArrayRef<int64_t>{1, stride}, getPadding(),
                       paddingsWithHeight(getExplicitPaddings()),
                       ArrayRef<int64_t>{1, dilation}, getGroups());
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
      WindowAttrs::dilatedOf(*this), /*dims=*/3, getGroups());
  if (failed(shape))
    return failure();
  RankedTensorType type = input.clone(*shape);
  types.push_back(isFirst ? channelsFirst(type) : type);
  return success();
}

/// Planes that one place of the filter meets lie beside each other as channels:
///   x [n, d, h, w, c] -> [n * out, h, w, depth * c]
///   f [depth, h, w, c, o] -> [h, w, depth * c, o]
static Value convolvePlanes(OpBuilder &b, Location loc, Value x, Value filter,
                            RankedTensorType type, const WindowAttrs &attrs) {
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
                       filter, attrs.strides.drop_front(), attrs.padding,
                       attrs.isExplicit() ? attrs.explicitPaddings.drop_front(2)
                                          : ArrayRef<int64_t>(),
                       attrs.dilations.drop_front());
  return buildReshape(b, loc, made, y);
}

Results Conv3DOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  bool isFirst = getDataFormat() == "NCDHW";
  Value x = isFirst ? buildChannelsLast(b, loc, getInput()) : Value(getInput());
  RankedTensorType type = tensorType(getOutput());
  if (isFirst)
    type = channelsLast(type);
  Value made =
      buildGroups(b, loc, x, getFilter(), type, getGroups(),
                  [&](Value images, Value filter, RankedTensorType type) {
                    return convolvePlanes(b, loc, images, filter, type,
                                          WindowAttrs::dilatedOf(*this));
                  });
  return one(isFirst ? buildChannelsFirst(b, loc, made) : made);
}
