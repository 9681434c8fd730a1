// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every tile is computed once, whatever the number of threads and however
// deeply they sleep.
#include "runtime/target/cpu/ThreadPool.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace graphc::runtime;

namespace {

/// Counts how often each tile is computed, and by how many at once as the same
/// thread number.
struct Counts {
  explicit Counts(int64_t tiles, int threads) : tiles(tiles), active(threads) {}
  std::vector<std::atomic<int>> tiles;
  std::vector<std::atomic<int>> active;
  std::atomic<bool> isShared{false};
};

void count(void *context, int thread, int64_t begin, int64_t end) {
  auto &counts = *static_cast<Counts *>(context);
  if (counts.active[thread].fetch_add(1) != 0)
    counts.isShared = true;
  for (int64_t i = begin; i < end; ++i)
    counts.tiles[i].fetch_add(1, std::memory_order_relaxed);
  counts.active[thread].fetch_sub(1);
}

void expectEachOnce(ThreadPool &pool, int64_t tiles) {
  Counts counts(tiles, pool.threads());
  pool.parallelFor(tiles, count, &counts);
  EXPECT_FALSE(counts.isShared);
  for (int64_t i = 0; i < tiles; ++i)
    ASSERT_EQ(counts.tiles[i].load(), 1)
        << "tile " << i << " of " << tiles << " on " << pool.threads();
}

TEST(ThreadPool, ComputesEachUnitOnce) {
  for (int threads : {1, 2, 3, 4, 7, 16}) {
    auto pool = ThreadPool::create(threads);
    ASSERT_TRUE(pool.isOk());
    EXPECT_EQ((*pool)->threads(), threads);
    for (int64_t tiles : {1, 2, 3, 5, 8, 63, 64, 65, 1000, 12345})
      expectEachOnce(**pool, tiles);
  }
}

TEST(ThreadPool, ManySmallJobsInARow) {
  auto pool = ThreadPool::create(3);
  ASSERT_TRUE(pool.isOk());
  for (int job = 0; job < 20000; ++job) {
    int64_t tiles = 2 + job % 5;
    std::atomic<int64_t> sum{0};
    (*pool)->parallelFor(
        tiles,
        [](void *context, int, int64_t begin, int64_t end) {
          auto &sum = *static_cast<std::atomic<int64_t> *>(context);
          for (int64_t i = begin; i < end; ++i)
            sum.fetch_add(i + 1, std::memory_order_relaxed);
        },
        &sum);
    ASSERT_EQ(sum.load(), tiles * (tiles + 1) / 2) << "job " << job;
  }
}

TEST(ThreadPool, WritesOfUnitsAreSeenByTheCaller) {
  auto pool = ThreadPool::create(4);
  ASSERT_TRUE(pool.isOk());
  std::vector<int64_t> values(999);
  for (int64_t round = 1; round < 50; ++round) {
    (*pool)->parallelFor(
        999,
        [](void *context, int, int64_t begin, int64_t end) {
          auto &values = *static_cast<std::vector<int64_t> *>(context);
          for (int64_t i = begin; i < end; ++i)
            values[i] += i;
        },
        &values);
    for (int64_t i = 0; i < 999; ++i)
      ASSERT_EQ(values[i], i * round);
  }
}

TEST(ThreadPool, WorksAfterItsThreadsFellAsleep) {
  auto pool = ThreadPool::create(4);
  ASSERT_TRUE(pool.isOk());
  for (int round = 0; round < 10; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    expectEachOnce(**pool, 100);
  }
}

TEST(ThreadPool, SleepingThreadsAreWoken) {
  // Each tile ends only when the other has begun, so one thread cannot do both.
  auto pool = ThreadPool::create(2);
  ASSERT_TRUE(pool.isOk());
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> begun{0};
    (*pool)->parallelFor(
        2,
        [](void *context, int, int64_t, int64_t) {
          auto &begun = *static_cast<std::atomic<int> *>(context);
          begun.fetch_add(1);
          while (begun.load() < 2)
            std::this_thread::yield();
        },
        &begun);
    EXPECT_EQ(begun.load(), 2);
  }
}

TEST(ThreadPool, CallerSleepsThroughALongTile) {
  // The caller's tile ends as soon as the other thread has begun its own, so
  // the caller waits for milliseconds.
  struct Job {
    std::atomic<bool> hasBegun{false};
    std::atomic<bool> hasEnded{false};
  } job;
  auto pool = ThreadPool::create(2);
  ASSERT_TRUE(pool.isOk());
  (*pool)->parallelFor(
      2,
      [](void *context, int thread, int64_t, int64_t) {
        auto &job = *static_cast<Job *>(context);
        while (thread == 0 && !job.hasBegun.load())
          std::this_thread::yield();
        if (thread == 0)
          return;
        job.hasBegun = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        job.hasEnded = true;
      },
      &job);
  EXPECT_TRUE(job.hasEnded);
}

TEST(ThreadPool, SeveralCallersTakeTurns) {
  auto pool = ThreadPool::create(3);
  ASSERT_TRUE(pool.isOk());
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        expectEachOnce(**pool, 50);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, EndsWhileThreadsSpinOrSleep) {
  for (int round = 0; round < 50; ++round) {
    auto pool = ThreadPool::create(3);
    ASSERT_TRUE(pool.isOk());
    if (round % 2)
      std::this_thread::sleep_for(std::chrono::microseconds(150));
  }
}

TEST(ThreadPool, RefusesImpossibleCounts) {
  for (int threads : {-1, 0, ThreadPool::kMaxThreads + 1}) {
    auto pool = ThreadPool::create(threads);
    ASSERT_FALSE(pool.isOk());
    EXPECT_NE(pool.status().message().find("must be 1 to 1024"),
              std::string::npos);
  }
}

TEST(ThreadPool, IsSharedByTheProcess) {
  auto first = ThreadPool::shared(2);
  auto second = ThreadPool::shared(2);
  auto any = ThreadPool::shared(0);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(*first, *any);
  auto other = ThreadPool::shared(3);
  EXPECT_EQ((*other)->threads(), 3);
}

} // namespace
