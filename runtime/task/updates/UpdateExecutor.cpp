// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/updates/UpdateExecutor.h"

#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Entries that wait at a task; a coordinator issues at most four per worker.
constexpr size_t kMaxEntries = 1 << 18;
} // namespace

Status UpdateExecutor::prepare(TaskRun &run) {
  if (!run.followsSequence())
    return Status::ok();
  PlanState &plan = *run.spec().plan;
  const format::Instance &instance = *run.spec().graph->graph->instance();
  std::string of(viewOf(instance.of()));
  if (instance.worker() >= instance.workers())
    return dataLoss("graph " + quote(run.spec().graph->name()) +
                    " is of a worker that there is not; compile the model "
                    "again");
  UpdateQueue *queue = plan.findQueue(of);
  if (!queue) {
    auto made = std::make_unique<UpdateQueue>(
        instance, run.spec().coordinator == options.self);
    queue = made.get();
    queue->coordinator = run.spec().coordinator;
    plan.addQueue(of, std::move(made));
  }
  run.doneBefore = queue->begin(instance.worker(), run.spec().goesOn);
  if (queue->apply.empty())
    return Status::ok();
  return applyRun(plan, *queue).status();
}

StatusOr<TaskRun *> UpdateExecutor::applyRun(PlanState &plan,
                                             const UpdateQueue &queue) {
  PlanGraph *graph = plan.findGraph(queue.apply);
  if (!graph)
    return dataLoss("the plan has no graph " + quote(queue.apply) +
                    ", which is to apply gradients; compile the model again");
  if (graph->programs.empty())
    return nullptr; // nothing of it is here
  RunKey key{plan.shortDigest(), graph->number + 1ull};
  TaskRun *run = runs.find(key);
  if (run && run->phase == TaskRun::Phase::Failed) {
    control.drop(key);
    run = nullptr;
  }
  if (!run) {
    TaskRunSpec spec;
    spec.key = key;
    spec.plan = &plan;
    spec.graph = graph;
    spec.self = options.self;
    spec.stallNanos = options.stallNanos;
    spec.isInternal = true;
    run = &runs.add(std::make_unique<TaskRun>(std::move(spec), environment));
    for (const TaskRun::Peer &peer : run->peers())
      environment.peers.connect(peer.id);
    control.makeReady(*run);
  }
  return run;
}

void UpdateExecutor::onArrivedHere(TaskRun &run) {
  if (run.spec().coordinator == options.self) {
    run.arrive(options.self, run.currentStep());
    return;
  }
  FrameHeader header;
  header.kind = FrameKind::Arrived;
  header.runClient = run.key().client;
  header.runNumber = run.key().number;
  header.step = run.currentStep();
  header.graph = run.spec().graph->number;
  header.replica = workerOf(run);
  environment.peers.sendFrame(run.spec().coordinator, header, {});
}

void UpdateExecutor::onSequenced(TaskId from, const FrameHeader &header) {
  auto kind = static_cast<SequenceOp>(header.edge);
  if (kind == SequenceOp::Fence)
    return onFence(from, header);
  PlanState *plan = nullptr;
  UpdateQueue *queue = nullptr;
  if (kind == SequenceOp::Apply) {
    plan = plans.findShort(header.total);
    for (UpdateQueue *each :
         plan ? plan->queues() : std::vector<UpdateQueue *>())
      if (PlanGraph *graph = plan->findGraph(each->apply);
          graph && graph->number == header.graph)
        queue = each;
  } else if (TaskRun *run = runs.find({header.runClient, header.runNumber});
             run && header.edge < static_cast<uint32_t>(SequenceOp::Apply) &&
             run->spec().coordinator == from) {
    plan = run->spec().plan;
    queue = queueOf(*run);
  }
  // Entries of runs that are over here are late.
  if (!queue || queue->sequencer() || queue->entries.size() >= kMaxEntries)
    return;
  queue->entries.push_back({kind,
                            {header.runClient, header.runNumber},
                            header.step,
                            header.part == kAppliesNext});
}

/// At a follower.
void UpdateExecutor::onFence(TaskId from, const FrameHeader &header) {
  for (auto &[digest, plan] : plans) {
    if (plan->shortDigest() != header.total || header.graph >= plan->size())
      continue;
    for (uint32_t i = 0; i < plan->size(); ++i) {
      const PlanGraph &graph = plan->graph(i);
      const format::Instance *instance = graph.graph->instance();
      if (graph.number != header.graph || !instance)
        continue;
      StatusOr<TaskId> coordinator = options.cluster.findDevice(
          std::string(viewOf(instance->coordinator())) + "/device:CPU:0");
      if (!coordinator.isOk() || *coordinator != from)
        return;
      RunKey id{header.runClient, header.runNumber};
      UpdateQueue *queue = plan->findQueue(std::string(viewOf(instance->of())));
      if (queue)
        queue->entries.push_back({SequenceOp::Fence, id, 0, false});
      else
        snapshots.take(*plan, id); // no update waits here
    }
  }
}

bool UpdateExecutor::hasUpdate(const TaskRun &run) const {
  UpdateQueue *queue = queueOf(run);
  return queue && std::ranges::any_of(queue->entries, [&](const auto &entry) {
           return entry.run == run.key() && entry.kind != SequenceOp::Read &&
                  entry.step == run.currentStep();
         });
}

