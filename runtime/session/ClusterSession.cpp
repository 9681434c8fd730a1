// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/ClusterSession.h"

#include "runtime/format/ModelNames.h"
#include "runtime/session/ClusterData.h"
#include "runtime/session/OperationDriver.h"
#include "runtime/session/ResumeData.h"
#include "runtime/session/ShardCapture.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/state/WholeVariables.h"

#include <algorithm>
#include <random>

namespace graphc::runtime {

namespace {

/// For tasks to write what they had copied before another was lost.
constexpr int64_t kRecoveryNanos = 5'000'000'000;

uint64_t drawIncarnation() {
  std::random_device random;
  uint64_t drawn = 0;
  while (drawn == 0)
    drawn = (uint64_t{random()} << 32) | random();
  return drawn;
}

} // namespace

struct ClusterSession::State {
  State(std::unique_ptr<TaskConnector> connector, ClusterOptions given)
      : options(std::move(given)),
        driver(std::move(connector), {options.deadlineNanos, options.onStatus,
                                      options.isStopRequested}),
        data(driver, options.client.worker, options.dividesData,
             options.onStatus) {}

  /// Gives up what tasks are writing.
  ~State() {
    if (driverOfCaptures.use_count() > 1)
      machine().giveUpShards(cancelled("the session ended"));
    *driverOfCaptures = nullptr;
  }

  StatusOr<HostTensor> readVariable(std::string_view name);
  /// `refusal`: why tasks do not write the values by themselves.
  StatusOr<std::unique_ptr<StateCapture>> read(const Model &model,
                                               std::string refusal = {});
  ClientMachine &machine() { return driver.machine(); }
  Status drive(const char *what) { return driver.drive(what); }
  Status checkUsable() const { return driver.checkUsable(); }
  /// Once before the runs of a graph that are recorded.
  Status measureClocks(const format::Graph &graph) {
    if (options.recorded.isEmpty() || measured == &graph)
      return Status::ok();
    machine().beginClocks(graph);
    GRAPHC_TRY(drive("measuring the clocks"));
    measured = &graph;
    return Status::ok();
  }

  const ClusterOptions options;
  OperationDriver driver;
  /// For captures, which may outlive the session: null then.
  std::shared_ptr<OperationDriver *> driverOfCaptures =
      std::make_shared<OperationDriver *>(&driver);
  ClusterData data;
  std::vector<WholeVariable> variables;
  const format::Graph *measured = nullptr; ///< the clocks of its tasks are
};

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
  GRAPHC_TRY(state.driver.create(std::move(plan), std::move(cluster),
                                 state.options.client));
  state.variables = wholeVariables(state.machine().plan());
  state.machine().beginOpen();
  GRAPHC_TRY(state.drive("opening the cluster"));
  return session;
}

const Model &ClusterSession::model() const { return state->machine().plan(); }

const ClusterSpec &ClusterSession::cluster() const {
  return state->machine().cluster();
}

Status ClusterSession::initialize(bool isAnew) {
  GRAPHC_TRY(state->checkUsable());
  state->machine().beginInitialize(isAnew);
  return state->drive("giving the variables their first values");
}

bool ClusterSession::madeFirstValues() const {
  return state->machine().madeFirstValues();
}

static Session::BoundData toBoundData(const protocol::Reply::Bound &found) {
  return {found.examples(), found.batches_per_epoch(),
          found.dropped_per_epoch()};
}

StatusOr<Session::BoundData>
ClusterSession::bindDataset(std::string_view name, std::string_view files) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(protocol::Reply::Bound found,
                          state->data.bind(name, files));
  return toBoundData(found);
}

StatusOr<Session::BoundData>
ClusterSession::rewindDataset(std::string_view name) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(protocol::Reply::Bound found,
                          state->data.rewind(name));
  return toBoundData(found);
}

Status ClusterSession::seekData(const std::string &graph, uint64_t steps) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen, chooseGraph(graph));
  return state->data.seek(*chosen, steps);
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
  run.recorded = state->options.recorded;
  GRAPHC_TRY(state->measureClocks(*graph));
  GRAPHC_TRY(state->data.resume(*graph, run.firstStep));
  run.onlyPrepares = true;
  state->machine().beginRun(run, [](uint64_t, auto) { return true; });
  std::string what = "preparing graph '" + request.graph + "'";
  return state->drive(what.c_str());
}

