// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/ClientRun.h"

#include "runtime/format/Quote.h"
#include "runtime/protocol/Chunks.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/GraphPorts.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Steps per Go where no fetch shows the progress of a run.
constexpr int64_t kBlindSteps = 1000;
/// Runs that stay prepared.
constexpr size_t kMaxPrepared = 4;

/// True when the plan's steps are all workers' steps, so that the chief starts
/// them for all of its clients.
bool isSynchronous(const Model &plan) {
  return std::ranges::none_of(
      *plan.index().graphs(),
      [](const format::Graph *graph) { return graph->instance() != nullptr; });
}
} // namespace

RunDriver::Participant *RunDriver::find(TaskId task) {
  auto found = std::ranges::find(run->participants, task, &Participant::task);
  return found == run->participants.end() ? nullptr : &*found;
}

/// Resolves the requested graph, fetches and feeds.
Status RunDriver::choose() {
  GRAPHC_ASSIGN_OR_RETURN(
      graph, chooseGraph(*state.plan, request.graph, state.options.worker));
  GRAPHC_ASSIGN_OR_RETURN(fetches, findFetches(*graph, request.fetches));
  GRAPHC_TRY(bindFeeds(*graph, request.feeds).status());
  for (const format::Port *port : *graph->feeds())
    for (const NamedTensor &feed : request.feeds)
      if (feed.name == viewOf(port->name()))
        feeds.push_back(&feed);
  if (request.steps < 0)
    return invalidArgument("the number of steps is negative");
  for (TaskId task : state.tasksOf(*graph))
    if (task == kNoTask)
      return failedPrecondition("graph " + quote(viewOf(graph->name())) +
                                " needs tasks that the cluster does not have");
  return Status::ok();
}

size_t RunDriver::feedBytes() const {
  size_t bytes = 0;
  for (const NamedTensor *feed : feeds)
    bytes += feed->tensor.bytes.size();
  return bytes;
}

/// Takes a run that is prepared already.
bool RunDriver::findPrepared() {
  std::vector<std::string> names;
  for (const format::Port *port : fetches)
    names.push_back(port->name()->str());
  auto &prepared = state.prepared;
  auto found = std::ranges::find_if(prepared, [&](const auto &other) {
    return other->graph == graph && other->fetchNames == names &&
           other->recorded == request.recorded;
  });
  if (found == prepared.end())
    return false;
  std::unique_ptr<PreparedRun> known = std::move(*found);
  prepared.erase(found);
  bool areNew = !known->hasFeeds(feeds);
  bool isElsewhere = request.firstStep && *request.firstStep != known->nextStep;
  if (isElsewhere || (areNew && feedBytes() > kMaxChunkBytes)) {
    known->release(state);
    return false; // another is prepared, with these feeds
  }
  areFeedsNew = areNew;
  run = std::move(known);
  return true;
}

Status RunDriver::makeRun() {
  run = std::make_unique<PreparedRun>();
  run->graph = graph;
  run->recorded = request.recorded;
  run->id.set_client(state.options.incarnation);
  run->id.set_number(++state.lastRun);
  std::vector<TaskId> tasks = state.tasksOf(*graph);
  std::optional<TaskId> own;
  if (state.options.worker && !state.options.isChief)
    if (StatusOr<TaskId> task =
            state.cluster.find("worker", *state.options.worker);
        task.isOk() && std::ranges::find(tasks, *task) != tasks.end())
      own = *task;
  size_t workers = std::ranges::count_if(tasks, [&](TaskId task) {
    return state.cluster.task(task).job == "worker";
  });
  run->isAttached = own && workers > 1 && isSynchronous(*state.plan);
  if (run->isAttached && request.fetches.empty())
    std::erase_if(fetches, [&](const format::Port *port) {
      return state.taskOfProgram(*graph, port->program()) != *own;
    });
  for (TaskId task : tasks) {
    Participant participant;
    participant.task = task;
    for (uint32_t i = 0; i < fetches.size(); ++i)
      if (state.taskOfProgram(*graph, fetches[i]->program()) == task)
        participant.fetches.push_back(i);
    if (run->isAttached && participant.fetches.empty() && task != *own)
      continue;
    run->participants.push_back(std::move(participant));
  }
  for (const format::Port *port : fetches)
    run->fetchNames.push_back(port->name()->str());
  return Status::ok();
}

void RunDriver::start() {
  Status status = choose();
  if (!status.isOk())
    return end(status, false);
  remaining = request.steps == 0 ? -1 : request.steps;
  if (findPrepared()) {
    state.fetches = fetches;
    return onAllPrepared();
  }
  status = makeRun();
  state.fetches = fetches;
  if (!status.isOk())
    return end(status, false);
  bool isPrepared = run->participants.empty() || run->isAttached;
  if (isPrepared && request.onlyPrepares)
    return end(Status::ok(), false);
  if (run->participants.empty())
    return runNothing();
  if (run->isAttached)
    return attachAll();
  prepareAll();
}

