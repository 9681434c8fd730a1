// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise kernels over bools and integers: comparisons, choices, casts.
#include "test/lib/target/cpu/FusedHarness.h"

#include <gtest/gtest.h>

using namespace graphc;

namespace {

const char *kCasts = R"(
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @compare(%x: tensor<100xf32>, %y: tensor<100xf32>)
    -> tensor<100xi1> {
  %e = tensor.empty() : tensor<100xi1>
  %a = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<100xf32>, tensor<100xf32>)
      outs(%e : tensor<100xi1>) {
  ^bb0(%u: f32, %v: f32, %o: i1):
    %t = arith.cmpf olt, %u, %v : f32
    linalg.yield %t : i1
  } -> tensor<100xi1>
  return %a : tensor<100xi1>
}
func.func @choose(%c: tensor<100xi1>, %x: tensor<100xi32>,
                  %y: tensor<100xi64>) -> tensor<100xf64> {
  %flags = arith.constant dense<true> : tensor<100xi1>
  %e = tensor.empty() : tensor<100xf64>
  %a = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%c, %x, %y, %flags : tensor<100xi1>, tensor<100xi32>,
          tensor<100xi64>, tensor<100xi1>) outs(%e : tensor<100xf64>) {
  ^bb0(%b: i1, %u: i32, %v: i64, %f: i1, %o: f64):
    %p = arith.andi %b, %f : i1
    %wide = arith.extsi %u : i32 to i64
    %t = arith.select %p, %wide, %v : i64
    %r = arith.sitofp %t : i64 to f64
    linalg.yield %r : f64
  } -> tensor<100xf64>
  return %a : tensor<100xf64>
}
func.func @pixels(%x: tensor<100xi8>) -> (tensor<100xf32>, tensor<i1>) {
  %scale = arith.constant 0.00392156886 : f32
  %limit = arith.constant 250 : i8
  %no = arith.constant false
  %e = tensor.empty() : tensor<100xf32>
  %a = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<100xi8>) outs(%e : tensor<100xf32>) {
  ^bb0(%u: i8, %o: f32):
    %t = arith.uitofp %u : i8 to f32
    %r = arith.mulf %t, %scale : f32
    linalg.yield %r : f32
  } -> tensor<100xf32>
  %e2 = tensor.empty() : tensor<i1>
  %f = linalg.fill ins(%no : i1) outs(%e2 : tensor<i1>) -> tensor<i1>
  %any = linalg.generic {indexing_maps = [#id, #none],
                         iterator_types = ["reduction"]}
      ins(%x : tensor<100xi8>) outs(%f : tensor<i1>) {
  ^bb0(%u: i8, %o: i1):
    %t = arith.cmpi ugt, %u, %limit : i8
    %r = arith.ori %t, %o : i1
    linalg.yield %r : i1
  } -> tensor<i1>
  return %a, %any : tensor<100xf32>, tensor<i1>
}
func.func @quotient(%x: tensor<37xi32>, %y: tensor<37xi32>)
    -> tensor<37xi32> {
  %e = tensor.empty() : tensor<37xi32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<37xi32>, tensor<37xi32>)
      outs(%e : tensor<37xi32>) {
  ^bb0(%u: i32, %v: i32, %o: i32):
    %t = arith.divsi %u, %v : i32
    linalg.yield %t : i32
  } -> tensor<37xi32>
  return %a : tensor<37xi32>
})";

TEST(FusedElementwise, BoolsAndIntegers) {
  FusedProgram program(kCasts);
  auto x = Host<float>::random(100, 1), y = Host<float>::random(100, 2);
  auto narrow = Host<int32_t>::random(100, 3, -1e6, 1e6);
  auto divisor = Host<int32_t>::random(100, 5, 1, 100);
  auto wide = Host<int64_t>::random(100, 4, -1e12, 1e12);
  auto pixels = Host<uint8_t>::random(100, 6, 0, 249);
  for (const std::string &level : runnableLevels()) {
    Host<uint8_t> less(100, 7), any(1, 7);
    Host<double> chosen(100);
    Host<float> gray(100);
    Host<int32_t> quotient(37);
    program.run(level, "compare", {x.data(), y.data(), less.data()});
    program.run(level, "choose",
                {less.data(), narrow.data(), wide.data(), chosen.data()});
    program.run(level, "quotient",
                {narrow.data(), divisor.data(), quotient.data()});
    program.run(level, "pixels", {pixels.data(), gray.data(), any.data()});
    EXPECT_EQ(any[0], 0);
    Host<uint8_t> bright(pixels);
    bright[99] = 251;
    program.run(level, "pixels", {bright.data(), gray.data(), any.data()});
    EXPECT_EQ(any[0], 1);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(less[i], x[i] < y[i] ? 1 : 0);
      ASSERT_EQ(chosen[i], x[i] < y[i] ? double(narrow[i]) : double(wide[i]));
      ASSERT_NEAR(gray[i], bright[i] / 255.0, 1e-6);
    }
    for (int i = 0; i < 37; ++i)
      ASSERT_EQ(quotient[i], narrow[i] / divisor[i]);
    EXPECT_TRUE(less.guardIsIntact() && quotient.guardIsIntact());
  }
}

} // namespace
