// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting at a completion queue by the ladder.
#ifndef GRAPHC_RUNTIME_RPC_COMPLETIONLOOP_H
#define GRAPHC_RUNTIME_RPC_COMPLETIONLOOP_H

#include <cstdint>
#include <grpcpp/completion_queue.h>

namespace graphc::runtime {

/// Tag of an operation, which a completion queue returns when it is over. An
/// event outlives its operation.
class CompletionEvent {
public:
  virtual ~CompletionEvent() = default;
  virtual void complete(bool isOk) = 0;
};

/// A thread that sleeps at a queue is woken 30 to 50 us late, so after an event
/// it looks again and again for a little while, then gives its core away
/// between looks, then sleeps. Thread-safety: one thread.
class CompletionLoop {
public:
  /// `isEager`: by the ladder; else it sleeps at once.
  explicit CompletionLoop(grpc::CompletionQueue &queue, bool isEager = true)
      : queue(queue), isEager(isEager) {}

  enum class Next { Event, Timeout, Shutdown };
  /// Waits until `untilNanos` (nowNanos()) for an event and completes it.
  Next next(int64_t untilNanos);
  /// The same without waiting.
  Next poll();

private:
  Next look(int64_t untilNanos);
  grpc::CompletionQueue &queue;
  const bool isEager;
};

} // namespace graphc::runtime

#endif
