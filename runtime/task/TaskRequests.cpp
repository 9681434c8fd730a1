// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles client requests to a task, but for runs and values.
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskDescription.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr int64_t kMilli = 1'000'000;
/// Requests of all clients that wait at the same time, per run that may be
/// prepared.
constexpr size_t kWaitingPerRun = 4;

Status busyId(uint64_t id) {
  return invalidArgument("request " + std::to_string(id) +
                         " still runs; give each request its own id, from 1");
}
} // namespace

void TaskMachine::State::onRequest(ClientId client,
                                   const protocol::Request &request) {
  RequestKey key{client, request.id()};
  bool continues = (request.has_load() && uploads.contains(key)) ||
                   (request.has_write() && variables.isWriting(key)) ||
                   (request.has_prepare() && feeds.isOpen(key));
  if (key.id == 0 || (requests.isOpen(key) && !continues))
    return requests.refuse(key, busyId(key.id));
  if (requests.size() >= options.mostRuns * kWaitingPerRun && !continues)
    return requests.fail(
        key, resourceExhausted("too many requests wait at this task; "
                               "ask again when some have ended"));
  constexpr uint64_t kMaxMillis = 1ull << 40;
  int64_t deadline =
      request.deadline_ms() == 0
          ? INT64_MAX
          : environment.host.nowNanos() +
                int64_t(std::min<uint64_t>(request.deadline_ms(), kMaxMillis)) *
                    kMilli;
  Status status = answer(key, request, deadline);
  if (!status.isOk())
    requests.fail(key, status);
}

/// Each action answers itself where it succeeds.
Status TaskMachine::State::answer(const RequestKey &key,
                                  const protocol::Request &request,
                                  int64_t deadline) {
  switch (request.action_case()) {
  case protocol::Request::kDescribe: {
    publishPlans();
    protocol::Reply reply;
    *reply.mutable_description() = describeTask(
        options, environment.host, startedAt, board, request.describe().plan());
    requests.answer(key, std::move(reply));
    break;
  }
  case protocol::Request::kLoad:
    return load(key, request.load());
  case protocol::Request::kBind:
    return bind(key, request.bind());
  case protocol::Request::kInitialized:
    return initialized(key, request.initialized(), deadline);
  case protocol::Request::kPrepare:
    return starter.prepare(key, request.prepare(), deadline);
  case protocol::Request::kGo:
    return starter.go(key, request.go());
  case protocol::Request::kAbort:
    return ender.abort(key, request.abort());
  case protocol::Request::kRead:
    return request.read().has_snapshot()
               ? snapshots.read(key, request.read(), deadline)
               : variables.read(key, request.read());
  case protocol::Request::kWrite:
    return variables.write(key, request.write());
  case protocol::Request::kAttach:
    return listeners.attach(key, request.attach(), deadline);
  case protocol::Request::kRelease:
    return ender.release(key, request.release());
  case protocol::Request::kSnapshot:
    return snapshot(key, request.snapshot(), deadline);
  case protocol::Request::kClock:
    timelines.readClock(key, timelineNanos(environment.host, options));
    break;
  case protocol::Request::kTimeline:
    return timelines.read(key, request.timeline());
  case protocol::Request::kWaits: {
    protocol::Reply reply;
    *reply.mutable_waits() = buildWaits();
    requests.answer(key, std::move(reply));
    break;
  }
  case protocol::Request::kMetrics: {
    protocol::Reply reply;
    *reply.mutable_metrics() = metrics();
    requests.answer(key, std::move(reply));
    break;
  }
  case protocol::Request::kStop:
    requests.done(key);
    environment.host.log(Severity::Info, "a client asks this task to end");
    environment.host.stop();
    break;
  case protocol::Request::ACTION_NOT_SET:
    return Status(StatusCode::Unimplemented,
                  "the request asks for nothing that this version knows; use "
                  "the same version of graphc on both sides");
    break;
  }
  return Status::ok();
}

/// True when the plan has runs that clients may want to go on, or memory that
/// peers may write to.
bool TaskMachine::State::isBusy(const PlanState &plan) const {
  return quarantine.holds(plan) ||
         std::ranges::any_of(runs, [&](const auto &entry) {
           const TaskRun &run = *entry.second;
           return run.spec().plan == &plan &&
                  run.phase != TaskRun::Phase::Failed && !run.isEnding &&
                  !run.spec().isInternal;
         });
}

/// A plan that nobody uses goes where there are too many.
Status TaskMachine::State::makeRoomForPlan() {
  if (!plans.isFull())
    return Status::ok();
  PlanState *plan =
      plans.leastRecent([this](const PlanState &each) { return isBusy(each); });
  if (!plan)
    return resourceExhausted(
        "this task has " + std::to_string(plans.size()) +
        " plans, and all have runs; end one of their clients first");
  runs.eraseOf(*plan);
  variables.dropPlan(plan->digest());
  snapshots.dropPlan(*plan);
  plans.evict(*plan);
  return Status::ok();
}

