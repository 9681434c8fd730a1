// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/updates/UpdateQueue.h"

#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// More workers than any cluster has: a plan with more is refused.
constexpr uint32_t kMaxWorkers = 1 << 16;
} // namespace

UpdateQueue::UpdateQueue(const format::Instance &instance, bool isCoordinator)
    : of(viewOf(instance.of())), apply(viewOf(instance.apply())),
      workers(std::min(instance.workers(), kMaxWorkers)) {
  runs.resize(workers);
  doneAt.resize(workers);
  begunAt.resize(workers);
  if (instance.coordination() == format::Coordination::Quorum)
    quorum = std::max(1u, instance.quorum());
  if (!isCoordinator)
    return;
  UpdateSequencerOptions options;
  options.workers = workers;
  options.quorum = quorum;
  if (quorum == 0 && instance.staleness() != UINT32_MAX)
    options.staleness = instance.staleness();
  made = std::make_unique<UpdateSequencer>(options);
}

RunKey UpdateQueue::runOf(uint32_t worker) const {
  return worker < runs.size() ? runs[worker] : RunKey();
}

void UpdateQueue::setRun(uint32_t worker, RunKey run) {
  if (worker >= runs.size())
    return;
  runs[worker] = run;
  doneAt[worker] = 0;
}

uint64_t UpdateQueue::begin(uint32_t worker, bool goesOn) {
  if (worker >= begunAt.size())
    return ends;
  if (!goesOn || !begunAt[worker])
    begunAt[worker] = ends;
  return *begunAt[worker];
}

void UpdateQueue::forget(uint32_t worker, RunKey run, bool isDone) {
  if (runOf(worker) != run)
    return;
  runs[worker] = RunKey();
  if (isDone) {
    doneAt[worker] = ++ends;
    begunAt[worker].reset();
  }
  if (made)
    made->forget(worker);
}

void UpdateQueue::noteSent(TaskId to, const FrameHeader &entry) {
  sent.push_back({to, entry});
}

void UpdateQueue::noteArrived(TaskId from, RunKey run, uint64_t step) {
  auto isIt = [&](const Sent &each) {
    return each.to == from && each.entry.runClient == run.client &&
           each.entry.runNumber == run.number && each.entry.step == step &&
           each.entry.edge == static_cast<uint32_t>(SequenceOp::Read);
  };
  auto last = std::find_if(sent.rbegin(), sent.rend(), isIt);
  auto kept = std::remove_if(sent.begin(), last.base(),
                             [&](const Sent &each) { return each.to == from; });
  sent.erase(kept, last.base());
}

std::vector<FrameHeader> UpdateQueue::unconfirmed(TaskId task) const {
  std::vector<FrameHeader> entries;
  for (const Sent &each : sent)
    if (each.to == task)
      entries.push_back(each.entry);
  return entries;
}

void UpdateQueue::forgetSent(TaskId task) {
  std::erase_if(sent, [&](const Sent &each) { return each.to == task; });
}

UpdateQueue *queueOf(const TaskRun &run) {
  if (!run.followsSequence() || run.spec().isInternal)
    return nullptr;
  return run.spec().plan->findQueue(
      std::string(viewOf(run.spec().graph->graph->instance()->of())));
}

} // namespace graphc::runtime