StatusOr<RunOutcome>
ClusterSession::runSteps(const RunRequest &request, const StepCallback &onStep,
                         std::optional<uint64_t> firstStep) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_TRY(checkRequest(request));
  ClientMachine &machine = state->machine();
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          chooseGraph(request.graph));
  GRAPHC_TRY(state->measureClocks(*graph));
  GRAPHC_TRY(state->data.resume(*graph, firstStep));
  ClientMachine::Run run = toRun(request);
  run.recorded = state->options.recorded;
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
  Status status = state->driver.drive(
      what.c_str(), state->options.stopGraceNanos, request.untilNanos);
  state->data.noteSteps(*graph, lastStep,
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
  if (!state->checkUsable().isOk())
    return;
  // A worker that waits for this client's gradients would wait for a message
  // that is only queued here. A task that is gone has lost its runs anyway.
  state->machine().beginEndRuns();
  (void)state->drive("ending the runs");
}

StatusOr<HostTensor> ClusterSession::readVariable(std::string_view name) {
  return state->readVariable(name);
}

StatusOr<HostTensor>
ClusterSession::State::readVariable(std::string_view name) {
  GRAPHC_TRY(checkUsable());
  machine().beginRead(name);
  GRAPHC_TRY(drive("reading a variable")
                 .annotate("variable '" + std::string(name) + "'"));
  return machine().value();
}

Status ClusterSession::writeVariable(std::string_view name,
                                     const HostTensor &value) {
  GRAPHC_TRY(state->checkUsable());
  state->machine().beginWrite(name, value);
  return state->drive("writing a variable")
      .annotate("variable '" + std::string(name) + "'");
}

namespace {

/// Values that were read.
class ReadState final : public StateCapture {
public:
  StatusOr<const SessionState *> await() override { return &state; }
  std::string whyNoShards() const override { return refusal; }
  SessionState state;
  std::string refusal;
};

/// The task of a variable's first rows; empty: any.
std::string ownerOf(const Model &model, const std::string &name) {
  for (const format::Variable *variable : *model.index().variables()) {
    const auto *whole =
        variable->part_of() ? variable->part_of() : variable->name();
    if (whole->string_view() != name)
      continue;
    std::string device(deviceOf(model.index(), *variable));
    return device.substr(0, device.find("/device:"));
  }
  return {};
}

} // namespace

StatusOr<std::unique_ptr<StateCapture>> ClusterSession::capture() {
  return state->read(model());
}

StatusOr<std::unique_ptr<StateCapture>>
ClusterSession::State::read(const Model &model, std::string refusal) {
  GRAPHC_TRY(checkUsable());
  machine().beginSnapshot();
  Status status = drive("saving the variables");
  auto captured = std::make_unique<ReadState>();
  captured->refusal = std::move(refusal);
  for (const WholeVariable &variable : variables) {
    if (!status.isOk())
      break;
    StatusOr<HostTensor> value = readVariable(variable.name);
    status = value.status();
    if (!value.isOk())
      continue;
    captured->state.values.push_back({variable.name, std::move(*value)});
    captured->state.owners.push_back(ownerOf(model, variable.name));
  }
  machine().endSnapshot();
  GRAPHC_TRY(status);
  writePositions(data.positions(), captured->state.texts);
  return std::unique_ptr<StateCapture>(std::move(captured));
}

StatusOr<std::unique_ptr<StateCapture>>
ClusterSession::captureTo(const PendingCheckpoint &pending) {
  GRAPHC_TRY(state->checkUsable());
  auto progress = std::make_shared<ShardProgress>();
  SessionState result;
  writePositions(state->data.positions(), result.texts);
  auto onEnd = [this, progress, result = std::move(result)](
                   const Status &status,
                   const std::vector<WrittenShard> &shards) mutable {
    for (const WrittenShard &shard : shards) {
      result.shards.push_back(toManifest(shard));
      CheckpointManifest::Shard &made = result.shards.back();
      made.owner = ownerOf(model(), made.tensors.begin()->first);
      if (made.owner.empty())
        made.owner = cluster().task(shard.task).name();
      result.shardBytes += shard.written.tensor_bytes();
    }
    progress->end(status, std::move(result));
  };
  state->machine().beginShards({pending.folder, pending.token},
                               std::move(onEnd));
  GRAPHC_TRY(state->drive("saving the variables"));
  if (!state->machine().areShardsAccepted())
    return state->read(model(), state->machine().shardRefusal());
  return std::unique_ptr<StateCapture>(
      new ShardCapture(std::move(progress), state->driverOfCaptures));
}

