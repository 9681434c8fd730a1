// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/RunStarter.h"

#include "runtime/format/Quote.h"
#include "runtime/state/GraphPorts.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {
constexpr int64_t kMilli = 1'000'000;
constexpr uint64_t kMaxStallMillis = 1ull << 40;

/// The client compares it with that of the other tasks of the run.
void addBoundData(PlanState &plan, const PlanGraph &graph,
                  protocol::Reply::Prepared &prepared) {
  std::set<uint32_t> datasets;
  for (const BatchUse &use : graph.data)
    datasets.insert(use.dataset);
  for (uint32_t dataset : datasets) {
    protocol::Reply::BoundData &data = *prepared.add_data();
    data.set_dataset(
        plan.model().index().datasets()->Get(dataset)->name()->str());
    data.set_digest(plan.data().digest(dataset));
  }
}
} // namespace

StatusOr<std::unique_ptr<TaskRun>>
RunStarter::makeRun(const RequestKey &key,
                    const protocol::Request::Prepare &request) {
  TaskRunSpec spec;
  spec.key = keyOf(request.run());
  if (spec.key.client == 0 || spec.key.number == 0 || runs.contains(spec.key))
    return invalidArgument("a run has an id of its own, which is not 0");
  GRAPHC_ASSIGN_OR_RETURN(spec.plan, plans.use(request.plan()));
  spec.graph = spec.plan->findGraph(request.graph());
  if (!spec.graph)
    return findGraph(spec.plan->model(), request.graph()).status();
  if (spec.graph->programs.empty())
    return invalidArgument("graph " + quote(request.graph()) +
                           " has no program at this task");
  for (TaskId task : spec.graph->tasks)
    if (task == kNoTask)
      return failedPrecondition(
          "graph " + quote(request.graph()) +
          " has programs of tasks that the cluster does not have");
  if (request.nan_policy() > static_cast<uint32_t>(NanPolicy::Error))
    return invalidArgument("there is no policy for NaN with number " +
                           std::to_string(request.nan_policy()));
  spec.self = options.self;
  spec.goesOn = request.goes_on();
  spec.engine = {request.seed(), static_cast<NanPolicy>(request.nan_policy()),
                 request.check_numerics()};
  spec.stallNanos =
      request.stall_ms() == 0
          ? options.stallNanos
          : int64_t(std::min(request.stall_ms(), kMaxStallMillis)) * kMilli;
  const format::Instance *instance = spec.graph->graph->instance();
  if (instance && instance->coordination() != format::Coordination::None) {
    GRAPHC_ASSIGN_OR_RETURN(
        spec.coordinator,
        options.cluster.findDevice(
            std::string(viewOf(instance->coordinator())) + "/device:CPU:0"));
    spec.variableTasks = spec.plan->variableTasks(*spec.graph);
    if (std::ranges::find(spec.variableTasks, spec.coordinator) ==
        spec.variableTasks.end())
      return dataLoss("graph " + quote(request.graph()) +
                      " names a task without variables as coordinator; compile "
                      "the model again");
  }
  auto run = std::make_unique<TaskRun>(std::move(spec), environment);
  run->owner = key.client;
  run->prepareRequest = key.id;
  return run;
}

Status RunStarter::addFetches(TaskRun &run,
                              const protocol::Request::Prepare &request) {
  std::vector<std::string> names(request.fetches().begin(),
                                 request.fetches().end());
  if (names.empty())
    return Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(run.fetches,
                          findFetches(*run.spec().graph->graph, names));
  for (const format::Port *port : run.fetches)
    if (!run.spec().graph->has(*port))
      return invalidArgument("fetch " + quote(viewOf(port->name())) +
                             " is made at another task");
  return Status::ok();
}

Status RunStarter::openTimeline(TaskRun &run,
                                const protocol::Request::Recorded &request) {
  TimelineWindow window{request.first(), request.last(),
                        std::max<uint64_t>(1, request.every())};
  if (window.first == 0 || window.isEmpty())
    return invalidArgument("the steps of a timeline begin with 1 or later, and "
                           "there is at least one");
  const PlanGraph &graph = *run.spec().graph;
  GRAPHC_ASSIGN_OR_RETURN(run.timeline,
                          timelines.open(run.key(), run.owner,
                                         graph.graph->programs()->size(),
                                         graph.programs.size(), window));
  return Status::ok();
}

/// Everything but the peers.
Status RunStarter::checkPrepared(TaskRun &run) {
  const PlanGraph &graph = *run.spec().graph;
  PlanState &plan = *run.spec().plan;
  for (const format::Port *port : *graph.graph->feeds())
    if (graph.has(*port) &&
        std::ranges::find(run.feeds, port, &TaskRun::Feed::port) ==
            run.feeds.end())
      return invalidArgument("feed " + quote(viewOf(port->name())) +
                             " of graph " + quote(graph.name()) +
                             " has no value");
  GRAPHC_TRY(plan.data().checkBound(graph.data, graph.name()));
  GRAPHC_TRY(checkFirstValues(run));
  if (graph.name() != "init" && graph.hasVariables && !plan.isInitialized)
    return failedPrecondition(
        plan.lost.empty()
            ? "the variables at this task have no values: it was restarted, or "
              "they were never given any; let the chief go on from a "
              "checkpoint, or make all values anew"
            : "the variables at this task have no values: " + plan.lost +
                  "; let the chief go on from a checkpoint, or make all values "
                  "anew");
  return updates.prepare(run);
}

