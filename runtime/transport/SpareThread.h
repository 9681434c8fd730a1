// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread with the least priority, for work that nobody waits for.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SPARETHREAD_H
#define GRAPHC_RUNTIME_TRANSPORT_SPARETHREAD_H

#include "runtime/base/ThreadAnnotations.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

namespace graphc::runtime {

/// Does one job after the other; begins with the first. Thread-safety: any
/// thread, but stop() from one.
class SpareThread {
public:
  SpareThread() = default;
  ~SpareThread() { stop(); }

  /// Does a job later, or, where no thread can be had, before this returns;
  /// after stop() never.
  void add(std::function<void()> job);
  /// Waits for the job that is being done; those after it are not done.
  void stop();

private:
  void work();

  Mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs GRAPHC_GUARDED_BY(mutex);
  bool isEnding GRAPHC_GUARDED_BY(mutex) = false;
  bool hasBegun GRAPHC_GUARDED_BY(mutex) = false;
  std::thread thread;
};

} // namespace graphc::runtime

#endif