/// No task has anything to do in the graph's steps.
void RunDriver::runNothing() {
  if (remaining < 0)
    return goAll(); // announces that there is no end
  while (remaining-- > 0)
    if (!giveStep({}, 0))
      return;
  end(Status::ok(), false);
}

void RunDriver::prepareAll() {
  for (const NamedTensor *feed : feeds)
    run->feeds.push_back(feed->tensor.bytes);
  unprepared = run->participants.size();
  if (!run->recorded.isEmpty()) {
    ClientMachine::State::Recorded &kept = state.recorded[graph->name()->str()];
    kept = {run->id, graph, {}};
    for (const Participant &participant : run->participants)
      kept.tasks.push_back(participant.task);
  }
  for (size_t i = 0; i < run->participants.size() && !isOver; ++i)
    prepareAt(run->participants[i]);
}

void RunDriver::prepareAt(Participant &participant) {
  protocol::Request first;
  protocol::Request::Prepare &prepare = *first.mutable_prepare();
  prepare.set_plan(state.digest);
  *prepare.mutable_run() = run->id;
  prepare.set_graph(graph->name()->str());
  for (uint32_t fetch : participant.fetches)
    prepare.add_fetches(run->fetchNames[fetch]);
  prepare.set_seed(state.options.seed);
  prepare.set_nan_policy(state.options.nanPolicy);
  prepare.set_check_numerics(state.options.checkNumerics);
  prepare.set_goes_on(state.goesOn);
  prepare.set_stall_ms(
      std::max<int64_t>(1, state.options.stallNanos / 1'000'000));
  if (!run->recorded.isEmpty()) {
    prepare.mutable_recorded()->set_first(run->recorded.first);
    prepare.mutable_recorded()->set_last(run->recorded.last);
    prepare.mutable_recorded()->set_every(run->recorded.every);
  }
  std::vector<protocol::Chunk> chunks;
  for (const NamedTensor *feed : feeds) {
    StatusOr<const format::Port *> port = findFeed(*graph, feed->name);
    if (state.taskOfProgram(*graph, (*port)->program()) == participant.task)
      splitIntoChunks(feed->name, &feed->tensor.type, feed->tensor.bytes,
                      [&](protocol::Chunk chunk, bool) {
                        chunks.push_back(std::move(chunk));
                      });
  }
  prepare.set_more_feeds(chunks.size() > 1);
  if (!chunks.empty())
    *prepare.add_feeds() = chunks.front();
  uint64_t id = state.request(
      participant.task, std::move(first),
      [this](TaskId task, const protocol::Reply &reply) {
        onPrepared(task, reply);
      },
      state.options.controlNanos);
  for (size_t i = 1; i < chunks.size(); ++i) {
    protocol::Request more;
    protocol::Request::Prepare &next = *more.mutable_prepare();
    next.set_plan(state.digest);
    *next.mutable_run() = run->id;
    *next.add_feeds() = std::move(chunks[i]);
    next.set_more_feeds(i + 1 < chunks.size());
    state.sendMore(participant.task, id, std::move(more));
  }
}

Status RunDriver::checkPrepared(const Participant &participant,
                                const protocol::Reply::Prepared &prepared) {
  bool fits = prepared.sizes_size() == int(participant.fetches.size());
  for (size_t i = 0; fits && i < participant.fetches.size(); ++i) {
    const format::Port *port = fetches[participant.fetches[i]];
    TensorType type = toTensorType(*port->type());
    // Strings have no size that the type tells.
    uint64_t size = prepared.sizes(static_cast<int>(i));
    fits = type.dtype == DType::String ? size <= (1u << 30)
                                       : size == type.numBytes();
  }
  if (!fits)
    return internalError(state.nameOf(participant.task) +
                         " has other fetches than the plan; open the cluster "
                         "again");
  if (!run->recorded.isEmpty() && !prepared.is_recorded())
    return Status(StatusCode::Unimplemented,
                  state.nameOf(participant.task) +
                      " keeps no timelines: it is of an older version of "
                      "graphc; use the same one on both sides, or leave "
                      "--profile out");
  return boundData.add(participant.task, prepared);
}

void RunDriver::onPrepared(TaskId task, const protocol::Reply &reply) {
  if (isOver)
    return;
  if (!reply.status().empty())
    return state.status(state.nameOf(task) + " " + reply.status());
  Participant *participant = find(task);
  if (reply.has_failure() || !reply.has_prepared()) {
    protocol::Failure failure = reply.failure();
    if (!reply.has_failure())
      failure = toFailure(internalError("an answer of another kind came"),
                          state.nameOf(task));
    if (failure.code() == static_cast<int>(StatusCode::NotFound))
      state.forgetRuns(); // the task began anew
    abort(cancelled("the run could not be prepared at " + state.nameOf(task)));
    return end(toStatus(failure), false);
  }
  const protocol::Reply::Prepared &prepared = reply.prepared();
  Status status = checkPrepared(*participant, prepared);
  if (!status.isOk()) {
    abort(status);
    return end(status, false);
  }
  for (uint64_t size : prepared.sizes()) {
    participant->sizes.push_back(size);
    participant->stepBytes += size;
  }
  run->nextStep = std::max(run->nextStep, prepared.next_step());
  if (prepared.steps_available() >= 0)
    run->stepsAvailable =
        run->stepsAvailable < 0
            ? prepared.steps_available()
            : std::min(run->stepsAvailable, prepared.steps_available());
  if (--unprepared > 0)
    return;
  if (request.firstStep)
    run->nextStep = *request.firstStep;
  onAllPrepared();
}