Status RunStarter::checkFirstValues(const TaskRun &run) const {
  if (run.spec().graph->name() != "init" || !run.spec().plan->isInitialized)
    return Status::ok();
  return Status(StatusCode::Aborted,
                "the variables have values, which another client gave them");
}

/// Drops a failed run where there are too many runs: what it is remembered for
/// is the least important.
Status RunStarter::makeRoom() {
  if (runs.size() < options.mostRuns)
    return Status::ok();
  auto over = std::ranges::find_if(runs, [](const auto &entry) {
    return entry.second->phase == TaskRun::Phase::Failed;
  });
  if (over == runs.end())
    return resourceExhausted("this task has " + std::to_string(runs.size()) +
                             " runs; release some first");
  control.drop(over->first);
  return Status::ok();
}

StatusOr<TaskRun *> RunStarter::add(const RequestKey &key,
                                    const protocol::Request::Prepare &request,
                                    int64_t deadline) {
  GRAPHC_TRY(makeRoom());
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TaskRun> made, makeRun(key, request));
  made->prepareDeadline =
      std::min(deadline, environment.host.nowNanos() + options.connectNanos);
  TaskRun &run = runs.add(std::move(made));
  feeds.begin(key);
  requests.open(key);
  Status status = addFetches(run, request);
  if (status.isOk() && request.has_recorded())
    status = openTimeline(run, request.recorded());
  if (status.isOk())
    return &run;
  feeds.end(key);
  control.drop(run.key());
  return status;
}

Status RunStarter::prepare(const RequestKey &key,
                           const protocol::Request::Prepare &request,
                           int64_t deadline) {
  TaskRun *run = nullptr;
  if (feeds.isOpen(key)) {
    run = runs.find(keyOf(request.run()));
    if (!run || run->owner != key.client || run->prepareRequest != key.id)
      return invalidArgument("the chunks of feeds are of different runs");
  } else {
    GRAPHC_ASSIGN_OR_RETURN(run, add(key, request, deadline));
  }
  Status status =
      feeds.add({run->owner, run->prepareRequest}, *run, request.feeds());
  if (status.isOk() && request.more_feeds())
    return status;
  feeds.end(key);
  if (status.isOk())
    status = checkPrepared(*run);
  if (!status.isOk()) {
    control.drop(run->key());
    return status;
  }
  for (const TaskRun::Peer &peer : run->peers())
    environment.peers.connect(peer.id);
  makeReady(*run);
  return Status::ok();
}

/// The tasks without which the run cannot begin; empty: none is missing.
std::string RunStarter::missingTasks(TaskRun &run) {
  std::string missing;
  auto findMissing = [&](const TaskRun &each) {
    for (const TaskRun::Peer &peer : each.peers())
      if (!environment.peers.isPeerReady(peer.id) &&
          missing.find(waits.nameOf(peer.id)) == missing.npos)
        missing += (missing.empty() ? "" : ", ") + waits.nameOf(peer.id);
  };
  findMissing(run);
  if (UpdateQueue *queue = queueOf(run); queue && !queue->apply.empty())
    if (StatusOr<TaskRun *> apply = updates.applyRun(*run.spec().plan, *queue);
        apply.isOk() && *apply)
      findMissing(**apply);
  // What an update that is not decided yet would change is not read before.
  TaskId decider =
      run.spec().graph->hasVariables ? deciderOf(*run.spec().plan) : kNoTask;
  if (missing.empty() && decider != kNoTask)
    missing = waits.nameOf(decider);
  return missing;
}

void RunStarter::makeReady(TaskRun &run) {
  RequestKey key{run.owner, run.prepareRequest};
  if (run.phase != TaskRun::Phase::Preparing || feeds.isOpen(key))
    return;
  std::string missing = missingTasks(run);
  if (!missing.empty()) {
    if (run.lastStatus != missing && !run.spec().isInternal)
      requests.status(key, "waits for " + missing);
    run.lastStatus = missing;
    return;
  }
  Status status = run.makeReady();
  if (run.spec().isInternal)
    return;
  if (status.isOk())
    return replyPrepared(run);
  control.drop(run.key());
  requests.fail(key, status);
}

/// Getting ready changes the table of runs.
void RunStarter::makeAllReady() {
  for (RunKey key : runs.keys([](const TaskRun &run) {
         return run.phase == TaskRun::Phase::Preparing;
       }))
    if (TaskRun *run = runs.find(key))
      makeReady(*run);
}

