// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations, written with moments and arithmetic.
#include "dialects/tfir/ops/aggregate/TfirNormOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/aggregate/ReductionExpr.h"

#include <functional>
#include <numeric>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirNormOps.cpp.inc"

namespace {

/// Fails where an operand has not this shape and the element type of `x`.
LogicalResult checkParameter(Operation *op, Value parameter, StringRef name,
                             Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(parameter);
  Type element = tensorType(x).getElementType();
  if (type.getElementType() == element &&
      succeeded(verifyCompatibleShape(type.getShape(), shape)))
    return success();
  return op->emitOpError() << "'" << name << "' has the type " << type
                           << ", expected "
                           << RankedTensorType::get(shape, element);
}

LogicalResult checkEpsilon(Operation *op, StringRef name, APFloat value) {
  if (value.convertToDouble() >= 0)
    return success();
  return op->emitOpError() << name << " is " << value.convertToDouble()
                           << ", expected a number that is not negative";
}

/// Checks `scale`, and `offset` where there is one, of a shape that is the end
/// of that of `x`, and epsilon; then gives the type of `x`.
template <typename Op>
LogicalResult inferNormalized(Op op, ArrayRef<int64_t> shape,
                              SmallVectorImpl<Type> &types) {
  if (failed(checkParameter(op, op.getScale(), "scale", op.getX(),
                            shape))) // (C2)
    return failure();
  if constexpr (requires { op.getOffset(); })
    if (failed(checkParameter(op, op.getOffset(), "offset", op.getX(), shape)))
      return failure();
  if (failed(checkEpsilon(op, "epsilon", op.getEpsilon()))) // (C3)
    return failure();
  types.push_back(op.getX().getType());
  return success();
}

/// The axes [begin, end).
SmallVector<int64_t> axesBetween(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

LogicalResult checkRank(Operation *op, Value x, int64_t least) {
  int64_t rank = tensorType(x).getRank();
  if (rank >= least)
    return success();
  return op->emitOpError() << "x has the type " << x.getType()
                           << ", expected at least " << least << " dimensions";
}

struct NormExpr : ReductionExpr {
  /// 1 / sqrt(variance + epsilon)
  Value inverse(Value variance, APFloat epsilon) {
    return unary<RsqrtOp>(shift(variance, epsilon.convertToDouble()));
  }
  /// (x - mean) / sqrt(variance + epsilon), with moments over the axes.
  Value normalized(Value x, Axes axes, APFloat epsilon) {
    auto [centre, variance] = moments(x, axes, /*keepDims=*/true);
    return mul(sub(x, centre), inverse(variance, epsilon));
  }
};

/// From the first dimension to normalise on, counted from 0.
template <typename Op> SmallVector<int64_t> normalizedAxes(Op op) {
  int64_t rank = tensorType(op.getX()).getRank();
  return axesBetween(*normalizeAxis(op, op.getBeginAxis(), rank), rank);
}

template <typename Op>
LogicalResult inferFromAxis(Op op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(op.getX());
  FailureOr<int64_t> begin =
      normalizeAxis(op, op.getBeginAxis(), type.getRank()); // (C1)
  if (failed(begin))
    return failure();
  return inferNormalized(op, type.getShape().drop_front(*begin), types);
}

} // namespace

LogicalResult MomentsOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(
          inferReduced(*this, getX(), getAxes(), getKeepDims(), types))) // (C1)
    return failure();
  types.push_back(types.back());
  return success();
}

Results MomentsOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  SmallVector<int64_t> axes =
      *normalizeAxes(*this, getAxes(), tensorType(getX()).getRank());
  auto [centre, variance] = e.moments(getX(), axes, getKeepDims());
  return SmallVector<Value>{e.reshape(centre, tensorType(variance).getShape()),
                            variance};
}

//===-- Of each example ---------------------------------------------------===//

LogicalResult LayerNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferFromAxis(*this, types);
}

Results LayerNormOp::decompose(OpBuilder &b) {
  NormExpr e{{b, getLoc()}};
  Value y = e.normalized(getX(), normalizedAxes(*this), getEpsilon());
  return SmallVector<Value>{e.add(e.mul(y, getScale()), getOffset())};
}

LogicalResult RmsNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferFromAxis(*this, types);
}

Results RmsNormOp::decompose(OpBuilder &b) {
  NormExpr e{{b, getLoc()}};
  Value squares =
      e.mean(e.unary<SquareOp>(getX()), normalizedAxes(*this), true);
  Value y = e.mul(getX(), e.inverse(squares, getEpsilon()));
  return SmallVector<Value>{e.mul(y, getScale())};
}

LogicalResult GroupNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRank(*this, getX(), 2))) // (C1)
    return failure();
  int64_t channels = tensorType(getX()).getShape().back();
  auto groups = static_cast<int64_t>(getGroups());
  if (groups < 1 || (!ShapedType::isDynamic(channels) && channels % groups))
    return emitOpError() << "makes " << groups << " groups of " << channels
                         << " channels, expected a number that divides them";
  return inferNormalized(*this, channels, types);
}

Results GroupNormOp::decompose(OpBuilder &b) {
  NormExpr e{{b, getLoc()}};
  ArrayRef<int64_t> shape = tensorType(getX()).getShape();
  ArrayRef<int64_t> places = shape.drop_front().drop_back();
  auto groups = static_cast<int64_t>(getGroups());
  int64_t size = std::accumulate(places.begin(), places.end(), int64_t(1),
                                 std::multiplies<int64_t>());
  SmallVector<int64_t> own{groups, shape.back() / groups};
  Value x = e.reshape(getX(), {shape.front(), size, own[0], own[1]});
  Value y = e.normalized(x, {1, 3}, getEpsilon());
  y = e.add(e.mul(y, e.reshape(getScale(), own)), e.reshape(getOffset(), own));
  return SmallVector<Value>{e.reshape(y, shape)};
}

