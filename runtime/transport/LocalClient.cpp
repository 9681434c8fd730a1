// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/LocalClient.h"

#include "runtime/base/Clock.h"
#include "runtime/base/Futex.h"

namespace graphc::runtime {

namespace {
constexpr size_t kMaxQueuedBytes = 4 << 20; ///< of results, before tasks pause
constexpr int64_t kSpinNanos = 5'000;

size_t bytesOf(const LocalInbox::Event &event) {
  return event.reply ? event.reply->ByteSizeLong() : 0;
}
} // namespace

StatusOr<std::shared_ptr<LocalInbox>> LocalInbox::create() {
  GRAPHC_ASSIGN_OR_RETURN(auto bell, Doorbell::create());
  return std::shared_ptr<LocalInbox>(new LocalInbox(std::move(bell)));
}

void LocalInbox::push(Event event) {
  queuedBytes.fetch_add(bytesOf(event));
  queue.push(std::move(event));
}

bool LocalInbox::hasRoom() const {
  if (queuedBytes.load() < kMaxQueuedBytes)
    return true;
  wasFull.store(true);
  // It may have been emptied before it was marked full.
  return queuedBytes.load() < kMaxQueuedBytes;
}

void LocalInbox::wait(int64_t untilNanos) {
  WaitLadder ladder(kSpinNanos);
  while (queue.isEmpty()) {
    if (nowNanos() >= untilNanos)
      return;
    if (ladder.pause())
      continue;
    uint32_t rung = bell->count();
    queue.setSleeping(true);
    if (queue.isEmpty())
      bell->wait(rung, untilNanos);
    queue.setSleeping(false);
  }
}

bool LocalInbox::pump(ClientMachine &machine, int64_t untilNanos) {
  wait(untilNanos);
  queue.take(taken);
  for (Event &event : taken) {
    queuedBytes.fetch_sub(bytesOf(event));
    if (event.reply)
      machine.onReply(event.task, *event.reply);
    else if (!event.gone.isOk())
      machine.onTaskGone(event.task, event.gone);
  }
  taken.clear();
  return wasFull.load() && queuedBytes.load() < kMaxQueuedBytes &&
         wasFull.exchange(false);
}

} // namespace graphc::runtime
