// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one and two numbers beyond arithmetic: the function of one
// element, and the gradients.
#include "dialects/tfir/ops/TfirScalarOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/ScalarFormula.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graphc::tfir;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirScalarOps.cpp.inc"

namespace {

/// Writes scalar expressions over floats of one type.
struct Scalars {
  OpBuilder &b;
  Location loc;

  Value number(Value like, double value) {
    return scalar(b, loc, like.getType(), value);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  template <typename Op> Value of(Value x) { return Op::create(b, loc, x); }
  Value test(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value signedAs(Value size, Value sign) {
    return math::CopySignOp::create(b, loc, size, sign);
  }
  /// exp(|x|) / 2 by its root, which does not overflow before the result does.
  Value halfExp(Value size) {
    Value root = of<math::ExpOp>(mul(size, number(size, 0.5)));
    return mul(mul(root, number(size, 0.5)), root);
  }
};

/// Of |x| < 1 by exp(|x|) - 1, in which nothing cancels.
Value sinh(Scalars e, Value x) {
  Value size = e.of<math::AbsFOp>(x), one = e.number(x, 1);
  Value half = e.halfExp(size);
  Value large = e.sub(half, e.div(e.number(x, 0.25), half));
  Value less = e.of<math::ExpM1Op>(size);
  Value small =
      e.mul(e.number(x, 0.5), e.add(less, e.div(less, e.add(less, one))));
  Value isSmall = e.test(arith::CmpFPredicate::OLT, size, one);
  return e.signedAs(e.select(isSmall, small, large), x);
}

Value cosh(Scalars e, Value x) {
  Value half = e.halfExp(e.of<math::AbsFOp>(x));
  return e.add(half, e.div(e.number(x, 0.25), half));
}

/// log(2 x) as log(x) + log(2), for x whose square would overflow.
Value logOfDouble(Scalars e, Value x) {
  return e.add(e.of<math::LogOp>(x), e.number(x, llvm::numbers::ln2));
}
/// So far that 1 is nothing beside the square, which does not overflow.
Value isFar(Scalars e, Value x) {
  double far = x.getType().isF64() ? 1e9 : 1e4;
  return e.test(arith::CmpFPredicate::OGT, x, e.number(x, far));
}

/// log(x + sqrt(x^2 + 1)), as log1p of what is more than 1.
Value asinh(Scalars e, Value x) {
  Value size = e.of<math::AbsFOp>(x), one = e.number(x, 1);
  Value square = e.mul(size, size);
  Value root = e.of<math::SqrtOp>(e.add(square, one));
  Value near =
      e.of<math::Log1pOp>(e.add(size, e.div(square, e.add(one, root))));
  return e.signedAs(e.select(isFar(e, size), logOfDouble(e, size), near), x);
}

/// log(x + sqrt(x^2 - 1)), as log1p of t + sqrt(2 t + t^2) with t = x - 1.
Value acosh(Scalars e, Value x) {
  Value t = e.sub(x, e.number(x, 1));
  // Two roots: the square of a large negative number would hide that it is one.
  Value root = e.mul(e.of<math::SqrtOp>(t),
                     e.of<math::SqrtOp>(e.add(t, e.number(x, 2))));
  Value near = e.of<math::Log1pOp>(e.add(t, root));
  return e.select(isFar(e, x), logOfDouble(e, x), near);
}

/// log((1 + x) / (1 - x)) / 2
Value atanh(Scalars e, Value x) {
  Value size = e.of<math::AbsFOp>(x);
  Value ratio = e.div(e.add(size, size), e.sub(e.number(x, 1), size));
  return e.signedAs(e.mul(e.number(x, 0.5), e.of<math::Log1pOp>(ratio)), x);
}

/// floor(x / y) and x - floor(x / y) * y of integers.
struct IntegerQuotient {
  Value quotient, rest;
};
IntegerQuotient divideDown(OpBuilder &b, Location loc, Value x, Value y,
                           bool isUnsigned) {
  Value zero = scalar(b, loc, y.getType(), 0);
  Value quotient = divideIntegers(b, loc, x, y, isUnsigned);
  Value rest = arith::SubIOp::create(
      b, loc, x, arith::MulIOp::create(b, loc, quotient, y));
  Value byZero =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, y, zero);
  rest = arith::SelectOp::create(b, loc, byZero, zero, rest);
  if (isUnsigned)
    return {quotient, rest};
  auto test = [&](arith::CmpIPredicate predicate, Value value) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, value, zero);
  };
  // Towards zero is one too far up where a rest has the other sign.
  Value differ =
      arith::XOrIOp::create(b, loc, test(arith::CmpIPredicate::slt, rest),
                            test(arith::CmpIPredicate::slt, y));
  Value isUp = arith::AndIOp::create(b, loc, differ,
                                     test(arith::CmpIPredicate::ne, rest));
  Value one = scalar(b, loc, y.getType(), 1);
  Value lower = arith::SubIOp::create(b, loc, quotient, one);
  Value moved = arith::AddIOp::create(b, loc, rest, y);
  return {arith::SelectOp::create(b, loc, isUp, lower, quotient),
          arith::SelectOp::create(b, loc, isUp, moved, rest)};
}

