// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers' reads and updates of variables, in the one order that all tasks with
// variables keep.
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Entries that wait at a task; a coordinator issues at most four per worker.
constexpr size_t kMaxEntries = 1 << 18;
/// FrameHeader::part of an update: an Apply follows.
constexpr uint32_t kAppliesNext = 1;

uint32_t workerOf(const TaskRun &run) {
  return run.spec().graph->graph->instance()->worker();
}
} // namespace

Status TaskMachine::State::prepareUpdates(TaskRun &run) {
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
  run.doneBefore = queue->doneRuns();
  if (queue->apply.empty())
    return Status::ok();
  return applyRun(plan, queue->apply, *queue).status();
}

/// The run that applies what workers have summed up, one step per version. It
/// is the tasks' own: named after the plan, it is the same at all of them.
StatusOr<TaskRun *> TaskMachine::State::applyRun(PlanState &plan,
                                                 const std::string &name,
                                                 const UpdateQueue &queue) {
  PlanGraph *graph = plan.findGraph(name);
  if (!graph)
    return dataLoss("the plan has no graph " + quote(name) +
                    ", which is to apply gradients; compile the model again");
  if (graph->programs.empty())
    return nullptr; // nothing of it is here
  RunKey key{plan.shortDigest(), graph->number + 1ull};
  TaskRun *run = runs.find(key);
  if (run && run->phase == TaskRun::Phase::Failed) {
    dropRun(key);
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
    run = &runs.add(std::make_unique<TaskRun>(std::move(spec), world));
    for (const TaskRun::Peer &peer : run->peers())
      world.peers.connect(peer.id);
    tryReady(*run);
  }
  return run;
}

/// All values for an update are here, or there is none to make here.
void TaskMachine::State::arriveAtUpdate(TaskRun &run) {
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
  world.peers.sendFrame(run.spec().coordinator, header, {});
}

void TaskMachine::State::onArrived(TaskId from, const FrameHeader &header) {
  TaskRun *run = runs.find({header.runClient, header.runNumber});
  if (!run || run->phase != TaskRun::Phase::Going || run->isEnding)
    return;
  if (UpdateQueue *queue = queueOf(*run))
    queue->noteArrived(from, run->key(), header.step);
  bool isExpected = run->followsSequence() &&
                    run->spec().coordinator == options.self &&
                    std::ranges::find(run->spec().variableTasks, from) !=
                        run->spec().variableTasks.end() &&
                    header.graph == run->spec().graph->number &&
                    run->arrive(from, header.step);
  if (isExpected) {
    run->lastProgress = world.host.nowNanos();
    return;
  }
  failRun(*run, waits.failure(
                    *run, internalError(waits.nameOf(from) +
                                        " says that it is ready for an update "
                                        "that it cannot be ready for")));
}

