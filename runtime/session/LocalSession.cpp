// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/LocalSession.h"

#include "runtime/base/host/AvailableMemory.h"
#include "runtime/base/host/Cores.h"
#include "runtime/data/File.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/format/Quote.h"
#include "runtime/session/DeadlineText.h"
#include "runtime/session/DeviceCheck.h"
#include "runtime/session/ResumeData.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/GraphPorts.h"
#include "runtime/target/DeviceTargets.h"
#include "runtime/target/cpu/LoadKernels.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {

constexpr const char *kInitGraph = "init";

/// Of nowNanos(); 0: never.
int64_t endOf(int64_t deadlineNanos) {
  int64_t end = 0;
  if (deadlineNanos <= 0 ||
      __builtin_add_overflow(nowNanos(), deadlineNanos, &end))
    return 0;
  return end;
}

std::string graphText(const format::Graph &graph) {
  return "graph '" + graph.name()->str() + "'";
}

/// Writes to their slots the feeds that a step does not find there already.
class FeedWriter {
public:
  FeedWriter(const StepEngine &engine, std::span<const BoundFeed> feeds)
      : engine(engine), feeds(feeds) {}

  void writeAll() const {
    for (const BoundFeed &feed : feeds)
      write(feed);
  }
  void writeLost() const {
    for (const BoundFeed &feed : feeds)
      if (!engine.keepsInput(*feed.port))
        write(feed);
  }

private:
  void write(const BoundFeed &feed) const {
    std::copy(feed.value->bytes.begin(), feed.value->bytes.end(),
              engine.slot(*feed.port).begin());
  }

  const StepEngine &engine;
  std::span<const BoundFeed> feeds;
};

} // namespace

LocalSession::LocalSession(std::shared_ptr<const Model> model,
                           const SessionOptions &options)
    : source(std::move(model)), options(options),
      data(*source, options.seed, options.note, options.threads),
      states(source->index().graphs()->size()) {}

// A copy of the variables may go on.
LocalSession::~LocalSession() { updateGate.pass(); }

StatusOr<std::unique_ptr<LocalSession>>
LocalSession::open(const std::string &path, const SessionOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                          Model::open(path));
  return create(std::move(model), options);
}

StatusOr<std::unique_ptr<LocalSession>>
LocalSession::create(std::shared_ptr<const Model> model,
                     const SessionOptions &options) {
  GRAPHC_TRY(checkNoPlanVariants(
      *model, "take one of them, as graphc-run does with --workers=N"));
  if (model->index().part_task())
    return failedPrecondition(
        "model file '" + model->name() + "' is only the part of task " +
        quote(viewOf(model->index().part_task())) +
        "; give the whole model.bin, or serve it with graphc-server");
  GRAPHC_ASSIGN_OR_RETURN(model,
                          takeVariant(std::move(model), options.virtualGpus));
  GRAPHC_TRY(checkDevices(*model, options.virtualGpus));
  if (options.virtualGpus)
    GRAPHC_TRY(checkHostCode(*model, "recompile the model"));
  std::unique_ptr<LocalSession> session(
      new LocalSession(std::move(model), options));
  GRAPHC_TRY(session->prepareDevice());
  GRAPHC_TRY(session->openDevices());
  GRAPHC_ASSIGN_OR_RETURN(
      session->variables,
      VariableStore::create(*session->source, session->devices.get()));
  return session;
}

Status LocalSession::prepareDevice() {
  GRAPHC_ASSIGN_OR_RETURN(level,
                          chooseLevel(detectCpuFeatures(), options.cpuLevel));
  GRAPHC_ASSIGN_OR_RETURN(kernels, loadKernels(*source, level));
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<ThreadPool> pool,
                          ThreadPool::shared(options.threads));
  device = std::make_unique<CpuDevice>(std::move(pool));
  return Status::ok();
}

Status LocalSession::openDevices() {
  if (options.virtualGpus)
    return Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(devices,
                          runtime::openDevices(*source, acceleratorsOf(*source),
                                               {options.shareGpus}));
  return Status::ok();
}

std::vector<std::string> LocalSession::describeDevices() const {
  return devices ? devices->describe() : std::vector<std::string>();
}

