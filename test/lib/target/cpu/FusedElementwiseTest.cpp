// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of one pass over a matrix: chains, broadcasts, sums, updates in
// place, at sizes around the vector and block lengths.
#include "test/lib/target/cpu/FusedHarness.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace graphc;

namespace {

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Runs a kernel with several splits of its units on both levels and checks
/// that `output` gets the same bits every time. `reset` is called before each
/// run.
template <typename T>
void expectSameBits(
    const FusedProgram &program, const std::string &kernel,
    const std::vector<void *> &buffers, Host<T> &output,
    const std::function<void()> &reset = [] {}) {
  int64_t units = program.units(kernel);
  std::vector<T> first;
  for (const std::string &level : runnableLevels())
    for (int64_t step : {units, int64_t(1), int64_t(3)}) {
      reset();
      for (int64_t from = (units - 1) / step * step; from >= 0; from -= step)
        program.run(level, kernel, buffers, from, std::min(units, from + step));
      if (first.empty())
        first = output.copy();
      EXPECT_EQ(memcmp(first.data(), output.data(), sizeof(T) * first.size()),
                0)
          << kernel << " on " << level << " in steps of " << step;
    }
}

const char *kChain = R"(
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @chain(%x: tensor<Nxf32>, %y: tensor<Nxf32>, %s: tensor<f32>)
    -> (tensor<Nxf32>, tensor<Nxf32>) {
  %e = tensor.empty() : tensor<Nxf32>
  %a = linalg.generic {indexing_maps = [#id, #none, #id],
                       iterator_types = ["parallel"]}
      ins(%x, %s : tensor<Nxf32>, tensor<f32>) outs(%e : tensor<Nxf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.mulf %u, %v : f32
    %r = math.tanh %t : f32
    linalg.yield %r : f32
  } -> tensor<Nxf32>
  %b = linalg.add ins(%a, %y : tensor<Nxf32>, tensor<Nxf32>)
      outs(%e : tensor<Nxf32>) -> tensor<Nxf32>
  return %a, %b : tensor<Nxf32>, tensor<Nxf32>
})";

TEST(FusedElementwise, ChainsAtAllSizes) {
  for (int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 128, 1000, 4096, 50001}) {
    SCOPED_TRACE(n);
    FusedProgram program(replaceAll(kChain, "Nx", std::to_string(n) + "x"));
    auto x = Host<float>::random(n, 1), y = Host<float>::random(n, 2);
    Host<float> s(1, 1.5f), a(n, NAN), b(n, NAN);
    std::vector<void *> buffers{x.data(), y.data(), s.data(), a.data(),
                                b.data()};
    expectSameBits(program, "chain", buffers, b,
                   [&] { std::fill(b.data(), b.data() + n, NAN); });
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_NEAR(a[i], std::tanh(x[i] * 1.5), 3e-7);
      ASSERT_NEAR(b[i], std::tanh(x[i] * 1.5) + y[i], 3e-7);
    }
    EXPECT_TRUE(a.guardIsIntact() && b.guardIsIntact());
  }
}

const char *kMatrix = R"(
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @bias(%x: tensor<RxCxf32>, %b: tensor<Cxf32>, %s: tensor<Rxf32>)
    -> tensor<RxCxf32> {
  %e = tensor.empty() : tensor<RxCxf32>
  %a = linalg.generic {indexing_maps = [#full, #column, #row, #full],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b, %s : tensor<RxCxf32>, tensor<Cxf32>, tensor<Rxf32>)
      outs(%e : tensor<RxCxf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
    %t = arith.addf %u, %v : f32
    %r = arith.mulf %t, %w : f32
    linalg.yield %r : f32
  } -> tensor<RxCxf32>
  return %a : tensor<RxCxf32>
}
func.func @row_sum(%x: tensor<RxCxf32>) -> (tensor<Rxf32>, tensor<Rxf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<Rxf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<Rxf32>) -> tensor<Rxf32>
  %a = linalg.generic {indexing_maps = [#full, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<RxCxf32>) outs(%f : tensor<Rxf32>) {
  ^bb0(%u: f32, %o: f32):
    %q = arith.mulf %u, %u : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<Rxf32>
  %r = linalg.sqrt ins(%a : tensor<Rxf32>) outs(%e : tensor<Rxf32>)
      -> tensor<Rxf32>
  return %a, %r : tensor<Rxf32>, tensor<Rxf32>
}
func.func @column_update(%x: tensor<RxCxf32>, %b: tensor<Cxf32>)
    -> (tensor<Cxf32> {exec.inplace = 1 : i64}) {
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<Cxf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<Cxf32>) -> tensor<Cxf32>
  %a = linalg.reduce ins(%x : tensor<RxCxf32>) outs(%f : tensor<Cxf32>)
      dimensions = [0] (%u: f32, %o: f32) {
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  }
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%b, %a : tensor<Cxf32>, tensor<Cxf32>) outs(%e : tensor<Cxf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.mulf %v, %rate : f32
    %w = arith.subf %u, %t : f32
    linalg.yield %w : f32
  } -> tensor<Cxf32>
  return %r : tensor<Cxf32>
}
func.func @total(%x: tensor<RxCxf32>, %start: tensor<f32>) -> tensor<f32> {
  %a = linalg.reduce ins(%x : tensor<RxCxf32>) outs(%start : tensor<f32>)
      dimensions = [0, 1] (%u: f32, %o: f32) {
    %t = arith.addf %u, %o : f32
    linalg.yield %t : f32
  }
  return %a : tensor<f32>
}
func.func @largest(%x: tensor<RxCxf32>) -> tensor<f32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %a = linalg.reduce ins(%x : tensor<RxCxf32>) outs(%f : tensor<f32>)
      dimensions = [0, 1] (%u: f32, %o: f32) {
    %t = arith.maximumf %u, %o : f32
    linalg.yield %t : f32
  }
  return %a : tensor<f32>
})";

