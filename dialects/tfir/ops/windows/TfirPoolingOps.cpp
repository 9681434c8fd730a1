// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools that are short for others.
#include "dialects/tfir/ops/windows/TfirPoolingOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/windows/TfirConvOps.h"
#include "dialects/tfir/ops/windows/Windows.h"

#include <cmath>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirPoolingOps.cpp.inc"

static SmallVector<Value> one(Value value) { return {value}; }

//===-- Whole images ------------------------------------------------------===//

template <typename Op> static SmallVector<int64_t> spatialAxes(Op op) {
  int64_t first = op.getDataFormat() == "NCHW" ? 2 : 1;
  int64_t rank = tensorType(op.getInput()).getRank();
  return llvm::to_vector(
      llvm::seq<int64_t>(first, first == 2 ? rank : rank - 1));
}

template <typename Op>
static LogicalResult inferGlobal(Op op, SmallVectorImpl<Type> &types) {
  RankedTensorType input = tensorType(op.getInput());
  if (input.getRank() < 3) // (C1)
    return op.emitOpError()
           << "expects images of rank 3 or more, not " << input;
  if (failed(verifyDataFormat(op, op.getDataFormat()))) // (C2)
    return failure();
  SmallVector<int64_t> axes = spatialAxes(op), shape;
  for (auto [i, size] : llvm::enumerate(input.getShape())) {
    bool isSpatial = llvm::is_contained(axes, static_cast<int64_t>(i));
    if (!isSpatial || op.getKeepDims())
      shape.push_back(isSpatial ? 1 : size);
  }
  types.push_back(input.clone(shape));
  return success();
}

LogicalResult GlobalAvgPoolOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferGlobal(*this, types);
}
LogicalResult GlobalMaxPoolOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferGlobal(*this, types);
}

Results GlobalAvgPoolOp::decompose(OpBuilder &b) {
  return one(MeanOp::create(b, getLoc(), getOutput().getType(), getInput(),
                            b.getDenseI64ArrayAttr(spatialAxes(*this)),
                            getKeepDimsAttr()));
}
Results GlobalMaxPoolOp::decompose(OpBuilder &b) {
  return one(MaxOp::create(b, getLoc(), getOutput().getType(), getInput(),
                           b.getDenseI64ArrayAttr(spatialAxes(*this)),
                           getKeepDimsAttr()));
}

//===-- By the size of the result -----------------------------------------===//

template <typename Op>
static LogicalResult inferAdaptive(Op op, SmallVectorImpl<Type> &types) {
  RankedTensorType input = tensorType(op.getInput());
  ArrayRef<int64_t> sizes = op.getOutputSize();
  if (input.getRank() != 4 || sizes.size() != 2 || sizes[0] < 1 ||
      sizes[1] < 1) // (C1)
    return op.emitOpError() << "expects images of rank 4 and two numbers >= 1 "
                               "as output_size, not "
                            << input << " and [" << sizes << "]";
  if (failed(verifyDataFormat(op, op.getDataFormat()))) // (C3)
    return failure();
  int64_t first = op.getDataFormat() == "NCHW" ? 2 : 1;
  SmallVector<int64_t> shape(input.getShape());
  for (int64_t i = 0; i < 2; ++i) {
    int64_t &size = shape[first + i];
    if (!ShapedType::isDynamic(size) && size % sizes[i]) // (C2)
      return op.emitOpError()
             << "cannot cut " << size << " pixels into " << sizes[i]
             << " windows of one size; make output_size a divisor";
    size = sizes[i];
  }
  types.push_back(input.clone(shape));
  return success();
}

template <typename Pool, typename Op>
static SmallVector<Value> decomposeAdaptive(Op op, OpBuilder &b) {
  int64_t first = op.getDataFormat() == "NCHW" ? 2 : 1;
  SmallVector<int64_t> ksize;
  for (int64_t i = 0; i < 2; ++i)
    ksize.push_back(tensorType(op.getInput()).getDimSize(first + i) /
                    op.getOutputSize()[i]);
  // An image without pixels has windows of none, which no pool has.
  for (int64_t &size : ksize)
    size = std::max<int64_t>(size, 1);
  return one(Pool::create(b, op.getLoc(), op.getOutput().getType(),
                          op.getInput(), ksize, ksize, "VALID",
                          ArrayRef<int64_t>(), op.getDataFormat()));
}

LogicalResult AdaptiveAvgPoolOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferAdaptive(*this, types);
}
LogicalResult AdaptiveMaxPoolOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferAdaptive(*this, types);
}
Results AdaptiveAvgPoolOp::decompose(OpBuilder &b) {
  return decomposeAdaptive<AvgPoolOp>(*this, b);
}
Results AdaptiveMaxPoolOp::decompose(OpBuilder &b) {
  return decomposeAdaptive<MaxPoolOp>(*this, b);
}

//===-- Norms -------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyNorm(Op op) {
  double p = op.getP().convertToDouble();
  if (p >= 1 && std::isfinite(p))
    return success();
  return op.emitOpError() << "p is " << p << ", expected at least 1"
                          << (p > 1 ? "; the norm without end is that of "
                                      "tfir.max_pool of tfir.abs"
                                    : "");
}

LogicalResult LpPoolOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyNorm(*this))) // (C3)
    return failure();
  if (failed(verifyDataFormat(*this, getDataFormat()))) // (C4)
    return failure();
  bool isFirst = getDataFormat() == "NCHW";
  RankedTensorType input = tensorType(getInput());
  FailureOr<RankedTensorType> type = // (C1), (C2)
      pooledType(*this, isFirst ? channelsLast(input) : input, getKsize(),
                 WindowAttrs::of(*this), /*dims=*/2, /*mayBeEmpty=*/true);
  if (failed(type))
    return failure();
  types.push_back(isFirst ? channelsFirst(*type) : *type);
  return success();
}

/// The sums are a depthwise convolution with a filter of ones.
Results LpPoolOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  OpExpr e{b, loc};
  bool isFirst = getDataFormat() == "NCHW";
  double p = getP().convertToDouble();
  Value x = isFirst ? buildChannelsLast(b, loc, getInput()) : Value(getInput());
  RankedTensorType type = tensorType(getOutput());
  if (isFirst)
    type = channelsLast(type);
  Value magnitude = e.unary<AbsOp>(x);
  Value power = p == 1   ? magnitude
                : p == 2 ? e.unary<SquareOp>(x)
                         : e.binary<PowOp>(magnitude, e.number(x, p));
  int64_t channels = tensorType(x).getDimSize(3);
  Value ones = splat(
      b, loc, tensorType(x).clone({getKsize()[0], getKsize()[1], channels, 1}),
      1);
  Value sum = DepthwiseConv2DOp::create(b, loc, type, power, ones, getStrides(),
                                        getPadding(), getExplicitPaddings(),
                                        ArrayRef<int64_t>{1, 1}, "NHWC");
  if (p != 1) {
    // The slope of a root at 0 is infinite.
    Value zero = e.number(sum, 0);
    Value isPositive = e.test<GreaterOp>(sum, zero);
    Value safe = e.select(isPositive, sum, e.number(sum, 1), sum);
    Value root = p == 2 ? e.unary<SqrtOp>(safe)
                        : e.binary<PowOp>(safe, e.number(sum, 1 / p));
    // A NaN is not positive and stays.
    sum = e.select(isPositive, root, e.mul(sum, zero), sum);
  }
  return one(isFirst ? buildChannelsFirst(b, loc, sum) : sum);
}

//===-- Sequences and volumes ---------------------------------------------===//

template <typename Op>
static LogicalResult inferSpatial(Op op, SmallVectorImpl<Type> &types,
                                  StringRef last, StringRef first) {
  if (failed(verifyDataFormat(op, op.getDataFormat(), last, first))) // (C3)
    return failure();
  bool isFirst = op.getDataFormat() == first;
  RankedTensorType input = tensorType(op.getInput());
  FailureOr<RankedTensorType> type = // (C1), (C2)
      pooledType(op, isFirst ? channelsLast(input) : input, op.getKsize(),
                 WindowAttrs::of(op), last.size() - 2);
  if (failed(type))
    return failure();
  types.push_back(isFirst ? channelsFirst(*type) : *type);
  return success();
}

/// A pool of images NHWC.
using PoolOf = llvm::function_ref<Value(
    RankedTensorType type, Value images, ArrayRef<int64_t> ksize,
    ArrayRef<int64_t> strides, ArrayRef<int64_t> paddings)>;

/// Pools images of height 1.
template <typename Op>
static SmallVector<Value> decompose1D(Op op, OpBuilder &b, PoolOf pool) {
  Location loc = op.getLoc();
  bool isFirst = op.getDataFormat() == "NCW";
  Value x =
      isFirst ? buildChannelsLast(b, loc, op.getInput()) : Value(op.getInput());
  RankedTensorType type = tensorType(op.getOutput());
  if (isFirst)
    type = channelsLast(type);
  x = buildReshape(b, loc, x, withHeight(tensorType(x).getShape()));
  Value made = pool(type.clone(withHeight(type.getShape())), x,
                    {1, op.getKsize()[0]}, {1, op.getStrides()[0]},
                    paddingsWithHeight(op.getExplicitPaddings()));
  made = buildReshape(b, loc, made, type.getShape());
  return one(isFirst ? buildChannelsFirst(b, loc, made) : made);
}