/// x - floor(x / y) * y in one rounding. The quotient may have been rounded
/// over a whole number, which the sign or the size of the rest tells.
Value floatRest(Scalars e, Value x, Value y) {
  Value quotient = e.of<math::FloorOp>(e.div(x, y));
  Value rest =
      math::FmaOp::create(e.b, e.loc, e.of<arith::NegFOp>(quotient), y, x);
  Value zero = e.number(x, 0);
  auto isBelow = [&](Value value) {
    return e.test(arith::CmpFPredicate::OLT, value, zero);
  };
  Value differ = arith::XOrIOp::create(e.b, e.loc, isBelow(rest), isBelow(y));
  Value isUp = arith::AndIOp::create(
      e.b, e.loc, differ, e.test(arith::CmpFPredicate::ONE, rest, zero));
  Value isDown = e.test(arith::CmpFPredicate::OGE, e.of<math::AbsFOp>(rest),
                        e.of<math::AbsFOp>(y));
  Value same = e.select(isDown, e.sub(rest, y), rest);
  return e.select(isUp, e.add(rest, y), same);
}

Value floorMod(Operation *op, OpBuilder &b, Location loc, ValueRange x) {
  if (isFloat(x[0]))
    return floatRest({b, loc}, x[0], x[1]);
  return divideDown(b, loc, x[0], x[1], isUnsigned(op)).rest;
}

/// As TensorFlow: at least 0, at most the width of the type less one.
Value shiftCount(OpBuilder &b, Location loc, Value y, bool isUnsigned) {
  Value most =
      scalar(b, loc, y.getType(), y.getType().getIntOrFloatBitWidth() - 1);
  if (isUnsigned)
    return arith::MinUIOp::create(b, loc, y, most);
  Value least = scalar(b, loc, y.getType(), 0);
  return arith::MinSIOp::create(b, loc,
                                arith::MaxSIOp::create(b, loc, y, least), most);
}

LogicalResult inferTest(Operation *op, SmallVectorImpl<Type> &types) {
  types.push_back(tensorType(op->getOperand(0))
                      .clone(IntegerType::get(op->getContext(), 1)));
  return success();
}

} // namespace

//===-- Formulas ----------------------------------------------------------===//

GRAPHC_FORMULA(Expm1Op, inferUnary, return math::ExpM1Op::create(b, loc, x[0]))
GRAPHC_FORMULA(ErfcOp, inferUnary, return math::ErfcOp::create(b, loc, x[0]))
GRAPHC_FORMULA(TanOp, inferUnary, return math::TanOp::create(b, loc, x[0]))
GRAPHC_FORMULA(AsinOp, inferUnary, return math::AsinOp::create(b, loc, x[0]))
GRAPHC_FORMULA(AcosOp, inferUnary, return math::AcosOp::create(b, loc, x[0]))
GRAPHC_FORMULA(AtanOp, inferUnary, return math::AtanOp::create(b, loc, x[0]))
GRAPHC_FORMULA(SinhOp, inferUnary, return sinh({b, loc}, x[0]))
GRAPHC_FORMULA(CoshOp, inferUnary, return cosh({b, loc}, x[0]))
GRAPHC_FORMULA(AsinhOp, inferUnary, return asinh({b, loc}, x[0]))
GRAPHC_FORMULA(AcoshOp, inferUnary, return acosh({b, loc}, x[0]))
GRAPHC_FORMULA(AtanhOp, inferUnary, return atanh({b, loc}, x[0]))
GRAPHC_FORMULA(RoundOp, inferUnary,
               return math::RoundEvenOp::create(b, loc, x[0]))
GRAPHC_FORMULA(RintOp, inferUnary,
               return math::RoundEvenOp::create(b, loc, x[0]))
GRAPHC_FORMULA(TruncOp, inferUnary, return math::TruncOp::create(b, loc, x[0]))

GRAPHC_FORMULA(IsNanOp, inferTest, {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x[0], x[0]);
})
GRAPHC_FORMULA(IsInfOp, inferTest, {
  Value size = math::AbsFOp::create(b, loc, x[0]);
  Value limit =
      scalar(b, loc, x[0].getType(), std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, size, limit);
})
GRAPHC_FORMULA(IsFiniteOp, inferTest, {
  Value size = math::AbsFOp::create(b, loc, x[0]);
  Value limit =
      scalar(b, loc, x[0].getType(), std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size, limit);
})
GRAPHC_FORMULA(InvertOp, inferUnary, {
  return arith::XOrIOp::create(b, loc, x[0],
                               scalar(b, loc, x[0].getType(), -1));
})

