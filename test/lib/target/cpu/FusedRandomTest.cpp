// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counter-based random numbers made inside their consumer: element i of a
// stream is lane (i / 16) % 4 of the Philox block with the counter
// (i / 64) * 16 + i % 16.
#include "test/lib/target/cpu/FusedHarness.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace graphc;

namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;

/// Philox4x32-10 with the key (seed, stream), reduced to [0, 1).
float uniformAt(uint32_t i, uint32_t seed, uint32_t stream) {
  uint32_t c[4] = {(i / 64) * 16 + i % 16, 0, 0, 0}, k[2] = {seed, stream};
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(kMultiplier0) * c[0];
    uint64_t p1 = uint64_t(kMultiplier1) * c[2];
    uint32_t next[4] = {uint32_t(p1 >> 32) ^ c[1] ^ k[0], uint32_t(p1),
                        uint32_t(p0 >> 32) ^ c[3] ^ k[1], uint32_t(p0)};
    memcpy(c, next, sizeof(c));
    k[0] += kWeyl0;
    k[1] += kWeyl1;
  }
  return float(c[(i / 16) % 4] >> 8) * 0x1p-24f;
}

/// The same as ops on i32, from the element index %i to the f32 %<prefix>u.
std::string philox(const std::string &p, uint32_t stream) {
  std::string text;
  int count = 0;
  auto emit = [&](const std::string &op) {
    std::string name = "%" + p + std::to_string(count++);
    text += "    " + name + " = " + op + "\n";
    return name;
  };
  auto constant = [&](uint32_t value) {
    return emit("arith.constant " + std::to_string(int32_t(value)) + " : i32");
  };
  auto binary = [&](const char *op, const std::string &a,
                    const std::string &b) {
    return emit(std::string("arith.") + op + " " + a + ", " + b + " : i32");
  };
  std::string four = constant(4), fifteen = constant(15), six = constant(6);
  std::string c[4] = {binary("ori",
                             binary("shli", binary("shrui", "%i", six), four),
                             binary("andi", "%i", fifteen)),
                      constant(0), constant(0), constant(0)};
  std::string k[2] = {"%seed", constant(stream)};
  for (int round = 0; round < 10; ++round) {
    auto product = [&](uint32_t m, const std::string &x) {
      std::string low = "%" + p + "l" + std::to_string(count);
      std::string high = "%" + p + "h" + std::to_string(count);
      std::string factor = constant(m);
      text += "    " + low + ", " + high + " = arith.mului_extended " + x +
              ", " + factor + " : i32\n";
      return std::pair(low, high);
    };
    auto p0 = product(kMultiplier0, c[0]), p1 = product(kMultiplier1, c[2]);
    std::string n0 = binary("xori", binary("xori", p1.second, c[1]), k[0]);
    std::string n2 = binary("xori", binary("xori", p0.second, c[3]), k[1]);
    c[0] = n0, c[1] = p1.first, c[2] = n2, c[3] = p0.first;
    k[0] = binary("addi", k[0], constant(kWeyl0));
    k[1] = binary("addi", k[1], constant(kWeyl1));
  }
  std::string lane = binary("andi", binary("shrui", "%i", four), constant(3));
  auto choose = [&](uint32_t n, const std::string &a, const std::string &b) {
    std::string is =
        emit("arith.cmpi eq, " + lane + ", " + constant(n) + " : i32");
    return emit("arith.select " + is + ", " + a + ", " + b + " : i32");
  };
  std::string bits = choose(0, c[0], choose(1, c[1], choose(2, c[2], c[3])));
  std::string small = binary("shrui", bits, constant(8));
  std::string number = emit("arith.uitofp " + small + " : i32 to f32");
  std::string scale = emit("arith.constant 5.9604644775390625e-08 : f32");
  text += "    %" + p + "u = arith.mulf " + number + ", " + scale + " : f32\n";
  return text;
}

std::string piModule(int64_t rows, int64_t columns) {
  std::string r = std::to_string(rows), c = std::to_string(columns);
  return R"(
func.func @uniform(%s: tensor<i32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> ()>,
                                        affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%s : tensor<i32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%seed: i32, %o: f32):
    %n = linalg.index 0 : index
    %i = arith.index_cast %n : index to i32
)" + philox("a", 7) +
         R"(
    linalg.yield %au : f32
  } -> tensor<1000xf32>
  %r = tensor.expand_shape %a [[0, 1]] output_shape [20, 50]
      : tensor<1000xf32> into tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}
func.func @pi(%s: tensor<i32>) -> tensor<)" +
         r + R"(xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<)" +
         r + R"(xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<)" +
         r + R"(xf32>) -> tensor<)" + r + R"(xf32>
  %shape = tensor.empty() : tensor<)" +
         r + "x" + c + R"(xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>,
                                        affine_map<(i, j) -> (i, j)>,
                                        affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%s, %shape : tensor<i32>, tensor<)" +
         r + "x" + c + R"(xf32>) outs(%f : tensor<)" + r + R"(xf32>) {
  ^bb0(%seed: i32, %unused: f32, %o: f32):
    %p = linalg.index 0 : index
    %q = linalg.index 1 : index
    %width = arith.constant )" +
         c + R"( : index
    %m = arith.muli %p, %width : index
    %n = arith.addi %m, %q : index
    %i = arith.index_cast %n : index to i32
)" + philox("a", 1) +
         philox("b", 2) + R"(
    %xx = arith.mulf %au, %au : f32
    %yy = arith.mulf %bu, %bu : f32
    %rr = arith.addf %xx, %yy : f32
    %unit = arith.constant 1.0 : f32
    %inside = arith.cmpf olt, %rr, %unit : f32
    %hit = arith.uitofp %inside : i1 to f32
    %t = arith.addf %o, %hit : f32
    linalg.yield %t : f32
  } -> tensor<)" +
         r + R"(xf32>
  return %a : tensor<)" +
         r + R"(xf32>
})";
}

TEST(FusedRandom, StreamsAndMonteCarloPi) {
  constexpr int64_t rows = 6, columns = 10000;
  FusedProgram program(piModule(rows, columns));
  Host<int32_t> seed(1, 1234567);
  for (const std::string &level : runnableLevels()) {
    Host<float> numbers(1000), hits(rows);
    program.run(level, "uniform", {seed.data(), numbers.data()});
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(numbers[i], uniformAt(i, seed[0], 7));
    for (int64_t i = program.units("pi"); i-- > 0;)
      program.run(level, "pi", {seed.data(), hits.data()}, i, i + 1);
    for (int64_t i = 0; i < rows; ++i) {
      float expected = 0;
      for (int64_t j = i * columns; j < (i + 1) * columns; ++j) {
        float x = uniformAt(j, seed[0], 1), y = uniformAt(j, seed[0], 2);
        expected += std::fma(x, x, y * y) < 1;
      }
      EXPECT_EQ(hits[i], expected) << level << " row " << i;
    }
  }
}

/// Its vectors have the same rounds of Philox, which LLVM does once.
TEST(FusedRandom, StepsHaveWholeBlocks) {
  std::string kernels = kernelsOf(piModule(6, 128));
  size_t at = kernels.find("func.func @uniform");
  ASSERT_NE(at, std::string::npos);
  std::string uniform = kernels.substr(at, kernels.find("func.func @pi") - at);
  size_t products = 0;
  for (at = 0; (at = uniform.find("mului_extended", at)) != std::string::npos;
       ++at)
    ++products;
  // Four vectors in a block, one for the whole vectors after the last block,
  // and one for the lanes after the last whole vector.
  EXPECT_GE(products, 5 * 20u) << uniform;
}

} // namespace
