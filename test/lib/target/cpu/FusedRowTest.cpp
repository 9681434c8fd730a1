// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go row by row, or in one piece: softmax cross entropy, pooling,
// transposes, argmax, gathers, updates in place that have to be staged.
#include "test/lib/target/cpu/FusedHarness.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace graphc;

namespace {

/// Runs the units one by one, the last first.
void runSplit(const FusedProgram &program, const std::string &level,
              const std::string &kernel, const std::vector<void *> &buffers) {
  for (int64_t i = program.units(kernel); i-- > 0;)
    program.run(level, kernel, buffers, i, i + 1);
}

template <typename T> bool sameBits(const Host<T> &a, const Host<T> &b) {
  return memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

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
    -> (tensor<100x8xf32> {graphc.inplace = 0 : i64}) {
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
    -> (tensor<16x8192xf32> {graphc.inplace = 0 : i64}) {
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

TEST(FusedRow, RefusesWhatItCannotCompile) {
  EXPECT_NE(diagnosticsOf(R"(
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %a = linalg.exp ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>)
      -> tensor<4xf64>
  return %a : tensor<4xf64>
})")
                .find("'math.exp' of 'f64' has no kernel code"),
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
    -> (tensor<4xf32> {graphc.inplace = 1 : i64}) {
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
    -> (tensor<256xf32> {graphc.inplace = 1 : i64}) {
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
