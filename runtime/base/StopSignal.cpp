// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/StopSignal.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace graphc::runtime {

namespace {

constexpr int64_t kMillisBeforeKill = 1000;

// When the first signal came, in milliseconds; 0: none did. Lock-free, so a
// handler may touch it.
std::atomic<int64_t> gFirstMillis{0};
static_assert(std::atomic<int64_t>::is_always_lock_free);

int64_t nowMillis() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now); // allowed in a handler
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000 + 1;
}

extern "C" void graphcOnStopSignal(int number) {
  int64_t now = nowMillis(), first = 0;
  if (gFirstMillis.compare_exchange_strong(first, now) ||
      now - first < kMillisBeforeKill)
    return;
  std::signal(number, SIG_DFL);
  std::raise(number); // comes when this handler returns
}

} // namespace

void catchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = graphcOnStopSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stopRequested() {
  return gFirstMillis.load(std::memory_order_relaxed) != 0;
}

} // namespace graphc::runtime
