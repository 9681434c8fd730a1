// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that reads ahead keeps order, passes on failures and always ends.
#include "runtime/data/Prefetcher.h"
#include "test/runtime/data/FileBytes.h"

#include <algorithm>
#include <atomic>
#include <chrono>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// Counts up, and fails from batch `limit` on.
class CountingStream final : public BatchStream {
public:
  CountingStream(int64_t limit, std::atomic<int64_t> *made)
      : limit(limit), made(made) {}

  Status draw(DrawnBatch &batch) override {
    if (*made >= limit)
      return dataLoss("the disk is gone");
    batch.rows = {(*made)++};
    return Status::ok();
  }
  Status make(const DrawnBatch &batch, size_t, size_t,
              std::span<std::byte *const> fields) const override {
    std::memcpy(fields[0], batch.rows.data(), sizeof(int64_t));
    return Status::ok();
  }
  Status rewind(uint64_t batches) override {
    *made = static_cast<int64_t>(batches);
    return Status::ok();
  }
  int64_t examples() const override { return 7; }
  int64_t batchesPerEpoch() const override { return 6; }
  int64_t droppedPerEpoch() const override { return 5; }

private:
  int64_t limit;
  std::atomic<int64_t> *made;
};

/// Batches of 16 numbers that follow each other; some rows cannot be made.
class FailingStream final : public BatchStream {
public:
  explicit FailingStream(std::vector<int64_t> broken)
      : broken(std::move(broken)) {}

  Status draw(DrawnBatch &batch) override {
    batch.rows.resize(16);
    for (int64_t &row : batch.rows)
      row = next++;
    return Status::ok();
  }
  Status make(const DrawnBatch &batch, size_t begin, size_t end,
              std::span<std::byte *const> fields) const override {
    for (size_t i = begin; i < end; ++i) {
      int64_t row = batch.rows[i];
      // Later rows are faster, so threads come to their failures first.
      std::this_thread::sleep_for(std::chrono::microseconds(200 - row));
      if (std::find(broken.begin(), broken.end(), row) != broken.end())
        return dataLoss("row " + std::to_string(row));
      std::memcpy(fields[0] + (i - begin) * sizeof(row), &row, sizeof(row));
    }
    return Status::ok();
  }
  Status rewind(uint64_t batches) override {
    next = 16 * static_cast<int64_t>(batches);
    return Status::ok();
  }
  int64_t examples() const override { return 160; }
  int64_t batchesPerEpoch() const override { return 10; }
  int64_t droppedPerEpoch() const override { return 0; }

private:
  std::vector<int64_t> broken;
  int64_t next = 0;
};

class PrefetcherTest : public testing::Test {
protected:
  std::unique_ptr<DataSource> start(int64_t limit, size_t depth) {
    size_t bytes[] = {sizeof(int64_t)};
    auto source =
        Prefetcher::start(std::make_unique<CountingStream>(limit, &made), bytes,
                          {1, depth, threads});
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
  size_t threads = 1;
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

TEST_F(PrefetcherTest, GivesTheFirstFailureOfTheDataWithAnyThreads) {
  for (size_t number : {1, 2, 3, 8}) {
    size_t bytes[] = {sizeof(int64_t)};
    auto source = Prefetcher::start(
        std::make_unique<FailingStream>(std::vector<int64_t>{94, 90, 101}),
        bytes, {16, 4, number});
    ASSERT_TRUE(source.isOk());
    std::vector<int64_t> rows(16);
    std::byte *fields[] = {reinterpret_cast<std::byte *>(rows.data())};
    for (int64_t batch = 0; batch < 5; ++batch) {
      ASSERT_TRUE((*source)->next(fields).isOk());
      for (int64_t i = 0; i < 16; ++i)
        ASSERT_EQ(rows[static_cast<size_t>(i)], 16 * batch + i);
    }
    for (int i = 0; i < 2; ++i)
      expectFailure((*source)->next(fields), StatusCode::DataLoss, {"row 90"});
  }
}

TEST_F(PrefetcherTest, GivesBatchesToHoldWithoutWaitingForRoom) {
  threads = 3;
  size_t bytes[] = {sizeof(int64_t)};
  auto source = Prefetcher::start(std::make_unique<CountingStream>(100, &made),
                                  bytes, {1, 2, threads});
  ASSERT_TRUE(source.isOk());
  std::vector<Prefetcher::Batch *> held;
  for (int64_t i = 0; i < 10; ++i) {
    auto batch = (*source)->acquire();
    ASSERT_TRUE(batch.isOk());
    held.push_back(*batch);
  }
  for (int64_t i = 0; i < 10; ++i) {
    int64_t number = -1;
    std::memcpy(&number, held[static_cast<size_t>(i)]->fields()[0],
                sizeof(number));
    EXPECT_EQ(number, i);
    (*source)->release(held[static_cast<size_t>(i)]);
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

TEST_F(PrefetcherTest, RewindsAtAnyMoment) {
  for (size_t number : {1, 3}) {
    size_t bytes[] = {sizeof(int64_t)};
    auto source = Prefetcher::start(
        std::make_unique<FailingStream>(std::vector<int64_t>{200}), bytes,
        {16, 2, number});
    ASSERT_TRUE(source.isOk());
    std::vector<int64_t> rows(16);
    std::byte *fields[] = {reinterpret_cast<std::byte *>(rows.data())};
    // Batch 12 fails; before it, after it, and while others are being made.
    for (int batches : {0, 1, 14, 5, 13, 0}) {
      ASSERT_TRUE((*source)->rewind(2).isOk());
      for (int batch = 0; batch < batches; ++batch) {
        Status status = (*source)->next(fields);
        ASSERT_EQ(status.isOk(), 2 + batch < 12) << status.toString();
        if (status.isOk())
          ASSERT_EQ(rows[0], 16 * (2 + batch));
      }
    }
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
  auto source = Prefetcher::start(std::make_unique<CountingStream>(1, &made),
                                  bytes, {1, 1, 1});
  expectFailure(source.status(), StatusCode::ResourceExhausted,
                {"'the batches made ahead' needs"});
}

} // namespace
