// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/ThreadPool.h"

#include "runtime/device/Futex.h"

#include <algorithm>
#include <climits>
#include <system_error>

namespace graphc::runtime {

namespace {

constexpr int kChunkBits = 16;
constexpr uint64_t kChunkMask = (uint64_t{1} << kChunkBits) - 1;
// Enough chunks that a late thread still finds work, few enough that claiming
// costs nothing. At most twice this number, so kMaxThreads fits kChunkBits.
constexpr int64_t kChunksPerThread = 4;
static_assert(2 * kChunksPerThread * ThreadPool::kMaxThreads <= kChunkMask);

constexpr int64_t kSpinNanos = 5'000;

int coreCount() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// A thread that spins while another waits for its core keeps it from working.
int64_t spinBudget(int threads) {
  return threads > coreCount() ? 0 : kSpinNanos;
}

} // namespace

ThreadPool::ThreadPool(int threads)
    : threadCount(threads), spinNanos(spinBudget(threads)) {}

StatusOr<std::shared_ptr<ThreadPool>> ThreadPool::create(int threads) {
  if (threads < 1 || threads > kMaxThreads)
    return invalidArgument("the number of threads is " +
                           std::to_string(threads) + "; it must be 1 to " +
                           std::to_string(kMaxThreads));
  std::shared_ptr<ThreadPool> pool(new ThreadPool(threads));
  pool->workers.reserve(threads - 1);
  try {
    for (int thread = 1; thread < threads; ++thread)
      pool->workers.emplace_back(
          [raw = pool.get(), thread] { raw->work(thread); });
  } catch (const std::system_error &error) {
    return resourceExhausted("cannot start " + std::to_string(threads) +
                             " threads: " + error.what() +
                             "; ask for fewer threads");
  }
  return pool;
}

StatusOr<std::shared_ptr<ThreadPool>> ThreadPool::shared(int threads) {
  static std::mutex mutex;
  static std::weak_ptr<ThreadPool> living;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<ThreadPool> pool = living.lock();
  if (pool && (threads == 0 || threads == pool->threads()))
    return pool;
  GRAPHC_ASSIGN_OR_RETURN(pool, create(threads ? threads : coreCount()));
  living = pool;
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  wakeWord.fetch_add(1);
  futexWake(wakeWord, INT_MAX);
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::runChunks(int thread) {
  uint64_t seen = ticket.load(std::memory_order_acquire);
  while (uint64_t left = seen & kChunkMask) {
    Task run = task.load(std::memory_order_relaxed);
    void *with = context.load(std::memory_order_relaxed);
    int64_t all = units.load(std::memory_order_relaxed);
    int64_t step = grain.load(std::memory_order_relaxed);
    uint32_t total = chunks.load(std::memory_order_relaxed);
    if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
      continue;
    int64_t begin = static_cast<int64_t>(total - left) * step;
    run(with, thread, begin, std::min(begin + step, all));
    // seq_cst with callerSleeps: either this thread sees that the caller went
    // to sleep, or the caller sees the chunk before it does.
    if (finished.fetch_add(1) + 1 == total && callerSleeps.load())
      futexWake(finished, 1);
    seen = ticket.load(std::memory_order_acquire);
  }
}

void ThreadPool::sleep() {
  sleepers.fetch_add(1);
  uint32_t word = wakeWord.load();
  // seq_cst with parallelFor(): a job published before this look is seen here,
  // a later one sees this sleeper and changes the word.
  if ((ticket.load() & kChunkMask) == 0 && !stopping.load())
    futexWait(wakeWord, word);
  sleepers.fetch_sub(1);
}

void ThreadPool::work(int thread) {
  WaitLadder ladder(spinNanos);
  while (!stopping.load(std::memory_order_relaxed)) {
    if (ticket.load(std::memory_order_acquire) & kChunkMask) {
      runChunks(thread);
      ladder.reset();
    } else if (!ladder.pause()) {
      sleep();
      ladder.reset();
    }
  }
}

void ThreadPool::wakeSleepers(int64_t most) {
  if (sleepers.load() == 0)
    return;
  wakeWord.fetch_add(1);
  futexWake(wakeWord, static_cast<int>(std::min<int64_t>(most, INT_MAX)));
}

void ThreadPool::awaitChunks(uint32_t total) {
  WaitLadder ladder(spinNanos);
  uint32_t seen;
  while ((seen = finished.load(std::memory_order_acquire)) != total) {
    if (ladder.pause())
      continue;
    callerSleeps.store(true);
    seen = finished.load();
    if (seen != total)
      futexWait(finished, seen);
    callerSleeps.store(false);
  }
}

void ThreadPool::parallelFor(int64_t unitCount, Task run, void *with) {
  if (threadCount == 1 || unitCount == 1) {
    run(with, 0, 0, unitCount);
    return;
  }
  std::lock_guard<std::mutex> lock(callers);
  int64_t step =
      std::max<int64_t>(1, unitCount / (kChunksPerThread * threadCount));
  auto total = static_cast<uint32_t>((unitCount + step - 1) / step);
  task.store(run, std::memory_order_relaxed);
  context.store(with, std::memory_order_relaxed);
  units.store(unitCount, std::memory_order_relaxed);
  grain.store(step, std::memory_order_relaxed);
  chunks.store(total, std::memory_order_relaxed);
  finished.store(0, std::memory_order_relaxed);
  ticket.store(++generation << kChunkBits | total);
  wakeSleepers(total - 1);
  runChunks(0);
  awaitChunks(total);
}

} // namespace graphc::runtime
