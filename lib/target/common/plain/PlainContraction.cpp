// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are read by tensor.extract, so that padding is a condition and not a
// copy: a term outside of the image is no term, even where the filter is NaN.
#include "lib/target/common/plain/PlainContraction.h"

#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "lib/target/common/plain/PlainMatmul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// An index that may lie outside of a dimension.
struct Place {
  Value index;  ///< a valid one in any case
  Value inside; ///< i1
};

/// Writes the linalg of one contraction before it.
class Expansion {
public:
  explicit Expansion(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  Value forward(const Conv2DSpec &spec, Value images, Value filter);
  Value byInput(const Conv2DSpec &spec, Value filter, Value gradient);
  Value byFilter(const Conv2DSpec &spec, Value images, Value gradient,
                 RankedTensorType type);
  Value mirrored(Value filter, RankedTensorType type);
  Value firstOfParts(Value gradient, RankedTensorType type);

  /// The result of the op, by the kind of its spec.
  Value result(const ContractionSpec &spec);

private:
  using Loops = SmallVector<unsigned, 4>;

  AffineMap map(unsigned loops, const Loops &dims) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : dims)
      exprs.push_back(b.getAffineDimExpr(dim));
    return AffineMap::get(loops, 0, exprs, b.getContext());
  }
  Value zeros(RankedTensorType type) {
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    return filledTensor(b, loc, type, zero);
  }
  Value loopIndex(unsigned loop) {
    return linalg::IndexOp::create(b, loc, loop);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Place inside(Value index, int64_t size);
  Place imagePlace(unsigned outLoop, unsigned tapLoop, int64_t stride,
                   int64_t pad, int64_t size);
  Place outPlace(unsigned imageLoop, unsigned tapLoop, int64_t stride,
                 int64_t pad, int64_t size);
  /// The sum over `reduced` of operand times what `gathered`, of images or of
  /// gradients, has at `places`.
  Value sumOfGathered(Value operand, AffineMap operandMap,
                      RankedTensorType type, AffineMap resultMap,
                      ArrayRef<int64_t> reduced, Value gathered,
                      function_ref<std::pair<Place, Place>()> places,
                      unsigned imageLoop, unsigned channelLoop);

  Operation *op;
  OpBuilder b;
  Location loc;
};

/// `index` where it is from 0 to `size`; a negative one is a large number
/// without a sign.
Place Expansion::inside(Value index, int64_t size) {
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         index, constant(size));
  return {arith::SelectOp::create(b, loc, isInside, index, constant(0)),
          isInside};
}

/// out * stride + tap - pad
Place Expansion::imagePlace(unsigned outLoop, unsigned tapLoop, int64_t stride,
                            int64_t pad, int64_t size) {
  Value first =
      arith::MulIOp::create(b, loc, loopIndex(outLoop), constant(stride));
  Value place = arith::AddIOp::create(b, loc, first, loopIndex(tapLoop));
  return inside(arith::SubIOp::create(b, loc, place, constant(pad)), size);
}

/// (image + pad - tap) / stride, where that leaves no rest.
Place Expansion::outPlace(unsigned imageLoop, unsigned tapLoop, int64_t stride,
                          int64_t pad, int64_t size) {
  Value padded =
      arith::AddIOp::create(b, loc, loopIndex(imageLoop), constant(pad));
  Place scaled = inside(
      arith::SubIOp::create(b, loc, padded, loopIndex(tapLoop)), size * stride);
  Value rest = arith::RemUIOp::create(b, loc, scaled.index, constant(stride));
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                                        constant(0));
  return {arith::DivUIOp::create(b, loc, scaled.index, constant(stride)),
          arith::AndIOp::create(b, loc, scaled.inside, isWhole)};
}

Value Expansion::sumOfGathered(Value operand, AffineMap operandMap,
                               RankedTensorType type, AffineMap resultMap,
                               ArrayRef<int64_t> reduced, Value gathered,
                               function_ref<std::pair<Place, Place>()> places,
                               unsigned imageLoop, unsigned channelLoop) {
  auto body = [&](OpBuilder &inner, Location, ValueRange x) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(inner.saveInsertionPoint());
    auto [row, column] = places();
    Value element = tensor::ExtractOp::create(
        b, loc, gathered,
        ValueRange{loopIndex(imageLoop), row.index, column.index,
                   loopIndex(channelLoop)});
    Value isTerm = arith::AndIOp::create(b, loc, row.inside, column.inside);
    Value term = arith::MulFOp::create(b, loc, element, x[0]);
    Value sum = arith::AddFOp::create(b, loc, x[1], term);
    return SmallVector<Value>{
        arith::SelectOp::create(b, loc, isTerm, sum, x[1])};
  };
  return buildGeneric(b, loc, operand, zeros(type), {operandMap, resultMap}, 7,
                      reduced, body)
      .getResult(0);
}

