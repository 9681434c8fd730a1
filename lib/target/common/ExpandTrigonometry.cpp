// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/ExpandTrigonometry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace graphc {
namespace {

// pi / 2 as a sum: the remainder of a division by it keeps its digits.
constexpr double kHalfPi = 1.57079637050628662109375;
constexpr double kHalfPiRest = -4.37113900018624283e-8;
constexpr double kHalfPiLast = -1.71512451000268e-15;
constexpr double kQuarterPi = 0.7853982;
/// Far beyond the quadrants that are told apart, within an i32.
constexpr double kMaxQuadrants = 1073741824;
// S. Moshier, Cephes: sinf and cosf between -pi/4 and pi/4.
constexpr double kSine[] = {-1.9515295891e-4, 8.3321608736e-3,
                            -1.6666654611e-1};
constexpr double kCosine[] = {2.443315711809948e-5, -1.388731625493765e-3,
                              4.166664568298827e-2};

/// Builds ops on numbers, or vectors of them, of the type of one value.
struct Numbers {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(Type of, TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(of))
      value = DenseElementsAttr::get(vector, ArrayRef<Attribute>(value));
    return arith::ConstantOp::create(b, loc, value);
  }
  Value number(double value) {
    return constant(type, b.getF32FloatAttr(value));
  }
  Type like(Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value integer(int32_t value) {
    return constant(like(b.getI32Type()), b.getI32IntegerAttr(value));
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value fma(Value x, double y, Value z) { return fma(x, number(y), z); }
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.front());
    for (double next : coefficients.drop_front())
      sum = fma(sum, x, number(next));
    return sum;
  }
  Value isBitSet(Value x, int32_t bit) {
    Value masked = arith::AndIOp::create(b, loc, x, integer(bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 integer(0));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
};

/// The quadrant of x as a whole number; NaN and what is too far is some
/// quadrant.
Value toInteger(Numbers &n, Value quadrant) {
  Value low =
      arith::MaxNumFOp::create(n.b, n.loc, quadrant, n.number(-kMaxQuadrants));
  Value inside =
      arith::MinNumFOp::create(n.b, n.loc, low, n.number(kMaxQuadrants));
  return arith::FPToSIOp::create(n.b, n.loc, n.like(n.b.getI32Type()), inside);
}

/// x minus `quadrant` times pi / 2, between -pi/4 and pi/4.
Value remainder(Numbers &n, Value x, Value quadrant) {
  Value rest = n.fma(quadrant, -kHalfPi, x);
  rest = n.fma(quadrant, -kHalfPiRest, rest);
  rest = n.fma(quadrant, -kHalfPiLast, rest);
  rest = arith::MaximumFOp::create(n.b, n.loc, rest, n.number(-kQuarterPi));
  return arith::MinimumFOp::create(n.b, n.loc, rest, n.number(kQuarterPi));
}

/// sin(x) for `shift` 0, cos(x) = sin(x + pi / 2) for 1.
Value expand(Numbers n, Value x, int32_t shift) {
  Value turns = n.mul(x, n.number(0.63661977236758134));
  Value quadrant = math::RoundEvenOp::create(n.b, n.loc, turns);
  Value r = remainder(n, x, quadrant);
  Value square = n.mul(r, r);
  Value sine = n.fma(n.mul(r, square), n.polynomial(square, kSine), r);
  Value cosine = n.fma(n.mul(square, square), n.polynomial(square, kCosine),
                       n.fma(square, -0.5, n.number(1)));
  Value index = toInteger(n, quadrant);
  if (shift)
    index = arith::AddIOp::create(n.b, n.loc, index, n.integer(shift));
  Value result = n.select(n.isBitSet(index, 1), cosine, sine);
  Value opposite = arith::NegFOp::create(n.b, n.loc, result);
  return n.select(n.isBitSet(index, 2), opposite, result);
}

template <typename Op, int32_t Shift> struct ExpandWave : OpRewritePattern<Op> {
  explicit ExpandWave(MLIRContext *context)
      : OpRewritePattern<Op>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Numbers numbers{rewriter, op.getLoc(), op.getType()};
    rewriter.replaceOp(op, expand(numbers, op.getOperand(), Shift));
    return success();
  }
};

} // namespace

void populateTrigonometryPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandWave<math::SinOp, 0>, ExpandWave<math::CosOp, 1>>(
      patterns.getContext());
}

} // namespace graphc
