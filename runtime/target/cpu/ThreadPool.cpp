// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/ThreadPool.h"

#include "runtime/base/host/Cores.h"
#include "runtime/base/Futex.h"

#include <algorithm>
#include <climits>
#include <system_error>

namespace graphc::runtime {

namespace {

constexpr int64_t kSpinNanos = 5'000;

/// The pool of the process, while somebody has it.
struct SharedPool {
  Mutex mutex;
  std::weak_ptr<ThreadPool> living GRAPHC_GUARDED_BY(mutex);
};

int coreCount() { return static_cast<int>(usableCores()); }

/// A thread that spins while another waits for its core keeps it from working.
int64_t spinBudgetOf(int threads) {
  return threads > coreCount() ? 0 : kSpinNanos;
}

} // namespace

ThreadPool::ThreadPool(int threads)
    : threadCount(threads), spinBudget(spinBudgetOf(threads)) {}

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
  static SharedPool ofProcess;
  MutexLock lock(ofProcess.mutex);
  std::shared_ptr<ThreadPool> pool = ofProcess.living.lock();
  if (pool && (threads == 0 || threads == pool->threads()))
    return pool;
  GRAPHC_ASSIGN_OR_RETURN(pool, create(threads ? threads : coreCount()));
  ofProcess.living = pool;
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  wakeWord.fetch_add(1);
  futexWake(wakeWord, INT_MAX);
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::sleep() {
  sleepers.fetch_add(1);
  uint32_t word = wakeWord.load();
  // seq_cst with parallelFor(): a job published before this look is seen here,
  // a later one sees this sleeper and changes the word.
  if (!job.isOpen() && !stopping.load())
    futexWait(wakeWord, word);
  sleepers.fetch_sub(1);
}

void ThreadPool::work(int thread) {
  WaitLadder ladder(spinBudget);
  while (!stopping.load(std::memory_order_relaxed)) {
    if (job.help(thread)) {
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

void ThreadPool::parallelFor(int64_t tileCount, Task run, void *with) {
  if (threadCount == 1 || tileCount == 1) {
    run(with, 0, 0, tileCount);
    return;
  }
  MutexLock lock(callers);
  uint32_t chunks = job.open(tileCount, threadCount, run, with);
  wakeSleepers(chunks - 1);
  job.help(0);
  job.await(spinBudget);
}

} // namespace graphc::runtime
