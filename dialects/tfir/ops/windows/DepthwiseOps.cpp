// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution and its gradients.
//
// The convolution and the gradient by the images are parallel loops over their
// results, whose innermost loop runs over channels: what depends on a pixel's
// place alone stays outside of it, and the loads inside are contiguous. The
// gradient by the filter reduces over pixels, of a padded copy of each image,
// so that its operands are read at places that are linear in the loops.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/windows/TfirConvOps.h"
#include "dialects/tfir/ops/windows/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

/// Elements of a filter up to which each has code of its own.
constexpr int64_t kMaxUnrolledTaps = 49;

//===-- Shapes and gradients ----------------------------------------------===//

LogicalResult DepthwiseConv2DOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(*this, getDataFormat()))) // (C3)
    return failure();
  bool isFirst = getDataFormat() == "NCHW";
  RankedTensorType input = tensorType(getInput());
  FailureOr<SmallVector<int64_t>> shape =
      depthwiseShape(*this, isFirst ? channelsLast(input) : input,
                     tensorType(getFilter()), WindowAttrs::dilatedOf(*this));
  if (failed(shape))
    return failure();
  RankedTensorType type = input.clone(*shape);
  types.push_back(isFirst ? channelsFirst(type) : type);
  return success();
}

template <typename Op>
static LogicalResult verifyGradient(Op op, RankedTensorType input,
                                    RankedTensorType filter) {
  FailureOr<SmallVector<int64_t>> shape =
      depthwiseShape(op, input, filter, WindowAttrs::dilatedOf(op));
  if (failed(shape))
    return failure();
  RankedTensorType gradient = tensorType(op.getOutBackprop());
  if (failed(verifyCompatibleShape(*shape, gradient.getShape()))) // (C1)
    return op.emitOpError()
           << "out_backprop has type " << gradient
           << ", but the depthwise convolution of " << input << " with "
           << filter << " gives " << gradient.clone(*shape);
  return success();
}

LogicalResult DepthwiseConv2DBackpropInputOp::verify() {
  return verifyGradient(*this, tensorType(getOutput()),
                        tensorType(getFilter()));
}

LogicalResult DepthwiseConv2DBackpropFilterOp::verify() {
  return verifyGradient(*this, tensorType(getInput()), tensorType(getOutput()));
}

LogicalResult DepthwiseFilterPartialsOp::verify() {
  RankedTensorType parts = tensorType(getOutput());
  RankedTensorType input = tensorType(getInput());
  if (parts.getRank() != 5 || input.getRank() != 4 || // (C1)
      failed(verifyCompatibleShape(parts.getShape().take_front(),
                                   input.getShape().take_front())))
    return emitOpError() << "gives " << parts << ", expected one filter HWCM "
                         << "for each image of " << input;
  return verifyGradient(*this, input,
                        parts.clone(parts.getShape().drop_front()));
}

bool DepthwiseConv2DOp::isShorthand() { return getDataFormat() != "NHWC"; }

Results DepthwiseConv2DOp::decompose(OpBuilder &b) {
  Value made = DepthwiseConv2DOp::create(
      b, getLoc(), channelsLast(tensorType(getOutput())),
      buildChannelsLast(b, getLoc(), getInput()), getFilter(), getStrides(),
      getPadding(), getExplicitPaddings(), getDilations(), "NHWC");
  return SmallVector<Value>{buildChannelsFirst(b, getLoc(), made)};
}

template <typename Op>
static Value buildByFilter(OpBuilder &b, Op op, RankedTensorType filter,
                           Value images, Value gradient) {
  SmallVector<int64_t> shape(filter.getShape());
  shape.insert(shape.begin(), tensorType(images).getDimSize(0));
  Value parts = DepthwiseFilterPartialsOp::create(
      b, op.getLoc(), filter.clone(shape), images, gradient, op.getStrides(),
      op.getPadding(), op.getExplicitPaddings(), op.getDilations());
  return SumOp::create(b, op.getLoc(), filter, parts,
                       b.getDenseI64ArrayAttr({0}), UnitAttr());
}