void testMatrix(int64_t rows, int64_t columns) {
  SCOPED_TRACE(testing::Message() << rows << " x " << columns);
  FusedProgram program(
      replaceAll(replaceAll(kMatrix, "Rx", std::to_string(rows) + "x"), "Cx",
                 std::to_string(columns) + "x"));
  auto x = Host<float>::random(rows * columns, 1);
  auto bias = Host<float>::random(columns, 2);
  auto scale = Host<float>::random(rows, 3);
  Host<float> out(rows * columns, NAN), sum(rows, NAN), root(rows, NAN);
  expectSameBits(program, "bias",
                 {x.data(), bias.data(), scale.data(), out.data()}, out,
                 [&] { std::fill(out.data(), out.data() + out.size(), NAN); });
  program.run("x86-64-v3", "bias",
              {x.data(), bias.data(), scale.data(), out.data()});
  expectSameBits(program, "row_sum", {x.data(), sum.data(), root.data()}, sum);
  Host<float> updated(columns);
  expectSameBits(
      program, "column_update", {x.data(), updated.data()}, updated,
      [&] { std::copy(bias.data(), bias.data() + columns, updated.data()); });
  Host<float> start(1, 10), total(1), largest(1);
  expectSameBits(program, "total", {x.data(), start.data(), total.data()},
                 total);
  expectSameBits(program, "largest", {x.data(), largest.data()}, largest);

  double all = 10, top = -INFINITY;
  std::vector<double> columnSums(columns);
  for (int64_t i = 0; i < rows; ++i) {
    double squares = 0;
    for (int64_t j = 0; j < columns; ++j) {
      float value = x[i * columns + j];
      ASSERT_NEAR(out[i * columns + j], (value + bias[j]) * scale[i], 1e-6);
      squares += double(value) * value;
      columnSums[j] += value;
      all += value;
      top = std::max<double>(top, value);
    }
    ASSERT_NEAR(sum[i], squares, 1e-6 * (1 + squares));
    ASSERT_NEAR(root[i], std::sqrt(squares), 1e-6 * (1 + squares));
  }
  for (int64_t j = 0; j < columns; ++j)
    ASSERT_NEAR(updated[j], bias[j] - columnSums[j] / 2, 1e-5 * (1 + rows));
  EXPECT_NEAR(total[0], all, 1e-6 * rows * columns);
  EXPECT_EQ(largest[0], top);
  EXPECT_TRUE(updated.guardIsIntact() && sum.guardIsIntact());
}

TEST(FusedElementwise, RowsAndColumns) {
  for (auto [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 7},
                                                {7, 1},
                                                {3, 10},
                                                {64, 64},
                                                {10, 65},
                                                {129, 63},
                                                {5, 128},
                                                {300, 1000},
                                                {2, 40000},
                                                {3000, 10},
                                                {128, 128}})
    testMatrix(rows, columns);
}