StatusOr<LocalSession::GraphState *>
LocalSession::stateOf(const format::Graph &graph) {
  const auto &graphs = *source->index().graphs();
  size_t index =
      std::find(graphs.begin(), graphs.end(), &graph) - graphs.begin();
  GraphState &state = states[index];
  if (state.engine)
    return &state;
  ExecutorSpec spec;
  spec.model = source.get();
  spec.graph = &graph;
  spec.kernels = &kernels;
  spec.device = device.get();
  spec.devices = devices.get();
  spec.variables = variables.addresses();
  spec.host = &data.host();
  spec.seed = options.seed;
  spec.numerics = options.numerics;
  spec.isProfiled = options.isProfiled;
  spec.observer = options.observer;
  if (!options.traced.isEmpty()) {
    state.timeline = std::make_shared<StepTimeline>(
        graph.programs()->size(), graph.programs()->size(), options.traced);
    spec.timeline = state.timeline.get();
  }
  GRAPHC_ASSIGN_OR_RETURN(state.engine, StepEngine::create(spec));
  state.engine->setUpdateGate(&updateGate);
  return &state;
}

std::vector<LocalSession::InstructionTime>
LocalSession::profile(std::string_view graph) const {
  std::vector<InstructionTime> times;
  const auto &graphs = *source->index().graphs();
  for (size_t i = 0; i < states.size(); ++i) {
    if (graphs.Get(i)->name()->string_view() != graph || !states[i].engine)
      continue;
    const StepEngine &engine = *states[i].engine;
    for (size_t p = 0; p < engine.size(); ++p) {
      const format::Program &program = engine.executor(p).program();
      std::span<const double> seconds = engine.executor(p).profile();
      for (uint32_t at = 0; at < seconds.size(); ++at)
        times.push_back(
            {&program, at, program.instructions()->Get(at), seconds[at]});
    }
  }
  return times;
}

const StepTimeline *LocalSession::timeline(std::string_view graph) const {
  const auto &graphs = *source->index().graphs();
  for (size_t i = 0; i < states.size(); ++i)
    if (graphs.Get(i)->name()->string_view() == graph && states[i].engine)
      return states[i].timeline.get();
  return nullptr;
}

StatusOr<Session::BoundData> LocalSession::bindDataset(std::string_view name,
                                                       std::string_view files) {
  return data.bind(name, files);
}

Status LocalSession::initialize(bool) {
  if (source->findGraph(kInitGraph)) {
    RunRequest request;
    request.graph = kInitGraph;
    GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                            runSteps(request, [](auto &) { return true; }));
    // A second initialize() gives the same values again.
    const format::Graph *graph = source->findGraph(kInitGraph);
    GRAPHC_ASSIGN_OR_RETURN(GraphState * state, stateOf(*graph));
    state->steps -= outcome.steps;
    GRAPHC_TRY(variables.updateMirrors());
  }
  hasValues = true;
  hasFirstValues = true;
  return Status::ok();
}

/// The failure of a run whose time was over; `where` it was then.
Status LocalSession::lateStatus(const format::Graph &graph,
                                const std::string &where) const {
  return Status(StatusCode::DeadlineExceeded,
                "running " + graphText(graph) + " took longer than " +
                    deadlineText(options.deadlineNanos) + ": " + where);
}

Status LocalSession::checkReady(const format::Graph &graph,
                                const RunRequest &request) const {
  bool isInit = graph.name()->string_view() == kInitGraph;
  if (!hasValues && !isInit && source->findGraph(kInitGraph))
    return failedPrecondition("the variables have no values yet; call "
                              "initialize() or load() first");
  bool hasEnd = false;
  for (uint32_t index : datasetsOf(graph)) {
    const format::Dataset &dataset = *source->index().datasets()->Get(index);
    if (!data.source(index))
      return failedPrecondition("dataset '" + dataset.name()->str() + "' of " +
                                graphText(graph) +
                                " has no data; name its files (--data " +
                                dataset.name()->str() + "=FILE[,FILE...])");
    hasEnd |= dataset.repeat() != 0;
  }
  if (request.steps < 0)
    return invalidArgument("the number of steps is negative");
  if (request.steps == 0 && !hasEnd)
    return invalidArgument("the data of " + graphText(graph) +
                           " have no end; say how many steps to run "
                           "(--steps=N)");
  return Status::ok();
}

