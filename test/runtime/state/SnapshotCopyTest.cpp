// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy is made once, by whoever helps, and opens its gate at the end.
#include "runtime/state/SnapshotCopy.h"

#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace graphc::runtime;

namespace {

/// More than one chunk, at an address that is no multiple of a vector, and a
/// rest.
constexpr size_t kSize = (size_t{3} << 20) + 77;

struct Values {
  Values() : from(kSize + 1), to(kSize + 1) {
    for (size_t i = 0; i < from.size(); ++i)
      from[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
  std::vector<std::byte> from, to;
};

TEST(SnapshotCopy, CopiesAllOnceWhoeverHelps) {
  for (size_t shift : {0, 1}) {
    Values values;
    std::atomic<int> ends{0};
    SnapshotCopy copy([&] { ++ends; });
    copy.add(std::span(values.from).subspan(shift),
             std::span(values.to).subspan(shift));
    std::thread other([&] { copy.help(); });
    copy.finish(3);
    other.join();
    copy.finish(); // there is nothing left
    EXPECT_EQ(ends.load(), 1);
    EXPECT_TRUE(std::equal(values.from.begin() + shift, values.from.end(),
                           values.to.begin() + shift));
  }
}

TEST(SnapshotCopy, EndsWithNothingToCopy) {
  int ends = 0;
  SnapshotCopy copy([&] { ++ends; });
  copy.add({}, {});
  copy.finish(2);
  copy.help();
  EXPECT_EQ(ends, 1);
}

TEST(SnapshotCopy, IsMadeByWhoeverWaitsAtTheGate) {
  for (int threads : {0, 1, 3}) {
    Values values;
    UpdateGate gate;
    auto copy = std::make_shared<SnapshotCopy>([&] { gate.open(); });
    copy->add(values.from, values.to);
    gate.close(copy);
    EXPECT_TRUE(gate.isClosed());
    std::shared_ptr<ThreadPool> pool;
    if (threads > 0)
      pool = ThreadPool::create(threads).value();
    gate.pass(pool.get()); // nobody else makes it
    EXPECT_FALSE(gate.isClosed());
    EXPECT_EQ(values.from, values.to);
    gate.pass();
  }
}

TEST(SnapshotCopy, IsMadeWhereNobodyComesToTheGate) {
  Values values;
  SnapshotCopy copy([] {});
  copy.add(values.from, values.to);
  copy.finishLater(2'000'000);
  EXPECT_EQ(values.from, values.to);
}

} // namespace