const char *kUpdates = R"(
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @sgd(%w: tensor<5000xf32>, %m: tensor<5000xf32>,
               %g: tensor<5000xf32>)
    -> (tensor<5000xf32> {exec.inplace = 0 : i64},
        tensor<5000xf32> {exec.inplace = 1 : i64}) {
  %rate = arith.constant 0.1 : f32
  %decay = arith.constant 0.9 : f32
  %e = tensor.empty() : tensor<5000xf32>
  %w2 = linalg.generic {indexing_maps = [#id, #id, #id],
                        iterator_types = ["parallel"]}
      ins(%w, %g : tensor<5000xf32>, tensor<5000xf32>)
      outs(%e : tensor<5000xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.mulf %v, %rate : f32
    %r = arith.subf %u, %t : f32
    linalg.yield %r : f32
  } -> tensor<5000xf32>
  %m2 = linalg.generic {indexing_maps = [#id, #id, #id],
                        iterator_types = ["parallel"]}
      ins(%m, %w2 : tensor<5000xf32>, tensor<5000xf32>)
      outs(%e : tensor<5000xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    %t = arith.mulf %d, %decay : f32
    %r = arith.addf %t, %v : f32
    linalg.yield %r : f32
  } -> tensor<5000xf32>
  return %w2, %m2 : tensor<5000xf32>, tensor<5000xf32>
}
func.func @adam(%p: tensor<5000xf32>, %m: tensor<5000xf32>,
                %v: tensor<5000xf32>, %g: tensor<5000xf32>, %lr: tensor<f32>)
    -> (tensor<5000xf32> {exec.inplace = 0 : i64},
        tensor<5000xf32> {exec.inplace = 1 : i64},
        tensor<5000xf32> {exec.inplace = 2 : i64}) {
  %b1 = arith.constant 0.9 : f32
  %c1 = arith.constant 0.1 : f32
  %b2 = arith.constant 0.999 : f32
  %c2 = arith.constant 0.001 : f32
  %eps = arith.constant 1.0e-8 : f32
  %e = tensor.empty() : tensor<5000xf32>
  %m2 = linalg.generic {indexing_maps = [#id, #id, #id],
                        iterator_types = ["parallel"]}
      ins(%m, %g : tensor<5000xf32>, tensor<5000xf32>)
      outs(%e : tensor<5000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.mulf %a, %b1 : f32
    %y = arith.mulf %b, %c1 : f32
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<5000xf32>
  %v2 = linalg.generic {indexing_maps = [#id, #id, #id],
                        iterator_types = ["parallel"]}
      ins(%v, %g : tensor<5000xf32>, tensor<5000xf32>)
      outs(%e : tensor<5000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.mulf %a, %b2 : f32
    %y = arith.mulf %b, %b : f32
    %z = arith.mulf %y, %c2 : f32
    %t = arith.addf %x, %z : f32
    linalg.yield %t : f32
  } -> tensor<5000xf32>
  %p2 = linalg.generic {indexing_maps = [#id, #id, #id, #none, #id],
                        iterator_types = ["parallel"]}
      ins(%p, %m2, %v2, %lr : tensor<5000xf32>, tensor<5000xf32>,
          tensor<5000xf32>, tensor<f32>) outs(%e : tensor<5000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %l: f32, %o: f32):
    %s = math.sqrt %c : f32
    %s2 = arith.addf %s, %eps : f32
    %n = arith.mulf %b, %l : f32
    %d = arith.divf %n, %s2 : f32
    %t = arith.subf %a, %d : f32
    linalg.yield %t : f32
  } -> tensor<5000xf32>
  return %p2, %m2, %v2
      : tensor<5000xf32>, tensor<5000xf32>, tensor<5000xf32>
})";

TEST(FusedElementwise, UpdatesInPlace) {
  constexpr int64_t n = 5000;
  FusedProgram program(kUpdates);
  auto w = Host<float>::random(n, 1), m = Host<float>::random(n, 2);
  auto v = Host<float>::random(n, 3, 0, 1), g = Host<float>::random(n, 4);
  for (const std::string &level : runnableLevels()) {
    Host<float> w2(w), m2(m);
    program.run(level, "sgd", {w2.data(), m2.data(), g.data()});
    for (int64_t i = 0; i < n; ++i) {
      double weight = w[i] - 0.1 * g[i];
      ASSERT_NEAR(w2[i], weight, 1e-6);
      ASSERT_NEAR(m2[i], (m[i] - weight) * 0.9 + weight, 1e-6);
    }
    Host<float> p3(w), m3(m), v3(v), rate(1, 0.01f);
    program.run(level, "adam",
                {p3.data(), m3.data(), v3.data(), g.data(), rate.data()});
    for (int64_t i = 0; i < n; ++i) {
      double first = m[i] * 0.9 + g[i] * 0.1;
      double second = v[i] * 0.999 + double(g[i]) * g[i] * 0.001;
      ASSERT_NEAR(m3[i], first, 1e-6);
      ASSERT_NEAR(v3[i], second, 1e-6);
      ASSERT_NEAR(p3[i], w[i] - 0.01 * first / (std::sqrt(second) + 1e-8),
                  1e-5);
    }
  }
}

} // namespace
