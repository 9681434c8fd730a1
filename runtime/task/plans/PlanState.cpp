// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/plans/PlanState.h"

#include "runtime/format/HostVariant.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/format/Quote.h"
#include "runtime/target/DeviceTargets.h"
#include "runtime/target/cpu/LoadKernels.h"
#include "runtime/task/updates/UpdateQueue.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

constexpr size_t kAlignment = 64;
/// Smaller values are copied: that is faster than another frame.
constexpr size_t kMinShared = 64 << 10;
/// Engines of a graph that are kept for later runs.
constexpr size_t kMaxFreeEngines = 2;

/// The model as the task's part; what comes from a file may be a whole plan, or
/// plan variants.
StatusOr<std::shared_ptr<const Model>>
partOf(std::shared_ptr<const Model> model, const std::string &digest,
       const ClusterSpec &cluster, const std::string &task) {
  std::string name = planDigest(*model);
  if (!digest.empty() && name != digest)
    return invalidArgument("the part that was loaded is of plan " + name +
                           ", not of " + quote(digest) +
                           "; the client must send the plan that it names");
  GRAPHC_ASSIGN_OR_RETURN(model,
                          takePlanVariant(std::move(model), cluster.workers()));
  const format::Model &index = model->index();
  if (!index.part_task()) {
    GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                            makeSlice(*model, task));
    return Model::fromBytes(std::move(bytes), model->name());
  }
  if (viewOf(index.part_task()) != task)
    return invalidArgument("the part that was loaded is that of " +
                           quote(viewOf(index.part_task())) +
                           ", but this task is " + task);
  return model;
}

bool writesVariables(const format::Program &program) {
  bool writes = false;
  for (const format::Instruction *instruction : *program.instructions())
    forEachWrite(*instruction, [&](uint32_t slot) {
      writes |=
          program.slots()->Get(slot)->kind() == format::SlotKind::Variable;
    });
  return writes;
}

bool isCoordinated(const format::Graph &graph) {
  return graph.instance() &&
         graph.instance()->coordination() != format::Coordination::None;
}

/// Place of the values for a remote read.
EdgePlace placeOf(const ExposedEdge &edge, const PlanGraph &graph,
                  const PlanEngine &engine) {
  TaskId peer = graph.tasks[graph.graph->edges()->Get(edge.edge)->target()];
  const SharedRange *found = nullptr;
  for (const SharedRange &each : engine.shared)
    if (each.peer == peer && each.place.address <= edge.address &&
        (!found || each.place.address > found->place.address))
      found = &each;
  uint64_t inside = edge.address - found->place.address;
  return {edge.edge, peer, found->place.offset + inside};
}

} // namespace

bool PlanEngine::sharesWith(TaskId peer) const {
  return std::ranges::find(shared, peer, &SharedRange::peer) != shared.end();
}

PlanState::~PlanState() = default;

StatusOr<std::unique_ptr<PlanState>>
PlanState::create(std::shared_ptr<const Model> model, const std::string &digest,
                  const PlanOptions &options) {
  std::unique_ptr<PlanState> plan(new PlanState());
  std::string task = options.cluster->task(options.self).name();
  GRAPHC_ASSIGN_OR_RETURN(
      plan->part, partOf(std::move(model), digest, *options.cluster, task));
  if (options.virtualGpus)
    GRAPHC_TRY(checkHostCode(
        *plan->part, "this task executes all programs on its CPU, so the "
                     "client must be given --virtual-gpus, too"));
  plan->planName = planDigest(*plan->part);
  plan->shortName = std::stoull(plan->planName.substr(0, 16), nullptr, 16);
  GRAPHC_TRY(plan->findGraphs(options));
  GRAPHC_TRY(plan->openDevices(options));
  GRAPHC_ASSIGN_OR_RETURN(CpuLevel level,
                          chooseLevel(detectCpuFeatures(), options.cpuLevel));
  GRAPHC_ASSIGN_OR_RETURN(plan->kernels, loadKernels(*plan->part, level));
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<ThreadPool> pool,
                          ThreadPool::shared(options.threads));
  plan->device = std::make_unique<CpuDevice>(std::move(pool));
  plan->source = std::make_unique<TaskData>(*plan->part);
  GRAPHC_TRY(plan->allocateVariables(options));
  return plan;
}

