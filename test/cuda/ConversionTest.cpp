// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt, mov and packing.
#include "test/cuda/InstructionRun.h"

using namespace graphc::test;

namespace {

class Conversions : public InstructionRun {};

using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

TEST_F(Conversions, IntegersToIntegers) {
  Ints a = {-1, 300, -129, 0x12345678};
  EXPECT_EQ(run<int64_t>("cvt.s64.s32 %d, %a;", a),
            (std::vector<int64_t>{-1, 300, -129, 0x12345678}));
  EXPECT_EQ(run<int64_t>("cvt.u64.u32 %d, %a;", a)[0], 0xffffffff);
  EXPECT_EQ(run<int32_t>("cvt.s32.s8 %d, %a;", a), (Ints{-1, 44, 127, 0x78}));
  EXPECT_EQ(run<int32_t>("cvt.u32.u8 %d, %a;", a), (Ints{255, 44, 127, 0x78}));
  EXPECT_EQ(run<int32_t>("cvt.sat.s8.s32 %d, %a;", a),
            (Ints{-1, 127, -128, 127}));
}

TEST_F(Conversions, FloatsToIntegers) {
  Floats a = {2.5f, -2.5f, 3.5f, 1e10f, NAN, -INFINITY};
  constexpr int32_t kMax = 0x7fffffff, kMin = -kMax - 1;
  EXPECT_EQ(run<int32_t>("cvt.rzi.s32.f32 %d, %a;", a),
            (Ints{2, -2, 3, kMax, 0, kMin}));
  EXPECT_EQ(run<int32_t>("cvt.rni.s32.f32 %d, %a;", a),
            (Ints{2, -2, 4, kMax, 0, kMin}));
  EXPECT_EQ(run<int32_t>("cvt.rmi.s32.f32 %d, %a;", a),
            (Ints{2, -3, 3, kMax, 0, kMin}));
  EXPECT_EQ(run<int32_t>("cvt.rpi.s32.f32 %d, %a;", a),
            (Ints{3, -2, 4, kMax, 0, kMin}));
  EXPECT_EQ(run<int32_t>("cvt.rzi.u32.f32 %d, %a;", a),
            (Ints{2, 0, 3, -1, 0, 0}));
  EXPECT_EQ(run<int64_t>("cvt.rzi.s64.f32 %d, %a;", a)[3], 10000000000);
}

TEST_F(Conversions, IntegersToFloats) {
  Ints a = {-3, 16777217, -1};
  EXPECT_EQ(run<float>("cvt.rn.f32.s32 %d, %a;", a),
            (Floats{-3, 16777216, -1}));
  EXPECT_EQ(run<float>("cvt.rp.f32.s32 %d, %a;", a)[1], 16777218);
  EXPECT_EQ(run<float>("cvt.rn.f32.u32 %d, %a;", a)[2], 4294967296.0f);
  EXPECT_EQ(run<double>("cvt.rn.f64.u64 %d, %a;", std::vector<uint64_t>{~0ull}),
            (std::vector<double>{0x1p64}));
}

TEST_F(Conversions, FloatsToFloats) {
  std::vector<double> a = {1 + 0x1p-30, -1 - 0x1p-30, 1e300};
  EXPECT_EQ(run<float>("cvt.rn.f32.f64 %d, %a;", a), (Floats{1, -1, INFINITY}));
  EXPECT_EQ(run<float>("cvt.rp.f32.f64 %d, %a;", a)[0], 1 + 0x1p-23f);
  EXPECT_EQ(run<float>("cvt.rz.f32.f64 %d, %a;", a)[1], -1);
  Floats b = {2.5f, -0.5f, 1e20f};
  EXPECT_EQ(run<double>("cvt.f64.f32 %d, %a;", b)[0], 2.5);
  EXPECT_EQ(run<float>("cvt.rni.f32.f32 %d, %a;", b),
            (Floats{2, -0.0f, 1e20f}));
  EXPECT_EQ(run<float>("cvt.rmi.f32.f32 %d, %a;", b), (Floats{2, -1, 1e20f}));
  EXPECT_EQ(run<float>("cvt.sat.f32.f32 %d, %a;", b), (Floats{1, 0, 1}));
  EXPECT_EQ(run<uint16_t>("cvt.rn.f16.f32 %d, %a;", b),
            (std::vector<uint16_t>{0x4100, 0xb800, 0x7c00}));
  EXPECT_EQ(run<float>("cvt.f32.f16 %d, %a;", std::vector<uint16_t>{0x3555}),
            (Floats{0x1.554p-2f}));
}

TEST_F(Conversions, Packing) {
  std::vector<uint64_t> wide = {0x1122334455667788};
  EXPECT_EQ(run<uint32_t>("mov.b64 {%x, %y}, %a; sub.u32 %d, %x, %y;", wide),
            (std::vector<uint32_t>{0x55667788 - 0x11223344}));
  EXPECT_EQ(run<uint32_t>("mov.b64 {_, %d}, %a;", wide),
            (std::vector<uint32_t>{0x11223344}));
  std::vector<uint32_t> low = {1}, high = {2};
  EXPECT_EQ(run<uint64_t>("mov.b64 %d, {%a, %b};", low, high),
            (std::vector<uint64_t>{0x200000001}));
  EXPECT_EQ(run<float>("mov.f32 %d, 0f40490FDB;", low)[0], 3.14159274f);
  EXPECT_EQ(run<int32_t>("mov.b32 %d, -7;", low)[0], -7);
}

} // namespace
