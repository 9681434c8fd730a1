// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/SimRun.h"

#include "runtime/format/PlanSlice.h"
#include "runtime/sim/SimRules.h"
#include "runtime/state/WholeVariables.h"

#include <algorithm>
#include <set>
#include <xxhash.h>

using namespace graphc::runtime;

namespace {

/// A call ends so long after it began or after the last fault at the latest.
constexpr int64_t kMaxCallNanos = 130'000'000'000;
/// Clients of several workers read so long after the last run.
constexpr int64_t kStillNanos = 1'000'000'000;
/// After the clients have left, tasks have so long to forget the runs.
constexpr int64_t kSettleNanos = 20'000'000'000;

std::string seconds(int64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(nanos) * 1e-9);
  return text;
}

void addTo(std::vector<std::string> &list,
           const std::vector<std::string> &more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// One client and what it does, one call after the other.
struct Player {
  ClientMachine *machine = nullptr;
  std::vector<std::string> calls; ///< "open", "read w", ...
  size_t next = 0;
  int64_t began = 0;
  int64_t steps = 0;
  uint64_t lastStep = 0;
  Status status;
  std::string failedIn;
  bool isDone = false;
};

class Stage {
public:
  explicit Stage(const SimRunOptions &options)
      : options(options), simulation(options.simulation) {}

  Status open();
  SimRunReport play();

private:
  std::vector<std::string> instances() const;
  void begin(Player &player, const std::string &call);
  void beginRun(Player &player);
  bool advance();
  void finishCall(Player &player);
  void takeOutcome(const ClientMachine::Outcome &outcome);
  void fail(Player &player, const Status &why);
  bool areVariablesStill(const Player &player);
  void checkHang(const Player &player);
  void checkResidue();
  bool areTasksThere() const;
  bool isLoss() const;
  bool mayBeForgotten() const;
  void tryOnce();
  void tryAgain();
  std::string name(const Player &player) const {
    return "client " + std::to_string(&player - players.data());
  }

  const SimRunOptions &options;
  Simulation simulation;
  std::vector<Player> players;
  uint64_t clients = 0; ///< that there have been
  int64_t stillAt = 0;
  bool isAnew = false;  ///< the chief makes all values, whatever there is
  int64_t wholeAt = -1; ///< when all variables had values; -1: not yet
  SimRunReport report;
};

/// The workers' own copies of the graph, by worker.
std::vector<std::string> Stage::instances() const {
  std::vector<std::string> found;
  for (const graphc::format::Graph *graph : *options.plan->index().graphs())
    if (graph->instance() &&
        graph->instance()->of()->string_view() == options.graph)
      found.push_back(graph->name()->str());
  return found;
}

Status Stage::open() {
  size_t count = std::max<size_t>(1, instances().size());
  bool hasInstances = !instances().empty();
  players = std::vector<Player>(count);
  for (size_t i = 0; i < count; ++i) {
    Player &player = players[i];
    ClientOptions client = options.client;
    client.incarnation = options.simulation.seed * 64 + ++clients;
    client.isChief = i == 0;
    if (hasInstances)
      client.worker = static_cast<uint32_t>(i);
    GRAPHC_ASSIGN_OR_RETURN(player.machine,
                            simulation.addClient(options.plan, client));
    player.calls = {"open"};
    for (const auto &[dataset, files] : options.data)
      player.calls.push_back("bind " + dataset);
    player.calls.push_back("initialize");
    player.calls.push_back("run");
    if (i > 0)
      continue;
    for (const WholeVariable &variable : wholeVariables(*options.plan))
      player.calls.push_back("read " + variable.name);
  }
  return Status::ok();
}

void Stage::beginRun(Player &player) {
  ClientMachine::Run run;
  run.graph = options.graph;
  run.feeds = options.feeds;
  run.steps = options.steps;
  player.machine->beginRun(run, [this, &player](uint64_t step, auto fetches) {
    // A graph counts its steps over all runs.
    if (player.steps > 0 && step != player.lastStep + 1)
      report.violations.push_back(name(player) + " got step " +
                                  std::to_string(step) + " after step " +
                                  std::to_string(player.lastStep));
    player.lastStep = step;
    ++player.steps;
    for (std::span<const std::byte> bytes : fetches)
      report.results =
          XXH3_64bits_withSeed(bytes.data(), bytes.size(), report.results);
    simulation.noteSteps(player.steps);
    return true;
  });
}

void Stage::begin(Player &player, const std::string &call) {
  player.began = simulation.now();
  ClientMachine &machine = *player.machine;
  if (call == "open")
    machine.beginOpen();
  else if (call == "initialize")
    machine.beginInitialize(isAnew);
  else if (call == "run")
    beginRun(player);
  else if (call.starts_with("read "))
    machine.beginRead(std::string_view(call).substr(5));
  else
    for (const auto &[dataset, files] : options.data)
      if (call == "bind " + dataset)
        machine.beginBind(dataset, files);
  simulation.wake(player.machine);
}

void Stage::fail(Player &player, const Status &why) {
  player.status = why;
  player.failedIn = player.calls[player.next];
  player.isDone = true;
  simulation.note(name(player) + " failed in '" + player.failedIn +
                  "': " + why.toString());
  if (!report.status.isOk())
    return;
  report.status = why;
  report.failedIn = player.failedIn.substr(0, player.failedIn.find(' '));
  for (const Simulation::Happened &fault : simulation.happened())
    report.noticedAfterNanos = simulation.now() - fault.at;
}

void Stage::takeOutcome(const ClientMachine::Outcome &outcome) {
  report.lateGradients = std::max(report.lateGradients, outcome.lateGradients);
  for (const auto &worker : outcome.staleness)
    for (int updates = 0; updates < worker.counts_size(); ++updates)
      if (worker.counts(updates) > 0)
        report.mostStale =
            std::max(report.mostStale, static_cast<uint64_t>(updates));
}

void Stage::finishCall(Player &player) {
  const std::string &call = player.calls[player.next];
  Status status = player.machine->result();
  if (!status.isOk())
    return fail(player, status);
  if (call.starts_with("read "))
    report.variables[call.substr(5)] = player.machine->value().bytes;
  if (call == "initialize" && player.machine->madeFirstValues()) {
    if (wholeAt >= 0 && !isAnew && !mayBeForgotten())
      report.violations.push_back(
          name(player) + " made the variables' values anew, though there were "
                         "some and nobody has asked for it");
    wholeAt = simulation.now();
  }
  if (call == "run" && options.steps > 0 && player.steps != options.steps)
    report.violations.push_back(name(player) + " got results of " +
                                std::to_string(player.steps) + " steps, not " +
                                std::to_string(options.steps));
  ++player.next;
  if (call == "run")
    takeOutcome(player.machine->outcome());
  if (call == "run")
    simulation.note(name(player) + " has run " + std::to_string(player.steps) +
                    " steps");
}

/// Variables are read when nobody changes them any more: an update that several
/// workers make together may come after the end of their runs.
bool Stage::areVariablesStill(const Player &player) {
  bool areOthersDone = std::ranges::all_of(players, [&](const Player &other) {
    return &other == &player || other.isDone;
  });
  if (!areOthersDone)
    return false;
  if (stillAt == 0)
    stillAt = simulation.now() + (players.size() > 1 ? kStillNanos : 0);
  return simulation.now() >= stillAt;
}

/// Begins what can be begun; true: all clients have done all.
bool Stage::advance() {
  bool isDone = true;
  for (Player &player : players) {
    if (!player.isDone && player.began && !player.machine->isBusy()) {
      finishCall(player);
      player.began = 0;
      player.isDone |= player.next == player.calls.size();
    }
    if (!player.isDone && !player.began) {
      const std::string &call = player.calls[player.next];
      if (!call.starts_with("read ") || areVariablesStill(player))
        begin(player, call);
    }
    isDone &= player.isDone;
    if (player.began)
      checkHang(player);
  }
  return isDone || !report.violations.empty();
}

void Stage::checkHang(const Player &player) {
  int64_t since = std::max(player.began, simulation.calmAt());
  if (simulation.now() - since > kMaxCallNanos)
    report.violations.push_back(name(player) + " hangs in '" +
                                player.calls[player.next] + "' for " +
                                seconds(simulation.now() - player.began));
}

/// Nothing of a run is left when the clients have gone.
void Stage::checkResidue() {
  for (Player &player : players)
    simulation.removeClient(player.machine);
  // More faults may come meanwhile.
  int64_t left = simulation.now();
  while (simulation.now() < std::max(left, simulation.calmAt()) + kSettleNanos)
    simulation.runFor(kSettleNanos);
  addTo(report.violations, findResidue(simulation, options.simulation.cluster));
}

bool Stage::areTasksThere() const {
  for (TaskId id = 0; id < options.simulation.cluster.size(); ++id)
    if (!simulation.task(id) || simulation.isStopped(id))
      return false;
  return !simulation.hasMoreFaults();
}

/// State is not lost silently: a task that was restarted is named.
bool Stage::isLoss() const {
  return report.failedIn == "initialize" &&
         report.status.code() == StatusCode::FailedPrecondition &&
         report.status.message().find(" has lost the values of ") !=
             std::string::npos;
}

/// Nobody is left who knows that there were values.
bool Stage::mayBeForgotten() const {
  std::set<TaskId> crashed;
  for (const Simulation::Happened &fault : simulation.happened())
    if (fault.fault.kind == Fault::Kind::Crash && fault.at >= wholeAt)
      crashed.insert(fault.fault.a);
  std::vector<std::string> tasks = tasksOf(*options.plan);
  return std::ranges::all_of(tasks, [&](const std::string &task) {
    StatusOr<TaskId> id = options.simulation.cluster.findDevice(task);
    return id.isOk() && crashed.count(*id);
  });
}

void Stage::tryOnce() {
  report.status = Status::ok();
  stillAt = 0;
  Status opened = open();
  if (opened.isOk()) {
    advance();
    simulation.runUntil([this] { return advance(); }, INT64_MAX / 4);
    opened = report.status;
  }
  report.status = opened;
}

/// Runs again: the remains of a run must not disturb the next one, but what was
/// lost must be made by an explicit act.
void Stage::tryAgain() {
  simulation.note("new clients try again");
  report.wasTriedAgain = true;
  Status before = report.status;
  int64_t noticed = report.noticedAfterNanos;
  std::string failedIn = report.failedIn;
  tryOnce();
  if (isLoss()) {
    simulation.note("new clients make the values anew");
    checkResidue();
    isAnew = true;
    tryOnce();
  }
  if (!report.status.isOk())
    report.violations.push_back("after the faults, a run failed again: " +
                                report.status.toString());
  checkResidue();
  report.status = before;
  report.failedIn = failedIn;
  report.noticedAfterNanos = noticed;
}

SimRunReport Stage::play() {
  advance();
  // Calls that hang are found in advance().
  simulation.runUntil([this] { return advance(); }, INT64_MAX / 4);
  addTo(report.violations,
        checkCause(report.status, simulation.happened(), options.simulation));
  report.nanos = simulation.now();
  report.events = simulation.events();
  for (const Player &player : players)
    report.steps.push_back(player.steps);
  checkResidue();
  if (options.isTriedAgain && !report.status.isOk() &&
      report.violations.empty() && areTasksThere())
    tryAgain();
  addTo(report.violations, simulation.violations());
  report.log = simulation.log();
  return std::move(report);
}

} // namespace

StatusOr<SimRunReport>
graphc::runtime::simulateRun(const SimRunOptions &options) {
  Stage stage(options);
  GRAPHC_TRY(stage.open());
  return stage.play();
}
