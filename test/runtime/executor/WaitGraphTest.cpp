// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the order that programs and the waits between them make, against a
// search over all paths.
#include "runtime/executor/WaitGraph.h"

#include <gtest/gtest.h>
#include <random>

using namespace graphc::runtime;

namespace {

TEST(WaitGraph, AProgramIsAnOrder) {
  WaitGraph waits(2);
  EXPECT_TRUE(waits.isOrdered({0, 1}, {0, 2}));
  EXPECT_FALSE(waits.isOrdered({0, 2}, {0, 1}));
  EXPECT_FALSE(waits.isOrdered({0, 1}, {0, 1}));
  EXPECT_FALSE(waits.isOrdered({0, 0}, {1, 9}));
}

TEST(WaitGraph, WaitsGoFromProgramToProgram) {
  WaitGraph waits(3);
  waits.add({0, 5}, {1, 2});
  waits.add({1, 4}, {2, 7});
  EXPECT_TRUE(waits.isOrdered({0, 5}, {1, 2}));
  EXPECT_TRUE(waits.isOrdered({0, 3}, {2, 7}));
  EXPECT_TRUE(waits.isOrdered({0, 3}, {2, 8}));
  EXPECT_FALSE(waits.isOrdered({0, 6}, {1, 2}));
  EXPECT_FALSE(waits.isOrdered({0, 3}, {1, 1}));
  EXPECT_FALSE(waits.isOrdered({0, 3}, {2, 6}));
  EXPECT_FALSE(waits.isOrdered({2, 0}, {0, 9}));
}

TEST(WaitGraph, AgreesWithASearchOverAllPaths) {
  constexpr uint32_t kPrograms = 4, kLength = 9;
  std::mt19937 random(1);
  auto below = [&](uint32_t bound) {
    return static_cast<uint32_t>(random() % bound);
  };
  for (int round = 0; round < 300; ++round) {
    WaitGraph waits(kPrograms);
    bool isAfter[kPrograms][kLength][kPrograms][kLength] = {};
    for (uint32_t p = 0; p < kPrograms; ++p)
      for (uint32_t i = 0; i + 1 < kLength; ++i)
        isAfter[p][i][p][i + 1] = true;
    for (uint32_t wait = below(12); wait > 0; --wait) {
      InstructionId a = {below(kPrograms), below(kLength)};
      InstructionId b = {below(kPrograms), below(kLength)};
      if (a.program == b.program)
        continue;
      waits.add(a, b);
      isAfter[a.program][a.instruction][b.program][b.instruction] = true;
    }
    auto *flat = reinterpret_cast<bool *>(isAfter);
    constexpr uint32_t kAll = kPrograms * kLength;
    for (uint32_t via = 0; via < kAll; ++via)
      for (uint32_t from = 0; from < kAll; ++from)
        for (uint32_t to = 0; to < kAll; ++to)
          flat[from * kAll + to] |=
              flat[from * kAll + via] && flat[via * kAll + to];
    for (uint32_t from = 0; from < kAll; ++from)
      for (uint32_t to = 0; to < kAll; ++to)
        ASSERT_EQ(waits.isOrdered({from / kLength, from % kLength},
                                  {to / kLength, to % kLength}),
                  flat[from * kAll + to])
            << round << ": " << from << " before " << to;
  }
}

} // namespace
