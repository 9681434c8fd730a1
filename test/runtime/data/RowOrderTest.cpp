// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every pass visits each row once, in an order that its seeds and number fix.
#include "runtime/data/RowOrder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace graphc::runtime;

namespace {

std::vector<int64_t> drawPass(RowOrder &order, int64_t rows, uint64_t pass) {
  std::vector<int64_t> drawn;
  order.startPass(pass);
  for (int64_t i = 0; i < rows; ++i)
    drawn.push_back(order.next());
  return drawn;
}

std::vector<int64_t> draw(int64_t rows, int64_t buffer, uint64_t seed = 1,
                          uint64_t runSeed = 2, uint64_t pass = 0) {
  RowOrder order(rows, buffer, seed, runSeed);
  return drawPass(order, rows, pass);
}

std::vector<int64_t> inOrder(int64_t rows) {
  std::vector<int64_t> all(static_cast<size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(RowOrder, WithoutBufferIsTheFilesOrder) {
  EXPECT_EQ(draw(10, 0), inOrder(10));
  EXPECT_EQ(draw(10, 1), inOrder(10));
}

TEST(RowOrder, VisitsEachRowOnce) {
  for (int64_t rows : {1, 2, 7, 100})
    for (int64_t buffer : {0, 1, 2, 7, 50, 99, 100, 101, 100000}) {
      std::vector<int64_t> drawn = draw(rows, buffer);
      std::sort(drawn.begin(), drawn.end());
      EXPECT_EQ(drawn, inOrder(rows)) << rows << " " << buffer;
    }
}

TEST(RowOrder, IsTheSameForTheSameSeedsAndPass) {
  RowOrder order(100, 100, 1, 2);
  std::vector<int64_t> first = drawPass(order, 100, 0);
  std::vector<int64_t> second = drawPass(order, 100, 1);
  EXPECT_EQ(first, draw(100, 100, 1, 2, 0));
  EXPECT_EQ(second, draw(100, 100, 1, 2, 1));
  EXPECT_NE(first, second);
  EXPECT_NE(first, draw(100, 100, 2, 2));
  EXPECT_NE(first, draw(100, 100, 1, 3));
  EXPECT_NE(first, draw(100, 100, 2, 1));
}

TEST(RowOrder, IsTheSameOnEveryMachine) {
  EXPECT_EQ(draw(10, 10, 42, 7),
            (std::vector<int64_t>{4, 0, 1, 9, 2, 5, 3, 6, 8, 7}));
}

TEST(RowOrder, DrawsOnlyFromTheBuffer) {
  std::vector<int64_t> drawn = draw(1000, 10);
  for (int64_t i = 0; i < 1000; ++i)
    EXPECT_LT(drawn[static_cast<size_t>(i)], i + 10);
  EXPECT_NE(drawn, inOrder(1000));
}

TEST(RowOrder, MakesAllPermutationsEquallyLikely) {
  std::map<std::vector<int64_t>, int> counts;
  constexpr int kDraws = 24000;
  RowOrder order(4, 4, 5, 6);
  for (int pass = 0; pass < kDraws; ++pass)
    ++counts[drawPass(order, 4, static_cast<uint64_t>(pass))];
  ASSERT_EQ(counts.size(), 24u);
  // Chi-square with 23 degrees of freedom: above 49.7 once in 1000 seeds.
  double sum = 0;
  for (const auto &[permutation, count] : counts)
    sum += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(sum, 49.7);
}

TEST(CounterRandom, BelowIsUniform) {
  CounterRandom random(9);
  int counts[6] = {};
  for (int i = 0; i < 60000; ++i)
    ++counts[random.below(6)];
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 400);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_LE(random.below(UINT64_MAX), UINT64_MAX - 1);
}

} // namespace
