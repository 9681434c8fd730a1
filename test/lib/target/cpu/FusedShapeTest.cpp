// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that move elements: transposes, argmax, means, tables, copies, and
// updates in place that have to be staged.
#include "test/lib/target/cpu/FusedHarness.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace graphc;

namespace {

const char *kShapes = R"(
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i) -> (i)>
func.func @transpose(%x: tensor<130x200xf32>) -> tensor<200x130xf32> {
  %e = tensor.empty() : tensor<200x130xf32>
  %0 = linalg.transpose ins(%x : tensor<130x200xf32>)
      outs(%e : tensor<200x130xf32>) permutation = [1, 0]
  return %0 : tensor<200x130xf32>
}
func.func @argmax(%x: tensor<1000x37xf32>)
    -> (tensor<1000xf32>, tensor<1000xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<1000xf32>
  %ei = tensor.empty() : tensor<1000xi64>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1000xf32>)
      -> tensor<1000xf32>
  %fi = linalg.fill ins(%zero : i64) outs(%ei : tensor<1000xi64>)
      -> tensor<1000xi64>
  %r:2 = linalg.generic {indexing_maps = [#full, #row, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1000x37xf32>)
      outs(%f, %fi : tensor<1000xf32>, tensor<1000xi64>) {
  ^bb0(%u: f32, %m: f32, %k: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %is = arith.cmpf ogt, %u, %m : f32
    %t = arith.select %is, %u, %m : f32
    %s = arith.select %is, %n, %k : i64
    linalg.yield %t, %s : f32, i64
  } -> (tensor<1000xf32>, tensor<1000xi64>)
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xi64>
}
func.func @column_mean(%x: tensor<7x1000xf32>) -> tensor<7x1000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1000xf32>)
      -> tensor<1000xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>,
                                          affine_map<(j, i) -> (j)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x1000xf32>) outs(%f : tensor<1000xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<1000xf32>
  %e2 = tensor.empty() : tensor<7x1000xf32>
  %r = linalg.generic {indexing_maps = [#full, affine_map<(i, j) -> (j)>,
                                        #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<7x1000xf32>, tensor<1000xf32>)
      outs(%e2 : tensor<7x1000xf32>) {
  ^bb0(%u: f32, %s: f32, %o: f32):
    %seven = arith.constant 7.0 : f32
    %m = arith.divf %s, %seven : f32
    %t = arith.subf %u, %m : f32
    linalg.yield %t : f32
  } -> tensor<7x1000xf32>
  return %r : tensor<7x1000xf32>
}
func.func @reverse(%x: tensor<100x8xf32>)
    -> (tensor<100x8xf32> {exec.inplace = 0 : i64}) {
  %e = tensor.empty() : tensor<100x8xf32>
  %r = linalg.generic {indexing_maps = [#full],
                       iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<100x8xf32>) {
  ^bb0(%o: f32):
    %last = arith.constant 99 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %i : index
    %t = tensor.extract %x[%k, %j] : tensor<100x8xf32>
    linalg.yield %t : f32
  } -> tensor<100x8xf32>
  return %r : tensor<100x8xf32>
}
func.func @rotate(%x: tensor<16x8192xf32>)
    -> (tensor<16x8192xf32> {exec.inplace = 0 : i64}) {
  %e = tensor.empty() : tensor<16x8192xf32>
  %a = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 8191 - j)>, #full],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x8192xf32>) outs(%e : tensor<16x8192xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<16x8192xf32>
  return %a : tensor<16x8192xf32>
}
func.func @table(%k: tensor<5xi32>, %s: tensor<f32>)
    -> (tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<3xi1>) {
  %t = arith.constant dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf32>
  %b = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%k : tensor<5xi32>) outs(%e : tensor<5xf32>) {
  ^bb0(%u: i32, %o: f32):
    %i = arith.index_cast %u : i32 to index
    %v = tensor.extract %t[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<5xf32>
  return %r, %s, %s, %b
      : tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<3xi1>
}
func.func @nothing(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<0x4xf32>
  %a = linalg.exp ins(%x : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>)
      -> tensor<0x4xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce ins(%x : tensor<0x4xf32>) outs(%f : tensor<4xf32>)
      dimensions = [0] (%u: f32, %o: f32) {
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  }
  return %a, %s : tensor<0x4xf32>, tensor<4xf32>
})";

TEST(FusedRow, TransposeArgmaxAndMeans) {
  FusedProgram program(kShapes);
  auto x = Host<float>::random(1000 * 37, 1);
  for (const std::string &level : runnableLevels()) {
    Host<float> turned(200 * 130, NAN), top(1000), centered(7000);
    Host<int64_t> where(1000);
    runSplit(program, level, "transpose", {x.data(), turned.data()});
    runSplit(program, level, "argmax", {x.data(), top.data(), where.data()});
    runSplit(program, level, "column_mean", {x.data(), centered.data()});
    for (int i = 0; i < 130; ++i)
      for (int j = 0; j < 200; ++j)
        ASSERT_EQ(turned[j * 130 + i], x[i * 200 + j]);
    for (int i = 0; i < 1000; ++i) {
      int best = 0;
      for (int j = 1; j < 37; ++j)
        if (x[i * 37 + j] > x[i * 37 + best])
          best = j;
      ASSERT_EQ(where[i], best);
      ASSERT_EQ(top[i], x[i * 37 + best]);
    }
    for (int j = 0; j < 1000; ++j) {
      double sum = 0;
      for (int i = 0; i < 7; ++i)
        sum += x[i * 1000 + j];
      for (int i = 0; i < 7; ++i)
        ASSERT_NEAR(centered[i * 1000 + j], x[i * 1000 + j] - sum / 7, 1e-6);
    }
  }
}

TEST(FusedRow, UpdatesThatReadOtherElementsAreStaged) {
  FusedProgram program(kShapes);
  EXPECT_EQ(program.scratch("reverse"), 0);
  EXPECT_EQ(program.scratch("rotate"), 32768);
  for (const std::string &level : runnableLevels()) {
    auto x = Host<float>::random(800, 1), big = Host<float>::random(131072, 2);
    Host<float> before(x), bigBefore(big);
    runSplit(program, level, "reverse", {x.data()});
    runSplit(program, level, "rotate", {big.data()});
    for (int i = 0; i < 800; ++i)
      ASSERT_EQ(x[i], before[(99 - i / 8) * 8 + i % 8]);
    for (int i = 0; i < 131072; ++i)
      ASSERT_EQ(big[i], bigBefore[i / 8192 * 8192 + 8191 - i % 8192]);
  }
}

TEST(FusedRow, TablesCopiesAndEmptyTensors) {
  FusedProgram program(kShapes);
  for (const std::string &level : runnableLevels()) {
    Host<int32_t> k(5);
    for (int i = 0; i < 5; ++i)
      k[i] = (i * 3) % 4;
    Host<float> s(1, 42), r(5), a(1), b(1), sums(4);
    Host<uint8_t> flags(3, 9);
    program.run(
        level, "table",
        {k.data(), s.data(), r.data(), a.data(), b.data(), flags.data()});
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(r[i], float(1 << k[i]));
    EXPECT_EQ(a[0], 42);
    EXPECT_EQ(b[0], 42);
    EXPECT_TRUE(flags[0] == 1 && flags[1] == 0 && flags[2] == 1);
    program.run(level, "nothing", {nullptr, nullptr, sums.data()});
    EXPECT_EQ(sums[3], 1.0f);
  }
}

TEST(FusedRow, SameInputSameBytes) {
  FusedProgram first(kShapes), second(kShapes);
  for (const char *level : {"x86-64-v3", "x86-64-v4"}) {
    EXPECT_EQ(first.image(level).code, second.image(level).code);
    EXPECT_EQ(first.image(level).entries, second.image(level).entries);
  }
}

} // namespace
