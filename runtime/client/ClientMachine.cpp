// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/ClientMachine.h"

#include "runtime/client/ClientRun.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/protocol/TaskFailure.h"

#include <algorithm>

namespace graphc::runtime {

ClientMachine::ClientMachine() = default;
ClientMachine::~ClientMachine() = default;

StatusOr<std::unique_ptr<ClientMachine>>
ClientMachine::create(std::shared_ptr<const Model> plan, ClusterSpec cluster,
                      ClientOptions options, ClientEnvironment &environment) {
  if (options.incarnation == 0)
    return invalidArgument("a client needs an incarnation that is not 0");
  GRAPHC_ASSIGN_OR_RETURN(plan,
                          takePlanVariant(std::move(plan), cluster.workers()));
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
                                           std::move(options), environment);
  machine->state->tasks = machine->state->neededTasks();
  return machine;
}

void ClientMachine::onReply(TaskId task, const protocol::Reply &reply) {
  bool isAside = state->background.count({task, reply.id()}) != 0;
  auto &among = isAside ? state->background : state->pending;
  auto found = among.find({task, reply.id()});
  if (found == among.end())
    return; // late, or nobody's
  // The handler may end the operation, which drops all handlers.
  State::Pending entry = std::move(found->second);
  bool isLast = reply.last() || reply.has_failure();
  if (isLast)
    among.erase(found);
  entry.handler(task, reply);
  if (isLast)
    return;
  found = among.find({task, reply.id()});
  if (found == among.end())
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
  state->sharedParent.clear(); // another may come in its place
  bool isRefused = why.code() == StatusCode::PermissionDenied;
  Status status(isRefused ? why.code() : StatusCode::Unavailable,
                "lost " + state->nameOf(task) + ": " + why.message());
  std::vector<uint64_t> ids;
  for (auto *among : {&state->pending, &state->background})
    for (auto &[key, entry] : *among)
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
  int64_t now = state->environment.nowNanos();
  struct Late {
    TaskId task;
    uint64_t id;
    std::string lastStatus;
  };
  std::vector<Late> late;
  for (auto *among : {&state->pending, &state->background})
    for (auto &[key, entry] : *among)
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
  int64_t due = INT64_MAX;
  for (auto &[key, entry] : state->background)
    due = std::min(due, entry.deadline);
  if (!state->isBusy)
    return due;
  due = std::min(due, state->operation->nextTimer());
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
                              uint64_t skip, bool rewinds) {
  state->begin(bindOperation(*state, dataset, files, skip, rewinds));
}

void ClientMachine::beginRun(const Run &run, OnStep onStep) {
  state->begin(runOperation(*state, run, std::move(onStep)));
}

void ClientMachine::beginSnapshot() { state->begin(snapshotOperation(*state)); }

void ClientMachine::beginShards(const ShardPlace &place, OnShards onEnd) {
  state->begin(shardOperation(*state, place, std::move(onEnd)));
}

bool ClientMachine::areShardsAccepted() const { return state->shardsAccepted; }

const std::string &ClientMachine::shardRefusal() const {
  return state->shardRefusal;
}

bool ClientMachine::isWritingShards() const {
  return state->shards.has_value();
}

void ClientMachine::giveUpShards(const Status &why) {
  state->giveUpShards(why);
}

void ClientMachine::beginClocks(const format::Graph &graph) {
  state->begin(clockOperation(*state, graph));
}

void ClientMachine::beginTimeline(const format::Graph &graph) {
  auto found = state->recorded.find(graph.name()->str());
  state->begin(timelineOperation(*state, found == state->recorded.end()
                                             ? State::Recorded()
                                             : found->second));
}

RunTimeline &ClientMachine::timeline() { return state->timeline; }

void ClientMachine::endSnapshot() { state->dropSnapshot(); }

void ClientMachine::beginRead(std::string_view variable) {
  state->begin(readOperation(*state, variable));
}

void ClientMachine::beginWrite(std::string_view variable,
                               const HostTensor &value) {
  state->begin(writeOperation(*state, variable, value));
}

void ClientMachine::beginEndRuns() { state->begin(endRunsOperation(*state)); }

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
