// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds steps back before they write variables, while a copy of these is made.
#ifndef GRAPHC_RUNTIME_EXECUTOR_UPDATEGATE_H
#define GRAPHC_RUNTIME_EXECUTOR_UPDATEGATE_H

#include "runtime/base/Futex.h"
#include "runtime/base/ThreadAnnotations.h"
#include "runtime/target/cpu/ThreadPool.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace graphc::runtime {

/// Copy that a gate is closed for. Thread-safety: any thread.
class GateWork {
public:
  virtual ~GateWork() = default;
  /// Does what nobody does yet; returns when nothing of that is left, though
  /// others may not have finished theirs.
  virtual void help() = 0;
};

/// Closed between two steps, so that the next one goes on as far as it only
/// reads variables. Who has to wait then helps with the copy.
/// Thread-safety: any thread.
class UpdateGate {
public:
  void close(std::shared_ptr<GateWork> newWork) {
    MutexLock lock(mutex);
    work = std::move(newWork);
    state.store(1);
  }
  void open() {
    {
      MutexLock lock(mutex);
      work.reset();
    }
    state.store(0); // who waits for it may end this
    futexWake(state, INT32_MAX);
  }
  bool isClosed() const { return state.load() != 0; }

  /// Returns when the gate is open. The threads of `pool` help, too; null: the
  /// caller alone, which may be one of them.
  void pass(ThreadPool *pool = nullptr) {
    while (state.load() != 0) {
      if (std::shared_ptr<GateWork> current = currentWork()) {
        if (pool)
          pool->parallelFor(
              pool->threads(),
              [](void *context, int, int64_t, int64_t) {
                static_cast<GateWork *>(context)->help();
              },
              current.get());
        else
          current->help();
      }
      futexWait(state, 1);
    }
  }

private:
  std::shared_ptr<GateWork> currentWork() {
    MutexLock lock(mutex);
    return work;
  }

  Mutex mutex;
  std::shared_ptr<GateWork> work GRAPHC_GUARDED_BY(mutex);
  std::atomic<uint32_t> state{0};
};

} // namespace graphc::runtime

#endif
