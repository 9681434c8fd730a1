// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/ClientMachine.h"

#include "runtime/client/ClientRun.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/ModelPart.h"
#include "runtime/format/PlanFamily.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/state/ChooseGraph.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// A task whose own deadline has come knows better why than its client; it has
/// so long to say it.
constexpr int64_t kAnswerNanos = 500'000'000;
} // namespace

ClientMachine::State::State(std::shared_ptr<const Model> givenPlan,
                            ClusterSpec givenCluster, ClientOptions given,
                            ClientWorld &world)
    : plan(std::move(givenPlan)), cluster(std::move(givenCluster)),
      options(std::move(given)), world(world), digest(planDigest(*plan)) {
  findVariables();
}

ClientMachine::State::~State() = default;

TaskId ClientMachine::State::taskOfProgram(const format::Graph &graph,
                                           uint32_t program) const {
  StatusOr<TaskId> task =
      cluster.findDevice(viewOf(graph.programs()->Get(program)->device()));
  return task.isOk() ? *task : kNoTask;
}

std::vector<TaskId>
ClientMachine::State::tasksOf(const format::Graph &graph) const {
  // A task without work has nothing to do, unless it applies what others have
  // summed up, and is told when in the order of these steps.
  bool needsAll = graph.instance() && graph.instance()->coordination() ==
                                          format::Coordination::Quorum;
  std::set<TaskId> found;
  for (uint32_t i = 0; i < graph.programs()->size(); ++i)
    if (needsAll || graph.programs()->Get(i)->slots()->size() > 0)
      found.insert(taskOfProgram(graph, i));
  return {found.begin(), found.end()};
}

/// Whether the graph is one of those that this client was made for.
bool ClientMachine::State::mayRun(const format::Graph &graph) const {
  if (graph.name()->string_view() == "init")
    return true;
  if (options.graphs.empty())
    return !graph.instance() || !options.worker ||
           graph.instance()->worker() == *options.worker;
  return std::ranges::any_of(options.graphs, [&](const std::string &name) {
    StatusOr<const format::Graph *> chosen =
        chooseGraph(*plan, name, options.worker);
    return chosen.isOk() && *chosen == &graph;
  });
}

/// A worker of another client's instance may be dead, or not have come yet.
std::vector<TaskId> ClientMachine::State::neededTasks() const {
  std::set<TaskId> needed;
  auto addGraph = [&](const format::Graph &graph) {
    for (TaskId task : tasksOf(graph))
      needed.insert(task);
  };
  for (const format::Graph *graph : *plan->index().graphs()) {
    if (!mayRun(*graph))
      continue;
    addGraph(*graph);
    if (!graph->instance() || !graph->instance()->apply())
      continue;
    if (const format::Graph *apply =
            plan->findGraph(viewOf(graph->instance()->apply())))
      addGraph(*apply);
  }
  for (const ClusterVariable &variable : variables)
    for (const auto *places : {&variable.parts, &variable.mirrors})
      for (const VariablePlace &place : *places)
        needed.insert(place.task);
  needed.erase(kNoTask);
  return {needed.begin(), needed.end()};
}

/// Where a variable is: at its device, or, where the plan does not say, at the
/// first program that uses it.
TaskId ClientMachine::State::homeOf(uint32_t variable) const {
  const auto *device = plan->index().variables()->Get(variable)->device();
  if (StatusOr<TaskId> task = cluster.findDevice(viewOf(device)); task.isOk())
    return *task;
  if (device)
    return kNoTask;
  for (const format::Graph *graph : *plan->index().graphs())
    for (uint32_t i = 0; i < graph->programs()->size(); ++i)
      for (const format::Slot *slot : *graph->programs()->Get(i)->slots())
        if (slot->kind() == format::SlotKind::Variable &&
            slot->index() == variable)
          return taskOfProgram(*graph, i);
  return kNoTask;
}

