// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/ClusterSession.h"

#include "runtime/base/Clock.h"
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/session/DeadlineText.h"
#include "runtime/session/ResumeData.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/state/TaskData.h"
#include "runtime/state/WholeVariables.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace graphc::runtime {

namespace {

// How often a call that waits looks whether it is to stop.
constexpr int64_t kLookNanos = 50'000'000;
// What is waited for so long is told.
constexpr int64_t kStatusNanos = 300'000'000;
// What a cancelled operation has for telling the tasks and hearing from them.
constexpr int64_t kCancelNanos = 700'000'000;

uint64_t drawIncarnation() {
  std::random_device random;
  uint64_t drawn = 0;
  while (drawn == 0)
    drawn = (uint64_t{random()} << 32) | random();
  return drawn;
}

} // namespace

struct ClusterSession::State final : ClientWorld {
  State(std::unique_ptr<TaskConnector> connector, ClusterOptions options)
      : options(std::move(options)), connector(std::move(connector)) {}

  // ClientWorld
  int64_t nowNanos() const override { return runtime::nowNanos(); }
  void send(TaskId task, protocol::Request request) override {
    connector->send(task, std::move(request));
  }
  void status(std::string_view text) override {
    if (text == lastStatus)
      return;
    lastStatus = text;
    statusSince = nowNanos();
  }
  void tellStatus(int64_t now);
  std::string awaitedText() const;

  Status drive(const char *what, int64_t stopGraceNanos = 0,
               std::optional<int64_t> untilNanos = std::nullopt);
  bool mustStop(int64_t now, int64_t graceNanos);
  Status stopOperation(const Status &why);
  Status checkUsable() const;

  struct BoundFiles {
    std::string dataset, files;
    protocol::Reply::Bound bound = {};
    uint64_t taken = 0; ///< batches
  };
  std::map<std::string, uint64_t>
  batchesPerStep(const format::Graph &graph) const;
  Status resume(const format::Graph &graph, std::optional<uint64_t> &firstStep);
  void notePosition(const format::Graph &graph, uint64_t step, uint64_t steps);
  uint32_t readersOf(std::string_view dataset) const;
  std::string shareOf(const std::string &files, int64_t examples,
                      uint32_t workers) const;
  Status bind(BoundFiles &data, uint64_t skip);

  ClusterOptions options;
  std::unique_ptr<TaskConnector> connector;
  std::unique_ptr<ClientMachine> machine;
  std::vector<WholeVariable> variables;
  std::vector<BoundFiles> bound;  ///< for seekData()
  Positions positions;            ///< by graph, instances by their own names
  std::set<std::string> restored; ///< graphs that have not run since load()
  bool mayLackData = false; ///< a task was started anew since they were bound
  std::string lastStatus, toldStatus;
  int64_t statusSince = 0;
  std::atomic<bool> isCancelled{false};
  int64_t stopSince = 0; ///< when a stop was requested; 0: it was not
  bool isStuck = false;  ///< an operation did not end when it was cancelled
};

/// What is waited for, unless it is over soon.
void ClusterSession::State::tellStatus(int64_t now) {
  if (lastStatus == toldStatus ||
      (!lastStatus.empty() && now - statusSince < kStatusNanos))
    return;
  toldStatus = lastStatus;
  if (options.onStatus)
    options.onStatus(toldStatus);
}

std::string ClusterSession::State::awaitedText() const {
  if (!lastStatus.empty())
    return ": " + lastStatus;
  std::string tasks = machine->awaitedTasks();
  return tasks.empty() ? "" : ": no answer from " + tasks;
}

bool ClusterSession::State::mustStop(int64_t now, int64_t graceNanos) {
  if (isCancelled.load())
    return true;
  if (!options.isStopRequested || !options.isStopRequested())
    return false;
  if (stopSince == 0)
    stopSince = now;
  return now - stopSince >= graceNanos;
}