StatusOr<const format::Graph *>
LocalSession::chooseGraph(std::string_view name) const {
  if (!name.empty())
    return findGraph(*source, name);
  GRAPHC_ASSIGN_OR_RETURN(std::string only,
                          onlyGraph(*source, userGraphs(*source)));
  return findGraph(*source, only);
}

Status LocalSession::checkRequest(const RunRequest &request) const {
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          findGraph(*source, request.graph));
  GRAPHC_TRY(bindFeeds(*graph, request.feeds).status());
  return findFetches(*graph, request.fetches).status();
}

StatusOr<RunOutcome> LocalSession::runSteps(const RunRequest &request,
                                            const StepCallback &onStep,
                                            std::optional<uint64_t> firstStep) {
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          findGraph(*source, request.graph));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<BoundFeed> feeds,
                          bindFeeds(*graph, request.feeds));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<const format::Port *> fetches,
                          findFetches(*graph, request.fetches));
  GRAPHC_TRY(checkReady(*graph, request));
  GRAPHC_ASSIGN_OR_RETURN(GraphState * state, stateOf(*graph));

  int64_t until = request.untilNanos.value_or(endOf(options.deadlineNanos));
  GRAPHC_TRY(data.rewind(*graph));
  GRAPHC_ASSIGN_OR_RETURN(std::optional<uint64_t> restored,
                          data.resume(*graph));
  state->steps = firstStep.value_or(restored.value_or(state->steps));
  if (state->timeline) {
    state->timeline->begin(state->steps + 1);
    data.recordBatches(*graph, state->timeline);
  }
  FeedWriter feedWriter(*state->engine, feeds);
  feedWriter.writeAll();
  std::vector<std::span<const std::byte>> values;
  for (const format::Port *fetch : fetches)
    values.push_back(state->engine->slot(*fetch));
  RunOutcome outcome;
  // Whatever ends the run.
  struct AtEnd {
    std::function<void()> act;
    ~AtEnd() { act(); }
  } atEnd{[&] {
    if (graph->name()->string_view() != kInitGraph)
      data.noteSteps(*graph, state->steps,
                     static_cast<uint64_t>(outcome.steps));
  }};
  while (request.steps == 0 || outcome.steps < request.steps) {
    if (outcome.steps > 0)
      feedWriter.writeLost();
    if (state->timeline)
      state->timeline->beginStep(state->steps + 1);
    Status status = state->engine->step(state->steps, until);
    if (status.code() == StatusCode::DeadlineExceeded) {
      data.noteUnmadeStep(*graph);
      return lateStatus(*graph, status.message());
    }
    if (status.code() == StatusCode::OutOfRange) {
      outcome.end = RunOutcome::End::EndOfData;
      return outcome;
    }
    GRAPHC_TRY(status);
    ++state->steps;
    ++outcome.steps;
    if (!onStep(StepView(fetches, values, state->steps))) {
      outcome.end = RunOutcome::End::Stopped;
      return outcome;
    }
    if (std::string where = state->engine->cutShort(); !where.empty())
      return lateStatus(*graph, where);
  }
  return outcome;
}

StatusOr<HostTensor> LocalSession::readVariable(std::string_view name) {
  return variables.read(name);
}

Status LocalSession::writeVariable(std::string_view name,
                                   const HostTensor &value) {
  updateGate.pass();
  return variables.write(name, value);
}

GraphPosition LocalSession::position(const std::string &graph) const {
  auto found = data.positions().find(graph);
  return found == data.positions().end() ? GraphPosition() : found->second;
}

void LocalSession::setPosition(const std::string &graph,
                               const GraphPosition &position) {
  data.setPosition(graph, position);
}

Status LocalSession::recover() {
  return failedPrecondition("a run in one process has no tasks to wait for; "
                            "begin it again from a checkpoint");
}

Status LocalSession::goOn(const std::string &) { return Status::ok(); }

