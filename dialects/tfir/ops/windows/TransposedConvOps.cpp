// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolutions of one to three spatial dimensions.
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"
#include "dialects/tfir/ops/windows/TfirConvOps.h"
#include "dialects/tfir/ops/windows/Windows.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

/// `last` and `first` are the two formats of data.
template <typename Op>
static LogicalResult inferTransposed(Op op, const WindowAttrs &attrs,
                                     StringRef last, StringRef first,
                                     SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(op, op.getDataFormat(), last, first))) // (C4)
    return failure();
  bool isFirst = op.getDataFormat() == first;
  RankedTensorType input = tensorType(op.getInput());
  RankedTensorType filter = tensorType(op.getFilter());
  ArrayRef<int64_t> sizes = op.getOutputShape();
  int64_t rank = last.size();
  bool isShape =
      static_cast<int64_t>(sizes.size()) == rank &&
      (sizes[0] == -1 || sizes[0] >= 1) &&
      llvm::all_of(sizes.drop_front(), [](int64_t size) { return size >= 1; });
  if (!isShape || input.getRank() != rank) // (C1)
    return op.emitOpError()
           << "has the output_shape [" << sizes << "] and images of type "
           << input << ", expected images of rank " << rank << " and " << rank
           << " sizes >= 1, of which the first may be -1";
  SmallVector<int64_t> shape(sizes);
  if (shape[0] == -1)
    shape[0] = input.getDimSize(0);
  RankedTensorType output = input.clone(shape);
  RankedTensorType made = isFirst ? channelsLast(output) : output;
  FailureOr<SmallVector<int64_t>> gradient = // (C2)
      convolutionShape(op, made, filter, attrs, rank - 2, op.getGroups());
  if (failed(gradient))
    return failure();
  RankedTensorType given = isFirst ? channelsLast(input) : input;
  if (failed(verifyCompatibleShape(*gradient, given.getShape())))
    return op.emitOpError()
           << "has images of type " << input << ", but a convolution of "
           << made << " with " << filter << " gives " << made.clone(*gradient);
  if (failed(verifyNarrowPadding(op, attrs, filter)))
    return failure(); // (C3)
  types.push_back(output);
  return success();
}

/// A convolution of the images with zeros between and around them with the
/// filter turned by 180 degrees: what is left of a filter over the pixel that
/// it is made from.
static Value convolveSpread(OpBuilder &b, Location loc, Value images,
                            Value filter, RankedTensorType type,
                            const WindowAttrs &attrs) {
  RankedTensorType given = tensorType(images);
  unsigned dims = attrs.strides.size();
  SmallVector<int64_t> kernel(tensorType(filter).getShape());
  SmallVector<int64_t> sizes(given.getShape());
  SmallVector<int64_t> begin(dims + 2, 0), strides(dims + 2, 1);
  for (unsigned i = 0; i < dims; ++i) {
    int64_t size = type.getDimSize(1 + i);
    int64_t around = attrs.extent(i, kernel[i]) - 1;
    sizes[1 + i] = size + around;
    begin[1 + i] = around - attrs.pads(i, size, kernel[i]).first;
    strides[1 + i] = attrs.strides[i];
  }
  Value spread = PlaceBlockOp::create(b, loc, given.clone(sizes), images, sizes,
                                      begin, strides, APFloat(0.0));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, dims));
  filter = ReverseOp::create(b, loc, filter.getType(), filter, axes);
  axes.append({dims + 1, dims});
  filter = buildTranspose(b, loc, filter, axes);
  SmallVector<int64_t> ones(dims, 1);
  if (dims == 3)
    return Conv3DOp::create(b, loc, type, spread, filter, ones, "VALID",
                            ArrayRef<int64_t>(), attrs.dilations);
  return Conv2DOp::create(b, loc, type, spread, filter, ones, "VALID",
                          ArrayRef<int64_t>(), attrs.dilations);
}

/// With channels last and one group.
static Value transposeConv(OpBuilder &b, Location loc, Value images,
                           Value filter, RankedTensorType type,
                           const WindowAttrs &attrs) {
  if (attrs.strides.size() != 2 || !hasProductCode(type.getElementType()))
    return convolveSpread(b, loc, images, filter, type, attrs);
  for (unsigned i = 0; i < 2; ++i)
    filter = buildSpread(b, loc, filter, i, attrs.dilation(i));
  return Conv2DBackpropInputOp::create(b, loc, type, filter, images,
                                       attrs.strides, attrs.padding,
                                       attrs.explicitPaddings);
}

/// Of two or three spatial dimensions.
template <typename Op>
static SmallVector<Value> decomposeTransposed(Op op, OpBuilder &b) {
  Location loc = op.getLoc();
  bool isFirst = op.getDataFormat().starts_with("NC");
  RankedTensorType type = tensorType(op.getOutput());
  Value images = op.getInput();
  if (isFirst) {
    images = buildChannelsLast(b, loc, images);
    type = channelsLast(type);
  }
  Value made =
      buildGroups(b, loc, images, op.getFilter(), type, op.getGroups(),
                  [&](Value images, Value filter, RankedTensorType type) {
                    return transposeConv(b, loc, images, filter, type,
                                         WindowAttrs::dilatedOf(op));
                  });
  return {isFirst ? buildChannelsFirst(b, loc, made) : made};
}

LogicalResult Conv2DTransposeOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferTransposed(*this, WindowAttrs::dilatedOf(*this), "NHWC", "NCHW",
                         types);
}

LogicalResult Conv3DTransposeOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferTransposed(*this, WindowAttrs::dilatedOf(*this), "NDHWC", "NCDHW",
                         types);
}

LogicalResult Conv1DTransposeOp::inferTypes(SmallVectorImpl<Type> &types) {
  int64_t stride = getStride(), dilation = getDilation();
  return inferTransposed(
      *this, {stride, getPadding(), getExplicitPaddings(), dilation}, "NWC",
      "NCW", types);
}

Results Conv2DTransposeOp::decompose(OpBuilder &b) {
  return decomposeTransposed(*this, b);
}

Results Conv3DTransposeOp::decompose(OpBuilder &b) {
  return decomposeTransposed(*this, b);
}

/// Of images of height 1.
Results Conv1DTransposeOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  bool isFirst = getDataFormat() == "NCW";
  RankedTensorType type = tensorType(getOutput());
  Value x = getInput();
  if (isFirst) {
    x = buildChannelsLast(b, loc, x);
    type = channelsLast(type);
  }
  x = buildReshape(b, loc, x, withHeight(tensorType(x).getShape()));
  Value filter = buildReshape(
      b, loc, getFilter(), withHeight(tensorType(getFilter()).getShape(), 0));
  SmallVector<int64_t> shape = withHeight(type.getShape());
  int64_t stride = getStride(), dilation = getDilation();
  Value made = Conv2DTransposeOp::create(
      b, loc, type.clone(shape), x, filter, shape, ArrayRef<int64_t>{1, stride},
      getPadding(), paddingsWithHeight(getExplicitPaddings()),
      ArrayRef<int64_t>{1, dilation}, getGroups());
  made = buildReshape(b, loc, made, type.getShape());
  return SmallVector<Value>{isFirst ? buildChannelsFirst(b, loc, made) : made};
}