Results DepthwiseConv2DBackpropFilterOp::decompose(OpBuilder &b) {
  return SmallVector<Value>{buildByFilter(b, *this, tensorType(getOutput()),
                                          getInput(), getOutBackprop())};
}

LogicalResult DepthwiseConv2DOp::buildGradient(OpBuilder &b,
                                               ValueRange gradients,
                                               MutableArrayRef<Value> result) {
  result[0] = DepthwiseConv2DBackpropInputOp::create(
      b, getLoc(), getInput().getType(), getFilter(), gradients[0],
      getStrides(), getPadding(), getExplicitPaddings(), getDilations());
  result[1] = buildByFilter(b, *this, tensorType(getFilter()), getInput(),
                            gradients[0]);
  return success();
}

/// The sum of g * backprop_input(f, y) is that of y * depthwise(g, f).
LogicalResult DepthwiseConv2DBackpropInputOp::buildGradient(
    OpBuilder &b, ValueRange gradients, MutableArrayRef<Value> result) {
  result[0] = buildByFilter(b, *this, tensorType(getFilter()), gradients[0],
                            getOutBackprop());
  result[1] = DepthwiseConv2DOp::create(b, getLoc(), getOutBackprop().getType(),
                                        gradients[0], getFilter(), getStrides(),
                                        getPadding(), getExplicitPaddings(),
                                        getDilations(), "NHWC");
  return success();
}

bool DepthwiseConv2DOp::gathersOperands() { return true; }
bool DepthwiseConv2DBackpropInputOp::gathersOperands() { return true; }
bool DepthwiseFilterPartialsOp::gathersOperands() { return true; }

//===-- Code --------------------------------------------------------------===//

namespace {

/// One spatial dimension of a depthwise convolution.
struct Axis {
  int64_t in, out, kernel, stride, dilation, padBefore, padAfter;

  static Axis of(const WindowAttrs &attrs, unsigned i, int64_t in,
                 int64_t kernel) {
    auto [before, after] = attrs.pads(i, in, kernel);
    return {in,
            attrs.along(i, in, kernel).out,
            kernel,
            attrs.strides[i],
            attrs.dilation(i),
            before,
            after};
  }
  bool isPadded() const { return padBefore || padAfter; }
  /// Elements of the filter that are tried for each pixel of the images: all,
  /// or those of the places around it.
  int64_t candidates() const {
    return stride == 1 || dilation > 1 ? kernel
                                       : llvm::divideCeil(kernel, stride);
  }
};

/// A place on an axis; `valid` is null where it always is.
struct Place {
  Value at;
  Value valid;
  Value tap; ///< the element of the filter that leads there
};

/// Scalar code within the body of a linalg.generic.
struct Scalars {
  OpBuilder &b;
  Location loc;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, int64_t y) {
    return y ? Value(arith::AddIOp::create(b, loc, x, index(y))) : x;
  }
  Value mul(Value x, int64_t y) {
    return y == 1 ? x : Value(arith::MulIOp::create(b, loc, x, index(y)));
  }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return arith::AndIOp::create(b, loc, x, y);
  }
  /// 0 <= x < limit: negative numbers are huge unsigned ones.
  Value inside(Value x, int64_t limit) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x,
                                 index(limit));
  }
  Value clamp(Value x, int64_t limit) {
    Value low = arith::MaxSIOp::create(b, loc, x, index(0));
    return arith::MinSIOp::create(b, loc, low, index(limit - 1));
  }
  Value zeroLike(Value x) { return scalar(b, loc, x.getType(), 0); }
  Value load(Value tensor, ValueRange at) {
    return tensor::ExtractOp::create(b, loc, tensor, at);
  }
  /// sum + x * y, where `valid`.
  Value addProduct(Value sum, Value x, Value y, Value valid) {
    if (valid)
      x = arith::SelectOp::create(b, loc, valid, x, zeroLike(x));
    if (!sum)
      return arith::MulFOp::create(b, loc, x, y);
    return math::FmaOp::create(b, loc, x, y, sum);
  }

  /// The pixel of the images that element `tap` of the filter meets at a place
  /// of the result.
  Place pixelOf(const Axis &axis, Value out, Value tap) {
    Value at = add(arith::AddIOp::create(b, loc, mul(out, axis.stride),
                                         mul(tap, axis.dilation)),
                   -axis.padBefore);
    if (!axis.isPadded())
      return {at, {}, tap};
    return {clamp(at, axis.in), inside(at, axis.in), tap};
  }

  /// The place of the result that meets pixel `in` with candidate `i`.
  Place placeOf(const Axis &axis, Value in, int64_t i) {
    Value shifted = add(in, axis.padBefore);
    if (axis.stride > 1 && axis.dilation == 1) {
      // Place o covers the pixel where 0 <= shifted - o * stride < kernel.
      Value last = arith::DivUIOp::create(b, loc, shifted, index(axis.stride));
      Value at = add(last, -i);
      Value tap = sub(shifted, mul(at, axis.stride));
      return {clamp(at, axis.out),
              both(inside(at, axis.out), inside(tap, axis.kernel)),
              clamp(tap, axis.kernel)};
    }
    return placeByTap(axis, in, index(i));
  }

  /// The place of the result that meets pixel `in` with element `tap` of the
  /// filter.
  Place placeByTap(const Axis &axis, Value in, Value tap) {
    Value at = sub(add(in, axis.padBefore), mul(tap, axis.dilation)), valid;
    if (axis.stride > 1) {
      // A negative number does not become a place by the division.
      valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at,
                                    index(0));
      at = arith::MaxSIOp::create(b, loc, at, index(0));
      Value rest = arith::RemUIOp::create(b, loc, at, index(axis.stride));
      valid = both(valid, inside(rest, 1));
      at = arith::DivUIOp::create(b, loc, at, index(axis.stride));
    }
    return {clamp(at, axis.out), both(valid, inside(at, axis.out)), tap};
  }
};

