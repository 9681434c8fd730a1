// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Into how many parts variables are cut, so that servers have equal shares.
#include "lib/placement/split/SplitVariables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

using graphc::kFairShare;
using graphc::partsForBalance;

namespace {

using Loads = std::vector<double>;
using Counts = std::vector<int64_t>;

/// The largest share by the mean one, with the largest part first to the
/// server that has the least.
double ratio(const Loads &loads, const Counts &parts, size_t servers) {
  Loads pieces;
  for (size_t i = 0; i < loads.size(); ++i)
    pieces.insert(pieces.end(), parts[i], loads[i] / double(parts[i]));
  std::sort(pieces.begin(), pieces.end(), std::greater<>());
  Loads share(servers);
  for (double piece : pieces)
    *std::min_element(share.begin(), share.end()) += piece;
  return *std::max_element(share.begin(), share.end()) * double(servers) /
         std::accumulate(share.begin(), share.end(), 0.0);
}

TEST(PartsForBalance, CutsNothingThatIsFair) {
  EXPECT_EQ(partsForBalance({5, 5, 5, 5}, {9, 9, 9, 9}, 4),
            (Counts{1, 1, 1, 1}));
  EXPECT_EQ(partsForBalance({}, {}, 4), Counts{});
  EXPECT_EQ(partsForBalance({7}, {9}, 1), Counts{1});
}

TEST(PartsForBalance, SharesTheFourVariables) {
  Loads loads{0.7, 93.7, 15.5, 4.1};
  EXPECT_GT(ratio(loads, {1, 1, 1, 1}, 4), 3);
  Counts parts = partsForBalance(loads, {100, 1000, 1000, 1000}, 4);
  EXPECT_LE(ratio(loads, parts, 4), kFairShare);
  EXPECT_EQ(parts, (Counts{1, 3, 1, 1}));
}

TEST(PartsForBalance, KeepsTheLimits) {
  // As fair as it gets, with no part more than helps.
  EXPECT_EQ(partsForBalance({10, 1}, {1, 9}, 2), (Counts{1, 1}));
  EXPECT_EQ(partsForBalance({10, 1}, {2, 1}, 4), (Counts{2, 1}));
}

TEST(PartsForBalance, IsFairForManyVariables) {
  uint32_t state = 1;
  auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
  for (int round = 0; round < 50; ++round) {
    size_t servers = 2 + next() % 7;
    Loads loads(1 + next() % 30);
    for (double &load : loads)
      load = 1 + next() % 1000;
    Counts parts = partsForBalance(loads, Counts(loads.size(), 1000), servers);
    EXPECT_LE(ratio(loads, parts, servers), kFairShare) << round;
  }
}

} // namespace