/// Lets the machine work until its operation is over or the deadline has come.
/// `untilNanos`: of nowNanos(), where it is not an operation's usual one.
Status ClusterSession::State::drive(const char *what, int64_t stopGraceNanos,
                                    std::optional<int64_t> untilNanos) {
  int64_t deadline = untilNanos.value_or(
      options.deadlineNanos > 0 ? nowNanos() + options.deadlineNanos
                                : std::numeric_limits<int64_t>::max());
  while (machine->isBusy()) {
    int64_t now = nowNanos();
    if (now >= deadline)
      return stopOperation(Status(StatusCode::DeadlineExceeded,
                                  std::string(what) + " took longer than " +
                                      deadlineText(options.deadlineNanos) +
                                      awaitedText()));
    if (mustStop(now, stopGraceNanos))
      return stopOperation(
          cancelled(std::string(what) + " was cancelled by its caller"));
    tellStatus(now);
    connector->pump(
        *machine, std::min({machine->nextTimer(), now + kLookNanos, deadline}));
    if (machine->isBusy() && machine->nextTimer() <= nowNanos())
      machine->onTimer();
  }
  status("");
  tellStatus(nowNanos());
  return machine->result();
}

/// Cancels the operation; `why` is its outcome, unless it was over already.
Status ClusterSession::State::stopOperation(const Status &why) {
  machine->cancel();
  int64_t end = nowNanos() + kCancelNanos;
  while (machine->isBusy() && nowNanos() < end) {
    connector->pump(*machine, std::min({machine->nextTimer(),
                                        nowNanos() + kLookNanos, end}));
    if (machine->isBusy() && machine->nextTimer() <= nowNanos())
      machine->onTimer();
  }
  isStuck = machine->isBusy();
  status("");
  tellStatus(nowNanos());
  return why;
}

Status ClusterSession::State::checkUsable() const {
  if (isStuck)
    return failedPrecondition(
        "an earlier call did not end when it was cancelled, since tasks do not "
        "answer; open the cluster anew");
  return Status::ok();
}

ClusterSession::ClusterSession() = default;
ClusterSession::~ClusterSession() = default;

StatusOr<std::unique_ptr<ClusterSession>>
ClusterSession::open(std::shared_ptr<const Model> plan, ClusterSpec cluster,
                     std::unique_ptr<TaskConnector> connector,
                     ClusterOptions options) {
  if (options.client.incarnation == 0)
    options.client.incarnation = drawIncarnation();
  std::unique_ptr<ClusterSession> session(new ClusterSession());
  session->state =
      std::make_unique<State>(std::move(connector), std::move(options));
  State &state = *session->state;
  GRAPHC_ASSIGN_OR_RETURN(
      state.machine, ClientMachine::create(std::move(plan), std::move(cluster),
                                           state.options.client, state));
  state.variables = wholeVariables(state.machine->plan());
  state.machine->beginOpen();
  GRAPHC_TRY(state.drive("opening the cluster"));
  return session;
}

const Model &ClusterSession::model() const { return state->machine->plan(); }

const ClusterSpec &ClusterSession::cluster() const {
  return state->machine->cluster();
}

Status ClusterSession::initialize(bool isAnew) {
  GRAPHC_TRY(state->checkUsable());
  state->machine->beginInitialize(isAnew);
  return state->drive("giving the variables their first values");
}

bool ClusterSession::madeFirstValues() const {
  return state->machine->madeFirstValues();
}

/// The number of workers that train with a dataset, each by itself; 1: it is no
/// such dataset, or there is no worker.
uint32_t ClusterSession::State::readersOf(std::string_view dataset) const {
  if (!options.client.worker || !options.dividesData)
    return 1;
  const Model &plan = machine->plan();
  for (const format::Graph *graph : *plan.index().graphs()) {
    if (!graph->instance() ||
        graph->instance()->coordination() == format::Coordination::None)
      continue;
    for (uint32_t index : datasetsOf(*graph))
      if (plan.index().datasets()->Get(index)->name()->string_view() == dataset)
        return graph->instance()->workers();
  }
  return 1;
}

