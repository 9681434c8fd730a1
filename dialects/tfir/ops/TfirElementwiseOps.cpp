// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops: the types of their results and the function of one element.
#include "dialects/tfir/ops/ScalarFormula.h"

using namespace mlir;
using namespace graphc::tfir;

//===-- Types -------------------------------------------------------------===//

LogicalResult graphc::tfir::inferUnary(Operation *op,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(op->getOperand(0).getType());
  return success();
}

/// (C1), (C2) of the ops with two operands.
static LogicalResult inferBroadcast(Operation *op, Value x, Value y,
                                    Type element,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType xType = tensorType(x), yType = tensorType(y);
  if (xType.getElementType() != yType.getElementType())
    return op->emitOpError()
           << "operands have the element types " << xType.getElementType()
           << " and " << yType.getElementType()
           << "; cast one of them with tfir.cast";
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(xType.getShape(), yType.getShape());
  if (!shape)
    return op->emitOpError()
           << "operands of types " << xType << " and " << yType
           << " do not broadcast; from the last on, each two "
              "sizes must be equal or one of them 1";
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

LogicalResult graphc::tfir::inferBinary(Operation *op,
                                        SmallVectorImpl<Type> &types) {
  Value x = op->getOperand(0);
  return inferBroadcast(op, x, op->getOperand(1),
                        tensorType(x).getElementType(), types);
}

namespace {

LogicalResult inferCompare(Operation *op, SmallVectorImpl<Type> &types) {
  return inferBroadcast(op, op->getOperand(0), op->getOperand(1),
                        IntegerType::get(op->getContext(), 1), types);
}

/// `F` for floats, `I` for integers.
template <typename F, typename I>
Value floatOrInt(OpBuilder &b, Location loc, ValueRange x) {
  if (isFloat(x[0]))
    return F::create(b, loc, x[0], x[1]);
  return I::create(b, loc, x[0], x[1]);
}

Value compare(Operation *op, OpBuilder &b, Location loc, ValueRange x,
              arith::CmpFPredicate ifFloat, arith::CmpIPredicate ifSigned,
              arith::CmpIPredicate ifUnsigned) {
  if (isFloat(x[0]))
    return arith::CmpFOp::create(b, loc, ifFloat, x[0], x[1]);
  return arith::CmpIOp::create(b, loc, isUnsigned(op) ? ifUnsigned : ifSigned,
                               x[0], x[1]);
}

/// x where `keep` holds, else the constant.
Value selectConstant(OpBuilder &b, Location loc, arith::CmpFPredicate predicate,
                     Value x, double bound) {
  // The bound is compared first so that a NaN comes through.
  Value limit = scalar(b, loc, x.getType(), bound);
  Value beyond = arith::CmpFOp::create(b, loc, predicate, limit, x);
  return arith::SelectOp::create(b, loc, beyond, limit, x);
}

Value maximumOf(Operation *op, OpBuilder &b, Location loc, Value x, Value y) {
  if (isFloat(x))
    return arith::MaximumFOp::create(b, loc, x, y);
  if (isUnsigned(op))
    return arith::MaxUIOp::create(b, loc, x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}

Value minimumOf(Operation *op, OpBuilder &b, Location loc, Value x, Value y) {
  if (isFloat(x))
    return arith::MinimumFOp::create(b, loc, x, y);
  if (isUnsigned(op))
    return arith::MinUIOp::create(b, loc, x, y);
  return arith::MinSIOp::create(b, loc, x, y);
}

/// x to the y as C's pow: also of negative x when y is whole, and 1 for y = 0.
Value power(OpBuilder &b, Location loc, Value x, Value y) {
  auto number = [&](double value) {
    return scalar(b, loc, x.getType(), value);
  };
  auto test = [&](arith::CmpFPredicate predicate, Value left,
                  Value right) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, left, right);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  auto isWhole = [&](Value value) {
    return test(arith::CmpFPredicate::OEQ, value,
                math::FloorOp::create(b, loc, value));
  };
  Value size = math::PowFOp::create(b, loc, math::AbsFOp::create(b, loc, x), y);
  Value half = arith::MulFOp::create(b, loc, y, number(0.5));
  Value odd = select(isWhole(half), size, arith::NegFOp::create(b, loc, size));
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  Value ofNegative = select(isWhole(y), odd, nan);
  Value isNegative = test(arith::CmpFPredicate::OLT, x, number(0));
  Value result = select(isNegative, ofNegative, size);
  return select(test(arith::CmpFPredicate::OEQ, y, number(0)), number(1),
                result);
}

/// The f32 of a float of 16 bits, whose bits `x` is.
Value widenHalf(OpBuilder &b, Location loc, Value x, Type from) {
  if (from.isF16()) {
    Value half = arith::BitcastOp::create(b, loc, from, x);
    return arith::ExtFOp::create(b, loc, b.getF32Type(), half);
  }
  Value bits = arith::ExtUIOp::create(b, loc, b.getI32Type(), x);
  Value upper =
      arith::ShLIOp::create(b, loc, bits, scalar(b, loc, b.getI32Type(), 16));
  return arith::BitcastOp::create(b, loc, b.getF32Type(), upper);
}

/// The bits of the float of 16 bits that is nearest to the f32 `x`. Those of
/// bf16 are computed with integers, as processors up to x86-64-v4 do not
/// convert.
Value narrowToHalf(OpBuilder &b, Location loc, Value x, Type to) {
  Type i16 = b.getIntegerType(16), i32 = b.getI32Type();
  if (to.isF16()) {
    Value half = arith::TruncFOp::create(b, loc, to, x);
    return arith::BitcastOp::create(b, loc, i16, half);
  }
  auto number = [&](double value) { return scalar(b, loc, i32, value); };
  Value bits = arith::BitcastOp::create(b, loc, i32, x);
  Value upper = arith::ShRUIOp::create(b, loc, bits, number(16));
  // Just below a half of the last place, and a half where that is odd.
  Value odd = arith::AndIOp::create(b, loc, upper, number(1));
  Value half = arith::AddIOp::create(b, loc, odd, number(0x7fff));
  Value rounded = arith::ShRUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, bits, half), number(16));
  // The sum would carry a NaN on to infinity or zero.
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value nan = arith::OrIOp::create(b, loc, upper, number(0x40));
  Value result = arith::SelectOp::create(b, loc, isNaN, nan, rounded);
  return arith::TruncIOp::create(b, loc, i16, result);
}