/// Loops: image, row, column, out channel; kernel row and column, in channel.
Value Expansion::forward(const Conv2DSpec &spec, Value images, Value filter) {
  auto places = [&] {
    return std::pair(
        imagePlace(1, 4, spec.strideHeight, spec.padTop, spec.inHeight),
        imagePlace(2, 5, spec.strideWidth, spec.padLeft, spec.inWidth));
  };
  return sumOfGathered(filter, map(7, {4, 5, 6, 3}),
                       tensorType(op->getResult(0)), map(7, {0, 1, 2, 3}),
                       {4, 5, 6}, images, places, 0, 6);
}

/// Loops: image, row, column, in channel; kernel row and column, out channel.
Value Expansion::byInput(const Conv2DSpec &spec, Value filter, Value gradient) {
  auto places = [&] {
    return std::pair(
        outPlace(1, 4, spec.strideHeight, spec.padTop, spec.outHeight),
        outPlace(2, 5, spec.strideWidth, spec.padLeft, spec.outWidth));
  };
  return sumOfGathered(filter, map(7, {4, 5, 3, 6}),
                       tensorType(op->getResult(0)), map(7, {0, 1, 2, 3}),
                       {4, 5, 6}, gradient, places, 0, 6);
}

/// Loops: kernel row and column, in and out channel; image, row, column.
Value Expansion::byFilter(const Conv2DSpec &spec, Value images, Value gradient,
                          RankedTensorType type) {
  auto places = [&] {
    return std::pair(
        imagePlace(5, 0, spec.strideHeight, spec.padTop, spec.inHeight),
        imagePlace(6, 1, spec.strideWidth, spec.padLeft, spec.inWidth));
  };
  return sumOfGathered(gradient, map(7, {4, 5, 6, 3}), type,
                       map(7, {0, 1, 2, 3}), {4, 5, 6}, images, places, 4, 2);
}

/// A filter mirrored in height and width, with its channels exchanged.
Value Expansion::mirrored(Value filter, RankedTensorType type) {
  AffineMap from =
      AffineMap::get(4, 0,
                     {type.getDimSize(0) - 1 - b.getAffineDimExpr(0),
                      type.getDimSize(1) - 1 - b.getAffineDimExpr(1),
                      b.getAffineDimExpr(3), b.getAffineDimExpr(2)},
                     b.getContext());
  auto body = [](OpBuilder &, Location, ValueRange x) {
    return SmallVector<Value>{x[0]};
  };
  return buildGeneric(b, loc, filter, emptyTensor(b, loc, type),
                      {from, b.getMultiDimIdentityMap(4)}, 4, {}, body)
      .getResult(0);
}

/// The whole gradient as the first part; the others are zero.
Value Expansion::firstOfParts(Value gradient, RankedTensorType type) {
  auto body = [](OpBuilder &b, Location loc, ValueRange x) {
    Value part = linalg::IndexOp::create(b, loc, 0);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part, zero);
    Value nothing = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    return SmallVector<Value>{
        arith::SelectOp::create(b, loc, isFirst, x[0], nothing)};
  };
  return buildGeneric(b, loc, gradient, emptyTensor(b, loc, type),
                      {map(5, {1, 2, 3, 4}), b.getMultiDimIdentityMap(5)}, 5,
                      {}, body)
      .getResult(0);
}

RankedTensorType withChannelsExchanged(RankedTensorType filter) {
  SmallVector<int64_t> shape(filter.getShape());
  std::swap(shape[2], shape[3]);
  return filter.clone(shape);
}

Value Expansion::result(const ContractionSpec &spec) {
  Value x = op->getOperand(0);
  Value y = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  RankedTensorType type = tensorType(op->getResult(0));
  switch (spec.kind) {
  case ContractionKind::Matmul:
    return buildPlainMatmul(b, cast<ContractionInterface>(op));
  case ContractionKind::Conv2D:
    return forward(spec.conv, x, y);
  case ContractionKind::Conv2DBackpropInput:
    if (spec.filterPrepared)
      x = mirrored(x, withChannelsExchanged(tensorType(x)));
    return byInput(spec.conv, x, y);
  case ContractionKind::Conv2DBackpropFilter:
    if (!spec.partials)
      return byFilter(spec.conv, x, y, type);
    return firstOfParts(
        byFilter(spec.conv, x, y, type.clone(type.getShape().drop_front())),
        type);
  case ContractionKind::PrepareFilter:
    return mirrored(x, type);
  }
  llvm_unreachable("unknown kind of contraction");
}

} // namespace

void expandContractions(func::FuncOp kernel) {
  SmallVector<ContractionInterface> contractions;
  kernel.walk([&](ContractionInterface op) { contractions.push_back(op); });
  for (ContractionInterface contraction : contractions) {
    Value result = Expansion(contraction).result(contraction.getSpec());
    contraction->getResult(0).replaceAllUsesWith(result);
    contraction->erase();
  }
}

} // namespace graphc
