// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/Simulation.h"

#include "runtime/sim/SimTask.h"

#include <algorithm>

using namespace graphc::runtime;

struct Simulation::State final : SimHost {
  SimulationOptions options;
  SimEvents events;
  SimNetwork network;
  SimClients clients;
  std::vector<std::string> violations;
  uint64_t taskEvents = 0;
  int64_t steps = 0;
  std::vector<Fault> waiting; ///< for steps or events
  std::vector<Happened> happened;
  int64_t calmAt = 0;
  SimParts parts;
  std::vector<std::unique_ptr<SimTask>> tasks;

  explicit State(SimulationOptions given);

  uint64_t incarnation(TaskId task) const override {
    return tasks[task]->incarnation();
  }
  void deliver(TaskId task, uint64_t incarnation,
               std::function<void(TaskNode &)> event) override {
    if (incarnation && tasks[task]->incarnation() == incarnation)
      tasks[task]->deliver(std::move(event));
  }

  void scheduleFaults();
  Fault randomFault(const RandomFaults &random);
  void checkWaiting();
  void happen(const Fault &fault);
  void crash(const Fault &fault);
  void watchClients(TaskId task);
};

Simulation::State::State(SimulationOptions given)
    : options(std::move(given)), events(options.seed),
      network(events, *this, options), clients(events, *this, options),
      parts{events, *this, network, clients, options, violations, [this] {
              ++taskEvents;
              checkWaiting();
            }} {
  for (TaskId task = 0; task < options.cluster.size(); ++task)
    tasks.push_back(std::make_unique<SimTask>(parts, task));
  // Tasks start in any order, some milliseconds apart.
  for (auto &task : tasks)
    events.at(events.between(0, 20'000'000),
              [started = task.get()] { started->begin(); });
  scheduleFaults();
}

void Simulation::State::scheduleFaults() {
  std::vector<Fault> faults = options.faults.faults;
  for (const RandomFaults &random : options.faults.random)
    for (uint32_t i = 0; i < random.count; ++i)
      faults.push_back(randomFault(random));
  for (const Fault &fault : faults)
    if (fault.when.unit == FaultTime::Unit::Nanos)
      events.at(fault.when.value, [this, fault] { happen(fault); });
    else
      waiting.push_back(fault);
}

