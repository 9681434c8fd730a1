// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels give the same bits on any number of threads, each with scratch of its
// own.
#include "runtime/target/cpu/CpuDevice.h"
#include "test/runtime/target/cpu/TestKernels.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;
using graphc::test::testKernel;

namespace {

constexpr int64_t kTiles = 1000;

std::vector<float> sumsThroughScratch(int threads) {
  auto pool = ThreadPool::create(threads);
  CpuDevice device(*pool);
  EXPECT_TRUE(device.reserveScratch(4096).isOk());
  uint64_t entries[] = {0};
  auto image = KernelImage::map(testKernel("scratch"), entries);
  EXPECT_TRUE(image.isOk());
  std::vector<float> sums(kTiles);
  void *buffers[] = {sums.data()};
  device.launch(image->function(0), buffers, kTiles);
  return sums;
}

TEST(CpuDevice, ResultsDoNotDependOnTheThreads) {
  std::vector<float> expected = sumsThroughScratch(1);
  for (int64_t i = 0; i < kTiles; ++i)
    ASSERT_EQ(expected[i], static_cast<float>(i * (i + 1) / 2));
  for (int threads : {2, 3, 8})
    EXPECT_EQ(sumsThroughScratch(threads), expected) << threads;
}

TEST(CpuDevice, InlineLaunchesRunAllTiles) {
  auto pool = ThreadPool::create(2);
  CpuDevice device(*pool);
  uint64_t entries[] = {0};
  auto image = KernelImage::map(testKernel("twice"), entries);
  std::vector<float> x(100, 4), y(100);
  void *buffers[] = {x.data(), y.data()};
  device.launchInline(image->function(0), buffers, 100);
  EXPECT_EQ(y, std::vector<float>(100, 8));
}

TEST(CpuDevice, OnlyLargeKernelsAreWorthThreads) {
  EXPECT_FALSE(isWorthThreads(1, 1e9, 1e9));
  EXPECT_FALSE(isWorthThreads(100, 1000, 4000));
  EXPECT_TRUE(isWorthThreads(100, 1e9, 4000));
  EXPECT_TRUE(isWorthThreads(100, 0, 1e9));
  EXPECT_TRUE(isWorthThreads(100, 0, 0)) << "nothing known";
}

} // namespace
