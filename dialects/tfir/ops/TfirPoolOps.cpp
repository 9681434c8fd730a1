// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling and its gradients. All four read windows at computed places, so each
// is a parallel loop over its result that loads what it needs.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/windows/Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace graphc::tfir;

template <typename Op>
static LogicalResult inferPool(Op op, SmallVectorImpl<Type> &types) {
  if (failed(verifyDataFormat(op, op.getDataFormat()))) // (C4)
    return failure();
  RankedTensorType images = tensorType(op.getInput());
  bool isFirst = op.getDataFormat() == "NCHW";
  FailureOr<RankedTensorType> type =
      pooledType(op, isFirst ? channelsLast(images) : images, op.getKsize(),
                 WindowAttrs::of(op));
  if (failed(type))
    return failure();
  types.push_back(isFirst ? channelsFirst(*type) : *type);
  return success();
}

/// The pool of images NHWC, between transposes.
template <typename Op>
static SmallVector<Value> decomposePool(Op op, OpBuilder &b) {
  Value pool = Op::create(
      b, op.getLoc(), channelsLast(tensorType(op.getOutput())),
      buildChannelsLast(b, op.getLoc(), op.getInput()), op.getKsize(),
      op.getStrides(), op.getPadding(), op.getExplicitPaddings(), "NHWC");
  return {buildChannelsFirst(b, op.getLoc(), pool)};
}

template <typename Op>
static LogicalResult verifyPoolGrad(Op op, RankedTensorType images) {
  FailureOr<RankedTensorType> type =
      pooledType(op, images, op.getKsize(), WindowAttrs::of(op));
  if (failed(type))
    return failure();
  if (failed(verifyCompatibleShape(*type, op.getGradient().getType())))
    return op.emitOpError()
           << "gradient has type " << op.getGradient().getType()
           << ", but the pool of " << images << " gives " << *type;
  return success();
}

namespace {

/// Index arithmetic of the windows over one tensor of images.
struct Windows {
  OpBuilder &b;
  Location loc;
  Type element;
  ArrayRef<int64_t> ksize, strides;
  int64_t height, width;       // of the images
  Window vertical, horizontal; // places and padding

  template <typename Op>
  static Windows of(OpBuilder &b, Op op, RankedTensorType images) {
    WindowAttrs attrs = WindowAttrs::of(op);
    int64_t h = images.getDimSize(1), w = images.getDimSize(2);
    return {b,
            op.getLoc(),
            images.getElementType(),
            op.getKsize(),
            op.getStrides(),
            h,
            w,
            attrs.along(0, h, op.getKsize()[0]),
            attrs.along(1, w, op.getKsize()[1])};
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, int64_t y) {
    return y ? Value(arith::AddIOp::create(b, loc, x, index(y))) : x;
  }
  Value both(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return arith::AndIOp::create(b, loc, x, y);
  }
  /// 0 <= x < limit, null when that is known; negative numbers are huge
  /// unsigned ones.
  Value inside(Value x, int64_t limit) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x,
                                 index(limit));
  }
  Value clamp(Value x, int64_t limit) {
    Value low = arith::MaxSIOp::create(b, loc, x, index(0));
    return arith::MinSIOp::create(b, loc, low, index(limit - 1));
  }
  /// True when some window reaches over the border.
  bool padded() {
    return (vertical.out - 1) * strides[0] + ksize[0] > height ||
           (horizontal.out - 1) * strides[1] + ksize[1] > width ||
           vertical.padBefore || horizontal.padBefore;
  }
};

/// A pixel of a window, and whether it lies in the image (null: always).
struct Pixel {
  Value value;
  Value inside;
};

/// The pixel (dy, dx) of the window at place `at` (n, oh, ow, c).
Pixel loadPixel(Windows &w, Value images, ValueRange at, int64_t dy,
                int64_t dx) {
  auto place = [&](Value out, int64_t stride, int64_t offset) {
    Value scaled = arith::MulIOp::create(w.b, w.loc, out, w.index(stride));
    return w.add(scaled, offset);
  };
  Value h = place(at[1], w.strides[0], dy - w.vertical.padBefore);
  Value x = place(at[2], w.strides[1], dx - w.horizontal.padBefore);
  Value inside;
  if (w.padded()) {
    inside = w.both(w.inside(h, w.height), w.inside(x, w.width));
    h = w.clamp(h, w.height);
    x = w.clamp(x, w.width);
  }
  Value value = tensor::ExtractOp::create(w.b, w.loc, images,
                                          ValueRange{at[0], h, x, at[3]});
  return {value, inside};
}

/// One window that covers a pixel of the images.
struct Cover {
  Value oh, ow;   // its place, clamped into the image
  Value valid;    // whether there is such a window
  Value position; // of the pixel in the window, row-major
};

