// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/StartGate.h"

#include "runtime/base/StopSignal.h"

#include <chrono>
#include <utility>

namespace graphc::run {

namespace {
/// Interval at which a waiting client polls for a stop signal.
constexpr std::chrono::milliseconds kLook{50};
} // namespace

void StartGate::arrive() {
  runtime::MutexLock lock(mutex);
  if (--missing == 0)
    changed.notify_all();
}

void StartGate::wait() {
  runtime::MutexLock lock(mutex);
  while (missing > 0 && !runtime::stopRequested())
    changed.wait_for(lock.native(), kLook);
}

void StartGate::Pass::enter() {
  StartGate *entered = std::exchange(gate, nullptr);
  if (!entered)
    return;
  entered->arrive();
  entered->wait();
}

void StartGate::Pass::giveUp() {
  if (StartGate *left = std::exchange(gate, nullptr))
    left->arrive();
}

} // namespace graphc::run