Status PlanState::findGraphs(const PlanOptions &options) {
  uint32_t number = 0;
  for (const format::Graph *graph : *part->index().graphs()) {
    PlanGraph entry;
    entry.graph = graph;
    entry.number = number++;
    for (uint32_t i = 0; i < graph->programs()->size(); ++i) {
      std::string_view device =
          deviceOf(part->index(), *graph->programs()->Get(i));
      // A plan may name tasks that are not there; only who runs it needs them.
      StatusOr<TaskId> task = options.cluster->findDevice(device);
      entry.tasks.push_back(task.isOk() ? *task : kNoTask);
      if (entry.tasks.back() != options.self)
        continue;
      entry.programs.push_back(i);
      if (!options.virtualGpus &&
          !canExecute(*part, *graph, nameOfDevice(device)))
        return failedPrecondition(
            "the plan needs " + quote(device) +
            ", which this task does not have; let the CPU execute its programs "
            "with --virtual-gpus, or compile for CPUs");
      ownDevices.emplace(device);
    }
    entry.data = batchUses(*graph, entry.programs);
    graphs.push_back(std::move(entry));
  }
  return Status::ok();
}

std::vector<std::string> PlanState::describeDevices() const {
  return accelerators ? accelerators->describe() : std::vector<std::string>();
}

Status PlanState::openDevices(const PlanOptions &options) {
  std::set<std::string> own;
  auto add = [&](std::string_view device) {
    StatusOr<TaskId> task = options.cluster->findDevice(device);
    if (task.isOk() && *task == options.self &&
        isAccelerator(nameOfDevice(device)))
      own.emplace(device);
  };
  for (const std::string &device : ownDevices)
    add(device);
  for (const format::Variable *variable : *part->index().variables())
    add(deviceOf(part->index(), *variable));
  if (options.virtualGpus)
    return Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(
      accelerators, runtime::openDevices(*part, own, {options.shareGpus}));
  return Status::ok();
}