/// A depthwise convolution of images with a filter.
struct Depthwise {
  RankedTensorType images, filter, result;
  Axis rows, columns;

  template <typename Op>
  static Depthwise of(Op op, RankedTensorType images, RankedTensorType filter,
                      RankedTensorType result) {
    WindowAttrs attrs = WindowAttrs::dilatedOf(op);
    return {images, filter, result,
            Axis::of(attrs, 0, images.getDimSize(1), filter.getDimSize(0)),
            Axis::of(attrs, 1, images.getDimSize(2), filter.getDimSize(1))};
  }
  int64_t multiplier() const { return filter.getDimSize(3); }
  int64_t channels() const { return filter.getDimSize(2); }
};

/// A tensor with its last two dimensions merged.
Value merged(OpBuilder &b, Location loc, Value tensor, RankedTensorType type) {
  SmallVector<ReassociationIndices> groups{{0}, {1}, {2}, {3, 4}};
  return tensor::CollapseShapeOp::create(b, loc, type, tensor, groups);
}

AffineMap mapOf(OpBuilder &b, unsigned loops, ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : dims)
    exprs.push_back(b.getAffineDimExpr(dim));
  return AffineMap::get(loops, 0, exprs, b.getContext());
}

/// `type` with channels and multipliers as dimensions of their own.
RankedTensorType splitChannels(RankedTensorType type, const Depthwise &conv) {
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.push_back(conv.channels());
  shape.push_back(conv.multiplier());
  return type.clone(shape);
}

/// Code of its own for each element of the filter.
Value unrolledForward(OpBuilder &b, Location loc, const Depthwise &conv,
                      Value images, Value filter) {
  bool isSplit = conv.multiplier() != 1;
  RankedTensorType type =
      isSplit ? splitChannels(conv.result, conv) : conv.result;
  auto element = [&](OpBuilder &b, Location loc, ValueRange at) {
    Scalars s{b, loc};
    Value m = isSplit ? at[4] : s.index(0), sum;
    for (int64_t i = 0; i < conv.rows.kernel; ++i)
      for (int64_t j = 0; j < conv.columns.kernel; ++j) {
        Place row = s.pixelOf(conv.rows, at[1], s.index(i));
        Place column = s.pixelOf(conv.columns, at[2], s.index(j));
        Value x = s.load(images, {at[0], row.at, column.at, at[3]});
        Value f = s.load(filter, {row.tap, column.tap, at[3], m});
        sum = s.addProduct(sum, x, f, s.both(row.valid, column.valid));
      }
    return sum;
  };
  Value made = buildFromIndices(b, loc, type, element);
  return isSplit ? merged(b, loc, made, conv.result) : made;
}

