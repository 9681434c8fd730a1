// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files side by side, in other orders, and queues that are filled again late.
#include "runtime/data/RowOrder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace graphc::runtime;

namespace {

std::vector<int64_t> readPass(FileOrder &order, uint64_t pass) {
  std::vector<int64_t> rows;
  order.startPass(pass);
  for (int64_t i = 0; i < order.rows(); ++i)
    rows.push_back(order.next());
  return rows;
}

std::vector<int64_t> sorted(std::vector<int64_t> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<int64_t> all(int64_t rows) {
  std::vector<int64_t> numbers(static_cast<size_t>(rows));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(FileOrder, InterleavesAsTensorFlow) {
  // Files of rows 0-3, 4-5, 6-10; tf.data.Dataset.interleave gives this.
  FileOrder two({{4, 6, 11}, false, 2, 1}, 0);
  EXPECT_EQ(readPass(two, 0),
            (std::vector<int64_t>{0, 4, 1, 5, 2, 3, 6, 7, 8, 9, 10}));
  FileOrder blocks({{4, 6, 11}, false, 2, 3}, 0);
  EXPECT_EQ(readPass(blocks, 0),
            (std::vector<int64_t>{0, 1, 2, 4, 5, 3, 6, 7, 8, 9, 10}));
}

TEST(FileOrder, KeepsTheOrderWithoutSettings) {
  FileOrder order({{4, 6, 11}}, 0);
  EXPECT_EQ(readPass(order, 3), all(11));
}

TEST(FileOrder, ShufflesFilesInEachPass) {
  FileReading reading{{}, true, 1, 1};
  for (int64_t i = 1; i <= 20; ++i)
    reading.ends.push_back(3 * i);
  FileOrder order(reading, 7), again(reading, 7), other(reading, 8);
  std::vector<int64_t> first = readPass(order, 0), second = readPass(order, 1);
  EXPECT_NE(first, second);
  EXPECT_EQ(readPass(again, 1), second);
  EXPECT_NE(readPass(other, 1), second);
  EXPECT_EQ(sorted(first), all(60));
  for (size_t i = 0; i < first.size(); i += 3) // files stay whole
    EXPECT_EQ(first[i + 2], first[i] + 2);
}

TEST(FileOrder, GivesEachRowOnceForAnySizes) {
  for (int64_t cycle : {1, 2, 3, 5, 100})
    for (int64_t block : {1, 2, 7})
      for (bool isShuffled : {false, true}) {
        FileOrder order({{1, 5, 6, 20, 21}, isShuffled, cycle, block}, 3);
        EXPECT_EQ(sorted(readPass(order, 2)), all(21));
      }
}

TEST(FileOrder, AQueueIsFilledWhenTooFewAreLeft) {
  // Capacity 8, and 4 left: rows 8 to 11 come in after four draws only.
  RowOrder order({{32}}, 8, 4, 5);
  order.startPass(0);
  std::vector<int64_t> drawn;
  for (int i = 0; i < 32; ++i)
    drawn.push_back(order.next());
  EXPECT_EQ(sorted(drawn), all(32));
  for (int i = 0; i < 32; ++i) {
    int64_t most = 8 + 4 * (i / 4);
    EXPECT_LT(drawn[static_cast<size_t>(i)], most);
  }
}

TEST(FileOrder, AQueueMayRunEmpty) {
  RowOrder order({{10}}, 5, 0, 5);
  order.startPass(0);
  std::vector<int64_t> drawn;
  for (int i = 0; i < 10; ++i)
    drawn.push_back(order.next());
  EXPECT_EQ(sorted({drawn.begin(), drawn.begin() + 5}), all(5));
  EXPECT_EQ(sorted(drawn), all(10));
}

} // namespace
