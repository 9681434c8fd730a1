// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that reads ahead keeps order, passes on failures and always ends.
#include "runtime/data/Prefetcher.h"
#include "test/runtime/data/FileBytes.h"

#include <atomic>
#include <chrono>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// Counts up, and fails from batch `limit` on.
class CountingSource final : public DataSource {
public:
  CountingSource(int64_t limit, std::atomic<int64_t> *made)
      : limit(limit), made(made) {}

  Status next(std::span<std::byte *const> fields) override {
    if (*made >= limit)
      return dataLoss("the disk is gone");
    int64_t number = (*made)++;
    std::memcpy(fields[0], &number, sizeof(number));
    return Status::ok();
  }
  Status ready() override {
    return *made >= limit ? dataLoss("the disk is gone") : Status::ok();
  }
  int64_t examples() const override { return 7; }
  int64_t batchesPerEpoch() const override { return 6; }
  int64_t droppedPerEpoch() const override { return 5; }

private:
  int64_t limit;
  std::atomic<int64_t> *made;
};

class PrefetcherTest : public testing::Test {
protected:
  std::unique_ptr<DataSource> start(int64_t limit, size_t depth) {
    size_t bytes[] = {sizeof(int64_t)};
    auto source = Prefetcher::start(
        std::make_unique<CountingSource>(limit, &made), bytes, depth);
    EXPECT_TRUE(source.isOk());
    return std::move(*source);
  }

  /// Waits until that many batches were made, for at most ten seconds.
  void awaitMade(int64_t count) {
    for (int i = 0; i < 10000 && made < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(made, count);
  }

  std::atomic<int64_t> made{0};
};

TEST_F(PrefetcherTest, KeepsTheOrderAndThenFails) {
  for (size_t depth : {1, 2, 5}) {
    made = 0;
    auto source = start(1000, depth);
    int64_t number = -1;
    std::byte *fields[] = {reinterpret_cast<std::byte *>(&number)};
    for (int64_t i = 0; i < 1000; ++i) {
      ASSERT_TRUE(source->next(fields).isOk());
      ASSERT_EQ(number, i);
    }
    for (int i = 0; i < 3; ++i)
      expectFailure(source->next(fields), StatusCode::DataLoss,
                    {"the disk is gone"});
  }
}

TEST_F(PrefetcherTest, ReadsAheadAsFarAsItsDepth) {
  auto source = start(1000, 3);
  awaitMade(3);
  int64_t number;
  std::byte *fields[] = {reinterpret_cast<std::byte *>(&number)};
  ASSERT_TRUE(source->next(fields).isOk());
  awaitMade(4);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made, 4);
}

TEST_F(PrefetcherTest, EndsAtAnyMoment) {
  for (int taken = 0; taken < 50; ++taken) {
    made = 0;
    auto source =
        start(taken % 2 ? 20 : 1000, static_cast<size_t>(taken % 4 + 1));
    int64_t number;
    std::byte *fields[] = {reinterpret_cast<std::byte *>(&number)};
    for (int i = 0; i < taken; ++i)
      (void)source->next(fields).isOk();
    source.reset();
  }
}

TEST_F(PrefetcherTest, TellsWhatTheInnerSourceTells) {
  auto source = start(1, 1);
  EXPECT_EQ(source->examples(), 7);
  EXPECT_EQ(source->batchesPerEpoch(), 6);
  EXPECT_EQ(source->droppedPerEpoch(), 5);
}

TEST_F(PrefetcherTest, SaysWhenMemoryDoesNotSuffice) {
  size_t bytes[] = {SIZE_MAX};
  auto source =
      Prefetcher::start(std::make_unique<CountingSource>(1, &made), bytes, 1);
  expectFailure(source.status(), StatusCode::ResourceExhausted,
                {"'the batches made ahead' needs"});
}

} // namespace