GraphPosition ClusterSession::position(const std::string &graph) const {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  if (!chosen.isOk())
    return {};
  std::string name = (*chosen)->name()->str();
  const Positions &positions = state->data.positions();
  auto found = positions.find(name);
  if (found != positions.end())
    return found->second;
  GraphPosition position;
  position.step = state->machine().nextStep(name);
  return position;
}

void ClusterSession::setPosition(const std::string &graph,
                                 const GraphPosition &position) {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  if (chosen.isOk())
    state->data.setPosition((*chosen)->name()->str(), position);
}

Status ClusterSession::goOn(const std::string &graph) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen, chooseGraph(graph));
  GraphPosition position = this->position(graph);
  // Results of the last steps may not have come.
  uint64_t reached =
      std::max(position.step, state->machine().nextStep(chosen->name()->str()));
  GRAPHC_ASSIGN_OR_RETURN(position,
                          state->data.skipTo(*chosen, position, reached));
  setPosition(graph, position);
  return Status::ok();
}

bool ClusterSession::endedWithinStep(const std::string &graph) const {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  return chosen.isOk() &&
         state->machine().endedWithinStep((*chosen)->name()->str());
}

std::string ClusterSession::tasksBehind(const std::string &graph) const {
  StatusOr<const format::Graph *> chosen = chooseGraph(graph);
  return chosen.isOk() ? state->machine().tasksBehind((*chosen)->name()->str())
                       : "";
}

Status ClusterSession::restore(const TensorReader &checkpoint, bool isPartial) {
  std::string place = "'" + checkpoint.place() + "'";
  StatusOr<std::optional<Positions>> found = readPositions(checkpoint.texts());
  if (!found.isOk())
    return found.status().annotate(place);
  GRAPHC_TRY(checkCheckpoint(state->variables, checkpoint.entries(), isPartial)
                 .annotate(place));
  // The chief needs no values to replace, unless some stay.
  if (!state->options.client.isChief || isPartial)
    GRAPHC_TRY(initialize());
  if (!isPartial) {
    state->machine().beginReplace();
    GRAPHC_TRY(state->drive("replacing the variables' values"));
  }
  for (size_t entry = 0; entry < checkpoint.entries().size(); ++entry) {
    GRAPHC_ASSIGN_OR_RETURN(HostTensor value, readTensor(checkpoint, entry));
    GRAPHC_TRY(writeVariable(checkpoint.entries()[entry].name, value));
  }
  for (const format::Variable *variable : *model().index().variables())
    if (variable->transient()) {
      TensorType type = toTensorType(*variable->type());
      HostTensor zero{type, std::vector<std::byte>(type.numBytes())};
      GRAPHC_TRY(writeVariable(variable->name()->string_view(), zero));
    }
  if (isPartial)
    return state->data.restore({});
  GRAPHC_TRY(state->data.restore(found->value_or(Positions())));
  if (!*found && state->options.onStatus)
    state->options.onStatus(noPositionsText(checkpoint.place()));
  return Status::ok();
}

StatusOr<RunTimeline> ClusterSession::timeline(std::string_view graph) {
  GRAPHC_TRY(state->checkUsable());
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *chosen, chooseGraph(graph));
  constexpr int64_t kGraceNanos = 10'000'000'000;
  state->machine().beginTimeline(*chosen);
  GRAPHC_TRY(state->driver.drive("reading the timelines", kGraceNanos));
  return std::move(state->machine().timeline());
}

Status ClusterSession::recover() {
  GRAPHC_TRY(state->checkUsable());
  state->measured = nullptr;
  state->data.noteLoss();
  state->machine().beginOpen();
  GRAPHC_TRY(state->drive("opening the cluster again"));
  // Whoever is not lost may complete a checkpoint, but is not waited for long.
  state->driver.driveShards(kRecoveryNanos);
  return Status::ok();
}

int64_t ClusterSession::deadlineNanos() const {
  return state->options.deadlineNanos;
}

const ClientMachine::Outcome &ClusterSession::outcome() const {
  return state->machine().outcome();
}

void ClusterSession::cancel() { state->driver.cancel(); }

} // namespace graphc::runtime