/// Loops n, row, column, channel, multiplier; rows and columns of the filter.
Value loopedForward(OpBuilder &b, Location loc, const Depthwise &conv,
                    Value images, Value filter) {
  Value zeros = filledTensor(b, loc, splitChannels(conv.result, conv),
                             scalar(b, loc, conv.images.getElementType(), 0));
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) {
    Scalars s{b, loc};
    SmallVector<Value> at;
    for (unsigned i = 0; i < 7; ++i)
      at.push_back(linalg::IndexOp::create(b, loc, i));
    Place row = s.pixelOf(conv.rows, at[1], at[5]);
    Place column = s.pixelOf(conv.columns, at[2], at[6]);
    Value pixel = s.load(images, {at[0], row.at, column.at, at[3]});
    return SmallVector<Value>{
        s.addProduct(x[1], pixel, x[0], s.both(row.valid, column.valid))};
  };
  Value made =
      buildGeneric(b, loc, filter, zeros,
                   {mapOf(b, 7, {5, 6, 3, 4}), mapOf(b, 7, {0, 1, 2, 3, 4})}, 7,
                   {5, 6}, body)
          .getResult(0);
  return merged(b, loc, made, conv.result);
}

Value unrolledByInput(OpBuilder &b, Location loc, const Depthwise &conv,
                      Value filter, Value gradient) {
  int64_t each = conv.multiplier();
  auto element = [&](OpBuilder &b, Location loc, ValueRange at) {
    Scalars s{b, loc};
    Value sum;
    for (int64_t i = 0; i < conv.rows.candidates(); ++i)
      for (int64_t j = 0; j < conv.columns.candidates(); ++j) {
        Place row = s.placeOf(conv.rows, at[1], i);
        Place column = s.placeOf(conv.columns, at[2], j);
        Value valid = s.both(row.valid, column.valid);
        for (int64_t m = 0; m < each; ++m) {
          Value channel = s.add(s.mul(at[3], each), m);
          Value g = s.load(gradient, {at[0], row.at, column.at, channel});
          Value f = s.load(filter, {row.tap, column.tap, at[3], s.index(m)});
          sum = s.addProduct(sum, g, f, valid);
        }
      }
    return sum;
  };
  return buildFromIndices(b, loc, conv.images, element);
}

/// Loops n, row, column, channel; rows and columns of the filter, multiplier.
Value loopedByInput(OpBuilder &b, Location loc, const Depthwise &conv,
                    Value filter, Value gradient) {
  Value zeros = filledTensor(b, loc, conv.images,
                             scalar(b, loc, conv.images.getElementType(), 0));
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) {
    Scalars s{b, loc};
    SmallVector<Value> at;
    for (unsigned i = 0; i < 7; ++i)
      at.push_back(linalg::IndexOp::create(b, loc, i));
    Place row = s.placeByTap(conv.rows, at[1], at[4]);
    Place column = s.placeByTap(conv.columns, at[2], at[5]);
    Value channel =
        arith::AddIOp::create(b, loc, s.mul(at[3], conv.multiplier()), at[6]);
    Value g = s.load(gradient, {at[0], row.at, column.at, channel});
    return SmallVector<Value>{
        s.addProduct(x[1], g, x[0], s.both(row.valid, column.valid))};
  };
  return buildGeneric(b, loc, filter, zeros,
                      {mapOf(b, 7, {4, 5, 3, 6}), mapOf(b, 7, {0, 1, 2, 3})}, 7,
                      {4, 5, 6}, body)
      .getResult(0);
}

