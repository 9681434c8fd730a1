// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/Futex.h"

#include "runtime/base/Clock.h"

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
  else if (waited < kYieldNanos)
    sched_yield();
  else
    return false;
  return true;
}

} // namespace graphc::runtime