void ClientMachine::State::findVariables() {
  const auto &list = *plan->index().variables();
  std::map<uint32_t, size_t> wholes; ///< by variable
  for (uint32_t i = 0; i < list.size(); ++i) {
    const format::Variable &variable = *list.Get(i);
    VariablePlace place{variable.name()->str(), homeOf(i),
                        toTensorType(*variable.type()), 0};
    if (variable.mirror_of() != UINT32_MAX) {
      auto original = wholes.find(variable.mirror_of());
      if (original != wholes.end() && place.task != kNoTask)
        variables[original->second].mirrors.push_back(std::move(place));
      continue;
    }
    if (variable.part_of() && variable.part_row() != 0 && !variables.empty()) {
      ClusterVariable &whole = variables.back(); // parts follow each other
      place.offset = whole.type.numBytes();
      whole.type.shape[0] += place.type.shape[0];
      whole.parts.push_back(std::move(place));
    } else {
      ClusterVariable whole;
      whole.name =
          viewOf(variable.part_of() ? variable.part_of() : variable.name());
      whole.type = place.type;
      whole.parts.push_back(std::move(place));
      variables.push_back(std::move(whole));
    }
    wholes[i] = variables.size() - 1;
  }
}

const ClusterVariable *
ClientMachine::State::findVariable(std::string_view name) const {
  auto found = std::ranges::find(variables, name, &ClusterVariable::name);
  return found == variables.end() ? nullptr : &*found;
}

bool ClientMachine::State::holdsVariables(TaskId task) const {
  auto isThere = [&](const VariablePlace &place) { return place.task == task; };
  return std::ranges::any_of(variables, [&](const ClusterVariable &variable) {
    return std::ranges::any_of(variable.parts, isThere) ||
           std::ranges::any_of(variable.mirrors, isThere);
  });
}

bool ClientMachine::State::isGoing(const Descriptions &descriptions) const {
  return std::ranges::any_of(descriptions, [&](const auto &entry) {
    return std::ranges::any_of(
        entry.second.going(), [&](const std::string &name) {
          const format::Graph *graph = plan->findGraph(name);
          return graph && !graph->instance() && name != "init" &&
                 mayRun(*graph);
        });
  });
}

void ClientMachine::State::noteSteps(const Descriptions &descriptions) {
  stepsDone.clear();
  std::set<std::string> going; // tasks are not at the same step meanwhile
  for (const auto &[task, description] : descriptions) {
    going.insert(description.going().begin(), description.going().end());
    for (const auto &[graph, step] : description.next_steps())
      stepsDone[graph].most = std::max(stepsDone[graph].most, step);
  }
  for (auto &[name, done] : stepsDone) {
    const format::Graph *graph = plan->findGraph(name);
    if (!graph || graph->instance() || going.count(name))
      continue; // updates in an order are whole
    for (TaskId task : tasksOf(*graph)) {
      auto found = descriptions.find(task);
      if (!holdsVariables(task) || found == descriptions.end())
        continue;
      const auto &steps = found->second.next_steps();
      auto step = steps.find(name);
      uint64_t own = step == steps.end() ? 0 : step->second;
      if (own < done.most)
        done.behind[task] = own;
    }
  }
}

uint64_t ClientMachine::State::request(TaskId task, protocol::Request request,
                                       Handler handler, int64_t nanos) {
  uint64_t id = ++lastRequest;
  int64_t deadline = nanos > 0 ? world.nowNanos() + nanos : INT64_MAX;
  if (nanos > 0)
    deadline += kAnswerNanos;
  pending[{task, id}] = {std::move(handler), deadline, {}};
  request.set_id(id);
  if (nanos > 0)
    request.set_deadline_ms(std::max<int64_t>(1, nanos / 1'000'000));
  world.send(task, std::move(request));
  return id;
}

void ClientMachine::State::sendMore(TaskId task, uint64_t id,
                                    protocol::Request request) {
  if (!pending.count({task, id}))
    return; // it has failed already
  request.set_id(id);
  world.send(task, std::move(request));
}

void ClientMachine::State::tell(TaskId task, protocol::Request request) {
  request.set_id(++lastRequest);
  world.send(task, std::move(request));
}

void ClientMachine::State::begin(std::unique_ptr<ClientOperation> next) {
  if (isBusy)
    return; // REQUIRES: one at a time
  pending.clear();
  lastStatus.clear();
  outcome = Status::ok();
  operation = std::move(next);
  isBusy = true;
  operation->start();
}

