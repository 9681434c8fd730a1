// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Medians of few and of many durations.
#include "tools/graphc-run/StepDurations.h"

#include <gtest/gtest.h>

namespace graphc::run {
namespace {

TEST(StepTimesTest, MedianAndLeastOfFew) {
  StepDurations times;
  EXPECT_TRUE(times.empty());
  for (int64_t nanos : {50, 10, 30})
    times.add(nanos);
  EXPECT_EQ(times.median(), 30);
  EXPECT_EQ(times.least(), 10);
  times.add(40);
  EXPECT_EQ(times.median(), 35); // between the two in the middle
}

TEST(StepTimesTest, ManyAreThinnedEvenly) {
  StepDurations times(/*capacity=*/8);
  // Kept in the end: every 16th, 0 to 112.
  for (int64_t i = 0; i < 128; ++i)
    times.add(i);
  EXPECT_EQ(times.median(), 56);
  EXPECT_EQ(times.least(), 0);
}

TEST(StepTimesTest, LeastIsOfAllNotOfTheKept) {
  StepDurations times(/*capacity=*/2);
  for (int64_t nanos : {9, 9, 9, 1, 9, 9})
    times.add(nanos);
  EXPECT_EQ(times.least(), 1);
  EXPECT_EQ(times.median(), 9);
}

} // namespace
} // namespace graphc::run
