// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clients ask of a task, but for runs and values.
#include "runtime/format/ModelPart.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/PartList.h"
#include "runtime/protocol/TaskFailure.h"
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

/// Each action answers itself where it succeeds.
void TaskMachine::State::onRequest(ClientId client,
                                   const protocol::Request &request) {
  RequestKey key{client, request.id()};
  bool continues = (request.has_load() && loads.count(key)) ||
                   (request.has_write() && writes.count(key)) ||
                   (request.has_prepare() && feedBuffers.count(key));
  if (key.id == 0 || (requests.isOpen(key) && !continues))
    return requests.refuse(key, busyId(key.id));
  if (requests.size() >= options.mostRuns * kWaitingPerRun && !continues)
    return requests.fail(
        key, resourceExhausted("too many requests wait at this task; "
                               "ask again when some have ended"));
  constexpr uint64_t kMostMillis = 1ull << 40;
  int64_t deadline = request.deadline_ms() == 0
                         ? INT64_MAX
                         : world.host.nowNanos() +
                               int64_t(std::min<uint64_t>(request.deadline_ms(),
                                                          kMostMillis)) *
                                   kMilli;
  Status status;
  switch (request.action_case()) {
  case protocol::Request::kDescribe: {
    publishPlans();
    protocol::Reply reply;
    *reply.mutable_description() = description(request.describe().plan());
    requests.answer(key, std::move(reply));
    break;
  }
  case protocol::Request::kLoad:
    status = load(key, request.load());
    break;
  case protocol::Request::kBind:
    status = bind(key, request.bind());
    break;
  case protocol::Request::kInitialized:
    status = initialized(key, request.initialized(), deadline);
    break;
  case protocol::Request::kPrepare:
    status = prepare(key, request.prepare(), deadline);
    break;
  case protocol::Request::kGo:
    status = go(key, request.go());
    break;
  case protocol::Request::kAbort:
    status = abort(key, request.abort());
    break;
  case protocol::Request::kRead:
    status = read(key, request.read(), deadline);
    break;
  case protocol::Request::kWrite:
    status = write(key, request.write());
    break;
  case protocol::Request::kAttach:
    status = attach(key, request.attach(), deadline);
    break;
  case protocol::Request::kRelease:
    status = release(key, request.release());
    break;
  case protocol::Request::kSnapshot:
    status = snapshot(key, request.snapshot());
    break;
  case protocol::Request::kWaits: {
    protocol::Reply reply;
    *reply.mutable_waits() = buildWaits();
    requests.answer(key, std::move(reply));
    break;
  }
  case protocol::Request::kStop:
    requests.done(key);
    world.host.log(Severity::Info, "a client asks this task to end");
    world.host.stop();
    break;
  case protocol::Request::ACTION_NOT_SET:
    status = Status(StatusCode::Unimplemented,
                    "the request asks for nothing that this version knows; use "
                    "the same version of graphc on both sides");
    break;
  }
  if (!status.isOk())
    requests.fail(key, status);
}

StatusOr<PlanState *> TaskMachine::State::usePlan(const std::string &digest) {
  auto found = plans.find(digest);
  if (found == plans.end())
    return notFound("plan " + quote(digest.substr(0, 64)) +
                    " is not loaded at this task; open the cluster again");
  found->second->lastUse = ++useCount;
  return found->second.get();
}

/// A plan that nobody uses goes where there are too many.
Status TaskMachine::State::makeRoomForPlan() {
  if (plans.size() < options.mostPlans)
    return Status::ok();
  auto oldest = plans.end();
  for (auto it = plans.begin(); it != plans.end(); ++it) {
    bool isBusy = std::ranges::any_of(runs, [&](const auto &entry) {
      const TaskRun &run = *entry.second;
      return run.spec().plan == it->second.get() &&
             run.phase != TaskRun::Phase::Failed && !run.isEnding &&
             !run.spec().isInternal;
    });
    isBusy |= quarantine.holds(*it->second);
    if (!isBusy && (oldest == plans.end() ||
                    it->second->lastUse < oldest->second->lastUse))
      oldest = it;
  }
  if (oldest == plans.end())
    return resourceExhausted(
        "this task has " + std::to_string(plans.size()) +
        " plans, and all have runs; end one of their clients first");
  PlanState *plan = oldest->second.get();
  if (plan->isInitialized && plan->hasVariables())
    lostValues[oldest->first] =
        "its plan made room for others (a server keeps " +
        std::to_string(options.mostPlans) + ")";
  runs.eraseOf(*plan);
  std::erase_if(reads, [&](const auto &entry) {
    bool isOf = entry.second.plan == oldest->first;
    if (isOf)
      requests.close(entry.first);
    return isOf;
  });
  std::erase_if(snapshots,
                [&](const auto &entry) { return entry.second.plan == plan; });
  plan->dropEngines(world.peers);
  world.host.log(Severity::Info, "plan " + oldest->first + " makes room");
  plans.erase(oldest);
  return Status::ok();
}