void RunStarter::replyPrepared(TaskRun &run) {
  protocol::Reply reply;
  protocol::Reply::Prepared &prepared = *reply.mutable_prepared();
  const PlanGraph &graph = *run.spec().graph;
  prepared.set_steps_available(
      run.spec().plan->data().stepsAvailable(graph.data));
  prepared.set_next_step(run.spec().plan->nextStep(graph));
  for (const format::Port *port : run.fetches) {
    prepared.add_fetches(port->name()->str());
    prepared.add_sizes(run.taskEngine().slot(*port).size());
  }
  // One step ahead at most: a value of each edge twice.
  for (const TaskRun::Peer &peer : run.peers()) {
    uint64_t bytes = 0;
    for (const RemoteEdge &edge : run.taskEngine().outgoing())
      if (graph.tasks[edge.peerProgram] == peer.id)
        bytes += 2 * edge.bytes.size();
    prepared.add_in_flight(bytes);
  }
  addBoundData(*run.spec().plan, graph, prepared);
  prepared.set_is_recorded(run.timeline != nullptr);
  requests.answer({run.owner, run.prepareRequest}, std::move(reply));
}

/// Checks that the run may go beside those that go; it is its worker's from now
/// on.
Status RunStarter::admit(TaskRun &run) {
  if (run.phase != TaskRun::Phase::Ready || run.isEnding)
    return failedPrecondition("the run is not ready to go, or goes already");
  GRAPHC_TRY(checkFirstValues(run));
  if (UpdateQueue *queue = queueOf(run)) {
    uint32_t worker = run.spec().graph->graph->instance()->worker();
    TaskRun *other = runs.find(queue->runOf(worker));
    if (other && other != &run && other->phase == TaskRun::Phase::Going)
      return failedPrecondition("worker " + std::to_string(worker) +
                                " of graph " + quote(queue->of) +
                                " is run by another client already");
    queue->setRun(worker, run.key());
  }
  // Updates of two runs would be computed from the same values, and one of them
  // lost.
  for (const TaskRun *other : runs.going())
    if (other != &run && other->phase == TaskRun::Phase::Going &&
        other->spec().graph == run.spec().graph && !other->spec().isInternal &&
        run.spec().graph->updates && run.spec().graph->name() != "init")
      return failedPrecondition(
          "graph " + quote(run.spec().graph->name()) +
          " is run by another client already; wait for its end, or compile "
          "with --async to let several train at once");
  return Status::ok();
}

Status RunStarter::go(const RequestKey &key,
                      const protocol::Request::Go &request) {
  TaskRun *run = runs.find(keyOf(request.run()));
  if (!run || run->owner != key.client)
    return notFound("the run is not prepared at this task; prepare it again");
  if (run->phase == TaskRun::Phase::Failed) {
    protocol::Reply reply;
    *reply.mutable_failure() = run->cause;
    *reply.mutable_ended()->mutable_run() = run->id();
    requests.answer(key, std::move(reply));
    return Status::ok();
  }
  GRAPHC_TRY(admit(*run));
  for (const protocol::Chunk &chunk : request.feeds())
    if (chunk.offset() != 0 || chunk.data().size() != chunk.total())
      return invalidArgument("feeds of several chunks come before a run goes");
  Status status =
      feeds.add({run->owner, run->prepareRequest}, *run, request.feeds());
  feeds.end({run->owner, run->prepareRequest});
  GRAPHC_TRY(status);
  GRAPHC_TRY(run->go(request.first_step(), request.steps()));
  std::vector<std::span<const std::byte>> values;
  for (const format::Port *port : run->fetches)
    values.push_back(run->taskEngine().slot(*port));
  run->goRequest = key.id;
  run->lastProgress = environment.host.nowNanos();
  run->sinks.clear();
  run->sinks.emplace_back(key.client, key.id, request.last_only(),
                          std::move(values), environment.host.nowNanos());
  requests.open(key);
  listeners.join(*run);
  runs.addGoing(*run);
  return Status::ok();
}

/// The task whose word on an update of the plan's variables is awaited here;
/// kNoTask: none.
TaskId RunStarter::deciderOf(const PlanState &plan) const {
  for (auto &[key, run] : runs)
    if (run->isEnding && run->spec().plan == &plan &&
        run->spec().coordinator != options.self)
      return run->spec().coordinator;
  return kNoTask;
}

void RunStarter::expire(int64_t now) {
  for (RunKey key : runs.keys([&](const TaskRun &run) {
         return run.phase == TaskRun::Phase::Preparing &&
                !run.spec().isInternal &&
                !feeds.isOpen({run.owner, run.prepareRequest}) &&
                now >= run.prepareDeadline;
       })) {
    TaskRun *run = runs.find(key);
    RequestKey request{run->owner, run->prepareRequest};
    Status status(StatusCode::Unavailable,
                  "graph " + quote(run->spec().graph->name()) +
                      " needs links to " + run->lastStatus +
                      ", which did not answer in time; start those tasks, or "
                      "look whether their addresses are right");
    control.drop(key);
    requests.fail(request, status);
  }
}

int64_t RunStarter::nextTimer() const {
  int64_t due = INT64_MAX;
  for (const auto &[key, run] : runs)
    if (run->phase == TaskRun::Phase::Preparing && !run->spec().isInternal)
      due = std::min(due, run->prepareDeadline);
  return due;
}

} // namespace graphc::runtime
