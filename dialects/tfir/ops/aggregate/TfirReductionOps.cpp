// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, and what is short for other reductions.
#include "dialects/tfir/ops/aggregate/TfirReductionOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "dialects/tfir/ops/aggregate/ReductionExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirReductionOps.cpp.inc"

namespace graphc::tfir {

SmallVector<int64_t> shapeWithout(ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> axes, bool keepDims) {
  SmallVector<int64_t> result;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      result.push_back(size);
    else if (keepDims)
      result.push_back(1);
  return result;
}

LogicalResult inferReduced(Operation *op, Value x,
                           std::optional<ArrayRef<int64_t>> axes, bool keepDims,
                           SmallVectorImpl<Type> &types, Type element) {
  RankedTensorType type = tensorType(x);
  FailureOr<SmallVector<int64_t>> all =
      normalizeAxes(op, axes, type.getRank()); // (C1)
  if (failed(all))
    return failure();
  types.push_back(
      RankedTensorType::get(shapeWithout(type.getShape(), *all, keepDims),
                            element ? element : type.getElementType()));
  return success();
}

FailureOr<int64_t> normalizeAxis(Operation *op, int64_t axis, int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(op, ArrayRef<int64_t>(axis), rank);
  if (failed(axes))
    return failure();
  return axes->front();
}

} // namespace graphc::tfir

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

template <typename Op> SmallVector<int64_t> axesOf(Op op) {
  return *normalizeAxes(op, op.getAxes(), tensorType(op.getX()).getRank());
}

} // namespace

//===-- prod --------------------------------------------------------------===//

LogicalResult ProdOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferReduced(*this, getX(), getAxes(), getKeepDims(), types);
}

bool ProdOp::keepsRows() {
  return tensorType(getX()).getRank() > 0 &&
         !llvm::is_contained(axesOf(*this), 0);
}

SmallVector<Value> ProdOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  SmallVector<int64_t> axes = axesOf(*this);
  RankedTensorType to = lowerType(getY().getType());
  int64_t rank = tensorType(operands[0]).getRank();
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(b.getAffineDimExpr(i));
    else if (getKeepDims())
      kept.push_back(b.getAffineConstantExpr(0));
  // Without a loop that reduces, nothing may look like one that is carried on.
  Value init = axes.empty()
                   ? emptyTensor(b, getLoc(), to)
                   : filledTensor(b, getLoc(), to,
                                  scalar(b, getLoc(), to.getElementType(), 1));
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, kept, b.getContext())};
  auto product = [&](OpBuilder &b, Location loc,
                     ValueRange args) -> SmallVector<Value> {
    if (axes.empty())
      return {args[0]};
    if (!isa<FloatType>(args[0].getType()))
      return {arith::MulIOp::create(b, loc, args[0], args[1])};
    // In any order, which lets it be vectorised.
    return {arith::MulFOp::create(
        b, loc, args[0], args[1],
        arith::FastMathFlagsAttr::get(b.getContext(),
                                      arith::FastMathFlags::reassoc))};
  };
  return {
      buildGeneric(b, getLoc(), operands[0], init, maps, rank, axes, product)
          .getResult(0)};
}

LogicalResult ProdOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                    MutableArrayRef<Value> result) {
  ReductionExpr e{b, getLoc()};
  Value x = getX();
  Type element = tensorType(x).getElementType();
  if (!isa<FloatType>(element))
    return success();
  SmallVector<int64_t> axes = axesOf(*this);
  Value g = e.reshape(gradients[0],
                      shapeWithout(tensorType(x).getShape(), axes, true));
  // The product of the other elements: without the zeros, by division; with
  // one zero only its own is not 0; with two, none.
  Value isZero = e.isZero(x);
  Value factors = e.select(isZero, e.number(x, 1), x, x);
  Value zeros = e.sum(e.cast(isZero, element), axes, true);
  Value product = e.reduce<ProdOp>(factors, axes, true);
  Value atZero = e.where(e.test<EqualOp>(zeros, e.number(x, 1)), product);
  Value elsewhere =
      e.mul(e.where(e.isZero(zeros), product), e.unary<ReciprocalOp>(factors));
  result[0] = e.mul(g, e.select(isZero, atZero, elsewhere, x));
  return success();
}

//===-- Short for other reductions ----------------------------------------===//

