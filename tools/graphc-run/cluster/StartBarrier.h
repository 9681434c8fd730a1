// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the clients of one command begin their steps together.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_STARTBARRIER_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_STARTBARRIER_H

#include "runtime/base/ThreadAnnotations.h"

#include <condition_variable>
#include <cstddef>

namespace graphc::run {

/// Opens when all expected clients have come or given up. Thread-safety: any
/// thread.
class StartBarrier {
public:
  explicit StartBarrier(size_t clients) : missing(clients) {}

  void arrive();
  /// Until all have arrived; a stop signal ends it, too.
  void wait();

  /// One client's arrival: once, at the latest when the pass is destroyed.
  class Pass {
  public:
    explicit Pass(StartBarrier *barrier) : barrier(barrier) {}
    Pass(const Pass &) = delete;
    Pass &operator=(const Pass &) = delete;
    ~Pass() { giveUp(); }

    /// True when others wait for this client.
    bool isExpected() const { return barrier != nullptr; }
    /// Arrives and waits for the others; nothing the second time.
    void enter();
    /// The others need not wait for this client.
    void giveUp();

  private:
    StartBarrier
        *barrier; ///< null: has arrived, or there is nobody to wait for
  };

private:
  runtime::Mutex mutex;
  std::condition_variable changed;
  size_t missing GRAPHC_GUARDED_BY(mutex);
};

} // namespace graphc::run

#endif
