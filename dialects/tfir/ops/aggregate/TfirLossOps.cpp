// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses and parts of metrics, written with arithmetic and reductions.
#include "dialects/tfir/ops/aggregate/TfirLossOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/TfirActivationOps.h"
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "dialects/tfir/ops/aggregate/ReductionExpr.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirLossOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

LogicalResult checkSameShape(Operation *op, Value x, Value y) {
  if (succeeded(verifyCompatibleShape(x.getType(), y.getType())))
    return success();
  return op->emitOpError() << "operands of types " << x.getType() << " and "
                           << y.getType() << " have not the same shape";
}

/// Fails unless an operand broadcasts to a shape.
LogicalResult checkBroadcast(Operation *op, Value operand, StringRef name,
                             RankedTensorType to) {
  RankedTensorType type = tensorType(operand);
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(type.getShape(), to.getShape());
  if (shape && type.getRank() <= to.getRank() &&
      succeeded(verifyCompatibleShape(*shape, to.getShape())))
    return success();
  return op->emitOpError() << "'" << name << "' of type " << type
                           << " does not broadcast to " << to;
}

/// Checks weights and reduction of losses of a type; gives that of the loss.
LogicalResult inferLoss(Operation *op, RankedTensorType losses, Value weights,
                        StringRef reduction, SmallVectorImpl<Type> &types) {
  constexpr StringLiteral kinds[] = {"none", "sum", "sum_over_batch_size",
                                     "sum_by_nonzero_weights", "mean"};
  if (!llvm::is_contained(kinds, reduction))
    return op->emitOpError() << "has the reduction '" << reduction
                             << "', expected 'none', 'sum', "
                                "'sum_over_batch_size', "
                                "'sum_by_nonzero_weights' or 'mean'";
  if (weights && failed(checkBroadcast(op, weights, "weights", losses)))
    return failure();
  types.push_back(reduction == "none" ? losses
                                      : losses.clone(ArrayRef<int64_t>()));
  return success();
}

SmallVector<int64_t> allAxes(Value x) {
  return llvm::to_vector(llvm::seq(tensorType(x).getRank()));
}

/// total / count, and 0 where the count is 0.
Value safeDivide(ReductionExpr e, Value total, Value count) {
  Value zero = e.isZero(count);
  return e.whereNot(
      zero, e.div(total, e.select(zero, e.number(count, 1), count, count)));
}

Value weighted(ReductionExpr e, Value losses, Value weights,
               StringRef reduction) {
  Value own = weights ? e.mul(losses, weights) : losses;
  if (reduction == "none")
    return own;
  Value total = e.sum(own, allAxes(own), false);
  if (reduction == "sum")
    return total;
  auto count = static_cast<double>(tensorType(losses).getNumElements());
  if (count == 0)
    return e.number(losses, 0);
  if (!weights || reduction == "sum_over_batch_size")
    return e.scale(total, 1 / count);
  // One weight stands for several losses.
  auto weightCount = static_cast<double>(tensorType(weights).getNumElements());
  Value divisor = weights;
  if (reduction == "sum_by_nonzero_weights")
    divisor = e.cast(e.test<NotEqualOp>(weights, e.number(weights, 0)),
                     tensorType(weights).getElementType());
  divisor =
      e.scale(e.sum(divisor, allAxes(divisor), false), count / weightCount);
  return safeDivide(e, total, divisor);
}

/// The operands of a loss, and what its formula is made of.
struct LossExpr : ReductionExpr {
  Value labels, predictions;

  template <typename Op>
  LossExpr(OpBuilder &b, Op op)
      : ReductionExpr{{b, op.getLoc()}}, labels(op.getLabels()),
        predictions(op.getPredictions()) {}

  Value difference() { return sub(predictions, labels); }
  Value squaredDifference() {
    return binary<SquaredDifferenceOp>(predictions, labels);
  }
  /// Half the square up to delta, linear beyond; quadratic + delta * linear.
  Value huber(double delta) {
    Value size = unary<AbsOp>(difference());
    Value quadratic = binary<MinimumOp>(size, number(size, delta));
    Value linear = sub(size, quadratic);
    return add(scale(unary<SquareOp>(quadratic), 0.5), scale(linear, delta));
  }
  /// 1 - x
  Value rest(Value x) { return sub(number(x, 1), x); }
  Value logOf(Value x, double epsilon) {
    return unary<LogOp>(shift(x, epsilon));
  }
  Value logLoss(double epsilon) {
    Value hit = mul(labels, logOf(predictions, epsilon));
    Value miss = mul(rest(labels), logOf(rest(predictions), epsilon));
    return neg(add(hit, miss));
  }
  Value hinge() {
    Value sign = shift(scale(labels, 2), -1);
    return unary<ReluOp>(rest(mul(sign, predictions)));
  }
  Value clipped(Value x, double epsilon) {
    return ClipByValueOp::create(b, loc, x.getType(), x, number(x, epsilon),
                                 number(x, 1));
  }
  Value klDivergence(double epsilon) {
    Value z = clipped(labels, epsilon), p = clipped(predictions, epsilon);
    Value terms = mul(z, unary<LogOp>(div(z, p)));
    return sum(terms, tensorType(terms).getRank() - 1, /*keepDims=*/false);
  }
  Value cosineDistance(int64_t axis) {
    return rest(sum(mul(labels, predictions), axis, /*keepDims=*/true));
  }
};

} // namespace

