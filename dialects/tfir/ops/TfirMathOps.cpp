// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, arg_max and matmul.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/windows/Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace mlir;
using namespace graphc::tfir;

//===-- Reductions --------------------------------------------------------===//

namespace {

/// The shape that is left; reduced dimensions become 1 or vanish.
SmallVector<int64_t> reducedShape(RankedTensorType type, ArrayRef<int64_t> axes,
                                  bool keepDims) {
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(axes, i))
      shape.push_back(type.getDimSize(i));
    else if (keepDims)
      shape.push_back(1);
  return shape;
}

template <typename Op> FailureOr<SmallVector<int64_t>> axesOf(Op op) {
  return normalizeAxes(op, op.getAxes(), tensorType(op.getX()).getRank());
}

template <typename Op>
LogicalResult inferReduction(Op op, SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> axes = axesOf(op); // (C1)
  if (failed(axes))
    return failure();
  RankedTensorType type = tensorType(op.getX());
  types.push_back(type.clone(reducedShape(type, *axes, op.getKeepDims())));
  return success();
}

using Combine = function_ref<Value(OpBuilder &, Location, Value, Value)>;

/// Reduces with keep_dims maps, so that the result needs no reshape.
template <typename Op>
Value lowerReduction(Op op, OpBuilder &b, Value operand, Value start,
                     Combine combine) {
  SmallVector<int64_t> axes = *axesOf(op);
  int64_t rank = tensorType(operand).getRank();
  if (axes.empty()) {
    // No loop reduces, so nothing may look like a sum that is carried on.
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    Value empty = emptyTensor(b, op.getLoc(), lowerType(op.getY().getType()));
    return buildGeneric(b, op.getLoc(), operand, empty, {identity, identity},
                        rank, {},
                        [](OpBuilder &, Location, ValueRange args) {
                          return SmallVector<Value>{args[0]};
                        })
        .getResult(0);
  }
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(b.getAffineDimExpr(i));
    else if (op.getKeepDims())
      kept.push_back(b.getAffineConstantExpr(0));
  Value init =
      filledTensor(b, op.getLoc(), lowerType(op.getY().getType()), start);
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, kept, b.getContext())};
  return buildGeneric(b, op.getLoc(), operand, init, maps, rank, axes,
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        return SmallVector<Value>{
                            combine(b, loc, args[0], args[1])};
                      })
      .getResult(0);
}

/// Adds elements in any order: what lets the sum be vectorised.
Value addElements(OpBuilder &b, Location loc, Value x, Value sum) {
  if (!isa<FloatType>(x.getType()))
    return arith::AddIOp::create(b, loc, x, sum);
  auto flags = arith::FastMathFlags::reassoc | arith::FastMathFlags::nsz;
  return arith::AddFOp::create(
      b, loc, x, sum, arith::FastMathFlagsAttr::get(b.getContext(), flags));
}

/// The lowest or the highest number of a type.
Value extreme(OpBuilder &b, Location loc, Type element, bool lowest) {
  if (auto type = dyn_cast<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return scalar(b, loc, type, lowest ? -infinity : infinity);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  APInt value = isUnsigned ? (lowest ? APInt::getMinValue(width)
                                     : APInt::getMaxValue(width))
                           : (lowest ? APInt::getSignedMinValue(width)
                                     : APInt::getSignedMaxValue(width));
  Type signless = IntegerType::get(b.getContext(), width);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(signless, value));
}

template <typename Op>
Value lowerExtreme(Op op, OpBuilder &b, Value operand, bool largest) {
  Type element = tensorType(op.getX()).getElementType();
  bool isUnsigned = element.isUnsignedInteger();
  return lowerReduction(
      op, b, operand, extreme(b, op.getLoc(), element, largest),
      [&](OpBuilder &b, Location loc, Value x, Value y) -> Value {
        if (isa<FloatType>(element))
          return largest ? Value(arith::MaximumFOp::create(b, loc, x, y))
                         : Value(arith::MinimumFOp::create(b, loc, x, y));
        if (isUnsigned)
          return largest ? Value(arith::MaxUIOp::create(b, loc, x, y))
                         : Value(arith::MinUIOp::create(b, loc, x, y));
        return largest ? Value(arith::MaxSIOp::create(b, loc, x, y))
                       : Value(arith::MinSIOp::create(b, loc, x, y));
      });
}

