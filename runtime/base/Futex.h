// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for another thread: a short spin, then giving the core away, then
// sleep. A sleeping thread takes 50 us to wake up, a spinning one 0.2 us, and
// spinning against a thread that has no core costs milliseconds.
#ifndef GRAPHC_RUNTIME_BASE_FUTEX_H
#define GRAPHC_RUNTIME_BASE_FUTEX_H

#include <atomic>
#include <cstdint>

namespace graphc::runtime {

/// Sleeps while `word` is `expected`; may return early.
void futexWait(const std::atomic<uint32_t> &word, uint32_t expected);

/// Wakes up to `count` threads that sleep on `word`.
void futexWake(const std::atomic<uint32_t> &word, int count);

/// Paces waits. A yield that takes long means that another program computes on
/// this core and takes its whole slice each time, milliseconds, while a sleeper
/// gets the core as soon as it is woken: then the next waits skip yielding, for
/// a time that doubles for as long as that is found again. Thread-safety: for
/// one thread.
class WaitLadder {
public:
  /// `spinNanos`: how long to keep the core before giving it away.
  explicit WaitLadder(int64_t spinNanos) : spinNanos(spinNanos) {}

  /// Passes a little time. False: the wait is long, so sleep now.
  bool pause();

  /// A new wait begins.
  void reset() { startNanos = 0; }

private:
  void noteYield(int64_t begin, int64_t end);

  int64_t spinNanos;
  int64_t startNanos = 0;  ///< 0: pause() has not been called yet
  int64_t sharedUntil = 0; ///< until then others compute on this core
  int64_t sharedNanos = 0; ///< for how long that was believed last
};

} // namespace graphc::runtime

#endif