/// Memory for the variables that are here or that programs here use.
Status PlanState::allocateVariables(const PlanOptions &options) {
  const auto &variables = *part->index().variables();
  std::vector<bool> isOwn(variables.size());
  for (uint32_t i = 0; i < variables.size(); ++i) {
    std::string_view device = deviceOf(part->index(), *variables.Get(i));
    StatusOr<TaskId> home = options.cluster->findDevice(device);
    variableHomes.push_back(home.isOk() ? *home : kNoTask);
    isOwn[i] = variableHomes.back() == options.self;
    if (isOwn[i])
      ownDevices.emplace(device);
  }
  for (PlanGraph &graph : graphs)
    for (uint32_t number : graph.programs) {
      const format::Program &program = *graph.graph->programs()->Get(number);
      for (const format::Slot *slot : *program.slots())
        if (slot->kind() == format::SlotKind::Variable) {
          isOwn[slot->index()] = true;
          graph.hasVariables = true;
        }
      graph.updates |= writesVariables(program);
    }
  size_t bytes = 0;
  std::vector<size_t> offsets(variables.size());
  for (uint32_t i = 0; i < variables.size(); ++i) {
    if (!isOwn[i])
      continue;
    offsets[i] = bytes;
    ownNames.emplace_back(variables.Get(i)->name()->str(), i);
    if (accelerators && accelerators->variable(i))
      continue;
    size_t size = toTensorType(*variables.Get(i)->type()).numBytes();
    bytes += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  GRAPHC_ASSIGN_OR_RETURN(memory,
                          DeviceBuffer::allocate(bytes, "the variables"));
  places.assign(variables.size(), nullptr);
  for (const auto &[name, number] : ownNames)
    if (!accelerators || !accelerators->variable(number))
      places[number] = memory.data() + offsets[number];
  return Status::ok();
}

size_t PlanState::arenaBytes() const {
  size_t bytes = 0;
  for (const auto &engine : engines)
    for (uint32_t program : graphs[engine->graph].programs)
      bytes += graphs[engine->graph]
                   .graph->programs()
                   ->Get(program)
                   ->arena_bytes();
  return bytes;
}

PlanGraph *PlanState::findGraph(std::string_view name) {
  for (PlanGraph &graph : graphs)
    if (viewOf(graph.graph->name()) == name)
      return &graph;
  return nullptr;
}

std::vector<TaskId> PlanState::variableTasks(const PlanGraph &graph) const {
  std::vector<TaskId> found;
  for (TaskId task : graph.tasks)
    if (std::ranges::find(variableHomes, task) != variableHomes.end() &&
        std::ranges::find(found, task) == found.end())
      found.push_back(task);
  return found;
}

std::vector<std::string> PlanState::variableNames() const {
  std::vector<std::string> names;
  for (const auto &[name, number] : ownNames)
    names.push_back(name);
  return names;
}

StatusOr<uint32_t> PlanState::findVariable(const std::string &name) const {
  for (const auto &[known, number] : ownNames)
    if (known == name)
      return number;
  return notFound("this task has no variable " + quote(name) +
                  "; a client asks the task of the variable's device");
}

StatusOr<TensorType> PlanState::variableType(const std::string &name) const {
  GRAPHC_ASSIGN_OR_RETURN(uint32_t number, findVariable(name));
  return toTensorType(*part->index().variables()->Get(number)->type());
}

StatusOr<std::span<const std::byte>>
PlanState::readVariable(const std::string &name,
                        std::vector<std::byte> &copy) const {
  GRAPHC_ASSIGN_OR_RETURN(uint32_t number, findVariable(name));
  GRAPHC_ASSIGN_OR_RETURN(TensorType type, variableType(name));
  if (places[number])
    return std::span<const std::byte>(places[number], type.numBytes());
  copy.resize(type.numBytes());
  GRAPHC_TRY(accelerators->readVariable(number, copy));
  return std::span<const std::byte>(copy);
}

Status PlanState::writeVariable(const std::string &name,
                                std::span<const std::byte> bytes) {
  GRAPHC_ASSIGN_OR_RETURN(uint32_t number, findVariable(name));
  if (!places[number])
    return accelerators->writeVariable(number, bytes);
  std::copy(bytes.begin(), bytes.end(), places[number]);
  return Status::ok();
}

StatusOr<PlanEngine *>
PlanState::takeEngine(PlanGraph &graph, const EngineKey &key,
                      bool stopsBeforeUpdate,
                      const TaskEnvironment &environment) {
  for (auto &engine : engines)
    if (!engine->user && engine->graph == graph.number && engine->key == key)
      return engine.get();
  auto made = std::make_unique<PlanEngine>();
  made->key = key;
  made->graph = graph.number;
  TaskEngineSpec spec;
  spec.executor.model = part.get();
  spec.executor.graph = graph.graph;
  spec.executor.kernels = &kernels;
  spec.executor.device = device.get();
  spec.executor.devices = accelerators.get();
  spec.executor.variables = places;
  spec.executor.host = source.get();
  spec.executor.seed = key.seed;
  spec.executor.numerics.policy = key.policy;
  spec.executor.numerics.checkAll = key.checkAll;
  spec.executor.numerics.warn =
      [&host = environment.host](const std::string &text) {
        host.log(Severity::Warning, text);
      };
  spec.programs = graph.programs;
  spec.sender = made.get();
  spec.stopsBeforeUpdate = stopsBeforeUpdate;
  spec.clock = [&host = environment.host] { return host.nowNanos(); };
  spec.receiveBuffer = [&](uint32_t edge, size_t bytes) -> std::byte * {
    TaskId peer = graph.tasks[graph.graph->edges()->Get(edge)->source()];
    if (bytes < kMinShared)
      return nullptr;
    std::byte *place = share(*made, peer, bytes, environment.peers);
    if (place)
      made->receiveBuffers.push_back(
          {edge, peer, made->shared.back().place.offset});
    return place;
  };
  spec.exposure.minBytes = kMinShared;
  // Where updates have an order, tasks do not know each other's steps.
  if (!stopsBeforeUpdate && !isCoordinated(*graph.graph))
    spec.exposure.memory = [&](uint32_t edge, size_t bytes) {
      TaskId peer = graph.tasks[graph.graph->edges()->Get(edge)->target()];
      return share(*made, peer, bytes, environment.peers);
    };
  StatusOr<std::unique_ptr<TaskEngine>> engine =
      TaskEngine::create(std::move(spec));
  if (!engine.isOk()) {
    releaseShared(*made, environment.peers);
    return engine.status();
  }
  made->engine = std::move(*engine);
  for (const ExposedEdge &each : made->engine->exposed())
    made->exposed.push_back(placeOf(each, graph, *made));
  engines.push_back(std::move(made));
  return engines.back().get();
}

void PlanState::giveBack(PlanEngine &engine, bool keep, PeerNetwork &peers) {
  engine.engine->abandon();
  engine.user = nullptr;
  size_t unused = std::ranges::count_if(engines, [&](const auto &other) {
    return other->graph == engine.graph && !other->user;
  });
  if (keep && unused <= kMaxFreeEngines)
    return;
  releaseShared(engine, peers);
  std::erase_if(engines,
                [&](const auto &other) { return other.get() == &engine; });
}

void PlanState::dropShared(TaskId peer, PeerNetwork &peers) {
  std::erase_if(engines, [&](const auto &engine) {
    if (engine->user || !engine->sharesWith(peer))
      return false;
    releaseShared(*engine, peers);
    return true;
  });
}

void PlanState::dropEngines(PeerNetwork &peers) {
  for (auto &engine : engines)
    releaseShared(*engine, peers);
  engines.clear();
}

/// Memory for the engine that the peer sees, too; null: there is none.
std::byte *PlanState::share(PlanEngine &engine, TaskId peer, size_t bytes,
                            PeerNetwork &peers) {
  SharedPlace place = peers.allocateShared(peer, bytes);
  if (place.address)
    engine.shared.push_back({peer, place});
  return place.address;
}

void PlanState::releaseShared(PlanEngine &engine, PeerNetwork &peers) {
  for (const SharedRange &each : engine.shared)
    peers.releaseShared(each.peer, each.place.offset);
}

UpdateQueue *PlanState::findQueue(const std::string &of) {
  for (auto &[name, order] : orders)
    if (name == of)
      return order.get();
  return nullptr;
}

uint64_t PlanState::nextStep(const PlanGraph &graph) {
  const format::Instance *instance = graph.graph->instance();
  UpdateQueue *queue =
      instance ? findQueue(std::string(viewOf(instance->of()))) : nullptr;
  if (!queue || !queue->sequencer())
    return graph.nextStep;
  return std::max(graph.nextStep,
                  queue->sequencer()->nextStep(instance->worker()));
}

void PlanState::forgetSteps() {
  orders.clear();
  for (PlanGraph &graph : graphs)
    graph.nextStep = 0;
}

void PlanState::addQueue(const std::string &of,
                         std::unique_ptr<UpdateQueue> order) {
  orders.emplace_back(of, std::move(order));
}

std::vector<UpdateQueue *> PlanState::queues() {
  std::vector<UpdateQueue *> all;
  for (auto &[name, order] : orders)
    all.push_back(order.get());
  return all;
}

} // namespace graphc::runtime