/// `value` with the reduced dimensions put back as 1.
template <typename Op> Value withKeptDims(Op op, OpBuilder &b, Value value) {
  RankedTensorType type = tensorType(op.getX());
  RankedTensorType kept =
      type.clone(reducedShape(type, *axesOf(op), /*keepDims=*/true));
  kept = RankedTensorType::get(kept.getShape(),
                               tensorType(value).getElementType());
  if (value.getType() == kept)
    return value;
  return ReshapeOp::create(b, op.getLoc(), kept, value);
}

/// The gradient of max and min: shared equally among the elements that are it.
template <typename Op>
LogicalResult extremeGradient(Op op, OpBuilder &b, Value gradient,
                              MutableArrayRef<Value> result) {
  Location loc = op.getLoc();
  RankedTensorType type = tensorType(op.getX());
  if (!isa<FloatType>(type.getElementType()))
    return success();
  Value y = withKeptDims(op, b, op.getY());
  Value isIt = EqualOp::create(
      b, loc, RankedTensorType::get(type.getShape(), b.getI1Type()), op.getX(),
      y);
  Value ones = CastOp::create(b, loc, type, isIt);
  Value count = SumOp::create(b, loc, tensorType(op.getY()), ones,
                              op.getAxesAttr(), op.getKeepDimsAttr());
  Value share = DivOp::create(b, loc, gradient.getType(), gradient, count);
  result[0] = MulOp::create(b, loc, type, ones, withKeptDims(op, b, share));
  return success();
}

} // namespace

LogicalResult SumOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferReduction(*this, types);
}
LogicalResult MeanOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferReduction(*this, types);
}
LogicalResult MaxOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferReduction(*this, types);
}
LogicalResult MinOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferReduction(*this, types);
}

SmallVector<Value> SumOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Type element = lowerType(getX().getType()).getElementType();
  Value zero = scalar(b, getLoc(), element, 0);
  return {lowerReduction(*this, b, operands[0], zero, addElements)};
}

SmallVector<Value> MeanOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  RankedTensorType type = tensorType(getY());
  Value zero = scalar(b, getLoc(), type.getElementType(), 0);
  Value sum = lowerReduction(*this, b, operands[0], zero, addElements);
  double count = static_cast<double>(tensorType(getX()).getNumElements()) /
                 static_cast<double>(type.getNumElements());
  Value factor = scalar(b, getLoc(), type.getElementType(), 1.0 / count);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return {buildGeneric(b, getLoc(), sum, emptyTensor(b, getLoc(), type),
                       {identity, identity}, type.getRank(), {},
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         return SmallVector<Value>{
                             arith::MulFOp::create(b, loc, args[0], factor)};
                       })
              .getResult(0)};
}

SmallVector<Value> MaxOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  return {lowerExtreme(*this, b, operands[0], /*largest=*/true)};
}
SmallVector<Value> MinOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  return {lowerExtreme(*this, b, operands[0], /*largest=*/false)};
}

LogicalResult SumOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                   MutableArrayRef<Value> result) {
  if (isa<FloatType>(tensorType(getX()).getElementType()))
    result[0] = BroadcastToOp::create(b, getLoc(), getX().getType(),
                                      withKeptDims(*this, b, gradients[0]));
  return success();
}

LogicalResult MeanOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                    MutableArrayRef<Value> result) {
  RankedTensorType type = tensorType(getX());
  double count = static_cast<double>(type.getNumElements()) /
                 static_cast<double>(tensorType(getY()).getNumElements());
  Value factor =
      splat(b, getLoc(), RankedTensorType::get({}, type.getElementType()),
            1.0 / count);
  Value share =
      MulOp::create(b, getLoc(), gradients[0].getType(), gradients[0], factor);
  result[0] =
      BroadcastToOp::create(b, getLoc(), type, withKeptDims(*this, b, share));
  return success();
}

LogicalResult MaxOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                   MutableArrayRef<Value> result) {
  return extremeGradient(*this, b, gradients[0], result);
}
LogicalResult MinOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                   MutableArrayRef<Value> result) {
  return extremeGradient(*this, b, gradients[0], result);
}

