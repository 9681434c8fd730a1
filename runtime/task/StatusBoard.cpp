// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/StatusBoard.h"

namespace graphc::runtime {

namespace {
/// A kernel that has run for so long is something to wait for.
constexpr int64_t kLongWalkNanos = 20'000'000;
constexpr int64_t kMilli = 1'000'000;
} // namespace

void StatusBoard::setPlans(std::vector<Plan> plans) {
  MutexLock lock(mutex);
  loaded = std::move(plans);
}

std::vector<StatusBoard::Plan> StatusBoard::plans() const {
  MutexLock lock(mutex);
  return loaded;
}

void StatusBoard::setWaits(protocol::Reply::WaitList list) {
  MutexLock lock(mutex);
  waiting = std::move(list);
  areFresh.store(true, std::memory_order_relaxed);
}

void StatusBoard::beginWalk(RunKey run, uint64_t step, int64_t now) {
  walkClient.store(run.client, std::memory_order_relaxed);
  walkNumber.store(run.number, std::memory_order_relaxed);
  walkStep.store(step, std::memory_order_relaxed);
  walkSince.store(now, std::memory_order_relaxed);
}

protocol::Reply::WaitList StatusBoard::waits(const std::string &task,
                                             int64_t now) const {
  protocol::Reply::WaitList list;
  if (hasWaits()) {
    MutexLock lock(mutex);
    list = waiting;
  }
  int64_t since = walkSince.load(std::memory_order_relaxed);
  if (since != 0 && now - since >= kLongWalkNanos) {
    protocol::Reply::Wait &wait = *list.add_waits();
    wait.set_task(task);
    wait.mutable_run()->set_client(walkClient.load());
    wait.mutable_run()->set_number(walkNumber.load());
    wait.set_step(walkStep.load());
    wait.set_kind("kernel");
    wait.set_what("a kernel to end");
    wait.set_since_ms((now - since) / kMilli);
  }
  return list;
}

} // namespace graphc::runtime
