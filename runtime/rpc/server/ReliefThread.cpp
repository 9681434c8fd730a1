// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/ReliefThread.h"

#include "runtime/base/Clock.h"
#include "runtime/rpc/CompletionLoop.h"

#include <chrono>
#include <utility>

namespace graphc::runtime {

namespace {
/// A thread that helps the task for longer is relieved.
constexpr int64_t kReliefNanos = 20'000'000;
constexpr std::chrono::milliseconds kReliefLook{100};
} // namespace

void ReliefThread::start(grpc::CompletionQueue &queue,
                         std::function<int64_t()> helpingSince) {
  thread = std::thread([this, &queue, helpingSince = std::move(helpingSince)] {
    loop(queue, helpingSince);
  });
}

void ReliefThread::loop(grpc::CompletionQueue &queue,
                        const std::function<int64_t()> &helpingSince) {
  CompletionLoop events(queue, false);
  MutexLock lock(mutex);
  while (!waitForEnd(lock)) {
    lock.unlock();
    for (;;) {
      int64_t since = helpingSince();
      if (!since || nowNanos() - since < kReliefNanos)
        break;
      events.next(nowNanos() + kReliefNanos);
    }
    lock.lock();
  }
}

/// False: it has not come within kReliefLook.
bool ReliefThread::waitForEnd(MutexLock &lock) {
  auto until = std::chrono::steady_clock::now() + kReliefLook;
  while (!isOver)
    if (ending.wait_until(lock.native(), until) == std::cv_status::timeout)
      break;
  return isOver;
}

void ReliefThread::stop() {
  {
    MutexLock lock(mutex);
    isOver = true;
  }
  ending.notify_all();
  if (thread.joinable())
    thread.join();
}

} // namespace graphc::runtime