/// Copies the variables of this process's memory while the next step runs.
class LocalSession::Capture final : public StateCapture {
public:
  /// Copies those on accelerators now.
  static StatusOr<std::unique_ptr<StateCapture>>
  begin(LocalSession &session, std::shared_ptr<SessionState> state) {
    // The gate outlives the copy: the session waits for it.
    auto copy = std::make_shared<SnapshotCopy>(
        [gate = &session.updateGate] { gate->open(); });
    for (size_t i = 0; i < state->values.size(); ++i) {
      std::span<std::byte> to = state->values[i].tensor.bytes;
      if (!session.variables.addTo(*copy, i, to))
        GRAPHC_TRY(session.variables.readInto(i, to));
    }
    session.updateGate.close(copy);
    // Where the step takes all cores it makes the copy itself, before it writes
    // variables; a thread more would only stand in its way.
    int spare = static_cast<int>(usableCores()) - session.threads();
    return std::unique_ptr<StateCapture>(
        new Capture(std::move(state), std::move(copy), spare));
  }
  ~Capture() override { copy->finish(); }

  StatusOr<const SessionState *> await() override {
    if (spareCores > 0)
      copy->finish(std::min(spareCores, kMostThreads));
    else
      copy->finishLater(kStepNanos);
    return state.get();
  }

private:
  static constexpr int kMostThreads = 8; // more than what memory keeps busy
  /// Time for a step to come to its updates; after the last one none does.
  static constexpr int64_t kStepNanos = 200'000'000;

  Capture(std::shared_ptr<SessionState> state,
          std::shared_ptr<SnapshotCopy> copy, int spareCores)
      : state(std::move(state)), copy(std::move(copy)), spareCores(spareCores) {
  }

  std::shared_ptr<SessionState> state;
  std::shared_ptr<SnapshotCopy> copy; ///< to `state`
  int spareCores;                     ///< that the steps leave
};

/// Memory for a copy of the variables. Where there is too little the kernel
/// would end the process once it is written to.
StatusOr<std::shared_ptr<SessionState>> LocalSession::makeSpare() const {
  auto made = std::make_shared<SessionState>();
  uint64_t bytes = 0;
  for (const NamedType &variable : variables.types())
    bytes += variable.type.numBytes();
  if (std::optional<uint64_t> there = availableMemory();
      there && bytes > *there)
    return resourceExhausted(
        "saving needs " + std::to_string(bytes) +
        " bytes for a copy of the variables, and " + std::to_string(*there) +
        " are free; end what else uses the memory, or train on a machine with "
        "more");
  for (NamedType &variable : variables.types()) {
    NamedTensor value{std::move(variable.name), {std::move(variable.type), {}}};
    GRAPHC_TRY(resizeBytes(value.tensor.bytes, value.tensor.type.numBytes(),
                           "the copy of " + value.name));
    made->values.push_back(std::move(value));
    made->owners.emplace_back();
  }
  return made;
}

StatusOr<std::unique_ptr<StateCapture>> LocalSession::capture() {
  updateGate.pass(); // of a capture before
  if (!spare || spare.use_count() > 1) {
    spare.reset();
    GRAPHC_ASSIGN_OR_RETURN(spare, makeSpare());
  }
  spare->texts.clear();
  writePositions(data.positions(), spare->texts);
  return Capture::begin(*this, spare);
}

Status LocalSession::restore(const TensorReader &checkpoint, bool isPartial) {
  std::string place = "'" + checkpoint.place() + "'";
  StatusOr<std::optional<Positions>> found = readPositions(checkpoint.texts());
  if (!found.isOk())
    return found.status().annotate(place);
  updateGate.pass();
  Status status = variables.writeAll(checkpoint, isPartial);
  if (!status.isOk()) {
    hasValues &= status.code() == StatusCode::InvalidArgument;
    return status.annotate(place);
  }
  hasValues = true;
  hasFirstValues = false;
  if (isPartial)
    return data.restore({});
  GRAPHC_TRY(data.restore(found->value_or(Positions())));
  if (!*found && options.note)
    options.note(noPositionsText(checkpoint.place()));
  return Status::ok();
}

} // namespace graphc::runtime
