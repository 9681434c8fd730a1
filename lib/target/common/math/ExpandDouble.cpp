// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function is reduced to a short interval, where a series is exact to the
// last digits: no tables, no branches, so that vectors take the same way.
#include "lib/target/common/math/ExpandDouble.h"

#include "lib/target/common/math/Numbers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;
constexpr double kLog2E = 1.44269504088896340736;
// log(2) as a sum: the product of the first part and an exponent is exact.
constexpr double kLog2 = 0x1.62e42p-1;
constexpr double kLog2Rest = 0x1.fdf473de6af28p-22;
/// A whole number plus this has the number in its last bits.
constexpr double kToBits = 0x1.8p52;
constexpr int64_t kMantissaBits = 52;
constexpr int64_t kExponentOfOne = 1023;
constexpr double kSmallestNormal = 0x1p-1022;

/// The coefficients that `term` gives for `last`, ..., `first`.
template <typename Term>
SmallVector<double> series(int last, int first, Term term) {
  SmallVector<double> coefficients;
  for (int n = last; n >= first; --n)
    coefficients.push_back(term(n));
  return coefficients;
}

double inverseFactorial(int n) { return 1 / std::tgamma(n + 1.0); }

/// Functions of the numbers `n` are about.
class Double {
public:
  explicit Double(Numbers n) : n(n) {}