/// "FILE@BEGIN:END" with the rows of this worker, of so many.
std::string ClusterSession::State::shareOf(const std::string &files,
                                           int64_t examples,
                                           uint32_t workers) const {
  size_t at = files.rfind('@');
  int64_t begin = 0;
  if (at != std::string::npos) // binding has checked what follows
    std::from_chars(files.data() + at + 1, files.data() + files.size(), begin);
  int64_t worker = *options.client.worker;
  return files.substr(0, at) + "@" +
         std::to_string(begin + examples * worker / workers) + ":" +
         std::to_string(begin + examples * (worker + 1) / workers);
}

Status ClusterSession::State::bind(BoundFiles &data, uint64_t skip) {
  machine->beginBind(data.dataset, data.files, skip);
  GRAPHC_TRY(drive("binding the data"));
  data.bound = machine->bound();
  data.taken = skip;
  return Status::ok();
}

/// By dataset.
std::map<std::string, uint64_t>
ClusterSession::State::batchesPerStep(const format::Graph &graph) const {
  std::vector<uint32_t> programs(graph.programs()->size());
  std::iota(programs.begin(), programs.end(), 0);
  std::map<std::string, uint64_t> perStep;
  for (const BatchUse &use : batchUses(graph, programs)) {
    const auto &datasets = *machine->plan().index().datasets();
    uint64_t &most = perStep[datasets.Get(use.dataset)->name()->str()];
    most = std::max<uint64_t>(most, use.perStep);
  }
  return perStep;
}

/// After load(): the graph's next step is the one that came next.
Status ClusterSession::State::resume(const format::Graph &graph,
                                     std::optional<uint64_t> &firstStep) {
  std::string name = graph.name()->str();
  if (restored.erase(name) == 0)
    return Status::ok();
  const GraphPosition &position = positions[name];
  if (!firstStep)
    firstStep = position.step;
  const auto &datasets = *machine->plan().index().datasets();
  for (BoundFiles &data : bound)
    for (const format::Dataset *dataset : datasets) {
      if (dataset->name()->string_view() != data.dataset || data.taken > 0)
        continue;
      uint64_t skip = batchesToSkip(
          position, data.dataset, data.bound.examples(),
          data.bound.batches_per_epoch(), dataset->repeat(), options.onStatus);
      if (skip > 0)
        GRAPHC_TRY(bind(data, skip));
    }
  return Status::ok();
}

void ClusterSession::State::notePosition(const format::Graph &graph,
                                         uint64_t step, uint64_t steps) {
  if (steps == 0)
    return;
  GraphPosition &position = positions[graph.name()->str()];
  position.step = step;
  std::map<std::string, uint64_t> perStep = batchesPerStep(graph);
  for (BoundFiles &data : bound)
    if (uint64_t batches = steps * perStep[data.dataset]; batches > 0) {
      data.taken += batches;
      position.data[data.dataset] = {
          data.taken, static_cast<uint64_t>(data.bound.examples())};
    }
}

StatusOr<Session::BoundData>
ClusterSession::bindDataset(std::string_view name, std::string_view files) {
  GRAPHC_TRY(state->checkUsable());
  State::BoundFiles data{std::string(name), std::string(files), {}, 0};
  GRAPHC_TRY(state->bind(data, 0));
  uint32_t workers = state->readersOf(name);
  if (workers > 1) {
    data.files =
        state->shareOf(data.files, state->machine->bound().examples(), workers);
    GRAPHC_TRY(state->bind(data, 0));
  }
  std::erase_if(state->bound, [&](const State::BoundFiles &entry) {
    return entry.dataset == name;
  });
  state->bound.push_back(std::move(data));
  const protocol::Reply::Bound &found = state->machine->bound();
  return BoundData{found.examples(), found.batches_per_epoch(),
                   found.dropped_per_epoch()};
}

Status ClusterSession::seekData(const std::string &graph, uint64_t steps) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen, chooseGraph(graph));
  std::map<std::string, uint64_t> perStep = state->batchesPerStep(*chosen);
  for (State::BoundFiles &data : state->bound)
    GRAPHC_TRY(state->bind(data, steps * perStep[data.dataset]));
  return Status::ok();
}

