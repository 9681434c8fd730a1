// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/StartBarrier.h"

#include "runtime/base/StopSignal.h"

#include <chrono>
#include <utility>

namespace graphc::run {

namespace {
/// Interval at which a waiting client polls for a stop signal.
constexpr std::chrono::milliseconds kLook{50};
} // namespace

void StartBarrier::arrive() {
  runtime::MutexLock lock(mutex);
  if (--missing == 0)
    changed.notify_all();
}

void StartBarrier::wait() {
  runtime::MutexLock lock(mutex);
  while (missing > 0 && !runtime::stopRequested())
    changed.wait_for(lock.native(), kLook);
}

void StartBarrier::Pass::enter() {
  StartBarrier *entered = std::exchange(barrier, nullptr);
  if (!entered)
    return;
  entered->arrive();
  entered->wait();
}

void StartBarrier::Pass::giveUp() {
  if (StartBarrier *left = std::exchange(barrier, nullptr))
    left->arrive();
}

} // namespace graphc::run