bool UpdateExecutor::advance() {
  bool moved = false;
  for (auto &[digest, plan] : plans)
    for (UpdateQueue *queue : plan->queues()) {
      if (queue->sequencer())
        moved |= coordinator.advance(*plan, *queue);
      while (!queue->entries.empty() && carryOutFirst(*plan, *queue))
        moved = true;
    }
  return moved;
}

/// Carries out the oldest entry; false: not now.
bool UpdateExecutor::carryOutFirst(PlanState &plan, UpdateQueue &queue) {
  UpdateQueue::Entry entry = queue.entries.front();
  if (entry.kind == SequenceOp::Apply)
    return carryOutApply(plan, queue, entry.step);
  if (entry.kind == SequenceOp::Fence) {
    queue.entries.pop_front();
    snapshots.take(plan, entry.run);
    return true;
  }
  TaskRun *run = runs.find(entry.run);
  bool isOver = !run || (run->phase != TaskRun::Phase::Going &&
                         run->phase != TaskRun::Phase::Ready);
  int64_t now = environment.host.nowNanos();
  if (!isOver && entry.kind == SequenceOp::Read)
    return carryOutRead(*run, queue, entry, now);
  // An update that is not to be made: the run failed here first.
  if (isOver || !run->isInStep() || run->currentStep() != entry.step) {
    queue.entries.pop_front();
    return true;
  }
  return run->isAtUpdate() && carryOutUpdate(*run, queue, entry, now);
}

bool UpdateExecutor::carryOutRead(TaskRun &run, UpdateQueue &queue,
                                  const UpdateQueue::Entry &entry,
                                  int64_t now) {
  if (!run.isEnding && run.phase == TaskRun::Phase::Ready)
    return waitForGo(run, queue, now);
  queue.blockedSince = 0;
  if (run.isEnding || run.isInStep() || run.currentStep() != entry.step) {
    queue.entries.pop_front();
    return true;
  }
  if (!run.mayBegin(now))
    return false;
  queue.entries.pop_front();
  run.beginStep(now);
  control.onProgress(run, run.advance(now));
  return true;
}

bool UpdateExecutor::carryOutUpdate(TaskRun &run, UpdateQueue &queue,
                                    const UpdateQueue::Entry &entry,
                                    int64_t now) {
  TaskRun::Progress progress =
      run.finishUpdate(entry.kind == SequenceOp::Drop, now);
  if (progress == TaskRun::Progress::Moved)
    return false; // it waits for a value after the update
  queue.entries.pop_front();
  if (progress == TaskRun::Progress::GoDone && entry.appliesNext &&
      !run.isEnding)
    queue.held.push_back(run.key());
  else
    control.onProgress(run, progress);
  return true;
}

/// The run's Go is on the way; a client that forgets it does not hold up others
/// for ever. True: it is given up.
bool UpdateExecutor::waitForGo(TaskRun &run, UpdateQueue &queue, int64_t now) {
  if (queue.blockedSince == 0)
    queue.blockedSince = now;
  if (now - queue.blockedSince < options.connectNanos)
    return false;
  queue.blockedSince = 0;
  control.fail(run, Status(StatusCode::DeadlineExceeded,
                           "the client has let the run go at " +
                               waits.nameOf(run.spec().coordinator) +
                               ", but not here"));
  return true;
}

bool UpdateExecutor::carryOutApply(PlanState &plan, UpdateQueue &queue,
                                   uint64_t version) {
  if (version < queue.applied) { // it came again over another link
    queue.entries.pop_front();
    return true;
  }
  StatusOr<TaskRun *> found = applyRun(plan, queue);
  TaskRun *run = found.isOk() ? *found : nullptr;
  if (!run) {
    queue.entries.pop_front();
    endHeld(queue);
    return true;
  }
  if (run->phase == TaskRun::Phase::Preparing)
    return false; // a peer is missing; runs that need it fail by themselves
  int64_t now = environment.host.nowNanos();
  if (run->phase == TaskRun::Phase::Ready) {
    Status status = run->go(version, 1);
    if (!status.isOk()) { // a task of the cluster began anew
      control.drop(run->key());
      return true;
    }
    runs.addGoing(*run);
    run->lastProgress = now;
  }
  TaskRun::Progress progress = run->advance(now);
  if (progress == TaskRun::Progress::None ||
      progress == TaskRun::Progress::Moved)
    return false;
  queue.entries.pop_front();
  queue.applied = version + 1;
  control.onProgress(*run, progress);
  endHeld(queue);
  return true;
}

void UpdateExecutor::endHeld(UpdateQueue &queue) {
  for (RunKey key : std::exchange(queue.held, {}))
    if (TaskRun *run = runs.find(key);
        run && run->phase == TaskRun::Phase::Going)
      control.endGo(*run);
}

void UpdateExecutor::forgetPeer(TaskId peer) {
  for (auto &[digest, plan] : plans)
    for (UpdateQueue *queue : plan->queues()) {
      queue->forgetSent(peer);
      if (queue->coordinator != peer)
        continue;
      queue->entries.clear();
      queue->applied = 0;
    }
}

int64_t UpdateExecutor::nextTimer() const {
  int64_t due = INT64_MAX;
  for (const auto &[digest, plan] : plans)
    for (const UpdateQueue *queue : plan->queues())
      if (queue->blockedSince > 0)
        due = std::min(due, queue->blockedSince + options.connectNanos);
  return due;
}

} // namespace graphc::runtime