/// Rows stay rows unless the first dimension is reduced.
template <typename Op> static bool reductionKeepsRows(Op op) {
  SmallVector<int64_t> axes = *axesOf(op);
  return tensorType(op.getX()).getRank() > 0 && !llvm::is_contained(axes, 0);
}
bool SumOp::keepsRows() { return reductionKeepsRows(*this); }
bool MeanOp::keepsRows() { return reductionKeepsRows(*this); }
bool MaxOp::keepsRows() { return reductionKeepsRows(*this); }
bool MinOp::keepsRows() { return reductionKeepsRows(*this); }

//===-- arg_max -----------------------------------------------------------===//

/// The axis, counted from the first dimension.
static int64_t axisOf(ArgMaxOp op) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return axis < 0 ? axis + tensorType(op.getX()).getRank() : axis;
}

LogicalResult ArgMaxOp::inferTypes(SmallVectorImpl<Type> &types) {
  int64_t axis = getAxis();
  RankedTensorType type = tensorType(getX());
  FailureOr<SmallVector<int64_t>> axes =
      normalizeAxes(*this, ArrayRef<int64_t>(axis), type.getRank()); // (C1)
  if (failed(axes))
    return failure();
  types.push_back(RankedTensorType::get(reducedShape(type, *axes, false),
                                        IntegerType::get(getContext(), 64)));
  return success();
}

bool ArgMaxOp::keepsRows() { return axisOf(*this) != 0; }

SmallVector<Value> ArgMaxOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Location loc = getLoc();
  RankedTensorType from = tensorType(operands[0]);
  RankedTensorType to = tensorType(getY());
  int64_t rank = from.getRank();
  int64_t axis = axisOf(*this);
  Type element = tensorType(getX()).getElementType();
  bool isUnsigned = element.isUnsignedInteger();
  Value bestInit = filledTensor(b, loc, to.clone(from.getElementType()),
                                extreme(b, loc, element, /*lowest=*/true));
  Value indexInit = filledTensor(b, loc, to, scalar(b, loc, b.getI64Type(), 0));
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      kept.push_back(b.getAffineDimExpr(i));
  AffineMap map = AffineMap::get(rank, 0, kept, b.getContext());
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank), map, map};
  auto generic = buildGeneric(
      b, loc, operands[0], {bestInit, indexInit}, maps, rank, axis,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value better;
        if (isa<FloatType>(element))
          better = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                         args[0], args[1]);
        else
          better = arith::CmpIOp::create(b, loc,
                                         isUnsigned ? arith::CmpIPredicate::ugt
                                                    : arith::CmpIPredicate::sgt,
                                         args[0], args[1]);
        Value here = arith::IndexCastOp::create(
            b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, axis));
        return SmallVector<Value>{
            arith::SelectOp::create(b, loc, better, args[0], args[1]),
            arith::SelectOp::create(b, loc, better, here, args[2])};
      });
  return {generic.getResult(1)};
}

//===-- matmul ------------------------------------------------------------===//

LogicalResult MatMulOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType a = tensorType(getA()), b = tensorType(getB());
  if (a.getRank() < 2 || b.getRank() < 2) // (C1)
    return emitOpError() << "multiplies matrices, but the operands have the "
                            "types "
                         << a << " and " << b;
  if (a.getElementType() != b.getElementType()) // (C4)
    return emitOpError() << "operands have the element types "
                         << a.getElementType() << " and " << b.getElementType()
                         << "; cast one of them with tfir.cast";
  ArrayRef<int64_t> left = a.getShape().take_back(2);
  ArrayRef<int64_t> right = b.getShape().take_back(2);
  int64_t rows = left[getTransposeA() ? 1 : 0];
  int64_t inner = left[getTransposeA() ? 0 : 1];
  int64_t otherInner = right[getTransposeB() ? 1 : 0];
  int64_t columns = right[getTransposeB() ? 0 : 1];
  if (!ShapedType::isDynamic(inner) && !ShapedType::isDynamic(otherInner) &&
      inner != otherInner) { // (C2)
    StringRef cure = "reshape or transpose one of them";
    if (columns == inner)
      cure = getTransposeB() ? "it fits without transpose_b"
                             : "it fits with transpose_b";
    else if (rows == otherInner)
      cure = getTransposeA() ? "it fits without transpose_a"
                             : "it fits with transpose_a";
    return emitOpError() << "sums over " << inner << " columns of the first "
                         << "operand but " << otherInner
                         << " rows of the second, types " << a << " and " << b
                         << "; " << cure;
  }
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(a.getShape().drop_back(2), b.getShape().drop_back(2));
  if (!shape) // (C3)
    return emitOpError() << "has operands of types " << a << " and " << b
                         << ", whose batch dimensions do not broadcast";
  shape->append({rows, columns});
  types.push_back(a.clone(*shape));
  return success();
}