#define GRAPHC_REDUCTION(OP, ELEMENT, ...)                                     \
  LogicalResult OP::inferTypes(SmallVectorImpl<Type> &types) {                 \
    return inferReduced(*this, getX(), getAxes(), getKeepDims(), types,        \
                        ELEMENT);                                              \
  }                                                                            \
  Results OP::decompose(OpBuilder &b) {                                        \
    ReductionExpr e{b, getLoc()};                                              \
    Value x = getX();                                                          \
    SmallVector<int64_t> axes = axesOf(*this);                                 \
    bool keep = getKeepDims();                                                 \
    return one(__VA_ARGS__);                                                   \
  }

static Value logSumExp(ReductionExpr e, Value x, ArrayRef<int64_t> axes,
                       bool keep) {
  Value largest =
      e.unary<StopGradientOp>(e.reduce<MaxOp>(x, axes, /*keepDims=*/true));
  // Infinities are left to exp and log: their differences would be NaN.
  Value shift = e.where(e.check<IsFiniteOp>(largest), largest);
  Value log =
      e.unary<LogOp>(e.sum(e.unary<ExpOp>(e.sub(x, shift)), axes, keep));
  return e.add(log, e.reshape(shift, tensorType(log).getShape()));
}

/// Counts the truth values that hold, as an i32.
static Value countTrue(ReductionExpr e, Value x, ArrayRef<int64_t> axes,
                       bool keep) {
  return e.sum(e.cast(x, e.b.getI32Type()), axes, keep);
}

static Value nonzero(ReductionExpr e, Value x) {
  if (tensorType(x).getElementType().isInteger(1))
    return x;
  return e.test<NotEqualOp>(x, e.number(x, 0));
}

GRAPHC_REDUCTION(VarianceOp, nullptr, e.moments(x, axes, keep).second)
GRAPHC_REDUCTION(StdOp, nullptr, e.root(e.moments(x, axes, keep).second))
GRAPHC_REDUCTION(LogsumexpOp, nullptr, logSumExp(e, x, axes, keep))
GRAPHC_REDUCTION(AnyOp, nullptr, nonzero(e, countTrue(e, x, axes, keep)))
GRAPHC_REDUCTION(AllOp, nullptr,
                 e.isZero(countTrue(e, e.unary<LogicalNotOp>(x), axes, keep)))
GRAPHC_REDUCTION(CountNonzeroOp, IntegerType::get(getContext(), 64),
                 e.sum(e.cast(nonzero(e, x), b.getI64Type()), axes, keep))

//===-- norm --------------------------------------------------------------===//

LogicalResult NormOp::inferTypes(SmallVectorImpl<Type> &types) {
  double ord = getOrd().convertToDouble();
  if (!(ord >= 1)) // (C2)
    return emitOpError() << "ord is " << ord << ", expected at least 1";
  return inferReduced(*this, getX(), getAxes(), getKeepDims(), types);
}

Results NormOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  double ord = getOrd().convertToDouble();
  SmallVector<int64_t> axes = axesOf(*this);
  bool keep = getKeepDims();
  if (ord == 2)
    return one(e.root(e.sumOfSquares(getX(), axes, keep)));
  Value size = e.unary<AbsOp>(getX());
  if (ord == 1)
    return one(e.sum(size, axes, keep));
  if (std::isinf(ord)) // that of no elements is 0
    return one(e.binary<MaximumOp>(e.reduce<MaxOp>(size, axes, keep),
                                   e.number(size, 0)));
  Value sum = e.sum(e.binary<PowOp>(size, e.number(size, ord)), axes, keep);
  Value zero = e.isZero(sum);
  Value safe = e.select(zero, e.number(sum, 1), sum, sum);
  return one(e.whereNot(zero, e.binary<PowOp>(safe, e.number(sum, 1 / ord))));
}

//===-- arg_min -----------------------------------------------------------===//

LogicalResult ArgMinOp::inferTypes(SmallVectorImpl<Type> &types) {
  auto axis = static_cast<int64_t>(getAxis());
  return inferReduced(*this, getX(), ArrayRef<int64_t>(axis), false, types,
                      IntegerType::get(getContext(), 64));
}

Results ArgMinOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  // -1 - x does not overflow as -x does.
  bool isFloat = isa<FloatType>(tensorType(getX()).getElementType());
  Value turned = isFloat ? e.neg(getX()) : e.unary<InvertOp>(getX());
  return one(
      ArgMaxOp::create(b, getLoc(), getY().getType(), turned, getAxisAttr()));
}

//===-- Along an axis -----------------------------------------------------===//

namespace {

/// Slices and joins along one axis.
struct AxisExpr {
  ReductionExpr e;
  int64_t axis;