Value castScalar(OpBuilder &b, Location loc, Value x, Type from, Type to) {
  Type single = b.getF32Type();
  if (isHalf(from))
    return castScalar(b, loc, widenHalf(b, loc, x, from), single, to);
  if (isHalf(to))
    return narrowToHalf(b, loc, castScalar(b, loc, x, from, single), to);
  Type target =
      to.isUnsignedInteger()
          ? IntegerType::get(b.getContext(), to.getIntOrFloatBitWidth())
          : to;
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (to.isInteger(1)) {
    Value zero = scalar(b, loc, x.getType(), 0);
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x, zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, zero);
  }
  bool unsignedFrom = from.isUnsignedInteger() || from.isInteger(1);
  if (isa<FloatType>(from)) {
    if (isa<FloatType>(to)) {
      if (toWidth > fromWidth)
        return arith::ExtFOp::create(b, loc, target, x);
      return toWidth == fromWidth
                 ? x
                 : Value(arith::TruncFOp::create(b, loc, target, x));
    }
    // Through i32, which every vector unit converts to.
    if (toWidth < 32) {
      Value wide = arith::FPToSIOp::create(b, loc, b.getI32Type(), x);
      return arith::TruncIOp::create(b, loc, target, wide);
    }
    if (!to.isUnsignedInteger())
      return arith::FPToSIOp::create(b, loc, target, x);
    if (toWidth == 64)
      return arith::FPToUIOp::create(b, loc, target, x);
    Value wide = arith::FPToSIOp::create(b, loc, b.getI64Type(), x);
    return arith::TruncIOp::create(b, loc, target, wide);
  }
  if (isa<FloatType>(to)) {
    if (fromWidth >= 32 && from.isUnsignedInteger())
      return arith::UIToFPOp::create(b, loc, target, x);
    if (fromWidth < 32)
      x = unsignedFrom
              ? Value(arith::ExtUIOp::create(b, loc, b.getI32Type(), x))
              : Value(arith::ExtSIOp::create(b, loc, b.getI32Type(), x));
    return arith::SIToFPOp::create(b, loc, target, x);
  }
  if (toWidth == fromWidth)
    return x;
  if (toWidth < fromWidth)
    return arith::TruncIOp::create(b, loc, target, x);
  if (unsignedFrom)
    return arith::ExtUIOp::create(b, loc, target, x);
  return arith::ExtSIOp::create(b, loc, target, x);
}

} // namespace

