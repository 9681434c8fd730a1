// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go row by row, or in one piece: softmax cross entropy, pooling.
#include "test/lib/target/cpu/FusedHarness.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace graphc;

namespace {

const char *kCrossEntropy = R"(
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i) -> (i)>
func.func @loss(%x: tensor<6000x10xf32>, %labels: tensor<6000xi32>)
    -> (tensor<6000xf32>, tensor<6000x10xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<6000xf32>
  %e2 = tensor.empty() : tensor<6000x10xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<6000xf32>)
      -> tensor<6000xf32>
  %max = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6000x10xf32>) outs(%f0 : tensor<6000xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.maximumf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<6000xf32>
  %exp = linalg.generic {indexing_maps = [#full, #row, #full],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<6000x10xf32>, tensor<6000xf32>)
      outs(%e2 : tensor<6000x10xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<6000x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6000xf32>)
      -> tensor<6000xf32>
  %sum = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<6000x10xf32>) outs(%f1 : tensor<6000xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<6000xf32>
  %loss = linalg.generic {indexing_maps = [#id, #id, #id, #id],
                          iterator_types = ["parallel"]}
      ins(%sum, %max, %labels : tensor<6000xf32>, tensor<6000xf32>,
          tensor<6000xi32>) outs(%e1 : tensor<6000xf32>) {
  ^bb0(%s: f32, %m: f32, %l: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %l : i32 to index
    %own = tensor.extract %x[%i, %j] : tensor<6000x10xf32>
    %log = math.log %s : f32
    %t = arith.addf %log, %m : f32
    %r = arith.subf %t, %own : f32
    linalg.yield %r : f32
  } -> tensor<6000xf32>
  %grad = linalg.generic {indexing_maps = [#full, #row, #row, #full],
                          iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum, %labels : tensor<6000x10xf32>, tensor<6000xf32>,
          tensor<6000xi32>) outs(%e2 : tensor<6000x10xf32>) {
  ^bb0(%u: f32, %s: f32, %l: i32, %o: f32):
    %one = arith.constant 1.0 : f32
    %nil = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %k, %l : i32
    %target = arith.select %is, %one, %nil : f32
    %p = arith.divf %u, %s : f32
    %t = arith.subf %p, %target : f32
    linalg.yield %t : f32
  } -> tensor<6000x10xf32>
  return %loss, %grad : tensor<6000xf32>, tensor<6000x10xf32>
})";

TEST(FusedRow, SoftmaxCrossEntropy) {
  FusedProgram program(kCrossEntropy);
  EXPECT_GT(program.units("loss"), 1);
  auto x = Host<float>::random(60000, 1, -4, 4);
  auto labels = Host<int32_t>::random(6000, 2, 0, 10);
  for (const std::string &level : runnableLevels()) {
    Host<float> loss(6000, NAN), grad(60000, NAN);
    program.run(level, "loss",
                {x.data(), labels.data(), loss.data(), grad.data()});
    for (int i = 0; i < 6000; ++i) {
      double sum = 0;
      for (int j = 0; j < 10; ++j)
        sum += std::exp(double(x[i * 10 + j]));
      ASSERT_NEAR(loss[i], std::log(sum) - x[i * 10 + labels[i]], 2e-6);
      for (int j = 0; j < 10; ++j)
        ASSERT_NEAR(grad[i * 10 + j],
                    std::exp(double(x[i * 10 + j])) / sum - (j == labels[i]),
                    1e-6);
    }
    Host<float> loss2(6000, NAN), grad2(60000, NAN);
    runSplit(program, level, "loss",
             {x.data(), labels.data(), loss2.data(), grad2.data()});
    EXPECT_TRUE(sameBits(loss, loss2) && sameBits(grad, grad2));
  }
}

const char *kPooling = R"(
func.func @pool(%x: tensor<8x14x14x20xf32>) -> tensor<8x7x7x20xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x7x7x20xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<8x7x7x20xf32>)
      -> tensor<8x7x7x20xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<8x14x14x20xf32>, tensor<2x2xf32>)
      outs(%f : tensor<8x7x7x20xf32>) -> tensor<8x7x7x20xf32>
  return %0 : tensor<8x7x7x20xf32>
}
func.func @pool_grad(%x: tensor<8x14x14x20xf32>, %y: tensor<8x7x7x20xf32>,
                     %g: tensor<8x7x7x20xf32>) -> tensor<8x14x14x20xf32> {
  %x6 = tensor.expand_shape %x [[0], [1, 2], [3, 4], [5]]
      output_shape [8, 7, 2, 7, 2, 20]
      : tensor<8x14x14x20xf32> into tensor<8x7x2x7x2x20xf32>
  %e = tensor.empty() : tensor<8x7x2x7x2x20xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(n, h, i, w, j, c) -> (n, h, i, w, j, c)>,
                       affine_map<(n, h, i, w, j, c) -> (n, h, w, c)>,
                       affine_map<(n, h, i, w, j, c) -> (n, h, w, c)>,
                       affine_map<(n, h, i, w, j, c) -> (n, h, i, w, j, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "parallel", "parallel"]}
      ins(%x6, %y, %g : tensor<8x7x2x7x2x20xf32>, tensor<8x7x7x20xf32>,
          tensor<8x7x7x20xf32>) outs(%e : tensor<8x7x2x7x2x20xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
    %nil = arith.constant 0.0 : f32
    %is = arith.cmpf oeq, %u, %v : f32
    %t = arith.select %is, %w, %nil : f32
    linalg.yield %t : f32
  } -> tensor<8x7x2x7x2x20xf32>
  %r = tensor.collapse_shape %d [[0], [1, 2], [3, 4], [5]]
      : tensor<8x7x2x7x2x20xf32> into tensor<8x14x14x20xf32>
  return %r : tensor<8x14x14x20xf32>
})";

