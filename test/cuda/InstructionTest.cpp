// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, bits and comparisons against the host's.
#include "test/cuda/InstructionRun.h"

#include <bit>
#include <cmath>

using namespace graphc::test;

namespace {

class Instructions : public InstructionRun {
protected:
  template <typename T, typename F>
  void binary(const std::string &opcode, F expected) {
    expect<T, T, T>(opcode + " %d, %a, %b;", samples<T>(1), samples<T>(2),
                    expected);
  }
  template <typename D, typename T, typename F>
  void unary(const std::string &opcode, F expected) {
    expect<D, T, T>(
        opcode + " %d, %a;", samples<T>(3), samples<T>(3),
        [&](T a, T) { return expected(a); });
  }
  template <typename T, typename F>
  void compare(const std::string &opcode, F expected) {
    expect<uint32_t, T, T>(
        opcode + " %p, %a, %b; selp.b32 %d, 1, 0, %p;", samples<T>(4),
        samples<T>(5),
        [&](T a, T b) { return static_cast<uint32_t>(expected(a, b)); });
  }
};

template <typename T> T floatMin(T a, T b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}

TEST_F(Instructions, IntegerArithmetic) {
  using U = uint32_t;
  using S = int32_t;
  binary<U>(
      "add.s32", [](U a, U b) { return a + b; });
  binary<U>(
      "sub.u32", [](U a, U b) { return a - b; });
  binary<U>(
      "mul.lo.s32", [](U a, U b) { return a * b; });
  binary<U>(
      "mul.hi.u32",
      [](U a, U b) { return static_cast<U>(uint64_t{a} * b >> 32); });
  binary<S>(
      "mul.hi.s32",
      [](S a, S b) { return static_cast<S>(int64_t{a} * b >> 32); });
  binary<uint64_t>(
      "mul.hi.u64",
      [](uint64_t a, uint64_t b) {
        return static_cast<uint64_t>((unsigned __int128)a * b >> 64);
      });
  binary<S>(
      "min.s32", [](S a, S b) { return std::min(a, b); });
  binary<U>(
      "min.u32", [](U a, U b) { return std::min(a, b); });
  binary<S>(
      "max.s32", [](S a, S b) { return std::max(a, b); });
  binary<int64_t>(
      "max.s64", [](int64_t a, int64_t b) { return std::max(a, b); });
  binary<U>(
      "div.u32", [](U a, U b) { return b ? a / b : ~0u; });
  binary<U>(
      "rem.u32", [](U a, U b) { return b ? a % b : a; });
  binary<S>(
      "div.s32",
      [](S a, S b) { return b ? static_cast<S>(int64_t{a} / b) : -1; });
  binary<S>(
      "rem.s32",
      [](S a, S b) { return b ? static_cast<S>(int64_t{a} % b) : a; });
  unary<S, S>(
      "neg.s32", [](S a) { return static_cast<S>(-U(a)); });
  unary<S, S>("abs.s32", [](S a) { return a < 0 ? static_cast<S>(-U(a)) : a; });
}

TEST_F(Instructions, WideProducts) {
  auto a = samples<int32_t>(6), b = samples<int32_t>(7);
  expect<int64_t>(
      "mul.wide.s32 %d, %a, %b;", a, b,
      [](int64_t a, int64_t b) { return a * b; });
  expect<uint64_t>("mul.wide.u32 %d, %a, %b;", a, b,
                   [](uint32_t a, uint32_t b) { return uint64_t{a} * b; });
  auto c = samples<int64_t>(8);
  auto result = run<int64_t, int32_t, int32_t, int64_t>(
      "mad.wide.s32 %d, %a, %b, %c;", a, b, c);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(result[i],
              static_cast<int64_t>(static_cast<uint64_t>(int64_t{a[i]} * b[i]) +
                                   static_cast<uint64_t>(c[i])));
}

TEST_F(Instructions, FloatArithmetic) {
  binary<float>(
      "add.rn.f32", [](float a, float b) { return a + b; });
  binary<float>(
      "sub.f32", [](float a, float b) { return a - b; });
  binary<float>(
      "mul.rn.f32", [](float a, float b) { return a * b; });
  binary<float>(
      "div.rn.f32", [](float a, float b) { return a / b; });
  binary<double>(
      "div.rn.f64", [](double a, double b) { return a / b; });
  binary<double>("add.f64", [](double a, double b) { return a + b; });
  binary<float>("min.f32", floatMin<float>);
  binary<double>("min.f64", floatMin<double>);
  binary<float>(
      "max.f32", [](float a, float b) { return -floatMin(-a, -b); });
  binary<float>(
      "max.NaN.f32",
      [](float a, float b) {
        return a != a || b != b ? NAN : -floatMin(-a, -b);
      });
  binary<float>(
      "copysign.f32", [](float a, float b) { return std::copysign(b, a); });
  unary<float, float>(
      "neg.f32", [](float a) { return -a; });
  unary<float, float>(
      "abs.f32", [](float a) { return std::fabs(a); });
  unary<double, double>(
      "abs.f64", [](double a) { return std::fabs(a); });
  unary<float, float>(
      "sqrt.rn.f32", [](float a) { return std::sqrt(a); });
  unary<double, double>("rcp.rn.f64", [](double a) { return 1 / a; });
}

TEST_F(Instructions, FusedMultiplyAdd) {
  auto a = samples<float>(9), b = samples<float>(10), c = samples<float>(11);
  auto fused = run<float>("fma.rn.f32 %d, %a, %b, %c;", a, b, c);
  auto apart = run<float>("mul.f32 %d, %a, %b; add.f32 %d, %d, %c;", a, b, c);
  for (size_t i = 0; i < a.size(); ++i) {
    expectSame(fused[i], std::fma(a[i], b[i], c[i]), "fma");
    volatile float product = a[i] * b[i];
    expectSame(apart[i], product + c[i], "mul, add");
  }
}

TEST_F(Instructions, RoundingAndDenormals) {
  std::vector<float> a = {1, -1, 0x1p-140f}, b = {0x1p-30f, -0x1p-30f, 1};
  EXPECT_EQ(run<float>("add.rp.f32 %d, %a, %b;", a, b)[0], 1 + 0x1p-23f);
  EXPECT_EQ(run<float>("add.rm.f32 %d, %a, %b;", a, b)[1], -1 - 0x1p-23f);
  EXPECT_EQ(run<float>("add.rz.f32 %d, %a, %b;", a, b)[1], -1);
  EXPECT_EQ(run<float>("add.rn.f32 %d, %a, %b;", a, b)[0], 1);
  EXPECT_EQ(run<float>("mul.f32 %d, %a, %b;", a, b)[2], 0x1p-140f);
  EXPECT_EQ(run<float>("mul.ftz.f32 %d, %a, %b;", a, b)[2], 0);
  std::vector<float> c = {-2, 0.25f, 5};
  EXPECT_EQ(run<float>("add.sat.f32 %d, %a, %b;", c, std::vector<float>(3)),
            (std::vector<float>{0, 0.25f, 1}));
}

TEST_F(Instructions, Approximations) {
  std::vector<float> x;
  for (float value = 0.03f; value < 6; value += 0.1f)
    x.push_back(value);
  auto near = [&](const char *opcode, double (*function)(double)) {
    auto result = run<float>(std::string(opcode) + " %d, %a;", x);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(result[i], function(x[i]),
                  3e-7 * std::fabs(function(x[i])) + 1e-7)
          << opcode;
  };
  near("ex2.approx.f32", std::exp2);
  near("ex2.approx.ftz.f32", std::exp2);
  near("lg2.approx.f32", std::log2);
  near("sin.approx.f32", std::sin);
  near("cos.approx.f32", std::cos);
  near("tanh.approx.f32", std::tanh);
  near(
      "rsqrt.approx.f32", [](double a) { return 1 / std::sqrt(a); });
  near("rcp.approx.ftz.f32", [](double a) { return 1 / a; });
  near("sqrt.approx.f32", std::sqrt);
}

TEST_F(Instructions, Bits) {
  using U = uint32_t;
  binary<U>(
      "and.b32", [](U a, U b) { return a & b; });
  binary<U>(
      "or.b32", [](U a, U b) { return a | b; });
  binary<uint64_t>(
      "xor.b64", [](uint64_t a, uint64_t b) { return a ^ b; });
  unary<U, U>(
      "not.b32", [](U a) { return ~a; });
  unary<U, U>(
      "popc.b32", [](U a) { return U(std::popcount(a)); });
  unary<U, uint64_t>("clz.b64",
                     [](uint64_t a) { return U(std::countl_zero(a)); });
  unary<U, U>("brev.b32", [](U a) {
    U result = 0;
    for (int i = 0; i < 32; ++i)
      result |= (a >> i & 1) << (31 - i);
    return result;
  });
  auto a = samples<U>(12);
  auto by = samples<U>(13);
  expect<U>(
      "shl.b32 %d, %a, %b;", a, by,
      [](U a, U b) { return b > 31 ? 0 : a << b; });
  expect<U>(
      "shr.u32 %d, %a, %b;", a, by,
      [](U a, U b) { return b > 31 ? 0 : a >> b; });
  expect<int32_t>(
      "shr.s32 %d, %a, %b;", samples<int32_t>(12), by,
      [](int32_t a, U b) { return a >> std::min(b, 31u); });
  expect<U>(
      "shf.l.wrap.b32 %d, %a, %a, %b;", a, by,
      [](U a, U b) { return std::rotl(a, static_cast<int>(b & 31)); });
  expect<U>(
      "bfe.u32 %d, %a, 5, 7;", a, by, [](U a, U) { return a >> 5 & 127; });
  expect<int32_t>(
      "bfe.s32 %d, %a, 28, 8;", samples<int32_t>(12), by,
      [](int32_t a, U) { return a >> 28; });
  expect<U>(
      "bfi.b32 %d, %a, %b, 4, 8;", a, by,
      [](U a, U b) { return (b & ~0xff0u) | (a & 0xff) << 4; });
  expect<U>(
      "prmt.b32 %d, %a, %b, 0x1746;", a, by,
      [](U a, U b) {
        return (b >> 16 & 255) | (b & 255) << 8 | b >> 24 << 16 |
               (a >> 8 & 255) << 24;
      });
  expect<U>("lop3.b32 %d, %a, %b, 0xff00ff00, 0x96;", a, by,
            [](U a, U b) { return a ^ b ^ 0xff00ff00u; });
}

TEST_F(Instructions, Comparisons) {
  compare<int32_t>(
      "setp.lt.s32", [](int32_t a, int32_t b) { return a < b; });
  compare<uint32_t>(
      "setp.lt.u32", [](uint32_t a, uint32_t b) { return a < b; });
  compare<uint64_t>(
      "setp.ne.b64", [](uint64_t a, uint64_t b) { return a != b; });
  compare<float>(
      "setp.gt.f32", [](float a, float b) { return a > b; });
  compare<float>(
      "setp.ne.f32", [](float a, float b) { return a < b || a > b; });
  compare<float>(
      "setp.neu.f32", [](float a, float b) { return a != b; });
  compare<float>(
      "setp.geu.f32", [](float a, float b) { return !(a < b); });
  compare<double>(
      "setp.leu.f64", [](double a, double b) { return !(a > b); });
  compare<float>(
      "setp.nan.f32", [](float a, float b) { return a != a || b != b; });
  compare<double>("setp.num.f64",
                  [](double a, double b) { return a == a && b == b; });
}

TEST_F(Instructions, CombinedPredicates) {
  std::vector<uint32_t> a = {1, 2, 3, 4}, b = {2, 2, 2, 2};
  const std::string make = "setp.gt.u32 %q, %a, 3; ";
  EXPECT_EQ(run<uint32_t>(make + "setp.lt.or.u32 %p, %a, %b, %q; "
                                 "selp.b32 %d, 7, 9, %p;",
                          a, b),
            (std::vector<uint32_t>{7, 9, 9, 7}));
  EXPECT_EQ(run<uint32_t>(make + "setp.ge.and.u32 %p, %a, %b, !%q; "
                                 "selp.b32 %d, 7, 9, %p;",
                          a, b),
            (std::vector<uint32_t>{9, 7, 7, 9}));
  EXPECT_EQ(run<uint32_t>("setp.lt.u32 %p|%q, %a, %b; selp.b32 %x, 2, 0, %p; "
                          "selp.b32 %y, 1, 0, %q; or.b32 %d, %x, %y;",
                          a, b),
            (std::vector<uint32_t>{2, 1, 1, 1}));
  EXPECT_EQ(run<uint32_t>(make + "not.pred %q, %q; mov.b32 %d, 1; "
                                 "@!%q mov.b32 %d, 5;",
                          a, b),
            (std::vector<uint32_t>{1, 1, 1, 5}));
  EXPECT_EQ(run<uint32_t>("testp.infinite.f32 %p, %a; selp.b32 %d, 1, 0, %p;",
                          std::vector<float>{1, INFINITY, NAN}),
            (std::vector<uint32_t>{0, 1, 0}));
}

} // namespace