Value graphc::tfir::divideIntegers(OpBuilder &b, Location loc, Value x, Value y,
                                   bool isUnsigned) {
  Value zero = scalar(b, loc, y.getType(), 0),
        one = scalar(b, loc, y.getType(), 1);
  auto test = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, y, value);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  Value byZero = test(zero), safe = select(byZero, one, y), quotient;
  if (isUnsigned) {
    quotient = arith::DivUIOp::create(b, loc, x, safe);
  } else {
    Value byMinusOne = test(scalar(b, loc, y.getType(), -1));
    safe = select(byMinusOne, one, safe);
    quotient = arith::DivSIOp::create(b, loc, x, safe);
    quotient =
        select(byMinusOne, arith::SubIOp::create(b, loc, zero, x), quotient);
  }
  return select(byZero, zero, quotient);
}

//===-- Table of formulas -------------------------------------------------===//

GRAPHC_FORMULA(AbsOp, inferUnary, {
  if (isFloat(x[0]))
    return math::AbsFOp::create(b, loc, x[0]);
  return isUnsigned(*this) ? x[0] : Value(math::AbsIOp::create(b, loc, x[0]));
})
GRAPHC_FORMULA(NegOp, inferUnary, {
  if (isFloat(x[0]))
    return arith::NegFOp::create(b, loc, x[0]);
  Value zero = scalar(b, loc, x[0].getType(), 0);
  return arith::SubIOp::create(b, loc, zero, x[0]);
})
GRAPHC_FORMULA(SquareOp, inferUnary, {
  Value twice[] = {x[0], x[0]};
  return floatOrInt<arith::MulFOp, arith::MulIOp>(b, loc, twice);
})
GRAPHC_FORMULA(SignOp, inferUnary, {
  Value zero = scalar(b, loc, x[0].getType(), 0);
  Value one = scalar(b, loc, x[0].getType(), 1);
  Value unit = math::CopySignOp::create(b, loc, one, x[0]);
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UEQ, x[0], zero);
  return arith::SelectOp::create(b, loc, isZero, x[0], unit);
})
GRAPHC_FORMULA(FloorOp, inferUnary, return math::FloorOp::create(b, loc, x[0]))
GRAPHC_FORMULA(CeilOp, inferUnary, return math::CeilOp::create(b, loc, x[0]))
GRAPHC_FORMULA(SqrtOp, inferUnary, return math::SqrtOp::create(b, loc, x[0]))
GRAPHC_FORMULA(RsqrtOp, inferUnary, {
  Value one = scalar(b, loc, x[0].getType(), 1);
  return arith::DivFOp::create(b, loc, one, math::SqrtOp::create(b, loc, x[0]));
})
GRAPHC_FORMULA(ReciprocalOp, inferUnary, {
  return arith::DivFOp::create(b, loc, scalar(b, loc, x[0].getType(), 1), x[0]);
})
GRAPHC_FORMULA(ExpOp, inferUnary, return math::ExpOp::create(b, loc, x[0]))
GRAPHC_FORMULA(LogOp, inferUnary, return math::LogOp::create(b, loc, x[0]))
GRAPHC_FORMULA(Log1pOp, inferUnary, return math::Log1pOp::create(b, loc, x[0]))
GRAPHC_FORMULA(TanhOp, inferUnary, return math::TanhOp::create(b, loc, x[0]))
GRAPHC_FORMULA(ErfOp, inferUnary, return math::ErfOp::create(b, loc, x[0]))
GRAPHC_FORMULA(SinOp, inferUnary, return math::SinOp::create(b, loc, x[0]))
GRAPHC_FORMULA(CosOp, inferUnary, return math::CosOp::create(b, loc, x[0]))
GRAPHC_FORMULA(SigmoidOp, inferUnary, {
  Value one = scalar(b, loc, x[0].getType(), 1);
  Value e = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x[0]));
  return arith::DivFOp::create(b, loc, one,
                               arith::AddFOp::create(b, loc, one, e));
})
GRAPHC_FORMULA(SoftplusOp, inferUnary, {
  // max(x, 0) + log1p(exp(-|x|)) does not overflow.
  Value e = math::ExpOp::create(
      b, loc,
      arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, x[0])));
  Value positive = selectConstant(b, loc, arith::CmpFPredicate::OGT, x[0], 0);
  return arith::AddFOp::create(b, loc, positive,
                               math::Log1pOp::create(b, loc, e));
})
GRAPHC_FORMULA(ReluOp, inferUnary, {
  return selectConstant(b, loc, arith::CmpFPredicate::OGT, x[0], 0);
})
GRAPHC_FORMULA(Relu6Op, inferUnary, {
  Value low = selectConstant(b, loc, arith::CmpFPredicate::OGT, x[0], 0);
  return selectConstant(b, loc, arith::CmpFPredicate::OLT, low, 6);
})
GRAPHC_FORMULA(LogicalNotOp, inferUnary, {
  return arith::XOrIOp::create(b, loc, x[0], scalar(b, loc, x[0].getType(), 1));
})
GRAPHC_FORMULA(IdentityOp, inferUnary, return x[0])
GRAPHC_FORMULA(StopGradientOp, inferUnary, return x[0])

