// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates of clocks over ways of unequal, random and drifting delays.
#include "runtime/client/ClockEstimate.h"

#include <gtest/gtest.h>
#include <random>

using namespace graphc::runtime;

namespace {

/// A task's clock that runs `drift` too fast and is `offset` ahead.
struct TaskClock {
  int64_t offset = 0;
  double drift = 0;
  int64_t at(int64_t client) const {
    return client + offset +
           static_cast<int64_t>(drift * static_cast<double>(client));
  }
};

/// A round trip that begins at `now`.
RoundTrip tripOf(const TaskClock &clock, int64_t now, int64_t there,
                 int64_t inside, int64_t back) {
  return {now, clock.at(now + there), clock.at(now + there + inside),
          now + there + inside + back};
}

TEST(ClockEstimate, EqualWaysGiveTheOffset) {
  ClockEstimate estimate;
  EXPECT_TRUE(estimate.isEmpty());
  TaskClock clock{123'456'789, 0};
  estimate.begin();
  estimate.add(tripOf(clock, 1'000, 500, 70, 500));
  EXPECT_FALSE(estimate.isEmpty());
  EXPECT_EQ(estimate.offsetNanos(), -123'456'789);
  EXPECT_EQ(estimate.errorNanos(), 500);
  EXPECT_EQ(estimate.toClient(clock.at(77'000)), 77'000);
}

TEST(ClockEstimate, UnequalWaysAreWithinTheBound) {
  for (int64_t there : {0, 100, 900, 1'000}) {
    ClockEstimate estimate;
    TaskClock clock{-5'000'000, 0};
    estimate.begin();
    estimate.add(tripOf(clock, 0, there, 10, 1'000 - there));
    EXPECT_EQ(estimate.errorNanos(), 500);
    EXPECT_LE(std::abs(estimate.toClient(clock.at(9'000)) - 9'000), 500);
  }
}

TEST(ClockEstimate, TheShortestRoundTripCounts) {
  ClockEstimate estimate;
  TaskClock clock{42, 0};
  estimate.begin();
  estimate.add(tripOf(clock, 0, 9'000'000, 5, 100)); // an outlier
  estimate.add(tripOf(clock, 20'000'000, 300, 5, 340));
  estimate.add(tripOf(clock, 30'000'000, 100, 5, 80'000));
  EXPECT_EQ(estimate.errorNanos(), 320);
  EXPECT_LE(std::abs(estimate.offsetNanos() + 42), 320);
}

TEST(ClockEstimate, AClockMayDriftBetweenTwoMeasurements) {
  TaskClock clock{7'000'000'000, 50e-6};
  ClockEstimate estimate;
  constexpr int64_t kHour = 3'600'000'000'000;
  for (int64_t now : {int64_t(0), kHour}) {
    estimate.begin();
    for (int i = 0; i < 20; ++i)
      estimate.add(tripOf(clock, now + i * 1'000'000, 20'000 + i * 1'000, 1'000,
                          26'000));
  }
  EXPECT_EQ(estimate.errorNanos(), 23'000);
  for (int64_t now = 0; now <= kHour; now += kHour / 16)
    EXPECT_LE(std::abs(estimate.toClient(clock.at(now)) - now),
              estimate.errorNanos() + 100);
  // One measurement alone would be off by 90 ms in the middle.
  ClockEstimate once;
  once.begin();
  once.add(tripOf(clock, 0, 20'000, 1'000, 26'000));
  EXPECT_GT(std::abs(once.toClient(clock.at(kHour / 2)) - kHour / 2),
            80'000'000);
}

TEST(ClockEstimate, RandomDelaysNeverBreakTheBound) {
  std::mt19937_64 random(3);
  auto below = [&](uint64_t bound) { return int64_t(random() % bound); };
  for (int round = 0; round < 1'000; ++round) {
    TaskClock clock{below(1'000'000'000'000) - 500'000'000'000, 0};
    ClockEstimate estimate;
    for (int64_t now : {int64_t(0), int64_t(1'000'000'000)}) {
      estimate.begin();
      for (int i = 0; i < 10; ++i)
        estimate.add(tripOf(clock, now + i * 10'000'000, below(1'000'000),
                            below(5'000), below(3'000'000)));
    }
    for (int64_t now = 0; now < 1'100'000'000; now += 100'000'000)
      ASSERT_LE(std::abs(estimate.toClient(clock.at(now)) - now),
                estimate.errorNanos() + 1);
  }
}

TEST(ClockEstimate, ImpossibleRoundTripsAreLeftOut) {
  ClockEstimate estimate;
  estimate.begin();
  estimate.add({100, 5, 4, 200});              // replied before it came
  estimate.add({200, 5, 6, 100});              // arrived before it was sent
  estimate.add({100, 0, 500, 200});            // longer inside than outside
  estimate.add({0, INT64_MIN, INT64_MAX, 10}); // no times
  EXPECT_TRUE(estimate.isEmpty());
  EXPECT_EQ(estimate.toClient(77), 77);
  estimate.add({100, 1'000, 1'000, 200});
  EXPECT_EQ(estimate.toClient(1'000), 150);
  estimate.toClient(INT64_MAX); // does not overflow
  estimate.toClient(INT64_MIN);
}

} // namespace
