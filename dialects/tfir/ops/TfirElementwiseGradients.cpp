// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of elementwise ops, as TensorFlow 1.x defines them.
#include "dialects/tfir/ops/OpExpr.h"

using namespace mlir;
using namespace graphc::tfir;

GRAPHC_UNARY_GRADIENT(NegOp, e.unary<NegOp>(g))
GRAPHC_UNARY_GRADIENT(AbsOp, e.mul(g, e.unary<SignOp>(x)))
GRAPHC_UNARY_GRADIENT(SquareOp, e.mul(g, e.mul(e.number(x, 2), x)))
GRAPHC_UNARY_GRADIENT(SqrtOp, e.div(e.mul(g, e.number(g, 0.5)), y))
GRAPHC_UNARY_GRADIENT(RsqrtOp, e.mul(e.mul(g, e.number(g, -0.5)),
                                     e.mul(e.unary<SquareOp>(y), y)))
GRAPHC_UNARY_GRADIENT(ReciprocalOp,
                      e.unary<NegOp>(e.mul(g, e.unary<SquareOp>(y))))
GRAPHC_UNARY_GRADIENT(ExpOp, e.mul(g, y))
GRAPHC_UNARY_GRADIENT(LogOp, e.div(g, x))
GRAPHC_UNARY_GRADIENT(Log1pOp, e.div(g, e.add(x, e.number(x, 1))))
GRAPHC_UNARY_GRADIENT(TanhOp,
                      e.mul(g, e.sub(e.number(y, 1), e.unary<SquareOp>(y))))
GRAPHC_UNARY_GRADIENT(SigmoidOp, e.mul(g, e.mul(y, e.sub(e.number(y, 1), y))))
GRAPHC_UNARY_GRADIENT(SoftplusOp, e.mul(g, e.unary<SigmoidOp>(x)))
// d erf(x) / dx = 2 / sqrt(pi) * exp(-x^2)
GRAPHC_UNARY_GRADIENT(
    ErfOp, e.mul(e.mul(g, e.number(g, 1.1283791670955126)),
                 e.unary<ExpOp>(e.unary<NegOp>(e.unary<SquareOp>(x)))))
GRAPHC_UNARY_GRADIENT(SinOp, e.mul(g, e.unary<CosOp>(x)))
GRAPHC_UNARY_GRADIENT(CosOp, e.unary<NegOp>(e.mul(g, e.unary<SinOp>(x))))
GRAPHC_UNARY_GRADIENT(ReluOp, e.where(e.test<GreaterOp>(y, e.number(y, 0)), g))
GRAPHC_UNARY_GRADIENT(Relu6Op,
                      e.where(e.test<LessOp>(y, e.number(y, 6)),
                              e.where(e.test<GreaterOp>(y, e.number(y, 0)), g)))
GRAPHC_UNARY_GRADIENT(IdentityOp, g)
// Steps: flat everywhere but at the jumps.
GRAPHC_UNARY_GRADIENT(SignOp, Value())
GRAPHC_UNARY_GRADIENT(FloorOp, Value())
GRAPHC_UNARY_GRADIENT(CeilOp, Value())

LogicalResult CastOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                    MutableArrayRef<Value> result) {
  if (isa<FloatType>(tensorType(getX()).getElementType()) &&
      isa<FloatType>(tensorType(getY()).getElementType()))
    result[0] = CastOp::create(b, getLoc(), getX().getType(), gradients[0]);
  return success();
}

LogicalResult BroadcastToOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                           MutableArrayRef<Value> result) {
  result[0] = unbroadcast(b, getLoc(), gradients[0], tensorType(getX()));
  return success();
}

GRAPHC_BINARY_GRADIENT(AddOp, g, g)
GRAPHC_BINARY_GRADIENT(SubOp, g, e.unary<NegOp>(g))
GRAPHC_BINARY_GRADIENT(MulOp, e.mul(g, y), e.mul(g, x))
GRAPHC_BINARY_GRADIENT(DivOp, e.div(g, y),
                       e.unary<NegOp>(e.div(e.mul(g, e.div(x, y)), y)))
GRAPHC_BINARY_GRADIENT(MaximumOp, e.where(e.test<GreaterEqualOp>(x, y), g),
                       e.whereNot(e.test<GreaterEqualOp>(x, y), g))
GRAPHC_BINARY_GRADIENT(MinimumOp, e.where(e.test<LessEqualOp>(x, y), g),
                       e.whereNot(e.test<LessEqualOp>(x, y), g))
GRAPHC_BINARY_GRADIENT(SquaredDifferenceOp,
                       e.mul(g, e.mul(e.number(g, 2), e.sub(x, y))),
                       e.mul(g, e.mul(e.number(g, -2), e.sub(x, y))))

LogicalResult PowOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                   MutableArrayRef<Value> result) {
  OpExpr e{b, getLoc()};
  Value g = gradients[0], x = getX(), y = getY(), z = getZ();
  Value lower = e.binary<PowOp>(x, e.sub(y, e.number(y, 1)));
  result[0] = e.fit(e.mul(g, e.mul(y, lower)), x);
  // log x := 0 where x <= 0; log sees 1 there so that it stays finite.
  Value positive = e.test<GreaterOp>(x, e.number(x, 0));
  Value safe =
      SelectOp::create(b, getLoc(), x.getType(), positive, x, e.number(x, 1));
  result[1] = e.fit(e.mul(g, e.mul(z, e.unary<LogOp>(safe))), y);
  return success();
}

LogicalResult SelectOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                      MutableArrayRef<Value> result) {
  OpExpr e{b, getLoc()};
  result[1] = e.fit(e.where(getCondition(), gradients[0]), getX());
  result[2] = e.fit(e.whereNot(getCondition(), gradients[0]), getY());
  return success();
}