void TaskMachine::State::onSequenced(TaskId from, const FrameHeader &header) {
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

bool TaskMachine::State::hasUpdateEntry(TaskRun &run) {
  UpdateQueue *queue = queueOf(run);
  return queue && std::ranges::any_of(queue->entries, [&](const auto &entry) {
           return entry.run == run.key() && entry.kind != SequenceOp::Read &&
                  entry.step == run.currentStep();
         });
}

bool TaskMachine::State::pumpUpdates() {
  bool moved = false;
  for (auto &[digest, plan] : plans)
    for (UpdateQueue *queue : plan->queues()) {
      if (queue->sequencer()) {
        requestEntries(*plan, *queue);
        moved |= issueEntries(*plan, *queue);
        if (queue->quorum > 0 && queue->doneRuns() > 0)
          endUnfinished(*queue);
      }
      while (!queue->entries.empty() && doFirstEntry(*plan, *queue))
        moved = true;
    }
  return moved;
}

/// At the coordinator: for all runs that can go on when they have their turn.
void TaskMachine::State::requestEntries(PlanState &plan, UpdateQueue &queue) {
  int64_t now = world.host.nowNanos();
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

bool TaskMachine::State::issueEntries(PlanState &plan, UpdateQueue &queue) {
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
      if (task != options.self)
        sendEntry(queue, task, header);
    queue.entries.push_back({entry.kind, key, header.step, appliesNext});
  }
  return !given.empty();
}

void TaskMachine::State::sendEntry(UpdateQueue &queue, TaskId to,
                                   const FrameHeader &entry) {
  queue.noteSent(to, entry);
  if (world.peers.isPeerUp(to))
    world.peers.sendFrame(to, entry, {});
}

/// The run's Go is on the way; a client that forgets it does not hold up others
/// for ever. True: it is given up.
bool TaskMachine::State::waitForGo(TaskRun &run, UpdateQueue &queue,
                                   int64_t now) {
  if (queue.blockedSince == 0)
    queue.blockedSince = now;
  if (now - queue.blockedSince < options.connectNanos)
    return false;
  queue.blockedSince = 0;
  failRun(run,
          waits.failure(run, Status(StatusCode::DeadlineExceeded,
                                    "the client has let the run go at " +
                                        waits.nameOf(run.spec().coordinator) +
                                        ", but not here")));
  return true;
}

/// Carries out the oldest entry; false: not now.
bool TaskMachine::State::doFirstEntry(PlanState &plan, UpdateQueue &queue) {
  UpdateQueue::Entry entry = queue.entries.front();
  if (entry.kind == SequenceOp::Apply)
    return doApply(plan, queue, entry.step);
  if (entry.kind == SequenceOp::Fence) {
    queue.entries.pop_front();
    snapshots.take(plan, entry.run);
    return true;
  }
  TaskRun *run = runs.find(entry.run);
  bool isOver = !run || (run->phase != TaskRun::Phase::Going &&
                         run->phase != TaskRun::Phase::Ready);
  int64_t now = world.host.nowNanos();
  if (!isOver && entry.kind == SequenceOp::Read) {
    if (!run->isEnding && run->phase == TaskRun::Phase::Ready)
      return waitForGo(*run, queue, now);
    queue.blockedSince = 0;
    isOver =
        run->isEnding || run->isInStep() || run->currentStep() != entry.step;
    if (!isOver && !run->mayBegin(now))
      return false;
    if (!isOver) {
      queue.entries.pop_front();
      run->beginStep(now);
      onProgress(*run, run->advance(now));
      return true;
    }
  }
  // An update that is not to be made: the run failed here first.
  isOver |= !run || !run->isInStep() || run->currentStep() != entry.step;
  if (isOver) {
    queue.entries.pop_front();
    return true;
  }
  if (!run->isAtUpdate())
    return false;
  TaskRun::Progress progress =
      run->finishUpdate(entry.kind == SequenceOp::Drop, now);
  if (progress == TaskRun::Progress::Moved)
    return false; // it waits for a value behind the update
  queue.entries.pop_front();
  if (progress == TaskRun::Progress::GoDone && entry.appliesNext &&
      !run->isEnding)
    queue.held.push_back(run->key());
  else
    onProgress(*run, progress);
  return true;
}

bool TaskMachine::State::doApply(PlanState &plan, UpdateQueue &queue,
                                 uint64_t version) {
  if (version < queue.applied) { // it came again over another link
    queue.entries.pop_front();
    return true;
  }
  StatusOr<TaskRun *> found = applyRun(plan, queue.apply, queue);
  TaskRun *run = found.isOk() ? *found : nullptr;
  if (!run) {
    queue.entries.pop_front();
    releaseHeld(queue);
    return true;
  }
  if (run->phase == TaskRun::Phase::Preparing)
    return false; // a peer is missing; runs that need it fail by themselves
  int64_t now = world.host.nowNanos();
  if (run->phase == TaskRun::Phase::Ready) {
    Status status = run->go(version, 1);
    if (!status.isOk()) { // a task of the cluster began anew
      dropRun(run->key());
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
  onProgress(*run, progress);
  releaseHeld(queue);
  return true;
}

void TaskMachine::State::releaseHeld(UpdateQueue &queue) {
  for (RunKey key : std::exchange(queue.held, {}))
    if (TaskRun *run = runs.find(key);
        run && run->phase == TaskRun::Phase::Going)
      endGo(*run, nullptr);
}

void TaskMachine::State::addStaleness(TaskRun &run,
                                      protocol::Reply::Ended &ended) {
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
