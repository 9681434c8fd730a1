// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that read several tensors one after the other.
#include "test/lib/target/cpu/FusedHarness.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace graphc;

namespace {

/// w - 0.5 * (a, b, c), over w; each element is extracted from all three and
/// one is chosen, as tfir.concat says it.
std::string joinOf(int64_t a, int64_t b, int64_t c) {
  const char *text = R"(
#id = affine_map<(i) -> (i)>
func.func @join(%a: tensor<{0}xf32>, %b: tensor<{1}xf32>, %c: tensor<{2}xf32>,
                %w: tensor<{3}xf32>)
    -> (tensor<{3}xf32> {{exec.inplace = 3 : i64}) {{
  %e = tensor.empty() : tensor<{3}xf32>
  %j = linalg.generic {{indexing_maps = [#id], iterator_types = ["parallel"],
                       tfir.join = 0 : i64}
      outs(%e : tensor<{3}xf32>) {{
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %zero = arith.constant 0 : index
    %b0 = arith.constant {0} : index
    %c0 = arith.constant {4} : index
    %lastA = arith.constant {5} : index
    %lastB = arith.constant {6} : index
    %inA = arith.minsi %i, %lastA : index
    %x = tensor.extract %a[%inA] : tensor<{0}xf32>
    %offB = arith.subi %i, %b0 : index
    %lowB = arith.maxsi %offB, %zero : index
    %inB = arith.minsi %lowB, %lastB : index
    %y = tensor.extract %b[%inB] : tensor<{1}xf32>
    %offC = arith.subi %i, %c0 : index
    %inC = arith.maxsi %offC, %zero : index
    %z = tensor.extract %c[%inC] : tensor<{2}xf32>
    %isB = arith.cmpi sge, %i, %b0 : index
    %xy = arith.select %isB, %y, %x : f32
    %isC = arith.cmpi sge, %i, %c0 : index
    %xyz = arith.select %isC, %z, %xy : f32
    linalg.yield %xyz : f32
  } -> tensor<{3}xf32>
  %n = linalg.generic {{indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%w, %j : tensor<{3}xf32>, tensor<{3}xf32>)
      outs(%e : tensor<{3}xf32>) {{
  ^bb0(%u: f32, %v: f32, %o: f32):
    %half = arith.constant 5.0e-1 : f32
    %t = arith.mulf %v, %half : f32
    %r = arith.subf %u, %t : f32
    linalg.yield %r : f32
  } -> tensor<{3}xf32>
  return %n : tensor<{3}xf32>
})";
  return llvm::formatv(text, a, b, c, a + b + c, a + b, a - 1, b - 1).str();
}

void expectJoined(size_t a, size_t b, size_t c) {
  FusedProgram program(joinOf(a, b, c));
  Host<float> x = Host<float>::random(a, 1), y = Host<float>::random(b, 2),
              z = Host<float>::random(c, 3);
  Host<float> old = Host<float>::random(a + b + c, 4);
  int64_t units = program.units("join");
  for (const std::string &level : runnableLevels())
    for (int64_t step : {units, int64_t(1)}) {
      Host<float> w(old);
      for (int64_t from = 0; from < units; from += step)
        program.run(level, "join", {x.data(), y.data(), z.data(), w.data()},
                    from, std::min(units, from + step));
      for (size_t i = 0; i < a + b + c; ++i) {
        float part = i < a ? x[i] : i < a + b ? y[i - a] : z[i - a - b];
        ASSERT_EQ(w[i], old[i] - part * 0.5f)
            << i << " of " << a << ", " << b << ", " << c << " on " << level;
      }
    }
}

TEST(FusedJoin, PartsAtBlocksAreReadInVectors) {
  for (auto [a, b, c] :
       {std::array{64, 64, 64}, std::array{128, 64, 1},
        std::array{8192, 4096, 5000}, std::array{64, 20032, 63}}) {
    expectJoined(a, b, c);
    std::string kernel = kernelsOf(joinOf(a, b, c));
    EXPECT_EQ(kernel.find("memref.load"), std::string::npos) << kernel;
  }
}

TEST(FusedJoin, OtherPartsAreGathered) {
  for (auto [a, b, c] :
       {std::array{1, 2, 3}, std::array{65, 64, 64}, std::array{64, 16, 4000},
        std::array{8192, 4097, 5000}}) {
    expectJoined(a, b, c);
    EXPECT_NE(kernelsOf(joinOf(a, b, c)).find("memref.load"),
              std::string::npos);
  }
}

/// A kernel that walks along a row to add it up does not stop where parts
/// begin.
TEST(FusedJoin, BesideAReductionOfAsManyElements) {
  const char *text = R"(
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @beside(%a: tensor<64xf32>, %b: tensor<64xf32>, %w: tensor<128xf32>)
    -> (tensor<128xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<128xf32>
  %f = tensor.empty() : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%f : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]}
      ins(%w : tensor<128xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %o fastmath<reassoc, nsz> : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %j = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"],
                       tfir.join = 0 : i64} outs(%e : tensor<128xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %first = arith.constant 0 : index
    %b0 = arith.constant 64 : index
    %last = arith.constant 63 : index
    %inA = arith.minsi %i, %last : index
    %x = tensor.extract %a[%inA] : tensor<64xf32>
    %offB = arith.subi %i, %b0 : index
    %inB = arith.maxsi %offB, %first : index
    %y = tensor.extract %b[%inB] : tensor<64xf32>
    %isB = arith.cmpi sge, %i, %b0 : index
    %r = arith.select %isB, %y, %x : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  return %j, %s : tensor<128xf32>, tensor<f32>
})";
  FusedProgram program(text);
  for (const std::string &level : runnableLevels()) {
    Host<float> a(64, 1), b(64, 2), w(128, 3), joined(128), sum(1);
    program.run(level, "beside",
                {a.data(), b.data(), w.data(), joined.data(), sum.data()}, 0,
                program.units("beside"));
    for (size_t i = 0; i < 128; ++i)
      ASSERT_EQ(joined[i], i < 64 ? 1 : 2) << i << " on " << level;
    EXPECT_EQ(sum[0], 3 * 128);
  }
}

/// An argument that is a part and is overwritten would be read too late. Such a
/// kernel has loops of two lengths and is never flat; what keeps a flat one
/// from it is tested by FusedInPlace.ArgumentOfOtherRowsIsKept.
TEST(FusedJoin, OverwrittenPartIsKept) {
  const char *text = R"(
#id = affine_map<(i) -> (i)>
func.func @twice(%a: tensor<64xf32>, %w: tensor<64xf32>)
    -> (tensor<128xf32>, tensor<64xf32> {exec.inplace = 1 : i64}) {
  %e = tensor.empty() : tensor<128xf32>
  %f = tensor.empty() : tensor<64xf32>
  %n = linalg.add ins(%a, %w : tensor<64xf32>, tensor<64xf32>)
      outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %j = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"],
                       tfir.join = 0 : i64} outs(%e : tensor<128xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %zero = arith.constant 0 : index
    %b0 = arith.constant 64 : index
    %last = arith.constant 63 : index
    %inA = arith.minsi %i, %last : index
    %x = tensor.extract %a[%inA] : tensor<64xf32>
    %offW = arith.subi %i, %b0 : index
    %inW = arith.maxsi %offW, %zero : index
    %y = tensor.extract %w[%inW] : tensor<64xf32>
    %isW = arith.cmpi sge, %i, %b0 : index
    %r = arith.select %isW, %y, %x : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  return %j, %n : tensor<128xf32>, tensor<64xf32>
})";
  FusedProgram program(text);
  for (const std::string &level : runnableLevels()) {
    Host<float> a(64, 1), w(64, 2), joined(128);
    program.run(level, "twice", {a.data(), w.data(), joined.data()}, 0,
                program.units("twice"));
    for (size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(joined[i], 1);
      ASSERT_EQ(joined[64 + i], 2);
      ASSERT_EQ(w[i], 3);
    }
  }
}

} // namespace