  Value exp(Value x);
  Value expm1(Value x);
  Value log(Value x) { return logarithm(x, /*isBinary=*/false); }
  Value log2(Value x) { return logarithm(x, /*isBinary=*/true); }
  Value log1p(Value x);
  Value tanh(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  Value atan2(Value y, Value x);
  Value erf(Value x);
  Value erfc(Value x);

private:
  using Predicate = Numbers::Predicate;

  Value bitsOf(Value x) {
    return arith::BitcastOp::create(n.b, n.loc, n.like(n.b.getI64Type()), x);
  }
  Value ofBits(Value x) {
    return arith::BitcastOp::create(n.b, n.loc, n.type, x);
  }
  Value powerOfTwo(Value exponent);
  Value logarithm(Value x, bool isBinary);
  Value erfOfSmall(Value x);
  Value erfcOfLarge(Value x);

  Numbers n;
};

/// 2 to a whole number within the exponents of f64.
Value Double::powerOfTwo(Value exponent) {
  Value bits = bitsOf(n.add(exponent, kToBits));
  bits = arith::AddIOp::create(n.b, n.loc, bits, n.integer(kExponentOfOne, 64));
  return ofBits(
      arith::ShLIOp::create(n.b, n.loc, bits, n.integer(kMantissaBits, 64)));
}

/// e^x = 2^k * e^r with |r| <= log(2) / 2; 2^k as a product of two, as it may
/// be out of range where the result is not.
Value Double::exp(Value x) {
  x = n.clamp(x, -746, 710);
  Value k = n.roundEven(n.mul(x, kLog2E));
  Value r = n.fma(k, -kLog2, x);
  r = n.fma(k, -kLog2Rest, r);
  Value y = n.polynomial(r, series(13, 0, inverseFactorial));
  Value half = n.roundEven(n.mul(k, 0.5));
  y = n.mul(y, powerOfTwo(half));
  return n.mul(y, powerOfTwo(n.sub(k, half)));
}

/// The series near zero, where e^x - 1 loses digits.
Value Double::expm1(Value x) {
  Value small = n.clamp(x, -0.5, 0.5);
  Value near = n.polynomial(small, series(17, 2, inverseFactorial));
  near = n.fma(n.mul(small, small), near, small);
  Value far = n.add(exp(x), -1);
  return n.select(n.compare(Predicate::OLT, n.abs(x), 0.5), near, far);
}

/// x = 2^k * m with m between sqrt(1/2) and sqrt(2), f = m - 1, s = f / (2 +
/// f): log(m) = f - f^2 / 2 + s * (f^2 / 2 + R), R = 2/3 s^2 + 2/5 s^4 + ...
/// (fdlibm, e_log.c, with R as a series).
Value Double::logarithm(Value x, bool isBinary) {
  Value isSmall = n.compare(Predicate::OLT, x, kSmallestNormal);
  Value bits = bitsOf(n.select(isSmall, n.mul(x, 0x1p54), x));
  // So that the exponent changes at sqrt(1/2).
  Value offset = arith::SubIOp::create(n.b, n.loc, bits,
                                       n.integer(0x3fe6a09e667f3bcd, 64));
  Value exponent =
      arith::ShRSIOp::create(n.b, n.loc, offset, n.integer(kMantissaBits, 64));
  Value scale =
      arith::ShLIOp::create(n.b, n.loc, exponent, n.integer(kMantissaBits, 64));
  Value m = ofBits(arith::SubIOp::create(n.b, n.loc, bits, scale));
  Value shifted = arith::AddIOp::create(n.b, n.loc, exponent,
                                        n.integer(0x4338000000000000, 64));
  Value k = n.add(ofBits(shifted), -kToBits);
  k = n.select(isSmall, n.add(k, -54), k);

  Value f = n.add(m, -1);
  Value s = n.div(f, n.add(f, 2));
  Value z = n.mul(s, s);
  Value rest = n.mul(z, n.polynomial(z, series(11, 1, [](int i) {
                                       return 2.0 / (2 * i + 1);
                                     })));
  Value half = n.mul(n.mul(f, 0.5), f);
  Value slope = n.mul(s, n.add(half, rest));
  Value y;
  if (isBinary) {
    y = n.fma(n.sub(f, n.sub(half, slope)), kLog2E, k);
  } else {
    slope = n.fma(k, kLog2Rest, slope);
    y = n.fma(k, kLog2, n.sub(f, n.sub(half, slope)));
  }
  Value isPositive = n.compare(Predicate::OGT, x, 0.0);
  Value isInfinite = n.compare(Predicate::OEQ, x, kInf);
  Value isZero = n.compare(Predicate::OEQ, x, 0.0);
  y = n.select(isInfinite, n.number(kInf), y);
  return n.select(isPositive, y,
                  n.select(isZero, n.number(-kInf), n.number(kNan)));
}

/// With u = 1 + x as rounded: log(u) * x / (u - 1) (W. Kahan).
Value Double::log1p(Value x) {
  Value u = n.add(x, 1);
  Value isSmall = n.compare(Predicate::OEQ, u, 1.0);
  Value y = n.mul(log(u), n.div(x, n.add(u, -1)));
  y = n.select(n.compare(Predicate::OEQ, x, kInf), x, y);
  return n.select(isSmall, x, y);
}

/// (e^2a - 1) / (e^2a + 1); 1 beyond 22.
Value Double::tanh(Value x) {
  Value a = n.clamp(n.abs(x), 0, 22);
  Value t = expm1(n.add(a, a));
  return n.copySign(n.div(t, n.add(t, 2)), x);
}

/// Of 1 / x where x > 1, and of (t - 1) / (t + 1), pi / 4 less, where that is
/// smaller than t.
Value Double::atan(Value x) {
  Value a = n.abs(x);
  Value isLarge = n.compare(Predicate::OGT, a, 1.0);
  Value t = n.select(isLarge, n.div(n.number(1), a), a);
  Value isMiddle = n.compare(Predicate::OGT, t, std::sqrt(2.0) - 1);
  Value r = n.select(isMiddle, n.div(n.add(t, -1), n.add(t, 1)), t);
  Value z = n.mul(r, r);
  Value tail = n.polynomial(z, series(21, 1, [](int i) {
                              return (i % 2 ? -1.0 : 1.0) / (2 * i + 1);
                            }));
  Value y = n.fma(n.mul(r, z), tail, r);
  y = n.select(isMiddle, n.add(y, kPi / 4), y);
  y = n.select(isLarge, n.sub(n.number(kPi / 2), y), y);
  return n.copySign(y, x);
}

Value Double::atan2(Value y, Value x) {
  Value a = n.abs(y), b = n.abs(x);
  // Of infinities, too.
  Value ratio =
      n.select(n.compare(Predicate::OEQ, a, b), n.number(1), n.div(a, b));
  ratio = n.select(n.compare(Predicate::OEQ, a, 0.0), n.number(0), ratio);
  Value angle = atan(ratio);
  angle = n.select(n.compare(Predicate::OLT, x, 0.0),
                   n.sub(n.number(kPi), angle), angle);
  Value isNan = n.compare(Predicate::UNO, x, y);
  return n.select(isNan, n.number(kNan), n.copySign(angle, y));
}

Value Double::asin(Value x) {
  Value one = n.number(1);
  return atan(n.div(x, n.sqrt(n.mul(n.sub(one, x), n.add(one, x)))));
}

Value Double::acos(Value x) {
  Value one = n.number(1);
  Value half = atan(n.sqrt(n.div(n.sub(one, x), n.add(one, x))));
  return n.add(half, half);
}

/// For |x| <= 1.
Value Double::erfOfSmall(Value x) {
  Value z = n.mul(x, x);
  auto term = [](int i) {
    return 2 / std::sqrt(kPi) * (i % 2 ? -1 : 1) * inverseFactorial(i) /
           (2 * i + 1);
  };
  return n.mul(x, n.polynomial(z, series(19, 0, term)));
}

/// For x >= 1: e^(-x^2) * p / (1 + 2x), where p is a polynomial in
/// t = (x - 5/2) / (x + 5/2), scaled to [-1, 1]: the Chebyshev interpolation of
/// e^(x^2) * erfc(x) * (1 + 2x) for x between 1 and 28, in 60 digits.
Value Double::erfcOfLarge(Value x) {
  static constexpr double kCoefficients[] = {
      5.230102975650165e-12,   -4.1784080298447e-11,    -1.2693330265148458e-10,
      4.777478273683839e-10,   1.7767968765670266e-09,  -3.3069310512462566e-09,
      -2.0584799745470578e-08, 2.0389876989187406e-08,  2.323342571827058e-07,
      -1.8290214427375385e-07, -2.7738011052021623e-06, 3.7553799962226163e-06,
      3.432145893456563e-05,   -0.00011257644192928675, -0.00027781857050593393,
      0.0030768508427432397,   -0.011226088499518812,   0.022050656650424758,
      -0.010218509366066345,   -0.09249502930160397,    1.236964875587528};
  x = n.clamp(x, 1, 28);
  Value t = n.div(n.add(x, -2.5), n.add(x, 2.5));
  t = n.fma(t, 1.5814814814814815, n.number(-0.32222222222222224));
  Value p = n.polynomial(t, kCoefficients);
  // The square of x without its last digits is exact.
  Value head = ofBits(
      arith::AndIOp::create(n.b, n.loc, bitsOf(x), n.integer(~0x7ffffff, 64)));
  Value square = n.mul(head, head);
  Value rest = n.mul(n.sub(x, head), n.add(x, head));
  Value decay = n.mul(exp(n.neg(square)), exp(n.neg(rest)));
  return n.div(n.mul(decay, p), n.fma(x, 2, n.number(1)));
}

Value Double::erf(Value x) {
  Value a = n.abs(x);
  Value far = n.copySign(n.sub(n.number(1), erfcOfLarge(a)), x);
  Value near = erfOfSmall(n.clamp(x, -1, 1));
  return n.select(n.compare(Predicate::OGT, a, 1.0), far, near);
}

Value Double::erfc(Value x) {
  Value far = erfcOfLarge(n.abs(x));
  far =
      n.select(n.compare(Predicate::OLT, x, 0.0), n.sub(n.number(2), far), far);
  Value near = n.sub(n.number(1), erfOfSmall(n.clamp(x, -1, 1)));
  return n.select(n.compare(Predicate::OGT, n.abs(x), 1.0), far, near);
}

/// Expands an op of f64 by a function of its operands.
template <typename Op, auto Function> struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    Double math(Numbers{rewriter, op.getLoc(), op.getType()});
    if constexpr (std::is_same_v<Op, math::Atan2Op>)
      rewriter.replaceOp(op, (math.*Function)(op.getLhs(), op.getRhs()));
    else
      rewriter.replaceOp(op, (math.*Function)(op.getOperand()));
    return success();
  }
};

} // namespace

void populateDoublePatterns(RewritePatternSet &patterns) {
  patterns.add<
      Expand<math::ExpOp, &Double::exp>, Expand<math::ExpM1Op, &Double::expm1>,
      Expand<math::LogOp, &Double::log>, Expand<math::Log2Op, &Double::log2>,
      Expand<math::Log1pOp, &Double::log1p>,
      Expand<math::TanhOp, &Double::tanh>, Expand<math::AsinOp, &Double::asin>,
      Expand<math::AcosOp, &Double::acos>, Expand<math::AtanOp, &Double::atan>,
      Expand<math::Atan2Op, &Double::atan2>, Expand<math::ErfOp, &Double::erf>,
      Expand<math::ErfcOp, &Double::erfc>>(patterns.getContext());
}

} // namespace graphc
