// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/CompletionLoop.h"

#include "runtime/base/Clock.h"
#include "runtime/base/Futex.h"

namespace graphc::runtime {

namespace {

constexpr int64_t kSpinNanos = 10'000;
constexpr int64_t kSecond = 1'000'000'000;

gpr_timespec toTimespec(int64_t nanos) {
  if (nanos == INT64_MAX)
    return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  return {nanos / kSecond, static_cast<int32_t>(nanos % kSecond),
          GPR_CLOCK_MONOTONIC};
}

} // namespace

CompletionLoop::Next CompletionLoop::look(int64_t untilNanos) {
  void *tag = nullptr;
  bool isOk = false;
  switch (queue.AsyncNext(&tag, &isOk, toTimespec(untilNanos))) {
  case grpc::CompletionQueue::GOT_EVENT:
    static_cast<CompletionEvent *>(tag)->complete(isOk);
    return Next::Event;
  case grpc::CompletionQueue::TIMEOUT:
    return Next::Timeout;
  case grpc::CompletionQueue::SHUTDOWN:
    break;
  }
  return Next::Shutdown;
}

CompletionLoop::Next CompletionLoop::poll() { return look(0); }

CompletionLoop::Next CompletionLoop::next(int64_t untilNanos) {
  if (!isEager)
    return look(untilNanos);
  WaitLadder ladder(kSpinNanos);
  do {
    if (Next result = poll(); result != Next::Timeout)
      return result;
    if (nowNanos() >= untilNanos)
      return Next::Timeout;
  } while (ladder.pause());
  return look(untilNanos);
}

} // namespace graphc::runtime