TEST(FusedRow, MaxPoolAndItsGradient) {
  FusedProgram program(kPooling);
  constexpr int64_t in = 8 * 14 * 14 * 20, out = 8 * 7 * 7 * 20;
  EXPECT_GT(program.units("pool"), 1);
  EXPECT_GT(program.units("pool_grad"), 1);
  auto x = Host<float>::random(in, 1), g = Host<float>::random(out, 2);
  for (const std::string &level : runnableLevels()) {
    Host<float> y(out, NAN), d(in, NAN);
    runSplit(program, level, "pool", {x.data(), y.data()});
    runSplit(program, level, "pool_grad",
             {x.data(), y.data(), g.data(), d.data()});
    for (int64_t i = 0; i < in; ++i) {
      int64_t c = i % 20, w = i / 20 % 14, h = i / 280 % 14, n = i / 3920;
      int64_t o = ((n * 7 + h / 2) * 7 + w / 2) * 20 + c;
      float top = -INFINITY;
      for (int64_t k = 0; k < 4; ++k)
        top = std::max(
            top,
            x[((n * 14 + h / 2 * 2 + k / 2) * 14 + w / 2 * 2 + k % 2) * 20 +
              c]);
      ASSERT_EQ(y[o], top);
      ASSERT_EQ(d[i], x[i] == top ? g[o] : 0.0f);
    }
  }
}

TEST(FusedRow, RefusesWhatItCannotCompile) {
  EXPECT_NE(diagnosticsOf(R"(
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %a = linalg.map { math.cbrt } ins(%x : tensor<4xf64>)
      outs(%e : tensor<4xf64>)
  return %a : tensor<4xf64>
})")
                .find("'math.cbrt' of 'f64' has no kernel code"),
            std::string::npos);
  EXPECT_NE(diagnosticsOf(R"(
func.func @f(%x: tensor<4xf32>) -> tensor<8xf32> {
  %a = tensor.concat dim(0) %x, %x
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
})")
                .find("'tensor.concat' cannot be part of a fused kernel"),
            std::string::npos);
  EXPECT_NE(diagnosticsOf(R"(
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
})")
                .find("a kernel cannot hold a value of type 'tensor<?xf32>'"),
            std::string::npos);
  EXPECT_NE(diagnosticsOf(R"(
func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>)
    -> (tensor<4xf32> {exec.inplace = 1 : i64}) {
  return %x : tensor<4xf32>
})")
                .find("cannot overwrite argument 1"),
            std::string::npos);
}

/// Columns are summed up over the vector whose elements belong to the rows: a
/// unit that has written some would be read by the others.
TEST(FusedInPlace, ArgumentOfOtherRowsIsKept) {
  const char *text = R"(
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @turn(%x: tensor<256x256xf32>, %w: tensor<256xf32>)
    -> (tensor<256xf32> {exec.inplace = 1 : i64}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = tensor.empty() : tensor<256xf32>
  %c = linalg.fill ins(%zero : f32) outs(%f : tensor<256xf32>)
      -> tensor<256xf32>
  %p = linalg.generic {indexing_maps = [#full, #row, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<256x256xf32>, tensor<256xf32>)
      outs(%e : tensor<256x256xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.mulf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  %s = linalg.generic {indexing_maps = [#full, #column],
                       iterator_types = ["reduction", "parallel"]}
      ins(%p : tensor<256x256xf32>) outs(%c : tensor<256xf32>) {
  ^bb0(%u: f32, %o: f32):
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  } -> tensor<256xf32>
  return %s : tensor<256xf32>
})";
  FusedProgram program(text);
  for (const std::string &level : runnableLevels()) {
    Host<float> x(256 * 256, 1), w(256, 2);
    runSplit(program, level, "turn", {x.data(), w.data()});
    for (size_t i = 0; i < 256; ++i)
      ASSERT_EQ(w[i], 512) << i << " on " << level;
  }
}

} // namespace
