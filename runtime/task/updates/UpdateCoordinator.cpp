// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/updates/UpdateCoordinator.h"

#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

bool UpdateCoordinator::advance(PlanState &plan, UpdateQueue &queue) {
  request(queue);
  bool isAny = issue(plan, queue);
  if (queue.quorum > 0 && queue.doneRuns() > 0)
    endUnfinished(queue);
  return isAny;
}

void UpdateCoordinator::repeat(PlanState &plan, TaskId peer) {
  for (UpdateQueue *queue : plan.queues())
    for (const FrameHeader &entry : queue->unconfirmed(peer))
      environment.peers.sendFrame(peer, entry, {});
}

void UpdateCoordinator::onArrived(TaskId from, const FrameHeader &header) {
  TaskRun *run = runs.find({header.runClient, header.runNumber});
  if (!run || run->phase != TaskRun::Phase::Going || run->isEnding)
    return;
  if (UpdateQueue *queue = queueOf(*run))
    queue->noteArrived(from, run->key(), header.step);
  bool isExpected = run->followsSequence() && run->spec().coordinator == self &&
                    std::ranges::find(run->spec().variableTasks, from) !=
                        run->spec().variableTasks.end() &&
                    header.graph == run->spec().graph->number &&
                    run->arrive(from, header.step);
  if (isExpected) {
    run->lastProgress = environment.host.nowNanos();
    return;
  }
  control.fail(*run, internalError(waits.nameOf(from) +
                                   " says that it is ready for an update "
                                   "that it cannot be ready for"));
}

/// For all runs that can go on when they have their turn.
void UpdateCoordinator::request(UpdateQueue &queue) {
  int64_t now = environment.host.nowNanos();
  for (uint32_t worker = 0; worker < queue.workers; ++worker) {
    RunKey key = queue.runOf(worker);
    TaskRun *run = key.number == 0 ? nullptr : runs.find(key);
    if (!run || run->phase != TaskRun::Phase::Going)
      continue;
    if (run->isInStep()) {
      if (run->isAtUpdate() &&
          run->arrivals.size() == run->spec().variableTasks.size())
        queue.sequencer()->requestUpdate(worker, run->currentStep());
    } else if (run->mayBegin(now) && !run->isPaused()) {
      queue.sequencer()->requestRead(worker, run->currentStep());
    }
  }
}

bool UpdateCoordinator::issue(PlanState &plan, UpdateQueue &queue) {
  std::vector<SequenceEntry> given = queue.sequencer()->take();
  for (size_t i = 0; i < given.size(); ++i) {
    const SequenceEntry &entry = given[i];
    bool appliesNext =
        i + 1 < given.size() && given[i + 1].kind == SequenceOp::Apply;
    bool isApply = entry.kind == SequenceOp::Apply;
    RunKey key = isApply ? RunKey{0, entry.version} : queue.runOf(entry.worker);
    PlanGraph *graph = isApply ? plan.findGraph(queue.apply) : nullptr;
    TaskRun *run = isApply ? nullptr : runs.find(key);
    if (run)
      graph = run->spec().graph;
    if (!graph)
      continue;
    FrameHeader header;
    header.kind = FrameKind::Sequenced;
    header.runClient = key.client;
    header.runNumber = key.number;
    header.step = isApply ? entry.version : entry.step;
    header.graph = graph->number;
    header.replica = entry.worker;
    header.edge = static_cast<uint32_t>(entry.kind);
    header.offset = entry.version;
    header.total = isApply ? plan.shortDigest() : 0;
    header.part = appliesNext ? kAppliesNext : 0;
    for (TaskId task : plan.variableTasks(*graph))
      if (task != self)
        send(queue, task, header);
    queue.entries.push_back({entry.kind, key, header.step, appliesNext});
  }
  return !given.empty();
}

void UpdateCoordinator::send(UpdateQueue &queue, TaskId to,
                             const FrameHeader &entry) {
  queue.noteSent(to, entry);
  if (environment.peers.isPeerUp(to))
    environment.peers.sendFrame(to, entry, {});
}

/// Ends runs that wait for an update which workers that are
/// done would have to complete, as at the end of their data. Workers that
/// failed, or have not come yet, may still come: for them a run waits.
void UpdateCoordinator::endUnfinished(UpdateQueue &queue) {
  for (uint32_t worker = 0; worker < queue.workers; ++worker) {
    TaskRun *run = runs.find(queue.runOf(worker));
    if (!run || run->phase != TaskRun::Phase::Going || run->isEnding ||
        !queue.sequencer()->waitsForQuorum(worker))
      continue;
    std::vector<bool> isDone(queue.workers);
    for (uint32_t other = 0; other < queue.workers; ++other)
      isDone[other] = queue.isDoneSince(other, run->doneBefore);
    if (queue.sequencer()->canComplete(isDone))
      continue;
    control.fail(*run,
                 outOfRange(waits.quorumText(*run) + "; the others are done"));
  }
}

Status UpdateCoordinator::fence(PlanState &plan, RunKey id) {
  for (uint32_t i = 0; i < plan.size(); ++i) {
    PlanGraph &graph = plan.graph(i);
    const format::Instance *instance = graph.graph->instance();
    if (!instance || instance->coordination() == format::Coordination::None)
      continue;
    std::vector<TaskId> followers = plan.variableTasks(graph);
    for (TaskId task : followers)
      if (task != self && !environment.peers.isPeerUp(task))
        return unavailable("there is no link to " + waits.nameOf(task));
    FrameHeader header;
    header.kind = FrameKind::Sequenced;
    header.runClient = id.client;
    header.runNumber = id.number;
    header.graph = graph.number;
    header.edge = static_cast<uint32_t>(SequenceOp::Fence);
    header.total = plan.shortDigest();
    for (TaskId task : followers)
      if (task != self)
        environment.peers.sendFrame(task, header, {});
    if (UpdateQueue *queue =
            plan.findQueue(std::string(viewOf(instance->of()))))
      queue->entries.push_back({SequenceOp::Fence, id, 0, false});
    else
      snapshots.take(plan, id);
    return Status::ok(); // one order for all workers' instances
  }
  return invalidArgument("the plan's updates have no order");
}

void addStaleness(const TaskRun &run, protocol::Reply::Ended &ended) {
  UpdateQueue *queue = queueOf(run);
  if (!queue || !queue->sequencer())
    return;
  ended.set_late_gradients(queue->sequencer()->lateGradients());
  for (uint32_t worker = 0; worker < queue->workers; ++worker) {
    protocol::Reply::Staleness &entry = *ended.add_staleness();
    entry.set_worker(std::to_string(worker));
    for (uint64_t count : queue->sequencer()->staleness(worker))
      entry.add_counts(count);
  }
}

} // namespace graphc::runtime