  /// Elements [begin, begin + count) along the axis.
  Value part(Value x, int64_t begin, int64_t count) {
    RankedTensorType type = tensorType(x);
    SmallVector<int64_t> begins(type.getRank(), 0), sizes(type.getShape());
    begins[axis] = begin;
    sizes[axis] = count;
    return SliceOp::create(e.b, e.loc, type.clone(sizes), x,
                           e.b.getDenseI64ArrayAttr(begins),
                           e.b.getDenseI64ArrayAttr(sizes));
  }
  Value join(Value x, Value y) {
    RankedTensorType type = tensorType(x);
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] += tensorType(y).getDimSize(axis);
    return ConcatOp::create(e.b, e.loc, type.clone(shape), ValueRange{x, y},
                            e.b.getI64IntegerAttr(axis));
  }
  /// `value` in so many places along the axis.
  Value fill(Value like, int64_t count, double value) {
    RankedTensorType type = tensorType(like);
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = count;
    return splat(e.b, e.loc, type.clone(shape), value);
  }
};

/// Exchanges an axis with the first one.
Value exchanged(OpExpr e, Value x, int64_t axis) {
  RankedTensorType type = tensorType(x);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(type.getRank()));
  SmallVector<int64_t> shape(type.getShape());
  std::swap(order[0], order[axis]);
  std::swap(shape[0], shape[axis]);
  return TransposeOp::create(e.b, e.loc, type.clone(shape), x,
                             e.b.getDenseI64ArrayAttr(order));
}

template <typename Combine, typename Op>
Value scan(Op op, AxisExpr along, Value x, double neutral) {
  int64_t count = tensorType(x).getDimSize(along.axis);
  // After the round of distance d, each element is made of the nearest 2 d.
  for (int64_t distance = 1; distance < count; distance *= 2) {
    int64_t rest = count - distance;
    Value combined = along.e.template binary<Combine>(
        along.part(x, distance, rest), along.part(x, 0, rest));
    x = op.getReverse() ? along.join(combined, along.part(x, rest, distance))
                        : along.join(along.part(x, 0, distance), combined);
  }
  if (!op.getExclusive() || count == 0)
    return x;
  Value outside = along.fill(x, 1, neutral);
  return op.getReverse() ? along.join(along.part(x, 1, count - 1), outside)
                         : along.join(outside, along.part(x, 0, count - 1));
}

/// Tensors up to this size are scanned by one kernel, whatever the axis.
constexpr int64_t kSmallScan = 16384;

template <typename Combine, typename Op>
Results scan(Op op, OpBuilder &b, double neutral) {
  ReductionExpr e{b, op.getLoc()};
  Value x = op.getX();
  RankedTensorType type = tensorType(x);
  int64_t axis = *normalizeAxis(op, op.getAxis(), type.getRank());
  if (axis == 0 || type.getNumElements() <= kSmallScan)
    return one(scan<Combine>(op, {e, axis}, x, neutral));
  // Parts along the first axis lie together: they are views, not copies.
  Value y = scan<Combine>(op, {e, 0}, exchanged(e, x, axis), neutral);
  return one(exchanged(e, y, axis));
}

template <typename Op>
LogicalResult inferAlong(Op op, Value x, SmallVectorImpl<Type> &types) {
  if (failed(normalizeAxis(op, op.getAxis(), tensorType(x).getRank()))) // (C1)
    return failure();
  types.push_back(x.getType());
  return success();
}

/// x less its largest element along the axis.
Value centred(ReductionExpr e, Value x, int64_t axis) {
  return e.sub(
      x, e.unary<StopGradientOp>(e.reduce<MaxOp>(x, axis, /*keepDims=*/true)));
}

} // namespace

LogicalResult CumsumOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferAlong(*this, getX(), types);
}
LogicalResult CumprodOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferAlong(*this, getX(), types);
}
LogicalResult SoftmaxAxisOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferAlong(*this, getLogits(), types);
}
LogicalResult LogSoftmaxAxisOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferAlong(*this, getLogits(), types);
}

Results CumsumOp::decompose(OpBuilder &b) { return scan<AddOp>(*this, b, 0); }
Results CumprodOp::decompose(OpBuilder &b) { return scan<MulOp>(*this, b, 1); }

