// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as LLVM writes them, against the host's arithmetic.
#include "test/cuda/EmulatedGpu.h"

#include <cmath>

using namespace graphc::test;

namespace {

class Kernels : public EmulatedGpu {};

TEST_F(Kernels, BlockReduction) {
  auto x = numbers(1000);
  CUdeviceptr y = allocate(4);
  for (unsigned threads : {32, 128, 256, 1024}) {
    ASSERT_CUDA(launch(kernel("sum"), 1, threads, {upload(x), y}));
    EXPECT_EQ(download<float>(y, 1)[0], 500500) << threads;
  }
}

TEST_F(Kernels, SoftmaxOfRows) {
  auto x = numbers(7 * 200, -3, 0.004f);
  CUdeviceptr y = allocate(x.size() * 4);
  ASSERT_CUDA(launch(kernel("softmax"), 7, 128, {upload(x), y}));
  auto result = download<float>(y, x.size());
  for (size_t row = 0; row < 7; ++row) {
    double total = 0;
    for (size_t i = 0; i < 200; ++i)
      total += std::exp(static_cast<double>(x[row * 200 + i]));
    for (size_t i = 0; i < 200; ++i)
      ASSERT_NEAR(result[row * 200 + i], std::exp(x[row * 200 + i]) / total,
                  1e-7);
  }
}

TEST_F(Kernels, TransposeThroughSharedMemory) {
  auto x = numbers(64 * 96);
  CUdeviceptr y = allocate(x.size() * 4);
  ASSERT_CUDA(launch(kernel("transpose"), 6, 256, {upload(x), y}));
  auto result = download<float>(y, x.size());
  for (size_t row = 0; row < 64; ++row)
    for (size_t column = 0; column < 96; ++column)
      ASSERT_EQ(result[column * 64 + row], x[row * 96 + column]);
}

TEST_F(Kernels, VectorsOfFourAndTheRest) {
  auto x = numbers(1002);
  CUdeviceptr y = allocate(x.size() * 4);
  ASSERT_CUDA(launch(kernel("scale"), 2, 64, {upload(x), y}));
  auto result = download<float>(y, x.size());
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(result[i], x[i] * 3);
}

uint32_t divergeOnHost(uint32_t x, uint32_t first) {
  uint32_t steps = 0;
  for (uint32_t n = x; n != 1; ++steps)
    n = n % 2 ? 3 * n + 1 : n / 2;
  switch (x % 6) {
  case 0:
    return steps + 100;
  case 1:
    return steps * 3;
  case 2:
    return steps - first;
  case 3:
    return steps ^ 0x55;
  case 4:
    return steps << 4;
  default:
    return ~steps;
  }
}

TEST_F(Kernels, ThreadsGoTheirOwnWays) {
  std::vector<uint32_t> x(100);
  for (uint32_t i = 0; i < x.size(); ++i)
    x[i] = i + 3;
  CUdeviceptr y = allocate(x.size() * 4);
  ASSERT_CUDA(launch(kernel("diverge"), 2, 50, {upload(x), y}));
  auto result = download<uint32_t>(y, x.size());
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(result[i], divergeOnHost(x[i], x[0])) << x[i];
}

TEST_F(Kernels, PhiloxOfKnownAnswer) {
  // Random123's known answer for a zero counter and a zero key.
  const uint32_t expected[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  CUdeviceptr y = allocate(64 * 16);
  ASSERT_CUDA(launch(kernel("philox"), 2, 32,
                     {upload(std::vector<uint32_t>{0, 0}), y}));
  auto result = download<float>(y, 64 * 4);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(result[i], static_cast<float>(expected[i] >> 9) * 0x1p-23f);
}

} // namespace