Status TaskMachine::State::addPlan(std::shared_ptr<const Model> model,
                                   const std::string &digest, bool virtualGpus,
                                   std::optional<CpuLevel> level) {
  std::string name = planDigest(*model);
  if (plans.contains(name) && (digest.empty() || digest == name))
    return Status::ok();
  GRAPHC_TRY(makeRoomForPlan());
  GRAPHC_TRY(plans.add(std::move(model), digest, virtualGpus, level));
  publishPlans();
  return Status::ok();
}

Status TaskMachine::State::load(const RequestKey &key,
                                const protocol::Request::Load &load) {
  if (!uploads.contains(key)) {
    if (plans.contains(load.plan())) {
      if (load.part().offset() == 0)
        requests.done(key);
      return Status::ok(); // else: the rest of what is not needed
    }
    GRAPHC_TRY(uploads.begin(key, load));
    requests.open(key);
  }
  GRAPHC_ASSIGN_OR_RETURN(std::optional<std::vector<std::byte>> bytes,
                          uploads.add(key, load));
  if (!bytes)
    return Status::ok();
  std::optional<CpuLevel> level = options.cpuLevel;
  if (!load.cpu_level().empty()) {
    level = parseCpuLevel(load.cpu_level());
    if (!level)
      return invalidArgument(quote(load.cpu_level()) +
                             " is no level of a CPU; take v3 or v4");
  }
  GRAPHC_ASSIGN_OR_RETURN(
      std::shared_ptr<const Model> model,
      Model::fromBytes(std::move(*bytes), "the plan's part"));
  GRAPHC_TRY(addPlan(std::move(model), load.plan(),
                     options.virtualGpus || load.virtual_gpus(), level));
  requests.done(key);
  return Status::ok();
}

Status TaskMachine::State::bind(const RequestKey &key,
                                const protocol::Request::Bind &bind) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(bind.plan()));
  GRAPHC_TRY(plan->data().bind(bind.dataset(), bind.files(), bind.seed(),
                               bind.skip(), bind.rewinds()));
  publishPlans();
  protocol::Reply reply;
  protocol::Reply::Bound &bound = *reply.mutable_bound();
  bound.set_digest(plan->data().digest());
  const auto &datasets = *plan->model().index().datasets();
  for (uint32_t i = 0; i < datasets.size(); ++i)
    if (viewOf(datasets.Get(i)->name()) == bind.dataset()) {
      const DataSource &source = *plan->data().source(i);
      bound.set_examples(source.examples());
      bound.set_batches_per_epoch(source.batchesPerEpoch());
      bound.set_dropped_per_epoch(source.droppedPerEpoch());
    }
  requests.answer(key, std::move(reply));
  return Status::ok();
}

Status
TaskMachine::State::initialized(const RequestKey &key,
                                const protocol::Request::Initialized &request,
                                int64_t deadline) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(request.plan()));
  if (request.drop()) {
    dropValues(*plan,
               Status(StatusCode::Aborted,
                      "a client replaces the values of all variables"),
               "a client began to replace all values, and did not end");
    requests.done(key);
    return Status::ok();
  }
  if (!request.set() && !plan->isInitialized && plan->hasVariables()) {
    initWaiters.add({key, request.plan(), deadline});
    requests.open(key);
    sayInitWaits();
    return Status::ok();
  }
  requests.done(key);
  if (!request.set() || plan->isInitialized)
    return Status::ok();
  plans.noteInitialized(*plan);
  for (TaskRun *run : runs.going()) // of a client that was slower
    if (run->spec().plan == plan && run->phase == TaskRun::Phase::Going)
      if (Status status = starter.checkFirstValues(*run); !status.isOk())
        ender.fail(*run, toFailure(status, self));
  publishPlans();
  for (const Waiter &waiter : initWaiters.take(
           [&](const Waiter &each) { return each.plan == request.plan(); }))
    requests.done(waiter.key);
  return Status::ok();
}

Status TaskMachine::State::snapshot(const RequestKey &key,
                                    const protocol::Request::Snapshot &request,
                                    int64_t deadline) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(request.plan()));
  RunKey id = keyOf(request.id());
  GRAPHC_TRY(snapshots.checkOwner(id, key.client));
  switch (request.phase()) {
  case protocol::Request::Snapshot::ARM:
    GRAPHC_TRY(snapshots.arm(id, key.client, *plan, request.tensors()));
    break;
  case protocol::Request::Snapshot::TAKE:
    GRAPHC_TRY(coordinator.fence(*plan, id));
    break;
  case protocol::Request::Snapshot::DROP:
    shards.drop(id);
    snapshots.drop(id);
    break;
  case protocol::Request::Snapshot::PROBE:
    return shards.probe(key, request);
  case protocol::Request::Snapshot::COPY:
    if (request.tensors().empty())
      return invalidArgument("a shard of a checkpoint has no tensors");
    GRAPHC_TRY(snapshots.arm(id, key.client, *plan, request.tensors()));
    snapshots.take(*plan, id);
    GRAPHC_TRY(snapshots.shard(id).status());
    break;
  case protocol::Request::Snapshot::WRITE:
    return shards.write(key, request, deadline);
  default:
    return invalidArgument("a snapshot has no such phase");
  }
  requests.done(key);
  return Status::ok();
}

} // namespace graphc::runtime
