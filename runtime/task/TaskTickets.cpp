// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers' reads and updates of variables, in the one order that all tasks with
// variables keep.
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Tickets that wait at a task; a coordinator gives at most four per worker.
constexpr size_t kMostTickets = 1 << 18;
/// FrameHeader::part of an update's ticket: an Apply follows.
constexpr uint32_t kAppliesNext = 1;

uint32_t workerOf(const TaskRun &run) {
  return run.spec().graph->graph->instance()->worker();
}
} // namespace

/// Null: the run's steps need no tickets here.
RunTickets *TaskMachine::State::ticketsOf(const TaskRun &run) {
  if (!run.followsTickets() || run.spec().isInternal)
    return nullptr;
  return run.spec().plan->findTickets(
      std::string(viewOf(run.spec().graph->graph->instance()->of())));
}

Status TaskMachine::State::prepareTickets(TaskRun &run) {
  if (!run.followsTickets())
    return Status::ok();
  PlanState &plan = *run.spec().plan;
  const format::Instance &instance = *run.spec().graph->graph->instance();
  std::string of(viewOf(instance.of()));
  if (instance.worker() >= instance.workers())
    return dataLoss("graph " + quote(run.spec().graph->name()) +
                    " is of a worker that there is not; compile the model "
                    "again");
  RunTickets *tickets = plan.findTickets(of);
  if (!tickets) {
    auto made = std::make_unique<RunTickets>(instance, run.spec().coordinator ==
                                                           options.self);
    tickets = made.get();
    tickets->coordinator = run.spec().coordinator;
    plan.addTickets(of, std::move(made));
  }
  run.doneBefore = tickets->doneRuns();
  if (tickets->apply.empty())
    return Status::ok();
  return applyRun(plan, tickets->apply, *tickets).status();
}

/// The run that applies what workers have summed up, one step per version. It
/// is the tasks' own: named after the plan, it is the same at all of them.
StatusOr<TaskRun *> TaskMachine::State::applyRun(PlanState &plan,
                                                 const std::string &name,
                                                 const RunTickets &tickets) {
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
  if (RunTickets *tickets = ticketsOf(*run))
    tickets->noteArrived(from, run->key(), header.step);
  bool isExpected = run->followsTickets() &&
                    run->spec().coordinator == options.self &&
                    std::ranges::find(run->spec().variableTasks, from) !=
                        run->spec().variableTasks.end() &&
                    header.graph == run->spec().graph->number &&
                    run->arrive(from, header.step);
  if (isExpected) {
    run->lastProgress = world.host.nowNanos();
    return;
  }
  failRun(*run, failureHere(
                    *run, internalError(nameOf(from) +
                                        " says that it is ready for an update "
                                        "that it cannot be ready for")));
}

void TaskMachine::State::onTicket(TaskId from, const FrameHeader &header) {
  auto kind = static_cast<TicketKind>(header.edge);
  if (kind == TicketKind::Fence)
    return onFence(from, header);
  PlanState *plan = nullptr;
  RunTickets *tickets = nullptr;
  if (kind == TicketKind::Apply) {
    plan = plans.findShort(header.total);
    for (RunTickets *each :
         plan ? plan->allTickets() : std::vector<RunTickets *>())
      if (PlanGraph *graph = plan->findGraph(each->apply);
          graph && graph->number == header.graph)
        tickets = each;
  } else if (TaskRun *run = runs.find({header.runClient, header.runNumber});
             run && header.edge < static_cast<uint32_t>(TicketKind::Apply) &&
             run->spec().coordinator == from) {
    plan = run->spec().plan;
    tickets = ticketsOf(*run);
  }
  // Tickets of runs that are over here are late.
  if (!tickets || tickets->order() || tickets->queue.size() >= kMostTickets)
    return;
  tickets->queue.push_back({kind,
                            {header.runClient, header.runNumber},
                            header.step,
                            header.part == kAppliesNext});
}

bool TaskMachine::State::hasUpdateTicket(TaskRun &run) {
  RunTickets *tickets = ticketsOf(run);
  return tickets && std::ranges::any_of(tickets->queue, [&](const auto &entry) {
           return entry.run == run.key() && entry.kind != TicketKind::Read &&
                  entry.step == run.currentStep();
         });
}

bool TaskMachine::State::pumpTickets() {
  bool moved = false;
  for (auto &[digest, plan] : plans)
    for (RunTickets *tickets : plan->allTickets()) {
      if (tickets->order()) {
        askForTickets(*plan, *tickets);
        moved |= giveTickets(*plan, *tickets);
        if (tickets->quorum > 0 && tickets->doneRuns() > 0)
          endUnfinished(*tickets);
      }
      while (!tickets->queue.empty() && doFirstTicket(*plan, *tickets))
        moved = true;
    }
  return moved;
}

/// At the coordinator: for all runs that can go on when they have a ticket.
void TaskMachine::State::askForTickets(PlanState &plan, RunTickets &tickets) {
  int64_t now = world.host.nowNanos();
  for (uint32_t worker = 0; worker < tickets.workers; ++worker) {
    RunKey key = tickets.runOf(worker);
    TaskRun *run = key.number == 0 ? nullptr : runs.find(key);
    if (!run || run->phase != TaskRun::Phase::Going)
      continue;
    if (run->isInStep()) {
      if (run->isAtUpdate() &&
          run->arrivals.size() == run->spec().variableTasks.size())
        tickets.order()->requestUpdate(worker, run->currentStep());
    } else if (run->mayBegin(now) && !run->isPaused()) {
      tickets.order()->requestRead(worker, run->currentStep());
    }
  }
}

