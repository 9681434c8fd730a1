// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations, clipping and sums of several tensors, written with other ops.
#include "dialects/tfir/ops/TfirActivationOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/TfirScalarOps.h"

#include <cmath>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirActivationOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

/// exp(x) - 1 of what is not positive: where x is, an unused infinity would
/// make the gradient NaN.
Value expm1OfNegative(OpExpr e, Value x) {
  return e.unary<Expm1Op>(e.binary<MinimumOp>(x, e.number(x, 0)));
}

/// x where it is positive, else y.
Value rectified(OpExpr e, Value x, Value y) {
  return e.select(e.test<GreaterOp>(x, e.number(x, 0)), x, y, x);
}

Value elu(OpExpr e, Value x, double alpha) {
  return rectified(e, x, e.scale(expm1OfNegative(e, x), alpha));
}

} // namespace

#define GRAPHC_ACTIVATION(OP, ...)                                             \
  LogicalResult OP::inferTypes(SmallVectorImpl<Type> &types) {                 \
    types.push_back(getX().getType());                                         \
    return success();                                                          \
  }                                                                            \
  Results OP::decompose(OpBuilder &b) {                                        \
    OpExpr e{b, getLoc()};                                                     \
    Value x = getX();                                                          \
    return one(__VA_ARGS__);                                                   \
  }

GRAPHC_ACTIVATION(LeakyReluOp,
                  rectified(e, x, e.scale(x, getAlpha().convertToDouble())))
GRAPHC_ACTIVATION(EluOp, elu(e, x, getAlpha().convertToDouble()))
// The fixed point of mean 0 and variance 1 gives the two constants.
GRAPHC_ACTIVATION(SeluOp,
                  e.scale(elu(e, x, 1.6732632423543772), 1.0507009873554805))
GRAPHC_ACTIVATION(SoftsignOp, e.div(x, e.shift(e.unary<AbsOp>(x), 1)))
GRAPHC_ACTIVATION(SwishOp, e.mul(x, e.unary<SigmoidOp>(x)))
GRAPHC_ACTIVATION(
    HardSigmoidOp,
    e.binary<MinimumOp>(e.binary<MaximumOp>(e.shift(e.scale(x, 0.2), 0.5),
                                            e.number(x, 0)),
                        e.number(x, 1)))
GRAPHC_ACTIVATION(HardSwishOp,
                  e.scale(e.mul(x, e.unary<Relu6Op>(e.shift(x, 3))), 1.0 / 6))
GRAPHC_ACTIVATION(MishOp, e.mul(x, e.unary<TanhOp>(e.unary<SoftplusOp>(x))))
GRAPHC_ACTIVATION(LogSigmoidOp, e.neg(e.unary<SoftplusOp>(e.neg(x))))

LogicalResult CeluOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (getAlpha().isZero())
    return emitOpError() << "alpha is 0, expected another number";
  types.push_back(getX().getType());
  return success();
}

Results CeluOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  double alpha = getAlpha().convertToDouble();
  Value scaled = e.scale(getX(), 1 / alpha);
  return one(rectified(e, getX(), e.scale(expm1OfNegative(e, scaled), alpha)));
}

LogicalResult GeluOp::inferTypes(SmallVectorImpl<Type> &types) {
  types.push_back(getX().getType());
  return success();
}

Results GeluOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  Value x = getX(), half = e.scale(x, 0.5);
  if (!getApproximate())
    return one(e.mul(half, e.shift(e.unary<ErfOp>(e.scale(x, M_SQRT1_2)), 1)));
  Value cube = e.mul(e.unary<SquareOp>(x), x);
  Value inner = e.scale(e.add(x, e.scale(cube, 0.044715)), std::sqrt(2 / M_PI));
  return one(e.mul(half, e.shift(e.unary<TanhOp>(inner), 1)));
}

/// An operand that must broadcast to the shape of `x`.
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

LogicalResult PreluOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkBroadcast(*this, getAlpha(), getX(), "alpha"))) // (C1)
    return failure();
  types.push_back(getX().getType());
  return success();
}

Results PreluOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  return one(rectified(e, getX(), e.mul(getX(), getAlpha())));
}

LogicalResult ClipByValueOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkBroadcast(*this, getClipValueMin(), getX(), // (C1), (C2)
                            "clip_value_min")) ||
      failed(
          checkBroadcast(*this, getClipValueMax(), getX(), "clip_value_max")))
    return failure();
  types.push_back(getX().getType());
  return success();
}

Results ClipByValueOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  return one(e.binary<MaximumOp>(e.binary<MinimumOp>(getX(), getClipValueMax()),
                                 getClipValueMin()));
}

LogicalResult AddNOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (getInputs().empty()) // (C1)
    return emitOpError() << "adds nothing, expected one operand at least";
  for (Value input : getInputs())
    if (input.getType() != getInputs()[0].getType())
      return emitOpError() << "operands have the types "
                           << getInputs()[0].getType() << " and "
                           << input.getType() << ", expected one type";
  types.push_back(getInputs()[0].getType());
  return success();
}

Results AddNOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  Value sum = getInputs()[0];
  for (Value input : getInputs().drop_front())
    sum = e.add(sum, input);
  return one(sum);
}