bool MatMulOp::isShorthand() {
  return !hasProductCode(tensorType(getA()).getElementType());
}

/// sum over k of a[.., i, 1, k] * b[.., 1, j, k], which is one kernel.
FailureOr<SmallVector<Value>> MatMulOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = tensorType(getC());
  auto exchanged = [&](Value x) {
    auto perm = llvm::to_vector(llvm::seq<int64_t>(tensorType(x).getRank()));
    std::swap(perm[perm.size() - 2], perm.back());
    return buildTranspose(b, loc, x, perm);
  };
  Value left = getTransposeA() ? exchanged(getA()) : getA();
  Value right = getTransposeB() ? getB() : exchanged(getB());
  SmallVector<int64_t> leftShape(tensorType(left).getShape()),
      rightShape(tensorType(right).getShape());
  SmallVector<int64_t> terms(type.getShape());
  terms.push_back(leftShape.back());
  leftShape.insert(leftShape.end() - 1, 1);
  rightShape.insert(rightShape.end() - 2, 1);
  Value product = MulOp::create(b, loc, type.clone(terms),
                                buildReshape(b, loc, left, leftShape),
                                buildReshape(b, loc, right, rightShape));
  Value sum = SumOp::create(b, loc, type, product,
                            b.getDenseI64ArrayAttr({type.getRank()}),
                            /*keep_dims=*/UnitAttr());
  return SmallVector<Value>{sum};
}

/// The matrices of a batch as one, row after row.
static Value stackedRows(OpBuilder &b, Location loc, Value x) {
  RankedTensorType type = tensorType(x);
  int64_t columns = type.getShape().back();
  int64_t rows = ShapedType::getNumElements(type.getShape().drop_back());
  return ReshapeOp::create(b, loc, type.clone({rows, columns}), x);
}

LogicalResult MatMulOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                      MutableArrayRef<Value> result) {
  Value g = gradients[0], x = getA(), y = getB();
  bool tx = getTransposeA(), ty = getTransposeB();
  // Each product by itself, then the sum over those that share an operand.
  auto product = [&](Value like, Value left, Value right, bool tLeft,
                     bool tRight) -> Value {
    RankedTensorType to = tensorType(like);
    std::optional<SmallVector<int64_t>> shape =
        broadcastShapes(tensorType(left).getShape().drop_back(2),
                        tensorType(right).getShape().drop_back(2));
    llvm::append_range(*shape, to.getShape().take_back(2));
    Value made = MatMulOp::create(b, getLoc(), to.clone(*shape), left, right,
                                  tLeft ? b.getUnitAttr() : UnitAttr(),
                                  tRight ? b.getUnitAttr() : UnitAttr());
    return unbroadcast(b, getLoc(), made, to);
  };
  if (tensorType(x).getRank() > 2 && tensorType(y).getRank() == 2 && !tx) {
    // One product of all rows sums over the batch, too.
    result[0] = product(x, g, y, false, !ty);
    Value rows = stackedRows(b, getLoc(), x),
          slopes = stackedRows(b, getLoc(), g);
    result[1] = ty ? product(y, slopes, rows, true, false)
                   : product(y, rows, slopes, true, false);
    return success();
  }
  result[0] = tx ? product(x, y, g, ty, true) : product(x, g, y, false, !ty);
  result[1] = ty ? product(y, g, x, true, tx) : product(y, x, g, !tx, false);
  return success();
}