Results SoftmaxAxisOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value x = getLogits();
  int64_t rank = tensorType(x).getRank();
  int64_t axis = *normalizeAxis(*this, getAxis(), rank);
  if (axis == rank - 1)
    return one(e.unary<SoftmaxOp>(x));
  Value exponentials = e.unary<ExpOp>(centred(e, x, axis));
  return one(e.div(exponentials, e.sum(exponentials, axis, true)));
}

Results LogSoftmaxAxisOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value x = getLogits();
  int64_t rank = tensorType(x).getRank();
  int64_t axis = *normalizeAxis(*this, getAxis(), rank);
  if (axis == rank - 1)
    return one(e.unary<LogSoftmaxOp>(x));
  Value shifted = centred(e, x, axis);
  Value sum = e.sum(e.unary<ExpOp>(shifted), axis, true);
  return one(e.sub(shifted, e.unary<LogOp>(sum)));
}

//===-- Bounded norms -----------------------------------------------------===//

/// `clip_norm` is a number of the element type of the others.
static LogicalResult checkClipNorm(Operation *op, Value clipNorm, Value like) {
  RankedTensorType type = tensorType(clipNorm);
  Type element = tensorType(like).getElementType();
  if (type.getRank() == 0 && type.getElementType() == element)
    return success();
  return op->emitOpError() << "'clip_norm' has the type " << type
                           << ", expected "
                           << RankedTensorType::get({}, element);
}

static LogicalResult checkList(Operation *op, ValueRange list) {
  if (list.empty())
    return op->emitOpError() << "has no tensors, expected one at least";
  Type element = tensorType(list.front()).getElementType();
  for (Value tensor : list)
    if (tensorType(tensor).getElementType() != element)
      return op->emitOpError() << "tensors have the element types " << element
                               << " and " << tensorType(tensor).getElementType()
                               << "; cast some of them with tfir.cast";
  return success();
}

LogicalResult ClipByNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(normalizeAxes(*this, getAxes(),
                           tensorType(getX()).getRank())) || // (C1)
      failed(checkClipNorm(*this, getClipNorm(), getX())))   // (C2)
    return failure();
  types.push_back(getX().getType());
  return success();
}

Results ClipByNormOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value norm = e.root(e.sumOfSquares(getX(), axesOf(*this), true));
  Value bound = e.binary<MaximumOp>(norm, getClipNorm());
  return one(e.div(e.mul(getX(), getClipNorm()), bound));
}

LogicalResult GlobalNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkList(*this, getTList()))) // (C1)
    return failure();
  types.push_back(RankedTensorType::get(
      {}, tensorType(getTList().front()).getElementType()));
  return success();
}

static Value globalNorm(ReductionExpr e, ValueRange list) {
  Value squares;
  for (Value tensor : list) {
    auto axes = llvm::to_vector(llvm::seq(tensorType(tensor).getRank()));
    Value own = e.sumOfSquares(tensor, axes, false);
    squares = squares ? e.add(squares, own) : own;
  }
  return e.root(squares);
}

Results GlobalNormOp::decompose(OpBuilder &b) {
  return one(globalNorm({b, getLoc()}, getTList()));
}

LogicalResult ClipByGlobalNormOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkList(*this, getTList()))) // (C1)
    return failure();
  if (failed(checkClipNorm(*this, getClipNorm(), getTList()[0]))) // (C2)
    return failure();
  llvm::append_range(types, getTList().getTypes());
  return success();
}

Results ClipByGlobalNormOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value norm = globalNorm(e, getTList());
  Value factor = e.div(getClipNorm(), e.binary<MaximumOp>(norm, getClipNorm()));
  // NaN where the norm is not finite: steps with such gradients show.
  factor = e.add(factor, e.sub(norm, norm));
  SmallVector<Value> values;
  for (Value tensor : getTList())
    values.push_back(e.mul(tensor, factor));
  return values;
}

LogicalResult L2NormalizeOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(normalizeAxes(*this, getAxes(),
                           tensorType(getX()).getRank()))) // (C1)
    return failure();
  if (double epsilon = getEpsilon().convertToDouble(); !(epsilon > 0)) // (C2)
    return emitOpError() << "epsilon is " << epsilon
                         << ", expected a positive number";
  types.push_back(getX().getType());
  return success();
}

Results L2NormalizeOp::decompose(OpBuilder &b) {
  ReductionExpr e{b, getLoc()};
  Value squares = e.sumOfSquares(getX(), axesOf(*this), true);
  Value bound = e.binary<MaximumOp>(
      squares, e.number(squares, getEpsilon().convertToDouble()));
  return one(e.mul(getX(), e.unary<RsqrtOp>(bound)));
}
