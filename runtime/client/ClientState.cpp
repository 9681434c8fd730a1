// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/ClientState.h"

#include "runtime/client/PreparedRun.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/state/ChooseGraph.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// A task whose own deadline has come knows better why than its client; it has
/// so long to report it.
constexpr int64_t kAnswerNanos = 500'000'000;
} // namespace

ClientMachine::State::State(std::shared_ptr<const Model> givenPlan,
                            ClusterSpec givenCluster, ClientOptions given,
                            ClientEnvironment &environment)
    : plan(std::move(givenPlan)), cluster(std::move(givenCluster)),
      options(std::move(given)), environment(environment),
      digest(planDigest(*plan)) {
  findVariables();
}

ClientMachine::State::~State() = default;

TaskId ClientMachine::State::taskOfProgram(const format::Graph &graph,
                                           uint32_t program) const {
  StatusOr<TaskId> task = cluster.findDevice(
      deviceOf(plan->index(), *graph.programs()->Get(program)));
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

/// True when the graph is one of those that this client was made for.
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

/// Task of a variable: its device's, or, where the plan specifies none, that of
/// the first program that uses it.
TaskId ClientMachine::State::homeOf(uint32_t variable) const {
  std::string_view device =
      deviceOf(plan->index(), *plan->index().variables()->Get(variable));
  if (StatusOr<TaskId> task = cluster.findDevice(device); task.isOk())
    return *task;
  if (!device.empty())
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
      whole.isTransient = variable.transient();
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

/// A variant with summaries makes steps of its graph.
std::string ClientMachine::State::nameOfSteps(const std::string &graph) const {
  const format::Graph *known = plan->findGraph(graph);
  return known ? nameWithoutSummaries(*known) : graph;
}

void ClientMachine::State::noteSteps(const Descriptions &descriptions) {
  stepsDone.clear();
  std::set<std::string> going; // tasks are not at the same step meanwhile
  for (const auto &[task, description] : descriptions) {
    going.insert(description.going().begin(), description.going().end());
    for (const auto &[graph, step] : description.next_steps()) {
      StepsDone &done = stepsDone[nameOfSteps(graph)];
      done.most = std::max(done.most, step);
    }
  }
  for (auto &[name, done] : stepsDone) {
    const format::Graph *graph = plan->findGraph(name);
    if (!graph || graph->instance() || going.count(name))
      continue; // updates in an order are whole
    for (TaskId task : tasksOf(*graph)) {
      auto found = descriptions.find(task);
      if (!holdsVariables(task) || found == descriptions.end())
        continue;
      uint64_t own = 0;
      for (const auto &[made, step] : found->second.next_steps())
        if (nameOfSteps(made) == name)
          own = std::max(own, step);
      if (own < done.most)
        done.behind[task] = own;
    }
  }
}

uint64_t ClientMachine::State::request(TaskId task, protocol::Request asked,
                                       Handler handler, int64_t nanos) {
  return request(pending, task, std::move(asked), std::move(handler), nanos);
}

uint64_t ClientMachine::State::requestAside(TaskId task,
                                            protocol::Request asked,
                                            Handler handler, int64_t nanos) {
  return request(background, task, std::move(asked), std::move(handler), nanos);
}

uint64_t ClientMachine::State::request(
    std::map<std::pair<TaskId, uint64_t>, Pending> &among, TaskId task,
    protocol::Request request, Handler handler, int64_t nanos) {
  uint64_t id = ++lastRequest;
  int64_t deadline = nanos > 0 ? environment.nowNanos() + nanos : INT64_MAX;
  if (nanos > 0)
    deadline += kAnswerNanos;
  among[{task, id}] = {std::move(handler), deadline, {}};
  request.set_id(id);
  if (nanos > 0)
    request.set_deadline_ms(std::max<int64_t>(1, nanos / 1'000'000));
  environment.send(task, std::move(request));
  return id;
}

void ClientMachine::State::sendMore(TaskId task, uint64_t id,
                                    protocol::Request request) {
  if (!pending.count({task, id}))
    return; // it has failed already
  request.set_id(id);
  environment.send(task, std::move(request));
}

void ClientMachine::State::tell(TaskId task, protocol::Request request) {
  request.set_id(++lastRequest);
  environment.send(task, std::move(request));
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
    environment.status(text);
}

void ClientMachine::State::forgetRuns() {
  for (auto &run : prepared)
    run->release(*this);
  prepared.clear();
}

} // namespace graphc::runtime