/// Calls `body` for each window that covers the pixel `at` (n, h, w, c).
void forEachCover(Windows &w, ValueRange at,
                  function_ref<void(const Cover &)> body) {
  auto axis = [&](Value x, int64_t pad, int64_t stride, int64_t k, int64_t i,
                  int64_t out) {
    // Window o covers x when 0 <= x + pad - o * stride < k.
    Value shifted = w.add(x, pad);
    Value last = arith::DivUIOp::create(w.b, w.loc, shifted, w.index(stride));
    Value o = arith::SubIOp::create(w.b, w.loc, last, w.index(i));
    Value start = arith::MulIOp::create(w.b, w.loc, o, w.index(stride));
    Value position = arith::SubIOp::create(w.b, w.loc, shifted, start);
    Value valid = w.both(w.inside(o, out), w.inside(position, k));
    return std::tuple(w.clamp(o, out), valid, position);
  };
  int64_t rows = (w.ksize[0] + w.strides[0] - 1) / w.strides[0];
  int64_t columns = (w.ksize[1] + w.strides[1] - 1) / w.strides[1];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      auto [oh, validH, ph] = axis(at[1], w.vertical.padBefore, w.strides[0],
                                   w.ksize[0], i, w.vertical.out);
      auto [ow, validW, pw] = axis(at[2], w.horizontal.padBefore, w.strides[1],
                                   w.ksize[1], j, w.horizontal.out);
      Value row = arith::MulIOp::create(w.b, w.loc, ph, w.index(w.ksize[1]));
      body({oh, ow, w.both(validH, validW),
            arith::AddIOp::create(w.b, w.loc, row, pw)});
    }
}

Value number(Windows &w, double value) {
  return scalar(w.b, w.loc, w.element, value);
}

Value select(Windows &w, Value condition, Value x, Value y) {
  return arith::SelectOp::create(w.b, w.loc, condition, x, y);
}

/// The gradient of one window's maximum that reaches the pixel.
Value maxShare(Windows &w, ValueRange at, const Cover &cover, Value images,
               Value pooled, Value gradient) {
  Value place[] = {at[0], cover.oh, cover.ow, at[3]};
  Value best = tensor::ExtractOp::create(w.b, w.loc, pooled, place);
  Value g = tensor::ExtractOp::create(w.b, w.loc, gradient, place);
  Value mine = tensor::ExtractOp::create(w.b, w.loc, images, at);
  Value hit =
      arith::CmpFOp::create(w.b, w.loc, arith::CmpFPredicate::OEQ, mine, best);
  hit = w.both(hit, cover.valid);
  // An earlier pixel of the window that is the maximum, too, takes it all.
  for (int64_t e = 0; e + 1 < w.ksize[0] * w.ksize[1]; ++e) {
    Pixel other = loadPixel(w, images, place, e / w.ksize[1], e % w.ksize[1]);
    Value equal = arith::CmpFOp::create(w.b, w.loc, arith::CmpFPredicate::OEQ,
                                        other.value, best);
    Value earlier = arith::CmpIOp::create(w.b, w.loc, arith::CmpIPredicate::ult,
                                          w.index(e), cover.position);
    Value taken = w.both(w.both(equal, earlier), other.inside);
    Value no = arith::XOrIOp::create(w.b, w.loc, taken,
                                     scalar(w.b, w.loc, w.b.getI1Type(), 1));
    hit = w.both(hit, no);
  }
  return select(w, hit, g, number(w, 0));
}

/// The number of pixels of the window at (oh, ow) that lie in the image.
Value validCount(Windows &w, Value oh, Value ow) {
  auto axis = [&](Value o, int64_t stride, int64_t pad, int64_t k,
                  int64_t size) -> Value {
    Value start =
        w.add(arith::MulIOp::create(w.b, w.loc, o, w.index(stride)), -pad);
    Value end = w.add(start, k);
    Value from = arith::MaxSIOp::create(w.b, w.loc, start, w.index(0));
    Value to = arith::MinSIOp::create(w.b, w.loc, end, w.index(size));
    return arith::SubIOp::create(w.b, w.loc, to, from);
  };
  Value rows =
      axis(oh, w.strides[0], w.vertical.padBefore, w.ksize[0], w.height);
  Value columns =
      axis(ow, w.strides[1], w.horizontal.padBefore, w.ksize[1], w.width);
  Value count = arith::MulIOp::create(w.b, w.loc, rows, columns);
  Value narrow =
      arith::IndexCastOp::create(w.b, w.loc, w.b.getI32Type(), count);
  return arith::SIToFPOp::create(w.b, w.loc, w.element, narrow);
}

} // namespace

LogicalResult MaxPoolOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferPool(*this, types);
}
LogicalResult AvgPoolOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferPool(*this, types);
}
bool MaxPoolOp::isShorthand() { return getDataFormat() != "NHWC"; }
bool AvgPoolOp::isShorthand() { return getDataFormat() != "NHWC"; }
FailureOr<SmallVector<Value>> MaxPoolOp::decompose(OpBuilder &b) {
  return decomposePool(*this, b);
}
FailureOr<SmallVector<Value>> AvgPoolOp::decompose(OpBuilder &b) {
  return decomposePool(*this, b);
}
bool MaxPoolOp::gathersOperands() { return true; }
bool AvgPoolOp::gathersOperands() { return true; }
bool MaxPoolGradOp::gathersOperands() { return true; }
bool AvgPoolGradOp::gathersOperands() { return true; }