LogicalResult InstanceNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRank(*this, getX(), 3))) // (C1)
    return failure();
  return inferNormalized(*this, tensorType(getX()).getShape().back(), types);
}

Results InstanceNormOp::decompose(OpBuilder &b) {
  NormExpr e{{b, getLoc()}};
  int64_t rank = tensorType(getX()).getRank();
  Value y = e.normalized(getX(), axesBetween(1, rank - 1), getEpsilon());
  return SmallVector<Value>{e.add(e.mul(y, getScale()), getOffset())};
}

//===-- Of a batch --------------------------------------------------------===//

LogicalResult FusedBatchNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRank(*this, getX(), 2))) // (C1)
    return failure();
  RankedTensorType type = tensorType(getX());
  int64_t channels = type.getShape().back();
  if (failed(inferNormalized(*this, channels, types)))
    return failure();
  types.append(2, type.clone({channels}));
  return success();
}

Results FusedBatchNormOp::decompose(OpBuilder &b) {
  NormExpr e{{b, getLoc()}};
  RankedTensorType type = tensorType(getX());
  int64_t channels = type.getShape().back();
  SmallVector<int64_t> axes = axesBetween(0, type.getRank() - 1);
  Value mean = e.mean(getX(), axes, /*keepDims=*/false);
  Value centred = e.sub(getX(), mean);
  Value variance = e.mean(e.unary<SquareOp>(centred), axes, false);
  // By one factor per channel, which costs less than two of all elements.
  Value factor = e.mul(e.inverse(variance, getEpsilon()), getScale());
  Value y = e.add(e.mul(centred, factor), getOffset());
  double examples =
      channels ? static_cast<double>(type.getNumElements()) / channels : 0;
  double bessel = examples > 1 ? examples / (examples - 1) : 1;
  return SmallVector<Value>{y, mean, e.scale(variance, bessel)};
}

/// Fails unless an operand broadcasts to the shape of `x`.
static LogicalResult checkBroadcast(Operation *op, Value operand, Value x,
                                    StringRef name) {
  RankedTensorType type = tensorType(operand), to = tensorType(x);
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(type.getShape(), to.getShape());
  if (type.getElementType() == to.getElementType() && shape &&
      type.getRank() <= to.getRank() &&
      succeeded(verifyCompatibleShape(*shape, to.getShape())))
    return success();
  return op->emitOpError() << "'" << name << "' of type " << type
                           << " does not broadcast to " << to;
}

LogicalResult BatchNormalizationOp::inferTypes(SmallVectorImpl<Type> &types) {
  std::pair<Value, StringRef> operands[] = {{getMean(), "mean"},
                                            {getVariance(), "variance"},
                                            {getOffset(), "offset"},
                                            {getScale(), "scale"}};
  for (auto [operand, name] : operands)
    if (failed(checkBroadcast(*this, operand, getX(), name))) // (C1)
      return failure();
  if (failed(checkEpsilon(*this, "variance_epsilon",
                          getVarianceEpsilon()))) // (C2)
    return failure();
  types.push_back(getX().getType());
  return success();
}

Results BatchNormalizationOp::decompose(OpBuilder &b) {
  NormExpr e{{b, getLoc()}};
  Value factor =
      e.mul(e.inverse(getVariance(), getVarianceEpsilon()), getScale());
  return SmallVector<Value>{
      e.add(e.mul(e.sub(getX(), getMean()), factor), getOffset())};
}

//===-- lrn ---------------------------------------------------------------===//

LogicalResult LrnOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRank(*this, getX(), 1))) // (C1)
    return failure();
  auto radius = static_cast<int64_t>(getDepthRadius());
  if (radius < 0 || radius > (int64_t(1) << 30)) // (C2)
    return emitOpError() << "depth_radius is " << radius
                         << ", expected a number from 0 to 1073741824";
  types.push_back(getX().getType());
  return success();
}

Results LrnOp::decompose(OpBuilder &b) {
  NormExpr e{{b, getLoc()}};
  RankedTensorType type = tensorType(getX());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t channels = shape.back();
  auto radius = static_cast<int64_t>(getDepthRadius());
  if (type.getNumElements() == 0)
    return SmallVector<Value>{getX()};
  // Channels as the pixels of a row: a pool gives the mean of those inside,
  // which times their number is the sum.
  SmallVector<int64_t> rows{type.getNumElements() / channels, 1, channels, 1};
  Value squares = e.reshape(e.unary<SquareOp>(getX()), rows);
  Value mean = AvgPoolOp::create(b, getLoc(), squares.getType(), squares,
                                 ArrayRef<int64_t>{1, 2 * radius + 1},
                                 ArrayRef<int64_t>{1, 1}, "SAME");
  SmallVector<Attribute> counts;
  for (int64_t i = 0; i < channels; ++i)
    counts.push_back(b.getFloatAttr(
        type.getElementType(),
        static_cast<double>(std::min(i, radius) + 1 +
                            std::min(channels - 1 - i, radius))));
  auto countType = type.clone({channels});
  Value count =
      ConstOp::create(b, getLoc(), countType,
                      DenseElementsAttr::get(countType, ArrayRef(counts)));
  Value sum = e.mul(e.reshape(mean, shape), count);
  Value base = e.shift(e.scale(sum, getAlpha().convertToDouble()),
                       getBias().convertToDouble());
  double beta = getBeta().convertToDouble();
  Value power = beta == 0.5 ? e.unary<RsqrtOp>(base)
                            : e.binary<PowOp>(base, e.number(base, -beta));
  return SmallVector<Value>{e.mul(getX(), power)};
}