/// Mild ones stay below the limits after which a peer is given up, even if one
/// follows the other.
Fault Simulation::State::randomFault(const RandomFaults &random) {
  constexpr int64_t kMilli = 1'000'000;
  const LinkOptions &links = options.links;
  int64_t mostShort = links.silenceNanos / 3;
  int64_t mostCut = links.reconnectNanos / 2;
  if (random.isMild && random.count > 1)
    mostShort = mostCut = mostCut / random.count;
  Fault fault;
  fault.when.value = events.between(0, random.withinNanos);
  TaskId tasks = options.cluster.size();
  fault.a = events.below(tasks);
  int kinds = random.isMild ? 4 : 5;
  int kind = static_cast<int>(events.below(tasks > 1 ? kinds : 2));
  bool isLong = !random.isMild && events.below(2);
  switch (kind) {
  case 0:
    fault.kind = Fault::Kind::Slow;
    fault.factor = 2 + events.below(30);
    fault.forNanos = events.between(kMilli, 2'000 * kMilli);
    return fault;
  case 1:
    fault.kind = Fault::Kind::Stop;
    fault.forNanos =
        isLong ? 2 * links.silenceNanos : events.between(kMilli, mostShort);
    return fault;
  case 2:
    fault.kind = Fault::Kind::Cut;
    fault.forNanos =
        isLong ? 2 * links.reconnectNanos : events.between(0, mostCut);
    break;
  case 3:
    fault.kind = Fault::Kind::Partition;
    fault.forNanos =
        isLong ? 2 * links.silenceNanos : events.between(kMilli, mostShort);
    break;
  default:
    fault.kind = Fault::Kind::Crash;
    fault.forNanos = isLong ? 0 : events.between(kMilli, 3'000 * kMilli);
    return fault;
  }
  fault.b = (fault.a + 1 + events.below(tasks - 1)) % tasks;
  return fault;
}

void Simulation::State::checkWaiting() {
  for (size_t i = 0; i < waiting.size();) {
    const FaultTime &when = waiting[i].when;
    int64_t reached = when.unit == FaultTime::Unit::Steps
                          ? steps
                          : static_cast<int64_t>(taskEvents);
    if (reached < when.value) {
      ++i;
      continue;
    }
    // Not inside the event that is being handled.
    events.after(0, [this, fault = waiting[i]] { happen(fault); });
    waiting.erase(waiting.begin() + i);
  }
}

void Simulation::State::happen(const Fault &fault) {
  events.log("fault", describeFault(fault, options.cluster));
  happened.push_back({fault, events.now()});
  calmAt = std::max(calmAt, events.now() + fault.forNanos);
  bool isClient = fault.a == kClientEnd || fault.b == kClientEnd;
  TaskId task = fault.a == kClientEnd ? fault.b : fault.a;
  switch (fault.kind) {
  case Fault::Kind::Crash:
    return crash(fault);
  case Fault::Kind::Stop:
    tasks[task]->stop(fault.forNanos);
    return watchClients(task);
  case Fault::Kind::Slow:
    return tasks[task]->slowDown(fault.factor, fault.forNanos);
  case Fault::Kind::Cut:
    return isClient ? clients.cut(task, fault.forNanos)
                    : network.cut(fault.a, fault.b, fault.forNanos);
  case Fault::Kind::Partition:
    if (!isClient)
      return network.partition(fault.a, fault.b, fault.forNanos);
    clients.partition(task, fault.forNanos);
    return watchClients(task);
  }
}

void Simulation::State::crash(const Fault &fault) {
  SimTask &task = *tasks[fault.a];
  if (!task.incarnation())
    return;
  task.crash();
  network.kill(fault.a);
  clients.kill(fault.a);
  if (fault.forNanos > 0)
    events.after(fault.forNanos, [this, &task, name = fault.a] {
      if (task.incarnation())
        return;
      events.log(options.cluster.task(name).name(), "starts again");
      task.begin();
    });
}

void Simulation::State::watchClients(TaskId task) {
  events.after(options.keepaliveNanos, [this, task] {
    if (tasks[task]->isStopped() || clients.isHeld(task))
      clients.giveUp(task);
  });
}

Simulation::Simulation(SimulationOptions options)
    : state(std::make_unique<State>(std::move(options))) {}

Simulation::~Simulation() = default;

StatusOr<ClientMachine *>
Simulation::addClient(std::shared_ptr<const Model> plan,
                      const ClientOptions &options) {
  return state->clients.add(std::move(plan), options);
}

void Simulation::removeClient(const ClientMachine *client) {
  state->clients.remove(client);
}

void Simulation::wake(const ClientMachine *client) {
  state->clients.wake(client);
}

bool Simulation::runUntil(const std::function<bool()> &isDone,
                          int64_t limitNanos) {
  int64_t limit = now() + limitNanos;
  while (!isDone())
    if (!state->events.runOne(limit))
      return false;
  return true;
}

void Simulation::runFor(int64_t nanos) {
  runUntil([] { return false; }, nanos);
}

void Simulation::noteSteps(int64_t steps) {
  state->steps = std::max(state->steps, steps);
  state->checkWaiting();
}

void Simulation::note(std::string_view text) {
  state->events.log("simulation", text);
}

int64_t Simulation::now() const { return state->events.now(); }

uint64_t Simulation::events() const { return state->taskEvents; }

const TaskMachine *Simulation::task(TaskId task) const {
  return state->tasks[task]->machine();
}

bool Simulation::isStopped(TaskId task) const {
  return state->tasks[task]->isStopped();
}

const std::vector<Simulation::Happened> &Simulation::happened() const {
  return state->happened;
}

bool Simulation::hasMoreFaults() const { return !state->waiting.empty(); }

int64_t Simulation::calmAt() const { return state->calmAt; }

const std::string &Simulation::log() const { return state->events.text(); }

const std::vector<std::string> &Simulation::violations() const {
  return state->violations;
}