/// A task that had prepared the run is lost before the others have: they would
/// wait for it.
void RunDriver::onTaskGone(TaskId task, const Status &why) {
  if (isOver || !run || unprepared == 0 || !run->hasTask(task))
    return;
  abort(why);
  end(why, false);
}

void RunDriver::onAllPrepared() {
  if (request.onlyPrepares)
    return end(Status::ok(), true);
  goAll();
}

void RunDriver::attachAll() {
  run->isGoing = true;
  asked = UINT64_MAX;
  for (size_t i = 0; i < run->participants.size(); ++i) {
    Participant &participant = run->participants[i];
    protocol::Request request;
    protocol::Request::Attach &attach = *request.mutable_attach();
    attach.set_plan(state.digest);
    attach.set_graph(graph->name()->str());
    for (uint32_t fetch : participant.fetches) {
      attach.add_fetches(run->fetchNames[fetch]);
      size_t size = toTensorType(*fetches[fetch]->type()).numBytes();
      participant.stepBytes += size;
      participant.sizes.push_back(size);
    }
    state.request(
        participant.task, std::move(request),
        [this](TaskId task, const protocol::Reply &reply) {
          onResult(task, reply);
        },
        0);
  }
  startQuietTime();
}

/// Lets the run go for as many steps as are wanted and the data suffice for.
void RunDriver::goAll() {
  int64_t available = run->stepsAvailable;
  if (remaining < 0 && available < 0) {
    Status status =
        invalidArgument("the data of graph " + quote(viewOf(graph->name())) +
                        " have no end; say how many steps to run (--steps=N)");
    return end(status, true);
  }
  int64_t steps = remaining;
  isLimitedByData = available >= 0 && (steps < 0 || available < steps);
  if (isLimitedByData)
    steps = available;
  if (steps == 0) {
    state.runOutcome.isEndOfData = isLimitedByData;
    return end(Status::ok(), true);
  }
  if (fetches.empty() && steps > kBlindSteps) {
    steps = kBlindSteps;
    isLimitedByData = false;
  }
  firstStep = run->nextStep;
  asked = static_cast<uint64_t>(steps);
  delivered = 0;
  goNanos = state.environment.nowNanos();
  run->isGoing = true;
  for (Participant &participant : run->participants) {
    participant.hasEnded = false;
    participant.received = participant.waiting = participant.done = 0;
    participant.given = 0;
    participant.values.clear();
    participant.times.clear();
  }
  for (size_t i = 0; i < run->participants.size() && !isOver; ++i) {
    Participant &participant = run->participants[i];
    protocol::Request message;
    protocol::Request::Go &go = *message.mutable_go();
    *go.mutable_run() = run->id;
    go.set_first_step(firstStep);
    go.set_steps(asked);
    go.set_last_only(request.lastOnly);
    for (size_t f = 0; areFeedsNew && f < feeds.size(); ++f) {
      StatusOr<const format::Port *> port = findFeed(*graph, feeds[f]->name);
      if (state.taskOfProgram(*graph, (*port)->program()) == participant.task)
        splitIntoChunks(feeds[f]->name, &feeds[f]->tensor.type,
                        feeds[f]->tensor.bytes,
                        [&](protocol::Chunk chunk, bool) {
                          *go.add_feeds() = std::move(chunk);
                        });
    }
    state.request(
        participant.task, std::move(message),
        [this](TaskId task, const protocol::Reply &reply) {
          onResult(task, reply);
        },
        0);
  }
  startQuietTime();
  for (size_t f = 0; areFeedsNew && f < feeds.size(); ++f)
    run->feeds[f] = feeds[f]->tensor.bytes;
  areFeedsNew = false;
}

void RunDriver::end(const Status &status, bool keep) {
  if (isOver)
    return;
  isOver = true;
  causeDeadline = quietDeadline = INT64_MAX;
  if (run) {
    run->isGoing = false;
    if (keep && !run->isAttached && request.graph != "init") {
      state.prepared.push_back(std::move(run));
      if (state.prepared.size() > kMaxPrepared) {
        state.prepared.front()->release(state);
        state.prepared.erase(state.prepared.begin());
      }
    } else {
      run->release(state);
    }
  }
  done(status);
}

} // namespace graphc::runtime