//===-- Element by element ------------------------------------------------===//

LogicalResult SigmoidXentOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkSameShape(*this, getLogits(), getLabels()))) // (C1)
    return failure();
  types.push_back(getLogits().getType());
  return success();
}

Results SigmoidXentOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value x = getLogits();
  // max(x, 0) - x * z + log1p(exp(-|x|)) keeps the digits of small losses;
  // selections with one gradient at 0, which add up to sigmoid(0).
  Value isNegative = e.test<LessOp>(x, e.number(x, 0));
  Value positive = e.whereNot(isNegative, x);
  Value size = e.select(isNegative, x, e.neg(x), x);
  return one(
      e.add(e.sub(positive, e.mul(x, getLabels())), e.unary<SoftplusOp>(size)));
}

LogicalResult WeightedXentOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkSameShape(*this, getLogits(), getLabels())) || // (C1)
      failed(checkBroadcast(*this, getPosWeight(), "pos_weight", // (C2)
                            tensorType(getLogits()))))
    return failure();
  types.push_back(getLogits().getType());
  return success();
}

Results WeightedXentOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value z = getLabels(), x = getLogits();
  Value miss = e.mul(e.sub(e.number(z, 1), z), x);
  Value factor = e.shift(e.mul(e.shift(getPosWeight(), -1), z), 1);
  return one(e.add(miss, e.mul(factor, e.unary<SoftplusOp>(e.neg(x)))));
}

LogicalResult LogPoissonLossOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkSameShape(*this, getTargets(), getLogInput()))) // (C1)
    return failure();
  types.push_back(getLogInput().getType());
  return success();
}

Results LogPoissonLossOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value z = getTargets(), c = getLogInput();
  Value loss = e.sub(e.unary<ExpOp>(c), e.mul(z, c));
  if (!getComputeFullLoss())
    return one(loss);
  // Counts up to 1 take no part, nor do their logarithms' gradients.
  Value isLarge = e.test<GreaterOp>(z, e.number(z, 1));
  Value count = e.select(isLarge, z, e.number(z, 1), z);
  Value log = e.unary<LogOp>(count);
  Value halves = e.scale(e.shift(log, std::log(2 * M_PI)), 0.5);
  Value stirling = e.add(e.sub(e.mul(count, log), count), halves);
  return one(e.add(loss, e.where(isLarge, stirling)));
}

//===-- Weighted and reduced ----------------------------------------------===//

LogicalResult WeightedLossOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferLoss(*this, tensorType(getLosses()), getWeights(), // (C1), (C2)
                   getReduction(), types);
}

Results WeightedLossOp::decompose(OpBuilder &b) {
  return one(
      weighted({b, getLoc()}, getLosses(), getWeights(), getReduction()));
}

/// The type of the losses before they are reduced.
template <typename Op> static FailureOr<RankedTensorType> lossesOf(Op op) {
  RankedTensorType type = tensorType(op.getPredictions());
  if (failed(checkSameShape(op, op.getLabels(), op.getPredictions()))) // (C1)
    return failure();
  if constexpr (std::is_same_v<Op, KlDivergenceOp>) {
    if (type.getRank() == 0)
      return op.emitOpError() << "expects at least one dimension";
    return type.clone(type.getShape().drop_back());
  }
  if constexpr (std::is_same_v<Op, CosineDistanceOp>) {
    FailureOr<int64_t> axis = normalizeAxis(op, op.getAxis(), type.getRank());
    if (failed(axis))
      return failure();
    return type.clone(shapeWithout(type.getShape(), *axis, true));
  }
  std::pair<StringRef, double> bound{"", 1};
  if constexpr (std::is_same_v<Op, HuberLossOp>)
    bound = {"delta", op.getDelta().convertToDouble()};
  if constexpr (std::is_same_v<Op, SmoothL1LossOp>)
    bound = {"beta", op.getBeta().convertToDouble()};
  if (!(bound.second > 0)) // (C3)
    return op.emitOpError() << bound.first << " is " << bound.second
                            << ", expected a positive number";
  return type;
}

