// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/math/ExpandTrigonometry.h"

#include "lib/target/common/math/Numbers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace graphc {
namespace {

/// The parts that depend on the type of floats.
struct Waves {
  /// pi / 2 as a sum: the remainder of a division by it keeps its digits.
  double halfPi, rest, last;
  double quarterPi;
  /// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 of r^2, for r between
  /// -pi/4 and pi/4; the highest power first.
  SmallVector<double> sine, cosine;
};

/// S. Moshier, Cephes: sinf and cosf.
Waves singleWaves() {
  return {1.57079637050628662109375,
          -4.37113900018624283e-8,
          -1.71512451000268e-15,
          0.7853982,
          {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1},
          {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2}};
}

/// Taylor series, up to r^17 and r^18: what follows is below 1e-19.
Waves doubleWaves() {
  Waves waves{0x1.921fb54442d18p+0,
              0x1.1a62633145c07p-54,
              -0x1.f1976b7ed8fbcp-110,
              0.78539816339744831,
              {},
              {}};
  for (int n = 18; n >= 3; --n) {
    double term = (n / 2 % 2 ? -1 : 1) / std::tgamma(n + 1.0);
    (n % 2 ? waves.sine : waves.cosine).push_back(term);
  }
  return waves;
}

/// Far beyond the quadrants that are told apart, within an i32.
constexpr double kMaxQuadrants = 1073741824;

Value isBitSet(Numbers &n, Value x, int32_t bit) {
  Value masked = arith::AndIOp::create(n.b, n.loc, x, n.integer(bit, 32));
  return arith::CmpIOp::create(n.b, n.loc, arith::CmpIPredicate::ne, masked,
                               n.integer(0, 32));
}

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
Value remainder(Numbers &n, const Waves &waves, Value x, Value quadrant) {
  Value rest = n.fma(quadrant, -waves.halfPi, x);
  rest = n.fma(quadrant, -waves.rest, rest);
  rest = n.fma(quadrant, -waves.last, rest);
  rest =
      arith::MaximumFOp::create(n.b, n.loc, rest, n.number(-waves.quarterPi));
  return arith::MinimumFOp::create(n.b, n.loc, rest, n.number(waves.quarterPi));
}

/// sin(x) for `shift` 0, cos(x) = sin(x + pi / 2) for 1.
Value expand(Numbers n, Value x, int32_t shift) {
  Waves waves =
      getElementTypeOrSelf(n.type).isF32() ? singleWaves() : doubleWaves();
  Value turns = n.mul(x, n.number(0.63661977236758134));
  Value quadrant = math::RoundEvenOp::create(n.b, n.loc, turns);
  Value r = remainder(n, waves, x, quadrant);
  Value square = n.mul(r, r);
  Value sine = n.fma(n.mul(r, square), n.polynomial(square, waves.sine), r);
  Value cosine =
      n.fma(n.mul(square, square), n.polynomial(square, waves.cosine),
            n.fma(square, -0.5, n.number(1)));
  Value index = toInteger(n, quadrant);
  if (shift)
    index = arith::AddIOp::create(n.b, n.loc, index, n.integer(shift, 32));
  Value result = n.select(isBitSet(n, index, 1), cosine, sine);
  Value opposite = arith::NegFOp::create(n.b, n.loc, result);
  return n.select(isBitSet(n, index, 2), opposite, result);
}

template <typename Op, int32_t Shift> struct ExpandWave : OpRewritePattern<Op> {
  explicit ExpandWave(MLIRContext *context)
      : OpRewritePattern<Op>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
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
