// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Futex.h"

#include "runtime/base/Clock.h"

#include <algorithm>
#include <climits>
#include <immintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {
constexpr int64_t kYieldNanos = 100'000;
constexpr int kPausesPerLook = 16;
/// A yield takes 1 us; another thread that only sees to something, little more.
constexpr int64_t kLongYieldNanos = 50'000;
constexpr int64_t kMinSharedNanos = 10'000'000;
constexpr int64_t kMaxSharedNanos = 320'000'000;
} // namespace

void futexWait(const std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futexWake(const std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

bool WaitLadder::pause() {
  int64_t now = nowNanos();
  if (!startNanos)
    startNanos = now;
  int64_t waited = now - startNanos;
  if (waited < spinNanos)
    for (int i = 0; i < kPausesPerLook; ++i)
      _mm_pause();
  else if (waited < kYieldNanos && now >= sharedUntil) {
    sched_yield();
    noteYield(now, nowNanos());
  } else
    return false;
  return true;
}

void WaitLadder::noteYield(int64_t begin, int64_t end) {
  if (end - begin < kLongYieldNanos)
    return;
  // Short ones between are no sign: the scheduler refuses some.
  bool isNew = begin - sharedUntil > kMaxSharedNanos;
  sharedNanos =
      isNew ? kMinSharedNanos
            : std::clamp(2 * sharedNanos, kMinSharedNanos, kMaxSharedNanos);
  sharedUntil = end + sharedNanos;
}

} // namespace graphc::runtime