GRAPHC_FORMULA(AddOp, inferBinary,
               return (floatOrInt<arith::AddFOp, arith::AddIOp>(b, loc, x)))
GRAPHC_FORMULA(SubOp, inferBinary,
               return (floatOrInt<arith::SubFOp, arith::SubIOp>(b, loc, x)))
GRAPHC_FORMULA(MulOp, inferBinary,
               return (floatOrInt<arith::MulFOp, arith::MulIOp>(b, loc, x)))
GRAPHC_FORMULA(DivOp, inferBinary, {
  if (isa<FloatType>(x[0].getType()))
    return arith::DivFOp::create(b, loc, x[0], x[1]);
  return divideIntegers(b, loc, x[0], x[1], isUnsigned(*this));
})
GRAPHC_FORMULA(MaximumOp, inferBinary,
               return maximumOf(*this, b, loc, x[0], x[1]))
GRAPHC_FORMULA(MinimumOp, inferBinary,
               return minimumOf(*this, b, loc, x[0], x[1]))
GRAPHC_FORMULA(SquaredDifferenceOp, inferBinary, {
  Value d = floatOrInt<arith::SubFOp, arith::SubIOp>(b, loc, x);
  Value twice[] = {d, d};
  return floatOrInt<arith::MulFOp, arith::MulIOp>(b, loc, twice);
})
GRAPHC_FORMULA(PowOp, inferBinary, return power(b, loc, x[0], x[1]))

