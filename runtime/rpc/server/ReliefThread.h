// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks after a completion queue while the thread whose work that is runs a
// long kernel of the task.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_RELIEFTHREAD_H
#define GRAPHC_RUNTIME_RPC_SERVER_RELIEFTHREAD_H

#include "runtime/base/ThreadAnnotations.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <grpcpp/completion_queue.h>
#include <thread>

namespace graphc::runtime {

/// So peers and clients do not take this process for dead. Thread-safety:
/// start() and stop() from one thread.
class ReliefThread {
public:
  /// `helpingSince` see ServiceHandler. The queue outlives the thread.
  void start(grpc::CompletionQueue &queue,
             std::function<int64_t()> helpingSince);
  /// Joins the thread; nothing where it was not started.
  void stop();

private:
  void loop(grpc::CompletionQueue &queue,
            const std::function<int64_t()> &helpingSince);
  bool waitForEnd(MutexLock &lock) GRAPHC_REQUIRES(mutex);

  Mutex mutex;
  std::condition_variable ending;
  bool isOver GRAPHC_GUARDED_BY(mutex) = false;
  std::thread thread;
};

} // namespace graphc::runtime

#endif