StatusOr<const format::Graph *>
ClusterSession::chooseGraph(std::string_view name) const {
  std::string only;
  if (name.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(only, onlyGraph(model(), sourceGraphs(model())));
    name = only;
  }
  return runtime::chooseGraph(model(), name, state->options.client.worker);
}

Status ClusterSession::checkRequest(const RunRequest &request) const {
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          chooseGraph(request.graph));
  GRAPHC_TRY(bindFeeds(*graph, request.feeds).status());
  return findFetches(*graph, request.fetches).status();
}

namespace {
ClientMachine::Run toRun(const RunRequest &request) {
  ClientMachine::Run run;
  run.graph = request.graph;
  run.feeds = request.feeds;
  run.fetches = request.fetches;
  run.steps = request.steps;
  return run;
}
} // namespace

Status ClusterSession::prepareSteps(const RunRequest &request) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_TRY(checkRequest(request));
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          chooseGraph(request.graph));
  ClientMachine::Run run = toRun(request);
  GRAPHC_TRY(state->resume(*graph, run.firstStep));
  run.onlyPrepares = true;
  state->machine->beginRun(run, [](uint64_t, auto) { return true; });
  std::string what = "preparing graph '" + request.graph + "'";
  return state->drive(what.c_str());
}

StatusOr<RunOutcome>
ClusterSession::runSteps(const RunRequest &request, const StepCallback &onStep,
                         std::optional<uint64_t> firstStep) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_TRY(checkRequest(request));
  ClientMachine &machine = *state->machine;
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          chooseGraph(request.graph));
  GRAPHC_TRY(state->resume(*graph, firstStep));
  ClientMachine::Run run = toRun(request);
  run.firstStep = firstStep;
  bool isStopped = false;
  uint64_t lastStep = 0;
  machine.beginRun(
      run,
      [&](uint64_t step, std::span<const std::span<const std::byte>> values) {
        lastStep = step;
        bool goesOn = onStep(StepView(machine.fetches(), values, step,
                                      machine.outcome().stepSeconds));
        isStopped |= !goesOn;
        return goesOn;
      });
  std::string what = "graph '" + request.graph + "'";
  Status status = state->drive(what.c_str(), state->options.stopGraceNanos,
                               request.untilNanos);
  state->notePosition(*graph, lastStep,
                      static_cast<uint64_t>(machine.outcome().steps));
  if (!status.isOk() && !isStopped)
    return status;
  RunOutcome outcome;
  outcome.steps = machine.outcome().steps;
  if (isStopped || machine.outcome().isStopped)
    outcome.end = RunOutcome::End::Stopped;
  else if (machine.outcome().isEndOfData)
    outcome.end = RunOutcome::End::EndOfData;
  outcome.why = machine.outcome().whyEnded;
  return outcome;
}

void ClusterSession::endRuns() {
  if (state->checkUsable().isOk())
    state->machine->endRuns();
}

StatusOr<HostTensor> ClusterSession::readVariable(std::string_view name) {
  GRAPHC_TRY(state->checkUsable());
  state->machine->beginRead(name);
  GRAPHC_TRY(state->drive("reading a variable")
                 .annotate("variable '" + std::string(name) + "'"));
  return state->machine->value();
}

Status ClusterSession::writeVariable(std::string_view name,
                                     const HostTensor &value) {
  GRAPHC_TRY(state->checkUsable());
  state->machine->beginWrite(name, value);
  return state->drive("writing a variable")
      .annotate("variable '" + std::string(name) + "'");
}

Status ClusterSession::save(const std::string &path, const Metadata &metadata) {
  GRAPHC_TRY(state->checkUsable());
  state->machine->beginSnapshot();
  Status status = state->drive("saving the variables");
  std::vector<NamedTensor> values;
  for (const WholeVariable &variable : state->variables) {
    if (!status.isOk())
      break;
    StatusOr<HostTensor> value = readVariable(variable.name);
    status = value.status();
    if (value.isOk())
      values.push_back({variable.name, std::move(*value)});
  }
  state->machine->endSnapshot();
  GRAPHC_TRY(status);
  SafetensorsMetadata texts = metadata;
  writePositions(state->positions, texts);
  return saveSafetensors(path, values, texts);
}