bool TaskMachine::State::giveTickets(PlanState &plan, RunTickets &tickets) {
  std::vector<Ticket> given = tickets.order()->take();
  for (size_t i = 0; i < given.size(); ++i) {
    const Ticket &ticket = given[i];
    bool appliesNext =
        i + 1 < given.size() && given[i + 1].kind == TicketKind::Apply;
    bool isApply = ticket.kind == TicketKind::Apply;
    RunKey key =
        isApply ? RunKey{0, ticket.version} : tickets.runOf(ticket.worker);
    PlanGraph *graph = isApply ? plan.findGraph(tickets.apply) : nullptr;
    TaskRun *run = isApply ? nullptr : runs.find(key);
    if (run)
      graph = run->spec().graph;
    if (!graph)
      continue;
    FrameHeader header;
    header.kind = FrameKind::Ticket;
    header.runClient = key.client;
    header.runNumber = key.number;
    header.step = isApply ? ticket.version : ticket.step;
    header.graph = graph->number;
    header.replica = ticket.worker;
    header.edge = static_cast<uint32_t>(ticket.kind);
    header.offset = ticket.version;
    header.total = isApply ? plan.shortDigest() : 0;
    header.part = appliesNext ? kAppliesNext : 0;
    for (TaskId task : plan.variableTasks(*graph))
      if (task != options.self)
        sendTicket(tickets, task, header);
    tickets.queue.push_back({ticket.kind, key, header.step, appliesNext});
  }
  return !given.empty();
}

void TaskMachine::State::sendTicket(RunTickets &tickets, TaskId to,
                                    const FrameHeader &ticket) {
  tickets.noteSent(to, ticket);
  if (world.peers.isPeerUp(to))
    world.peers.sendFrame(to, ticket, {});
}

/// The run's Go is on the way; a client that forgets it does not hold up others
/// for ever. True: it is given up.
bool TaskMachine::State::waitForGo(TaskRun &run, RunTickets &tickets,
                                   int64_t now) {
  if (tickets.blockedSince == 0)
    tickets.blockedSince = now;
  if (now - tickets.blockedSince < options.connectNanos)
    return false;
  tickets.blockedSince = 0;
  failRun(run, failureHere(run, Status(StatusCode::DeadlineExceeded,
                                       "the client has let the run go at " +
                                           nameOf(run.spec().coordinator) +
                                           ", but not here")));
  return true;
}

/// Carries out the oldest ticket; false: not now.
bool TaskMachine::State::doFirstTicket(PlanState &plan, RunTickets &tickets) {
  RunTickets::Entry entry = tickets.queue.front();
  if (entry.kind == TicketKind::Apply)
    return doApply(plan, tickets, entry.step);
  if (entry.kind == TicketKind::Fence) {
    tickets.queue.pop_front();
    snapshots.take(plan, entry.run);
    return true;
  }
  TaskRun *run = runs.find(entry.run);
  bool isOver = !run || (run->phase != TaskRun::Phase::Going &&
                         run->phase != TaskRun::Phase::Ready);
  int64_t now = world.host.nowNanos();
  if (!isOver && entry.kind == TicketKind::Read) {
    if (!run->isEnding && run->phase == TaskRun::Phase::Ready)
      return waitForGo(*run, tickets, now);
    tickets.blockedSince = 0;
    isOver =
        run->isEnding || run->isInStep() || run->currentStep() != entry.step;
    if (!isOver && !run->mayBegin(now))
      return false;
    if (!isOver) {
      tickets.queue.pop_front();
      run->beginStep(now);
      onProgress(*run, run->advance(now));
      return true;
    }
  }
  // A ticket for an update that is not to be made: the run failed here first.
  isOver |= !run || !run->isInStep() || run->currentStep() != entry.step;
  if (isOver) {
    tickets.queue.pop_front();
    return true;
  }
  if (!run->isAtUpdate())
    return false;
  TaskRun::Progress progress =
      run->finishUpdate(entry.kind == TicketKind::Drop, now);
  if (progress == TaskRun::Progress::Moved)
    return false; // it waits for a value behind the update
  tickets.queue.pop_front();
  if (progress == TaskRun::Progress::GoDone && entry.appliesNext &&
      !run->isEnding)
    tickets.held.push_back(run->key());
  else
    onProgress(*run, progress);
  return true;
}

bool TaskMachine::State::doApply(PlanState &plan, RunTickets &tickets,
                                 uint64_t version) {
  if (version < tickets.applied) { // it came again over another link
    tickets.queue.pop_front();
    return true;
  }
  StatusOr<TaskRun *> found = applyRun(plan, tickets.apply, tickets);
  TaskRun *run = found.isOk() ? *found : nullptr;
  if (!run) {
    tickets.queue.pop_front();
    releaseHeld(tickets);
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
  tickets.queue.pop_front();
  tickets.applied = version + 1;
  onProgress(*run, progress);
  releaseHeld(tickets);
  return true;
}

void TaskMachine::State::releaseHeld(RunTickets &tickets) {
  for (RunKey key : std::exchange(tickets.held, {}))
    if (TaskRun *run = runs.find(key);
        run && run->phase == TaskRun::Phase::Going)
      endGo(*run, nullptr);
}

void TaskMachine::State::addStaleness(TaskRun &run,
                                      protocol::Reply::Ended &ended) {
  RunTickets *tickets = ticketsOf(run);
  if (!tickets || !tickets->order())
    return;
  ended.set_late_gradients(tickets->order()->lateGradients());
  for (uint32_t worker = 0; worker < tickets->workers; ++worker) {
    protocol::Reply::Staleness &entry = *ended.add_staleness();
    entry.set_worker(std::to_string(worker));
    for (uint64_t count : tickets->order()->staleness(worker))
      entry.add_counts(count);
  }
}

} // namespace graphc::runtime
