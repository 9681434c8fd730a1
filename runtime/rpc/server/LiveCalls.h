// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the calls that have operations at a completion queue: it may be shut
// down only when there are none.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_LIVECALLS_H
#define GRAPHC_RUNTIME_RPC_SERVER_LIVECALLS_H

#include "runtime/base/ThreadAnnotations.h"

#include <chrono>
#include <condition_variable>
#include <memory>

namespace graphc::runtime {

/// Thread-safety: any thread.
class LiveCalls {
public:
  /// A call is live as long as its token. Null: no call may begin any more.
  std::shared_ptr<void> begin() {
    MutexLock lock(mutex);
    if (isClosed)
      return nullptr;
    ++count;
    return std::shared_ptr<void>(this, [](LiveCalls *calls) { calls->end(); });
  }

  /// From now on no call begins.
  void close() {
    MutexLock lock(mutex);
    isClosed = true;
  }

  /// False: some are live still.
  bool waitForNone(std::chrono::milliseconds most) {
    auto until = std::chrono::steady_clock::now() + most;
    MutexLock lock(mutex);
    while (count > 0)
      if (none.wait_until(lock.native(), until) == std::cv_status::timeout)
        break;
    return count == 0;
  }

private:
  void end() {
    MutexLock lock(mutex);
    if (--count == 0)
      none.notify_all();
  }

  Mutex mutex;
  std::condition_variable none;
  size_t count GRAPHC_GUARDED_BY(mutex) = 0;
  bool isClosed GRAPHC_GUARDED_BY(mutex) = false;
};

} // namespace graphc::runtime

#endif
