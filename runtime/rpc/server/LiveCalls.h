// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the calls that have operations at a completion queue: it may be shut
// down only when there are none.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_LIVECALLS_H
#define GRAPHC_RUNTIME_RPC_SERVER_LIVECALLS_H

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace graphc::runtime {

/// Thread-safety: any thread.
class LiveCalls {
public:
  /// A call is live as long as its token. Null: no call may begin any more.
  std::shared_ptr<void> begin() {
    std::lock_guard lock(mutex);
    if (isClosed)
      return nullptr;
    ++count;
    return std::shared_ptr<void>(this, [](LiveCalls *calls) { calls->end(); });
  }

  /// From now on no call begins.
  void close() {
    std::lock_guard lock(mutex);
    isClosed = true;
  }

  /// False: some are live still.
  bool waitForNone(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex);
    return none.wait_for(lock, most, [this] { return count == 0; });
  }

private:
  void end() {
    std::lock_guard lock(mutex);
    if (--count == 0)
      none.notify_all();
  }

  std::mutex mutex;
  std::condition_variable none;
  size_t count = 0;
  bool isClosed = false;
};

} // namespace graphc::runtime

#endif
