// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast a link is, and when that is slow.
#include "runtime/cluster/LinkPace.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kMega = 1'000'000;

TEST(LinkPace, MeasuresWhileMuchIsOnTheWay) {
  LinkPace pace;
  pace.onTheWay(kMega, 0);
  pace.onTaken(kMega);
  pace.onTheWay(0, kSecond + 5'000'000); // an acknowledgement may be kept back
  pace.onTheWay(100, 2 * kSecond);       // too little to say anything
  pace.onTaken(100);
  pace.onTheWay(0, 8 * kSecond);
  LinkSample sample = pace.take(10 * kSecond);
  EXPECT_EQ(sample.bytes, kMega);
  EXPECT_EQ(sample.busyNanos, kSecond);
  EXPECT_DOUBLE_EQ(sample.bytesPerSecond(), 1e6);
  EXPECT_EQ(pace.take(20 * kSecond).busyNanos, 0);
}

TEST(LinkPace, MeasuresWhatIsStillOnTheWay) {
  LinkPace pace;
  pace.onTheWay(kMega, 0);
  EXPECT_EQ(pace.take(10 * kSecond).busyNanos, 10 * kSecond);
  EXPECT_EQ(pace.take(20 * kSecond).busyNanos, 10 * kSecond);
  pace.forget();
  EXPECT_EQ(pace.take(30 * kSecond).busyNanos, 0);
}

TEST(LinkPace, SlowIsFarSlowerThanTheOthers) {
  LinkSample fast[] = {{10 * kMega, kSecond / 10}, {10 * kMega, kSecond / 10}};
  auto slow = judgePace({10 * kMega, 9 * kSecond}, fast, 10 * kSecond);
  ASSERT_TRUE(slow);
  EXPECT_DOUBLE_EQ(slow->others, 1e8);
  EXPECT_NEAR(slow->bytesPerSecond, 1.1e6, 1e5);
  // Busy for a short time, no slower than the others, or beside none that carry
  // values.
  EXPECT_FALSE(judgePace({10 * kMega, 4 * kSecond}, fast, 10 * kSecond));
  EXPECT_FALSE(judgePace({150 * kMega, 9 * kSecond}, fast, 10 * kSecond));
  LinkSample idle[] = {{0, 0}, {1'000, 10}};
  EXPECT_FALSE(judgePace({10 * kMega, 9 * kSecond}, idle, 10 * kSecond));
}

} // namespace