/// Images with zeros around them, as far as windows reach.
Value paddedImages(OpBuilder &b, Location loc, const Depthwise &conv,
                   Value images) {
  if (!conv.rows.isPadded() && !conv.columns.isPadded())
    return images;
  SmallVector<int64_t> shape(conv.images.getShape());
  shape[1] += conv.rows.padBefore + conv.rows.padAfter;
  shape[2] += conv.columns.padBefore + conv.columns.padAfter;
  auto element = [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
    Scalars s{b, loc};
    Value h = s.add(at[1], -conv.rows.padBefore);
    Value w = s.add(at[2], -conv.columns.padBefore);
    Value valid =
        s.both(s.inside(h, conv.rows.in), s.inside(w, conv.columns.in));
    Value x = s.load(images, {at[0], s.clamp(h, conv.rows.in),
                              s.clamp(w, conv.columns.in), at[3]});
    return arith::SelectOp::create(b, loc, valid, x, s.zeroLike(x));
  };
  return buildFromIndices(b, loc, conv.images.clone(shape), element);
}

/// Loops n, row and column of the filter, channel, multiplier; row and column
/// of the result.
Value filterPartials(OpBuilder &b, Location loc, const Depthwise &conv,
                     Value images, Value gradient, RankedTensorType type) {
  bool isSplit = conv.multiplier() != 1;
  AffineExpr n, i, j, c, m, h, w;
  bindDims(b.getContext(), n, i, j, c, m, h, w);
  Value padded = paddedImages(b, loc, conv, images);
  if (isSplit)
    gradient = tensor::ExpandShapeOp::create(
        b, loc, splitChannels(conv.result, conv), gradient,
        ArrayRef<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
  RankedTensorType made =
      isSplit ? type : type.clone(type.getShape().drop_back());
  if (!isSplit)
    bindDims(b.getContext(), n, i, j, c, h, w);
  unsigned loops = isSplit ? 7 : 6;
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, b.getContext());
  };
  AffineExpr row = h * conv.rows.stride + i * conv.rows.dilation;
  AffineExpr column = w * conv.columns.stride + j * conv.columns.dilation;
  SmallVector<AffineExpr> g{n, h, w, c}, y{n, i, j, c};
  if (isSplit) {
    g.push_back(m);
    y.push_back(m);
  }
  Value zeros =
      filledTensor(b, loc, made, scalar(b, loc, made.getElementType(), 0));
  auto body = [](OpBuilder &b, Location loc, ValueRange x) {
    return SmallVector<Value>{math::FmaOp::create(b, loc, x[0], x[1], x[2])};
  };
  Value sums = buildGeneric(b, loc, {padded, gradient}, zeros,
                            {map({n, row, column, c}), map(g), map(y)}, loops,
                            {loops - 2, loops - 1}, body)
                   .getResult(0);
  if (isSplit)
    return sums;
  SmallVector<ReassociationIndices> groups{{0}, {1}, {2}, {3, 4}};
  return tensor::ExpandShapeOp::create(b, loc, type, sums, groups);
}

} // namespace

SmallVector<Value> DepthwiseConv2DOp::lowerToLinalg(OpBuilder &b,
                                                    ValueRange operands) {
  Depthwise conv =
      Depthwise::of(*this, tensorType(getInput()), tensorType(getFilter()),
                    tensorType(getOutput()));
  if (conv.rows.kernel * conv.columns.kernel <= kMaxUnrolledTaps)
    return {unrolledForward(b, getLoc(), conv, operands[0], operands[1])};
  return {loopedForward(b, getLoc(), conv, operands[0], operands[1])};
}

SmallVector<Value>
DepthwiseConv2DBackpropInputOp::lowerToLinalg(OpBuilder &b,
                                              ValueRange operands) {
  Depthwise conv =
      Depthwise::of(*this, tensorType(getOutput()), tensorType(getFilter()),
                    tensorType(getOutBackprop()));
  int64_t terms =
      conv.rows.candidates() * conv.columns.candidates() * conv.multiplier();
  if (terms <= kMaxUnrolledTaps)
    return {unrolledByInput(b, getLoc(), conv, operands[0], operands[1])};
  return {loopedByInput(b, getLoc(), conv, operands[0], operands[1])};
}

SmallVector<Value>
DepthwiseFilterPartialsOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  RankedTensorType parts = tensorType(getOutput());
  Depthwise conv = Depthwise::of(*this, tensorType(getInput()),
                                 parts.clone(parts.getShape().drop_front()),
                                 tensorType(getOutBackprop()));
  return {filterPartials(b, getLoc(), conv, operands[0], operands[1], parts)};
}