/// Pools each plane, then the pixels at one place of the planes: the planes of
/// a window have as many pixels each, so that the mean of means is the mean.
template <typename Op>
static SmallVector<Value> decompose3D(Op op, OpBuilder &b, PoolOf pool) {
  Location loc = op.getLoc();
  bool isFirst = op.getDataFormat() == "NCDHW";
  Value x =
      isFirst ? buildChannelsLast(b, loc, op.getInput()) : Value(op.getInput());
  RankedTensorType type = tensorType(op.getOutput());
  if (isFirst)
    type = channelsLast(type);
  auto in = llvm::to_vector(tensorType(x).getShape());
  ArrayRef<int64_t> out = type.getShape(), k = op.getKsize(),
                    strides = op.getStrides(), pads = op.getExplicitPaddings();
  Value planes = buildReshape(b, loc, x, {in[0] * in[1], in[2], in[3], in[4]});
  planes = pool(type.clone({in[0] * in[1], out[2], out[3], in[4]}), planes,
                k.drop_front(), strides.drop_front(),
                pads.empty() ? pads : pads.drop_front(2));
  Value columns =
      buildReshape(b, loc, planes, {in[0], in[1], out[2] * out[3], in[4]});
  SmallVector<int64_t> paddings;
  if (!pads.empty())
    paddings = {pads[0], pads[1], 0, 0};
  Value made = pool(type.clone({in[0], out[1], out[2] * out[3], in[4]}),
                    columns, {k[0], 1}, {strides[0], 1}, paddings);
  made = buildReshape(b, loc, made, out);
  return one(isFirst ? buildChannelsFirst(b, loc, made) : made);
}

template <typename Pool, typename Op>
static SmallVector<Value> decomposeSpatial(Op op, OpBuilder &b) {
  auto pool = [&](RankedTensorType type, Value x, ArrayRef<int64_t> ksize,
                  ArrayRef<int64_t> strides,
                  ArrayRef<int64_t> paddings) -> Value {
    if constexpr (std::is_same_v<Pool, LpPoolOp>)
      return LpPoolOp::create(b, op.getLoc(), type, x, ksize, strides,
                              op.getP(), op.getPadding(), paddings, "NHWC");
    else
      return Pool::create(b, op.getLoc(), type, x, ksize, strides,
                          op.getPadding(), paddings, "NHWC");
  };
  return op.getKsize().size() == 1 ? decompose1D(op, b, pool)
                                   : decompose3D(op, b, pool);
}

LogicalResult MaxPool1DOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSpatial(*this, types, "NWC", "NCW");
}
LogicalResult AvgPool1DOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSpatial(*this, types, "NWC", "NCW");
}
LogicalResult LpPool1DOp::inferTypes(SmallVectorImpl<Type> &types) {
  return success(succeeded(verifyNorm(*this)) && // (C4)
                 succeeded(inferSpatial(*this, types, "NWC", "NCW")));
}
LogicalResult MaxPool3DOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSpatial(*this, types, "NDHWC", "NCDHW");
}
LogicalResult AvgPool3DOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSpatial(*this, types, "NDHWC", "NCDHW");
}
LogicalResult LpPool3DOp::inferTypes(SmallVectorImpl<Type> &types) {
  return success(succeeded(verifyNorm(*this)) && // (C4)
                 succeeded(inferSpatial(*this, types, "NDHWC", "NCDHW")));
}
Results MaxPool1DOp::decompose(OpBuilder &b) {
  return decomposeSpatial<MaxPoolOp>(*this, b);
}
Results AvgPool1DOp::decompose(OpBuilder &b) {
  return decomposeSpatial<AvgPoolOp>(*this, b);
}
Results LpPool1DOp::decompose(OpBuilder &b) {
  return decomposeSpatial<LpPoolOp>(*this, b);
}
Results MaxPool3DOp::decompose(OpBuilder &b) {
  return decomposeSpatial<MaxPoolOp>(*this, b);
}
Results AvgPool3DOp::decompose(OpBuilder &b) {
  return decomposeSpatial<AvgPoolOp>(*this, b);
}
Results LpPool3DOp::decompose(OpBuilder &b) {
  return decomposeSpatial<LpPoolOp>(*this, b);
}