Status TaskMachine::State::addPlan(std::shared_ptr<const Model> model,
                                   const std::string &digest, bool virtualGpus,
                                   std::optional<CpuLevel> level) {
  std::string name = planDigest(*model);
  if (plans.count(name) && (digest.empty() || digest == name))
    return Status::ok();
  GRAPHC_TRY(makeRoomForPlan());
  PlanOptions plan;
  plan.cluster = &options.cluster;
  plan.self = options.self;
  plan.threads = options.threads;
  plan.cpuLevel = level;
  plan.virtualGpus = virtualGpus;
  plan.shareGpus = options.shareGpus;
  GRAPHC_ASSIGN_OR_RETURN(plans[name],
                          PlanState::create(std::move(model), digest, plan));
  plans[name]->lastUse = ++useCount;
  if (auto lost = lostValues.find(name); lost != lostValues.end())
    plans[name]->lost = lost->second;
  publishPlans();
  world.host.log(Severity::Info, "has plan " + name);
  for (const std::string &line : plans[name]->describeGpus())
    world.host.log(Severity::Info, line);
  return Status::ok();
}

Status
TaskMachine::State::checkAllowed(const protocol::Request::Load &load) const {
  if (!options.allowedPlans)
    return Status::ok();
  std::string digest = allowDigest(load.part_list());
  if (std::ranges::find(*options.allowedPlans, digest) !=
      options.allowedPlans->end())
    return Status::ok();
  return permissionDenied(
      "plan " + quote(load.plan().substr(0, 64)) + " is not allowed at " +
      self + "; start it with --allow=" + digest + " or --allow=model.bin");
}

Status TaskMachine::State::load(const RequestKey &key,
                                const protocol::Request::Load &load) {
  const std::string &digest = load.plan();
  auto found = loads.find(key);
  if (found == loads.end()) {
    if (plans.count(digest)) {
      if (load.part().offset() == 0)
        requests.done(key);
      return Status::ok(); // else: the rest of what is not needed
    }
    GRAPHC_TRY(checkAllowed(load));
    requests.open(key);
    found =
        loads.emplace(key, Assembly{digest, "", {}, load.part_list()}).first;
  }
  Assembly &assembly = found->second;
  size_t before = assembly.buffer.size();
  Status status = digest == assembly.plan
                      ? assembly.buffer.add(load.part(), options.mostPartBytes -
                                                             loadBytes + before)
                      : invalidArgument("the pieces are of different plans");
  loadBytes += assembly.buffer.size() - before;
  if (status.isOk() && !assembly.buffer.isComplete())
    return status;
  loadBytes -= assembly.buffer.size();
  std::vector<std::byte> bytes = assembly.buffer.take();
  std::string partList = std::move(assembly.partList);
  loads.erase(found);
  GRAPHC_TRY(status);
  if (options.allowedPlans && !isListed(partList, self, bytes))
    return permissionDenied(
        "the part that came is not the one that the allowed plan has for " +
        self + "; use the same version of graphc on both sides");
  std::optional<CpuLevel> level = options.cpuLevel;
  if (!load.cpu_level().empty()) {
    level = parseCpuLevel(load.cpu_level());
    if (!level)
      return invalidArgument(quote(load.cpu_level()) +
                             " is no level of a CPU; take v3 or v4");
  }
  GRAPHC_ASSIGN_OR_RETURN(
      std::shared_ptr<const Model> model,
      Model::fromBytes(std::move(bytes), "the plan's part"));
  GRAPHC_TRY(addPlan(std::move(model), digest,
                     options.virtualGpus || load.virtual_gpus(), level));
  requests.done(key);
  return Status::ok();
}

Status TaskMachine::State::bind(const RequestKey &key,
                                const protocol::Request::Bind &bind) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, usePlan(bind.plan()));
  GRAPHC_TRY(plan->data().bind(bind.dataset(), bind.files(), bind.seed(),
                               bind.skip()));
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

/// A client that ends before it has given all variables new values leaves a
/// mixture, which must not pass for a state; and runs that go meanwhile would
/// change what is being written.
void TaskMachine::State::dropValues(PlanState &plan, const Status &cause,
                                    const std::string &why) {
  std::vector<RunKey> keys =
      runs.keys([&](const TaskRun &run) { return run.spec().plan == &plan; });
  for (RunKey key : keys) {
    TaskRun *run = runs.find(key);
    if (!run)
      continue;
    failRun(*run, toFailure(cause, self));
    if (run->phase != TaskRun::Phase::Failed)
      finishFailure(*run);
  }
  plan.forgetSteps();
  if (plan.isInitialized)
    plan.lost = why;
  plan.isInitialized = false;
  publishPlans();
}

Status
TaskMachine::State::initialized(const RequestKey &key,
                                const protocol::Request::Initialized &request,
                                int64_t deadline) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, usePlan(request.plan()));
  if (request.drop()) {
    dropValues(*plan,
               Status(StatusCode::Aborted,
                      "a client replaces the values of all variables"),
               "a client began to replace all values, and did not end");
    requests.done(key);
    return Status::ok();
  }
  if (!request.set() && !plan->isInitialized && plan->hasVariables()) {
    initWaiters.add({key, request.plan(), "", {}, deadline});
    requests.open(key);
    requests.status(key,
                    "waits for the chief to give the variables their values");
    return Status::ok();
  }
  requests.done(key);
  if (!request.set() || plan->isInitialized)
    return Status::ok();
  plan->isInitialized = true;
  for (TaskRun *run : runs.going()) // of a client that was slower
    if (run->spec().plan == plan && run->phase == TaskRun::Phase::Going)
      if (Status status = checkFirstValues(*run); !status.isOk())
        failRun(*run, toFailure(status, self));
  plan->lost.clear();
  lostValues.erase(plan->digest());
  publishPlans();
  for (const Waiter &waiter : initWaiters.take(
           [&](const Waiter &each) { return each.plan == request.plan(); }))
    requests.done(waiter.key);
  return Status::ok();
}

} // namespace graphc::runtime
