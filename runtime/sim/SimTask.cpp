// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/SimTask.h"

#include <algorithm>

using namespace graphc::runtime;

namespace {
constexpr int64_t kNever = INT64_MAX;
/// A machine that goes on for so long at one time will not come to rest.
constexpr int kMaxAdvances = 1'000'000;
} // namespace

SimTask::SimTask(SimParts &parts, TaskId id)
    : parts(parts), id(id), name(parts.options.cluster.task(id).name()) {}

void SimTask::begin() {
  TaskOptions options = parts.options.task;
  options.cluster = parts.options.cluster;
  options.self = id;
  if (id < parts.options.clockOffsets.size())
    options.clockOffsetNanos = parts.options.clockOffsets[id];
  options.threads = 1;
  ofProcess = options.incarnation = parts.events.below(UINT64_MAX) | 1;
  stopped = false;
  stoppedUntil = 0;
  factor = 1;
  timerAt = kNever;
  inbox.clear();
  node = std::make_unique<TaskNode>(options, *this, parts.clients,
                                    parts.options.links);
  run([](TaskNode &begun) { begun.start(); });
}

void SimTask::crash() {
  node.reset();
  inbox.clear();
  timerAt = kNever;
}

void SimTask::stop(int64_t forNanos) {
  if (!node)
    return;
  stopped = true;
  stoppedUntil = std::max(stoppedUntil, parts.events.now() + forNanos);
  parts.events.at(stoppedUntil, [this, incarnation = incarnation()] {
    if (this->incarnation() == incarnation && stopped &&
        parts.events.now() >= stoppedUntil)
      goOn();
  });
}

/// Timers are late and packets wait: either may be seen first.
void SimTask::goOn() {
  parts.events.log(name, "goes on");
  stopped = false;
  auto timer = [](TaskNode &node) { node.onTimer(); };
  bool isTimerFirst = parts.events.below(2) == 0;
  if (isTimerFirst)
    run(timer);
  for (auto events = std::exchange(inbox, {}); !events.empty();
       events.pop_front())
    run(events.front());
  if (!isTimerFirst)
    run(timer);
}

void SimTask::slowDown(double by, int64_t forNanos) {
  factor = by;
  slowUntil = forNanos > 0 ? parts.events.now() + forNanos : kNever;
}

void SimTask::deliver(std::function<void(TaskNode &)> event) {
  if (stopped)
    inbox.push_back(std::move(event));
  else
    run(event);
}

void SimTask::run(const std::function<void(TaskNode &)> &event) {
  event(*node);
  int advances = 0;
  while (node->advance() && ++advances < kMaxAdvances) {
  }
  if (advances == kMaxAdvances)
    parts.violations.push_back(name + " does not come to rest");
  arm();
  parts.onEvent();
}

/// Always a little later than now, so that time goes on; later still when a
/// timer is due again and again.
void SimTask::arm() {
  int64_t due = node->nextTimer();
  if (due == kNever || due >= timerAt)
    return;
  overdue = due <= parts.events.now() ? std::min(overdue + 1, 10) : 0;
  timerAt = std::max(due, parts.events.now() + (int64_t(1'000) << overdue));
  parts.events.at(timerAt, [this, at = timerAt, incarnation = incarnation()] {
    if (this->incarnation() != incarnation || timerAt != at)
      return;
    timerAt = kNever;
    if (stopped)
      return; // goOn() looks
    if (node->nextTimer() <= parts.events.now())
      run([](TaskNode &node) { node.onTimer(); });
    else
      arm();
  });
}

void SimTask::hangUp(TaskId peer, const Status &why) {
  parts.events.log(name, "hangs up on " +
                             parts.options.cluster.task(peer).name() + ": " +
                             why.message());
  parts.network.hangUp(id, peer);
}

void SimTask::log(Severity severity, std::string_view text) {
  static const char *const kPrefixes[] = {"", "warning: ", "error: "};
  parts.events.log(name,
                   kPrefixes[static_cast<int>(severity)] + std::string(text));
}

int64_t SimTask::stepNanos(size_t instructions) {
  int64_t nanos =
      static_cast<int64_t>(instructions + 1) * parts.options.instructionNanos;
  nanos += parts.events.between(0, nanos / 4);
  double slow = parts.events.now() < slowUntil ? factor : 1;
  return static_cast<int64_t>(static_cast<double>(nanos) * slow);
}

void SimTask::stop() { parts.events.log(name, "ends, as it was asked to"); }
