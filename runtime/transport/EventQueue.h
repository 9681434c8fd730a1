// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queue of items from other threads to one thread.
#ifndef GRAPHC_RUNTIME_TRANSPORT_EVENTQUEUE_H
#define GRAPHC_RUNTIME_TRANSPORT_EVENTQUEUE_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/transport/Doorbell.h"

#include <atomic>
#include <memory>
#include <vector>

namespace graphc::runtime {

/// Items in the order of their push, from any thread to the one that takes
/// them, which may sleep on the doorbell meanwhile. Looking at an empty queue
/// costs one load. Thread-safety: pushes and
/// wakeUp(): any thread; the others: one thread at a time.
template <typename Item> class EventQueue {
public:
  explicit EventQueue(std::shared_ptr<Doorbell> bell) : bell(std::move(bell)) {}

  void push(Item item) {
    pushQuietly(std::move(item));
    wakeUp();
  }

  /// Does not ring: the caller takes the items itself, or wakes the sleeper.
  void pushQuietly(Item item) {
    MutexLock lock(mutex);
    waiting.push_back(std::move(item));
    // Sequentially consistent, as in setSleeping(): one of the two sides sees
    // what the other one wrote.
    hasItems.store(true);
  }

  /// Rings where the taker sleeps.
  void wakeUp() {
    if (isAsleep.load() && isAsleep.exchange(false))
      bell->ring();
  }

  bool isEmpty() const { return !hasItems.load(); }

  /// Moves all items to `into`, which is cleared.
  void take(std::vector<Item> &into) {
    into.clear();
    if (!hasItems.load(std::memory_order_relaxed))
      return;
    MutexLock lock(mutex);
    hasItems.store(false);
    std::swap(waiting, into);
  }

  /// From setSleeping(true) on, a push rings; look at isEmpty() afterwards.
  void setSleeping(bool isSleeping) { isAsleep.store(isSleeping); }

private:
  std::shared_ptr<Doorbell> bell;
  Mutex mutex;
  std::vector<Item> waiting GRAPHC_GUARDED_BY(mutex);
  std::atomic<bool> hasItems{false}, isAsleep{false};
};

} // namespace graphc::runtime

#endif
