// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the rate of a link, and when that is slow.
#include "runtime/link/LinkPace.h"

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

TEST(LinkPace, CountsFrom64KiBOn) {
  constexpr int64_t kReply = 5'000'000; // an acknowledgement
  for (size_t bytes : {LinkPace::kBusyBytes, LinkPace::kBusyBytes - 1}) {
    bool isBusy = bytes == LinkPace::kBusyBytes;
    LinkPace pace;
    pace.onTheWay(bytes, kSecond);
    pace.onTheWay(bytes + 1, 2 * kSecond); // busy since the first
    pace.onTaken(7);
    pace.onTheWay(1, 3 * kSecond);
    LinkSample sample = pace.take(9 * kSecond);
    EXPECT_EQ(sample.busyNanos, (isBusy ? 2 : 1) * kSecond - kReply);
    EXPECT_EQ(sample.bytes, 7u);
  }
  // Busy for less than an acknowledgement takes: not at all.
  LinkPace pace;
  pace.onTheWay(kMega, 0);
  pace.onTheWay(0, kReply - 1);
  EXPECT_EQ(pace.take(kSecond).busyNanos, 0);
}

TEST(LinkPace, TheRateOfShortTimesIsBounded) {
  EXPECT_DOUBLE_EQ((LinkSample{5'000, 1}.bytesPerSecond()), 1e6);
  EXPECT_DOUBLE_EQ((LinkSample{5'000, 5'000'000}.bytesPerSecond()), 1e6);
  EXPECT_DOUBLE_EQ((LinkSample{5'000, 10'000'000}.bytesPerSecond()), 5e5);
}

TEST(LinkPace, IsJudgedAtItsBounds) {
  LinkSample enough{4 * LinkPace::kBusyBytes, 100'000'000};
  LinkSample less{4 * LinkPace::kBusyBytes - 1, 100'000'000};
  LinkSample link{1'000, 5 * kSecond}; // half of the time
  EXPECT_TRUE(judgePace(link, {&enough, 1}, 10 * kSecond));
  EXPECT_FALSE(judgePace(link, {&less, 1}, 10 * kSecond));
  link.busyNanos -= 1;
  EXPECT_FALSE(judgePace(link, {&enough, 1}, 10 * kSecond));
  // What carries nothing may wait for its peer.
  EXPECT_FALSE(judgePace({0, 9 * kSecond}, {&enough, 1}, 10 * kSecond));
  // Eight times slower than the one in the middle.
  LinkSample others[] = {
      {80 * kMega, kSecond}, {8 * kMega, kSecond}, {1 * kMega, kSecond}};
  std::optional<SlowLink> slow =
      judgePace({1 * kMega, kSecond}, others, 2 * kSecond);
  ASSERT_TRUE(slow);
  EXPECT_DOUBLE_EQ(slow->others, 8e6);
  EXPECT_DOUBLE_EQ(slow->bytesPerSecond, 1e6);
  EXPECT_FALSE(judgePace({1 * kMega + 1, kSecond}, others, 2 * kSecond));
}

} // namespace