LogicalResult MaxPoolGradOp::verify() {
  RankedTensorType images = tensorType(getInput());
  if (failed(verifyCompatibleShape(images, getInputGradient().getType())))
    return emitOpError() << "gives " << getInputGradient().getType()
                         << " as gradient of images of type " << images;
  if (failed(verifyCompatibleShape(getOutput().getType(),
                                   getGradient().getType())))
    return emitOpError() << "output and gradient have the types "
                         << getOutput().getType() << " and "
                         << getGradient().getType();
  return verifyPoolGrad(*this, images);
}
LogicalResult AvgPoolGradOp::verify() {
  return verifyPoolGrad(*this, tensorType(getInputGradient()));
}

SmallVector<Value> MaxPoolOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  return {buildFromIndices(
      b, getLoc(), tensorType(getOutput()),
      [&](OpBuilder &b, Location, ValueRange at) {
        Windows w = Windows::of(b, *this, tensorType(getInput()));
        double lowest = -std::numeric_limits<double>::infinity();
        Value best;
        for (int64_t e = 0; e < w.ksize[0] * w.ksize[1]; ++e) {
          Pixel pixel =
              loadPixel(w, operands[0], at, e / w.ksize[1], e % w.ksize[1]);
          Value x = pixel.inside ? select(w, pixel.inside, pixel.value,
                                          number(w, lowest))
                                 : pixel.value;
          best = best ? Value(arith::MaximumFOp::create(b, w.loc, best, x)) : x;
        }
        return best;
      })};
}

SmallVector<Value> AvgPoolOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  return {buildFromIndices(
      b, getLoc(), tensorType(getOutput()),
      [&](OpBuilder &b, Location, ValueRange at) -> Value {
        Windows w = Windows::of(b, *this, tensorType(getInput()));
        Value sum = number(w, 0);
        for (int64_t e = 0; e < w.ksize[0] * w.ksize[1]; ++e) {
          Pixel pixel =
              loadPixel(w, operands[0], at, e / w.ksize[1], e % w.ksize[1]);
          Value x = pixel.inside
                        ? select(w, pixel.inside, pixel.value, number(w, 0))
                        : pixel.value;
          sum = arith::AddFOp::create(b, w.loc, sum, x);
        }
        return arith::DivFOp::create(b, w.loc, sum,
                                     validCount(w, at[1], at[2]));
      })};
}

SmallVector<Value> MaxPoolGradOp::lowerToLinalg(OpBuilder &b,
                                                ValueRange operands) {
  return {buildFromIndices(
      b, getLoc(), tensorType(getInputGradient()),
      [&](OpBuilder &b, Location, ValueRange at) {
        Windows w = Windows::of(b, *this, tensorType(getInput()));
        Value sum;
        forEachCover(w, at, [&](const Cover &cover) {
          Value share =
              maxShare(w, at, cover, operands[0], operands[1], operands[2]);
          sum =
              sum ? Value(arith::AddFOp::create(b, w.loc, sum, share)) : share;
        });
        return sum;
      })};
}

SmallVector<Value> AvgPoolGradOp::lowerToLinalg(OpBuilder &b,
                                                ValueRange operands) {
  return {buildFromIndices(
      b, getLoc(), tensorType(getInputGradient()),
      [&](OpBuilder &b, Location, ValueRange at) {
        Windows w = Windows::of(b, *this, tensorType(getInputGradient()));
        Value sum;
        forEachCover(w, at, [&](const Cover &cover) {
          Value place[] = {at[0], cover.oh, cover.ow, at[3]};
          Value g = tensor::ExtractOp::create(b, w.loc, operands[0], place);
          Value share = arith::DivFOp::create(
              b, w.loc, g, validCount(w, cover.oh, cover.ow));
          share = select(w, cover.valid, share, number(w, 0));
          sum =
              sum ? Value(arith::AddFOp::create(b, w.loc, sum, share)) : share;
        });
        return sum;
      })};
}

LogicalResult MaxPoolOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                       MutableArrayRef<Value> result) {
  result[0] = MaxPoolGradOp::create(
      b, getLoc(), getInput().getType(), getInput(), getOutput(), gradients[0],
      getKsizeAttr(), getStridesAttr(), getPaddingAttr(),
      getExplicitPaddingsAttr());
  return success();
}
LogicalResult AvgPoolOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                       MutableArrayRef<Value> result) {
  result[0] = AvgPoolGradOp::create(
      b, getLoc(), getInput().getType(), gradients[0], getKsizeAttr(),
      getStridesAttr(), getPaddingAttr(), getExplicitPaddingsAttr());
  return success();
}