void ClientMachine::State::finish(Status status) {
  if (!isBusy)
    return;
  isBusy = false;
  outcome = std::move(status);
  pending.clear(); // what still comes is late
}

void ClientMachine::State::status(const std::string &text) {
  if (text == lastStatus)
    return;
  lastStatus = text;
  if (!text.empty())
    world.status(text);
}

void ClientMachine::State::forgetRuns() {
  for (auto &run : prepared)
    run->release(*this);
  prepared.clear();
}

ClientMachine::ClientMachine() = default;
ClientMachine::~ClientMachine() = default;

StatusOr<std::unique_ptr<ClientMachine>>
ClientMachine::create(std::shared_ptr<const Model> plan, ClusterSpec cluster,
                      ClientOptions options, ClientWorld &world) {
  if (options.incarnation == 0)
    return invalidArgument("a client needs an incarnation that is not 0");
  GRAPHC_ASSIGN_OR_RETURN(plan, takeMember(std::move(plan), cluster.workers()));
  GRAPHC_ASSIGN_OR_RETURN(plan,
                          takeVariant(std::move(plan), options.virtualGpus));
  std::string missing;
  for (const std::string &name : runtime::tasksOf(*plan))
    if (std::ranges::none_of(cluster.tasks(), [&](const ClusterTask &task) {
          return task.name() == name;
        }))
      missing += (missing.empty() ? "" : ", ") + name;
  if (!missing.empty())
    return failedPrecondition(
        "the plan is for tasks that the cluster does not have: " + missing +
        "; add them to the cluster, or compile the model for this one");
  std::unique_ptr<ClientMachine> machine(new ClientMachine());
  machine->state = std::make_unique<State>(std::move(plan), std::move(cluster),
                                           std::move(options), world);
  machine->state->tasks = machine->state->neededTasks();
  return machine;
}

void ClientMachine::onReply(TaskId task, const protocol::Reply &reply) {
  auto found = state->pending.find({task, reply.id()});
  if (found == state->pending.end())
    return; // late, or nobody's
  // The handler may end the operation, which drops all handlers.
  State::Pending entry = std::move(found->second);
  bool isLast = reply.last() || reply.has_failure();
  if (isLast)
    state->pending.erase(found);
  entry.handler(task, reply);
  if (isLast)
    return;
  found = state->pending.find({task, reply.id()});
  if (found == state->pending.end())
    return;
  found->second.handler = std::move(entry.handler);
  if (!reply.status().empty())
    found->second.lastStatus = reply.status();
}

namespace {
std::string lateText(const std::string &lastStatus) {
  return lastStatus.empty()
             ? " has not answered in time; it may be overloaded, stopped or "
               "unreachable"
             : " is not ready in time: it " + lastStatus;
}

/// Answers for a task that does not.
protocol::Reply failedReply(uint64_t id, const Status &status) {
  protocol::Reply reply;
  reply.set_id(id);
  reply.set_last(true);
  *reply.mutable_failure() = toFailure(status, "");
  return reply;
}
} // namespace

void ClientMachine::onTaskGone(TaskId task, const Status &why) {
  if (task >= state->cluster.size())
    return;
  bool isRefused = why.code() == StatusCode::PermissionDenied;
  Status status(isRefused ? why.code() : StatusCode::Unavailable,
                "lost " + state->nameOf(task) + ": " + why.message());
  std::vector<uint64_t> ids;
  for (auto &[key, entry] : state->pending)
    if (key.first == task)
      ids.push_back(key.second);
  for (uint64_t id : ids)
    onReply(task, failedReply(id, status));
  if (state->isReplacing && state->lostWhileWriting.isOk() &&
      std::ranges::find(state->tasks, task) != state->tasks.end())
    state->lostWhileWriting = status;
  if (state->isBusy)
    state->operation->onTaskGone(task, status);
  // Runs that are prepared there are gone with the conversation.
  std::erase_if(state->prepared, [&](auto &run) {
    bool isThere = run->hasTask(task) && !run->isGoing;
    if (isThere)
      run->release(*state);
    return isThere;
  });
}

