// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads that kernels run on: one pool for the process, since two pools on
// the same cores halve each other's speed.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_THREADPOOL_H
#define GRAPHC_RUNTIME_TARGET_CPU_THREADPOOL_H

#include "runtime/base/Status.h"
#include "runtime/base/ThreadAnnotations.h"
#include "runtime/target/cpu/TileJob.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace graphc::runtime {

/// Splits ranges of tiles over threads. A call allocates nothing. Which thread
/// computes a tile is left to chance, so tiles must be independent.
/// Thread-safety: any thread may call; concurrent calls take turns.
class ThreadPool {
public:
  /// Computes the tiles [begin, end). `thread` is in [0, threads()), and no two
  /// calls of one job run at the same time with the same number.
  using Task = TileJob::Task;

  static constexpr int kMaxThreads = TileJob::kMaxThreads;

  /// A pool of its own with `threads` threads, the caller's among them.
  static StatusOr<std::shared_ptr<ThreadPool>> create(int threads);

  /// The process's pool. `threads` 0: the pool that there is, else one thread
  /// per core that the process may use. A count that differs from the living
  /// pool's makes a new one, which later calls share.
  static StatusOr<std::shared_ptr<ThreadPool>> shared(int threads);

  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Threads that take part, the caller's among them.
  int threads() const { return threadCount; }

  /// Time for which a waiting thread spins before it yields its core: 0 where
  /// there are more threads than cores.
  int64_t spinNanos() const { return spinBudget; }

  /// Runs `task` over every tile of [0, tiles) once and returns when all are
  /// done. The calling thread is number 0. REQUIRES: tiles >= 1; not called by
  /// a task.
  void parallelFor(int64_t tiles, Task task, void *context);

private:
  explicit ThreadPool(int threads);
  void work(int thread);
  void sleep();
  void wakeSleepers(int64_t most);

  const int threadCount;
  const int64_t spinBudget;
  Mutex callers; ///< held by the thread whose job runs
  TileJob job;
  alignas(64) std::atomic<uint32_t> wakeWord{0}; ///< what sleepers sleep on
  std::atomic<int> sleepers{0};
  std::atomic<bool> stopping{false};

  std::vector<std::thread> workers;
};

} // namespace graphc::runtime

#endif
