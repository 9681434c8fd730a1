// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the waits between work of several streams, on small tables.
#include "runtime/target/cuda/program/GpuOrder.h"

#include <gtest/gtest.h>

#include <random>

using namespace graphc::runtime;

namespace {

constexpr GpuStream kCompute = GpuStream::Compute;
constexpr GpuStream kUpload = GpuStream::Upload;
constexpr GpuStream kDownload = GpuStream::Download;

using Waits = std::vector<std::vector<uint32_t>>;

/// Work on bytes [first, last] of one memory.
GpuWork reading(GpuStream stream, uint64_t first, uint64_t last) {
  return {stream, false, {{{first, last + 1}}, {}}};
}
GpuWork writing(GpuStream stream, uint64_t first, uint64_t last) {
  return {stream, false, {{}, {{first, last + 1}}}};
}
const GpuWork kBarrier = {kCompute, true, {}};

Waits waitsOf(const std::vector<GpuWork> &works) {
  return orderWork(works).waits;
}

TEST(GpuOrder, WhatReadsWaitsForWhatWrote) {
  EXPECT_EQ(waitsOf({writing(kUpload, 0, 7), reading(kCompute, 7, 9)}),
            (Waits{{}, {0}}));
  EXPECT_EQ(waitsOf({writing(kUpload, 0, 7), reading(kCompute, 8, 9)}),
            (Waits{{}, {}}));
}

TEST(GpuOrder, WhatOverwritesWaitsForAllThatRead) {
  EXPECT_EQ(waitsOf({reading(kDownload, 0, 7), reading(kCompute, 0, 7),
                     writing(kUpload, 3, 4)}),
            (Waits{{}, {}, {1, 0}}));
}

TEST(GpuOrder, NothingWaitsForItsOwnStream) {
  GpuOrder order =
      orderWork(std::vector{writing(kCompute, 0, 7), writing(kCompute, 0, 7)});
  EXPECT_EQ(order.waits, (Waits{{}, {}}));
  EXPECT_EQ(order.isAwaited, (std::vector{false, false}));
}

TEST(GpuOrder, WhatAStreamHasWaitedForIsNotWaitedForAgain) {
  EXPECT_EQ(waitsOf({writing(kUpload, 0, 3), writing(kUpload, 4, 7),
                     reading(kCompute, 4, 7), reading(kCompute, 0, 3)}),
            (Waits{{}, {}, {1}, {}}));
}

TEST(GpuOrder, WhoeverIsWaitedForHasWaitedToo) {
  // The download waits for the kernel, which has waited for the upload.
  GpuOrder order =
      orderWork(std::vector{writing(kUpload, 0, 7), writing(kCompute, 0, 3),
                            reading(kDownload, 0, 7)});
  EXPECT_EQ(order.waits, (Waits{{}, {0}, {1}}));
  EXPECT_EQ(order.isAwaited, (std::vector{true, true, false}));
  EXPECT_EQ(order.done[2], (std::array<uint32_t, kGpuStreams>{2, 1, 3}));
}

TEST(GpuOrder, ABarrierIsBehindAllAndBeforeAll) {
  EXPECT_EQ(waitsOf({kBarrier, writing(kUpload, 0, 7), reading(kUpload, 0, 7),
                     reading(kDownload, 10, 17), kBarrier}),
            (Waits{{}, {0}, {}, {0}, {3, 2}}));
  EXPECT_EQ(waitsOf({kBarrier, writing(kCompute, 0, 7), kBarrier}),
            (Waits{{}, {}, {}}));
}

TEST(GpuUses, RangesThatTouchAreJoined) {
  GpuUses uses{{{8, 12}, {0, 4}, {4, 6}, {1, 3}}, {}};
  uses.normalize();
  ASSERT_EQ(uses.reads.size(), 2u);
  EXPECT_EQ(uses.reads[0].end, 6u);
  EXPECT_EQ(uses.reads[1].begin, 8u);
}

/// True when `after` comes after `before`, by streams and waits but for one.
bool isOrdered(const std::vector<GpuWork> &works, const Waits &waits,
               uint32_t before, uint32_t after,
               std::pair<size_t, size_t> left) {
  std::vector<bool> isBehind(works.size());
  isBehind[before] = true;
  for (size_t i = before + 1; i <= after; ++i) {
    for (size_t other = before; other < i; ++other)
      if (works[other].stream == works[i].stream && isBehind[other])
        isBehind[i] = true;
    for (size_t at = 0; at < waits[i].size(); ++at)
      if (std::pair(i, at) != left && isBehind[waits[i][at]])
        isBehind[i] = true;
  }
  return isBehind[after];
}

/// True when all that is in conflict is in order, with one wait left out.
bool isInOrder(const std::vector<GpuWork> &works, const Waits &waits,
               std::pair<size_t, size_t> left) {
  for (uint32_t after = 0; after < works.size(); ++after)
    for (uint32_t before = 0; before < after; ++before)
      if (works[after].uses.isInConflictWith(works[before].uses) &&
          !isOrdered(works, waits, before, after, left))
        return false;
  return true;
}

TEST(GpuOrder, WaitsAreEnoughAndNoneIsTooMuch) {
  std::mt19937 random(7);
  auto below = [&](uint32_t bound) { return random() % bound; };
  size_t found = 0;
  for (int table = 0; table < 300; ++table) {
    std::vector<GpuWork> works(3 + below(12));
    for (GpuWork &work : works) {
      work.stream = static_cast<GpuStream>(below(kGpuStreams));
      for (auto *ranges : {&work.uses.reads, &work.uses.writes})
        for (uint32_t i = below(3); i > 0; --i) {
          uint64_t begin = below(20);
          ranges->push_back({begin, begin + 1 + below(4)});
        }
    }
    Waits waits = waitsOf(works);
    std::pair<size_t, size_t> none = {works.size(), 0};
    EXPECT_TRUE(isInOrder(works, waits, none)) << "table " << table;
    for (size_t i = 0; i < waits.size(); ++i)
      for (size_t at = 0; at < waits[i].size(); ++at, ++found)
        EXPECT_FALSE(isInOrder(works, waits, {i, at})) << "table " << table;
  }
  EXPECT_GT(found, 500u);
}

} // namespace