void ClientMachine::onTimer() {
  int64_t now = state->world.nowNanos();
  struct Late {
    TaskId task;
    uint64_t id;
    std::string lastStatus;
  };
  std::vector<Late> late;
  for (auto &[key, entry] : state->pending)
    if (entry.deadline <= now)
      late.push_back({key.first, key.second, entry.lastStatus});
  // A task that waits for another is not the cause; one that is silent is.
  std::ranges::stable_sort(
      late, {}, [](const Late &entry) { return !entry.lastStatus.empty(); });
  for (const Late &entry : late)
    onReply(entry.task,
            failedReply(entry.id, Status(StatusCode::DeadlineExceeded,
                                         state->nameOf(entry.task) +
                                             lateText(entry.lastStatus))));
  if (state->isBusy)
    state->operation->onTimer(now);
}

int64_t ClientMachine::nextTimer() const {
  if (!state->isBusy)
    return INT64_MAX;
  int64_t due = state->operation->nextTimer();
  for (auto &[key, entry] : state->pending)
    due = std::min(due, entry.deadline);
  return due;
}

void ClientMachine::beginOpen() { state->begin(openOperation(*state)); }

void ClientMachine::beginInitialize(bool isAnew) {
  state->begin(initializeOperation(*state, isAnew));
}

void ClientMachine::beginReplace() { state->begin(replaceOperation(*state)); }

void ClientMachine::beginBind(std::string_view dataset, std::string_view files,
                              uint64_t skip) {
  state->begin(bindOperation(*state, dataset, files, skip));
}

void ClientMachine::beginRun(const Run &run, OnStep onStep) {
  state->begin(runOperation(*state, run, std::move(onStep)));
}

void ClientMachine::beginSnapshot() { state->begin(snapshotOperation(*state)); }

void ClientMachine::endSnapshot() { state->dropSnapshot(); }

void ClientMachine::beginRead(std::string_view variable) {
  state->begin(readOperation(*state, variable));
}

void ClientMachine::beginWrite(std::string_view variable,
                               const HostTensor &value) {
  state->begin(writeOperation(*state, variable, value));
}

void ClientMachine::endRuns() {
  if (!state->isBusy)
    state->forgetRuns();
}

void ClientMachine::cancel() {
  if (!state->isBusy)
    return;
  state->operation->onCancel();
  state->finish(cancelled("it was cancelled by its caller"));
}

bool ClientMachine::isBusy() const { return state->isBusy; }

std::string ClientMachine::awaitedTasks() const {
  std::set<TaskId> tasks;
  for (const auto &[key, entry] : state->pending)
    if (entry.deadline != INT64_MAX && entry.lastStatus.empty())
      tasks.insert(key.first);
  std::string text;
  for (TaskId task : tasks)
    text += (text.empty() ? "" : ", ") + state->nameOf(task);
  return text;
}

Status ClientMachine::result() const { return state->outcome; }
const ClientMachine::Outcome &ClientMachine::outcome() const {
  return state->runOutcome;
}
bool ClientMachine::madeFirstValues() const { return state->madeFirstValues; }
const HostTensor &ClientMachine::value() const { return state->read; }
const protocol::Reply::Bound &ClientMachine::bound() const {
  return state->bound;
}
const std::vector<const format::Port *> &ClientMachine::fetches() const {
  return state->fetches;
}
uint64_t ClientMachine::nextStep(const std::string &graph) const {
  auto found = state->stepsDone.find(graph);
  return found == state->stepsDone.end() ? 0 : found->second.most;
}
std::string ClientMachine::tasksBehind(const std::string &graph) const {
  std::string text;
  auto found = state->stepsDone.find(graph);
  if (found == state->stepsDone.end())
    return text;
  for (const auto &[task, steps] : found->second.behind)
    text += (text.empty() ? "" : ", ") + state->nameOf(task) + " (step " +
            std::to_string(steps) + ")";
  return text + " behind step " + std::to_string(found->second.most);
}
bool ClientMachine::endedWithinStep(const std::string &graph) const {
  auto found = state->stepsDone.find(graph);
  return found != state->stepsDone.end() && !found->second.behind.empty();
}
const Model &ClientMachine::plan() const { return *state->plan; }
const ClusterSpec &ClientMachine::cluster() const { return state->cluster; }

} // namespace graphc::runtime
