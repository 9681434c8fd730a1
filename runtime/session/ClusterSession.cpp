// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/ClusterSession.h"

#include "runtime/base/Clock.h"
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/cluster/ChooseGraph.h"
#include "runtime/cluster/TaskData.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/state/WholeVariables.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>

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

std::string secondsText(int64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", static_cast<double>(nanos) * 1e-9);
  return text;
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

  Status drive(const char *what, int64_t stopGraceNanos = 0);
  bool mustStop(int64_t now, int64_t graceNanos);
  Status stopOperation(const Status &why);
  Status checkUsable() const;

  struct BoundFiles {
    std::string dataset, files;
  };
  uint32_t readersOf(std::string_view dataset) const;
  std::string shareOf(const std::string &files, int64_t examples,
                      uint32_t workers) const;
  Status bind(const BoundFiles &data, uint64_t skip);

  ClusterOptions options;
  std::unique_ptr<TaskConnector> connector;
  std::unique_ptr<ClientMachine> machine;
  std::vector<WholeVariable> variables;
  std::vector<BoundFiles> bound; ///< for seekData()
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
Status ClusterSession::State::drive(const char *what, int64_t stopGraceNanos) {
  int64_t begin = nowNanos();
  int64_t deadline = options.deadlineNanos > 0
                         ? begin + options.deadlineNanos
                         : std::numeric_limits<int64_t>::max();
  while (machine->isBusy()) {
    int64_t now = nowNanos();
    if (now >= deadline)
      return stopOperation(
          Status(StatusCode::DeadlineExceeded,
                 std::string(what) + " took longer than its deadline of " +
                     secondsText(options.deadlineNanos) +
                     (lastStatus.empty() ? "" : ": it " + lastStatus)));
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

Status ClusterSession::initialize() {
  GRAPHC_TRY(state->checkUsable());
  state->machine->beginInitialize();
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

Status ClusterSession::State::bind(const BoundFiles &data, uint64_t skip) {
  machine->beginBind(data.dataset, data.files, skip);
  return drive("binding the data");
}

StatusOr<protocol::Reply::Bound>
ClusterSession::bindDataset(std::string_view name, std::string_view files) {
  GRAPHC_TRY(state->checkUsable());
  State::BoundFiles data{std::string(name), std::string(files)};
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
  return state->machine->bound();
}

Status ClusterSession::seekData(const std::string &graph, uint64_t steps) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(
      const format::Graph *chosen,
      chooseGraph(model(), graph, state->options.client.worker));
  std::vector<uint32_t> programs(chosen->programs()->size());
  std::iota(programs.begin(), programs.end(), 0);
  std::map<std::string, uint64_t> perStep;
  for (const BatchUse &use : batchUses(*chosen, programs)) {
    uint64_t &most =
        perStep[model().index().datasets()->Get(use.dataset)->name()->str()];
    most = std::max<uint64_t>(most, use.perStep);
  }
  for (const State::BoundFiles &data : state->bound)
    GRAPHC_TRY(state->bind(data, steps * perStep[data.dataset]));
  return Status::ok();
}

Status ClusterSession::checkRequest(const RunRequest &request) const {
  GRAPHC_ASSIGN_OR_RETURN(
      const format::Graph *graph,
      chooseGraph(model(), request.graph, state->options.client.worker));
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
  ClientMachine::Run run = toRun(request);
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
  ClientMachine::Run run = toRun(request);
  run.firstStep = firstStep;
  bool isStopped = false;
  machine.beginRun(
      run,
      [&](uint64_t step, std::span<const std::span<const std::byte>> values) {
        bool goesOn = onStep(StepView(machine.fetches(), values, step,
                                      machine.outcome().stepSeconds));
        isStopped |= !goesOn;
        return goesOn;
      });
  std::string what = "graph '" + request.graph + "'";
  Status status = state->drive(what.c_str(), state->options.stopGraceNanos);
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

StatusOr<std::vector<HostTensor>>
ClusterSession::run(const RunRequest &request) {
  return runOneStep(*this, request);
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

Status ClusterSession::save(const std::string &path,
                            const SafetensorsMetadata &metadata) {
  std::vector<NamedTensor> values;
  for (const WholeVariable &variable : state->variables) {
    GRAPHC_ASSIGN_OR_RETURN(HostTensor value, readVariable(variable.name));
    values.push_back({variable.name, std::move(value)});
  }
  return saveSafetensors(path, values, metadata);
}

Status ClusterSession::load(const std::string &path,
                            SafetensorsMetadata *metadata) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> values,
                          loadSafetensors(path, metadata));
  GRAPHC_TRY(
      checkCheckpoint(state->variables, values).annotate("'" + path + "'"));
  GRAPHC_TRY(initialize());
  for (const NamedTensor &value : values)
    GRAPHC_TRY(writeVariable(value.name, value.tensor));
  for (const format::Variable *variable : *model().index().variables())
    if (variable->transient()) {
      TensorType type = toTensorType(*variable->type());
      HostTensor zero{type, std::vector<std::byte>(type.numBytes())};
      GRAPHC_TRY(writeVariable(variable->name()->string_view(), zero));
    }
  return Status::ok();
}

Status ClusterSession::recover() {
  GRAPHC_TRY(state->checkUsable());
  state->machine->beginOpen();
  return state->drive("opening the cluster again");
}

const ClientMachine::Outcome &ClusterSession::outcome() const {
  return state->machine->outcome();
}

void ClusterSession::cancel() {
  state->isCancelled.store(true);
  state->connector->interrupt();
}

} // namespace graphc::runtime