GraphPosition ClusterSession::position(const std::string &graph) const {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  if (!chosen.isOk())
    return {};
  std::string name = (*chosen)->name()->str();
  auto found = state->positions.find(name);
  if (found != state->positions.end())
    return found->second;
  GraphPosition position;
  position.step = state->machine->nextStep(name);
  return position;
}

void ClusterSession::setPosition(const std::string &graph,
                                 const GraphPosition &position) {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  if (!chosen.isOk())
    return;
  state->positions[(*chosen)->name()->str()] = position;
  state->restored.insert((*chosen)->name()->str());
}

Status ClusterSession::goOn(const std::string &graph) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen, chooseGraph(graph));
  GraphPosition position = this->position(graph);
  // Results of the last steps may not have come.
  uint64_t reached =
      std::max(position.step, state->machine->nextStep(chosen->name()->str()));
  std::map<std::string, uint64_t> perStep = state->batchesPerStep(*chosen);
  for (State::BoundFiles &data : state->bound) {
    uint64_t unseen = (reached - position.step) * perStep[data.dataset];
    GRAPHC_TRY(state->bind(data, data.taken + unseen));
    if (perStep[data.dataset] > 0)
      position.data[data.dataset] = {
          data.taken, static_cast<uint64_t>(data.bound.examples())};
  }
  position.step = reached;
  setPosition(graph, position);
  return Status::ok();
}

bool ClusterSession::endedWithinStep(const std::string &graph) const {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  return chosen.isOk() &&
         state->machine->endedWithinStep((*chosen)->name()->str());
}

std::string ClusterSession::tasksBehind(const std::string &graph) const {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  return chosen.isOk() ? state->machine->tasksBehind((*chosen)->name()->str())
                       : "";
}

Status ClusterSession::load(const std::string &path, Metadata *metadata) {
  SafetensorsMetadata texts;
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> values,
                          loadSafetensors(path, &texts));
  StatusOr<std::optional<Positions>> found = readPositions(texts);
  if (!found.isOk())
    return found.status().annotate("'" + path + "'");
  if (metadata)
    *metadata = texts;
  GRAPHC_TRY(
      checkCheckpoint(state->variables, values).annotate("'" + path + "'"));
  // The chief needs no values to replace.
  if (!state->options.client.isChief)
    GRAPHC_TRY(initialize());
  state->machine->beginReplace();
  GRAPHC_TRY(state->drive("replacing the variables' values"));
  for (const NamedTensor &value : values)
    GRAPHC_TRY(writeVariable(value.name, value.tensor));
  for (const format::Variable *variable : *model().index().variables())
    if (variable->transient()) {
      TensorType type = toTensorType(*variable->type());
      HostTensor zero{type, std::vector<std::byte>(type.numBytes())};
      GRAPHC_TRY(writeVariable(variable->name()->string_view(), zero));
    }
  state->positions = found->value_or(Positions());
  state->restored.clear();
  for (const auto &[graph, position] : state->positions)
    state->restored.insert(graph);
  for (State::BoundFiles &data : state->bound)
    if (data.taken > 0 || state->mayLackData)
      GRAPHC_TRY(state->bind(data, 0));
  state->mayLackData = false;
  if (!*found && state->options.onStatus)
    state->options.onStatus(noPositionsText(path));
  return Status::ok();
}

Status ClusterSession::recover() {
  GRAPHC_TRY(state->checkUsable());
  state->mayLackData = true;
  state->machine->beginOpen();
  return state->drive("opening the cluster again");
}

int64_t ClusterSession::deadlineNanos() const {
  return state->options.deadlineNanos;
}

const ClientMachine::Outcome &ClusterSession::outcome() const {
  return state->machine->outcome();
}

void ClusterSession::cancel() {
  state->isCancelled.store(true);
  state->connector->interrupt();
}

} // namespace graphc::runtime