#define GRAPHC_COMPARE(OP, F, S, U)                                            \
  GRAPHC_FORMULA(OP, inferCompare,                                             \
                 return compare(*this, b, loc, x, arith::CmpFPredicate::F,     \
                                arith::CmpIPredicate::S,                       \
                                arith::CmpIPredicate::U))
GRAPHC_COMPARE(EqualOp, OEQ, eq, eq)
GRAPHC_COMPARE(NotEqualOp, UNE, ne, ne)
GRAPHC_COMPARE(LessOp, OLT, slt, ult)
GRAPHC_COMPARE(LessEqualOp, OLE, sle, ule)
GRAPHC_COMPARE(GreaterOp, OGT, sgt, ugt)
GRAPHC_COMPARE(GreaterEqualOp, OGE, sge, uge)

GRAPHC_FORMULA(LogicalAndOp, inferBinary,
               return arith::AndIOp::create(b, loc, x[0], x[1]))
GRAPHC_FORMULA(LogicalOrOp, inferBinary,
               return arith::OrIOp::create(b, loc, x[0], x[1]))

//===-- Select, cast, broadcast -------------------------------------------===//

LogicalResult SelectOp::inferTypes(SmallVectorImpl<Type> &types) {
  SmallVector<Type, 1> branches;
  if (failed(inferBroadcast(*this, getX(), getY(),
                            tensorType(getX()).getElementType(), branches)))
    return failure();
  auto branch = cast<RankedTensorType>(branches[0]);
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(tensorType(getCondition()).getShape(), branch.getShape());
  if (!shape)
    return emitOpError() << "a condition of type " << getCondition().getType()
                         << " does not broadcast with " << branch;
  types.push_back(branch.clone(*shape));
  return success();
}

Value SelectOp::buildScalar(OpBuilder &b, Location loc, ValueRange x, IndexFn) {
  return arith::SelectOp::create(b, loc, x[0], x[1], x[2]);
}

LogicalResult CastOp::verify() {
  RankedTensorType from = tensorType(getX()), to = tensorType(getY());
  if (failed(verifyCompatibleShape(from, to))) // (C1)
    return emitOpError() << "changes the shape from " << from << " to " << to
                         << "; reshape with tfir.reshape";
  if (isa<StringType>(from.getElementType()) ||
      isa<StringType>(to.getElementType()))
    return emitOpError() << "strings cannot be cast";
  return success();
}

Value CastOp::buildScalar(OpBuilder &b, Location loc, ValueRange x, IndexFn) {
  return castScalar(b, loc, x[0], tensorType(getX()).getElementType(),
                    tensorType(getY()).getElementType());
}

LogicalResult BitcastOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType from = tensorType(getX());
  Type to = tensorType(getY()).getElementType();
  if (from.getElementTypeBitWidth() != to.getIntOrFloatBitWidth()) // (C1)
    return emitOpError() << "gives elements of " << from.getElementType()
                         << " the type " << to
                         << ", which has another number of bits; change the "
                            "number with tfir.cast";
  types.push_back(from.clone(to));
  return success();
}

Value BitcastOp::buildScalar(OpBuilder &b, Location loc, ValueRange x,
                             IndexFn) {
  Type to = lowerType(getType()).getElementType();
  if (x[0].getType() == to)
    return x[0];
  return arith::BitcastOp::create(b, loc, to, x[0]);
}

LogicalResult BroadcastToOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType from = tensorType(getX()), to = tensorType(getY());
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(from.getShape(), to.getShape());
  if (!shape || to.getRank() < from.getRank() ||
      failed(verifyCompatibleShape(*shape, to.getShape()))) // (C1)
    return emitOpError() << "a shape of type " << from
                         << " does not broadcast to " << to;
  types.push_back(RankedTensorType::get(to.getShape(), from.getElementType()));
  return success();
}

Value BroadcastToOp::buildScalar(OpBuilder &, Location, ValueRange x, IndexFn) {
  return x[0];
}

bool BroadcastToOp::isCheapToRecompute() { return true; }