GRAPHC_FORMULA(FloorDivOp, inferBinary, {
  if (isFloat(x[0]))
    return math::FloorOp::create(b, loc,
                                 arith::DivFOp::create(b, loc, x[0], x[1]));
  return divideDown(b, loc, x[0], x[1], isUnsigned(*this)).quotient;
})
GRAPHC_FORMULA(FloorModOp, inferBinary, return floorMod(*this, b, loc, x))
GRAPHC_FORMULA(ModOp, inferBinary, return floorMod(*this, b, loc, x))
GRAPHC_FORMULA(Atan2Op, inferBinary,
               return math::Atan2Op::create(b, loc, x[0], x[1]))
GRAPHC_FORMULA(LogicalXorOp, inferBinary,
               return arith::XOrIOp::create(b, loc, x[0], x[1]))
GRAPHC_FORMULA(BitwiseAndOp, inferBinary,
               return arith::AndIOp::create(b, loc, x[0], x[1]))
GRAPHC_FORMULA(BitwiseOrOp, inferBinary,
               return arith::OrIOp::create(b, loc, x[0], x[1]))
GRAPHC_FORMULA(BitwiseXorOp, inferBinary,
               return arith::XOrIOp::create(b, loc, x[0], x[1]))
GRAPHC_FORMULA(LeftShiftOp, inferBinary, {
  Value count = shiftCount(b, loc, x[1], isUnsigned(*this));
  return arith::ShLIOp::create(b, loc, x[0], count);
})
GRAPHC_FORMULA(RightShiftOp, inferBinary, {
  Value count = shiftCount(b, loc, x[1], isUnsigned(*this));
  if (isUnsigned(*this))
    return arith::ShRUIOp::create(b, loc, x[0], count);
  return arith::ShRSIOp::create(b, loc, x[0], count);
})

//===-- Gradients ---------------------------------------------------------===//

GRAPHC_UNARY_GRADIENT(Expm1Op, e.mul(g, e.shift(y, 1)))
// -2 / sqrt(pi) * exp(-x^2)
GRAPHC_UNARY_GRADIENT(ErfcOp,
                      e.mul(e.scale(g, -1.1283791670955126),
                            e.unary<ExpOp>(e.neg(e.unary<SquareOp>(x)))))
GRAPHC_UNARY_GRADIENT(TanOp, e.mul(g, e.shift(e.unary<SquareOp>(y), 1)))
GRAPHC_UNARY_GRADIENT(AsinOp,
                      e.mul(g, e.unary<RsqrtOp>(e.sub(e.number(x, 1),
                                                      e.unary<SquareOp>(x)))))
GRAPHC_UNARY_GRADIENT(
    AcosOp, e.neg(e.mul(g, e.unary<RsqrtOp>(e.sub(e.number(x, 1),
                                                  e.unary<SquareOp>(x))))))
GRAPHC_UNARY_GRADIENT(AtanOp, e.div(g, e.shift(e.unary<SquareOp>(x), 1)))
GRAPHC_UNARY_GRADIENT(SinhOp, e.mul(g, e.unary<CoshOp>(x)))
GRAPHC_UNARY_GRADIENT(CoshOp, e.mul(g, e.unary<SinhOp>(x)))
GRAPHC_UNARY_GRADIENT(AsinhOp, e.div(g, e.unary<CoshOp>(y)))
GRAPHC_UNARY_GRADIENT(AcoshOp, e.div(g, e.unary<SinhOp>(y)))
GRAPHC_UNARY_GRADIENT(AtanhOp,
                      e.div(g, e.sub(e.number(x, 1), e.unary<SquareOp>(x))))
GRAPHC_UNARY_GRADIENT(RoundOp, Value())
GRAPHC_UNARY_GRADIENT(RintOp, Value())
GRAPHC_UNARY_GRADIENT(TruncOp, Value())

GRAPHC_BINARY_GRADIENT(FloorModOp, g,
                       e.neg(e.mul(g, e.binary<FloorDivOp>(x, y))))
GRAPHC_BINARY_GRADIENT(ModOp, g, e.neg(e.mul(g, e.binary<FloorDivOp>(x, y))))
GRAPHC_BINARY_GRADIENT(
    Atan2Op,
    e.mul(g, e.div(y, e.add(e.unary<SquareOp>(x), e.unary<SquareOp>(y)))),
    e.neg(e.mul(g,
                e.div(x, e.add(e.unary<SquareOp>(x), e.unary<SquareOp>(y))))))