#define GRAPHC_LOSS(OP, ...)                                                   \
  LogicalResult OP::inferTypes(SmallVectorImpl<Type> &types) {                 \
    FailureOr<RankedTensorType> losses = lossesOf(*this);                      \
    if (failed(losses))                                                        \
      return failure();                                                        \
    return inferLoss(*this, *losses, getWeights(), getReduction(), types);     \
  }                                                                            \
  Results OP::decompose(OpBuilder &b) {                                        \
    LossExpr e(b, *this);                                                      \
    return one(weighted(e, __VA_ARGS__, getWeights(), getReduction()));        \
  }

GRAPHC_LOSS(AbsoluteDifferenceOp, e.unary<AbsOp>(e.difference()))
GRAPHC_LOSS(MeanSquaredErrorOp, e.squaredDifference())
GRAPHC_LOSS(HuberLossOp, e.huber(getDelta().convertToDouble()))
GRAPHC_LOSS(SmoothL1LossOp, e.scale(e.huber(getBeta().convertToDouble()),
                                    1 / getBeta().convertToDouble()))
GRAPHC_LOSS(LogLossOp, e.logLoss(getEpsilon().convertToDouble()))
GRAPHC_LOSS(HingeLossOp, e.hinge())
GRAPHC_LOSS(SquaredHingeLossOp, e.unary<SquareOp>(e.hinge()))
GRAPHC_LOSS(PoissonLossOp,
            e.sub(e.predictions,
                  e.mul(e.labels, e.logOf(e.predictions,
                                          getEpsilon().convertToDouble()))))
GRAPHC_LOSS(KlDivergenceOp, e.klDivergence(getEpsilon().convertToDouble()))
GRAPHC_LOSS(CosineDistanceOp,
            e.cosineDistance(*normalizeAxis(*this, getAxis(),
                                            tensorType(getLabels()).getRank())))

//===-- Metrics -----------------------------------------------------------===//

LogicalResult InTopKOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(getPredictions());
  RankedTensorType targets = tensorType(getTargets());
  if (type.getRank() != 2 || targets.getRank() != 1 ||
      failed(verifyCompatibleShape(type.getShape().take_front(),
                                   targets.getShape()))) // (C1)
    return emitOpError() << "predictions of type " << type
                         << " and targets of type " << targets
                         << " are not a matrix and one target for each row";
  if (static_cast<int64_t>(getK()) < 1) // (C2)
    return emitOpError() << "k is " << static_cast<int64_t>(getK())
                         << ", expected at least 1";
  types.push_back(targets.clone(IntegerType::get(getContext(), 1)));
  return success();
}

/// The numbers from 0 on, as a constant of an integer type.
static Value range(ReductionExpr e, Type element, int64_t count) {
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(e.b.getIntegerAttr(element, i));
  auto type = RankedTensorType::get({count}, element);
  return ConstOp::create(e.b, e.loc, type,
                         DenseElementsAttr::get(type, numbers));
}

Results InTopKOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value x = getPredictions(), targets = getTargets();
  RankedTensorType type = tensorType(x);
  int64_t rows = type.getDimSize(0), classes = type.getDimSize(1);
  Value places = range(e, tensorType(targets).getElementType(), classes);
  Value isTarget = e.test<EqualOp>(e.reshape(targets, {rows, 1}), places);
  // Of a target that is no class nothing is picked: it must not count as 0.
  Value none = e.number(x, -std::numeric_limits<double>::infinity());
  Value own = e.reduce<MaxOp>(e.select(isTarget, x, none, x), 1, true);
  Value isLarger = e.cast(e.test<GreaterOp>(x, own), b.getI32Type());
  Value larger = e.sum(isLarger, 1, /*keepDims=*/false);
  int64_t most = std::min<int64_t>(getK(), std::numeric_limits<int32_t>::max());
  Value isAmong =
      e.test<LessOp>(larger, e.number(larger, static_cast<double>(most)));
  Value isFinite = e.check<IsFiniteOp>(e.reshape(own, {rows}));
  return one(
      LogicalAndOp::create(b, getLoc(), getHit().getType(), isAmong, isFinite));
}

LogicalResult BincountOp::inferTypes(SmallVectorImpl<Type> &types) {
  auto size = static_cast<int64_t>(getSize());
  if (size < 1 || size > std::numeric_limits<int32_t>::max()) // (C1)
    return emitOpError() << "size is " << size
                         << ", expected a number from 1 to 2147483647";
  types.push_back(tensorType(getX()).clone({size}));
  return success();
}

Results BincountOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  int64_t count = tensorType(getX()).getNumElements();
  Value places = range(e, b.getI32Type(), static_cast<int64_t>(getSize()));
  Value isIt = e.test<EqualOp>(e.reshape(getX(), {count, 1}), places);
  return one(e.sum(e.cast(isIt, b.getI32Type()), 0, /*keepDims=*/false));
}
