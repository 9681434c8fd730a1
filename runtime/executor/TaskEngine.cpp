// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/TaskEngine.h"

#include "runtime/executor/TaskWalk.h"

namespace graphc::runtime {

namespace {

/// Puts what arrives to where the owner of the engine wants it. A slot that
/// shares bytes with another must stay, and so must what a device takes from
/// the host.
void placeReceiveBuffers(const TaskEngineSpec &spec,
                         std::span<SlotTable> tables) {
  if (!spec.receiveBuffer)
    return;
  const format::Graph &graph = *spec.executor.graph;
  for (uint32_t number : spec.programs) {
    const format::Program &program = *graph.programs()->Get(number);
    if (tables[number].onDevice())
      continue;
    for (const format::Instruction *instruction : *program.instructions()) {
      const auto *recv = instruction->action_as_Recv();
      for (uint32_t i = 0; recv && i < recv->edges()->size(); ++i) {
        uint32_t edge = recv->edges()->Get(i), slot = recv->slots()->Get(i);
        uint32_t source = graph.edges()->Get(edge)->source();
        if (std::binary_search(spec.programs.begin(), spec.programs.end(),
                               source) ||
            sharesMemory(program, slot))
          continue;
        size_t bytes = tables[number].bytes(slot).size();
        if (std::byte *place = spec.receiveBuffer(edge, bytes))
          tables[number].place(slot, place);
      }
    }
  }
}

Status checkPrograms(const TaskEngineSpec &spec) {
  const format::Graph &graph = *spec.executor.graph;
  bool isAscending =
      std::is_sorted(spec.programs.begin(), spec.programs.end()) &&
      std::adjacent_find(spec.programs.begin(), spec.programs.end()) ==
          spec.programs.end();
  if (!isAscending || spec.programs.empty() ||
      spec.programs.back() >= graph.programs()->size())
    return invalidArgument("the programs of a task are not some of graph '" +
                           graph.name()->str() + "' in ascending order");
  return Status::ok();
}

} // namespace

TaskEngine::TaskEngine() = default;
TaskEngine::~TaskEngine() = default;

StatusOr<std::unique_ptr<TaskEngine>> TaskEngine::create(TaskEngineSpec spec) {
  GRAPHC_TRY(checkPrograms(spec));
  const format::Graph &graph = *spec.executor.graph;
  std::vector<bool> isLocal(graph.programs()->size());
  std::vector<SlotTable> tables(isLocal.size());
  for (uint32_t program : spec.programs) {
    isLocal[program] = true;
    GRAPHC_ASSIGN_OR_RETURN(tables[program],
                            SlotTable::create(*spec.executor.model, graph,
                                              program, spec.executor.variables,
                                              spec.executor.devices));
  }
  GRAPHC_TRY(SlotTable::linkDevices(graph, tables, spec.executor.devices));
  placeReceiveBuffers(spec, tables);
  std::vector<ExposedEdge> exposed;
  if (spec.exposure.memory)
    for (uint32_t program : spec.programs)
      if (!tables[program].onDevice())
        std::ranges::move(exposeSlots(graph, program, isLocal, spec.exposure,
                                      tables[program]),
                          std::back_inserter(exposed));
  // These may refer to what goes with the caller.
  spec.receiveBuffer = nullptr;
  spec.exposure.memory = nullptr;
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<Collectives> collectives,
      SlotTable::findCollectives(graph, tables, spec.executor.devices));
  EdgeOptions options;
  spec.executor.collectives = options.collectives = collectives.get();
  options.isInterrupted = spec.stopsBeforeUpdate;
  GRAPHC_ASSIGN_OR_RETURN(
      EdgePlan plan,
      EdgePlan::makeForTask(graph, tables, isLocal, options, exposed));
  if (!plan.departures().empty() && !spec.sender)
    return invalidArgument("values of graph '" + graph.name()->str() +
                           "' leave the task, but nobody takes them");
  std::unique_ptr<TaskEngine> engine(new TaskEngine());
  engine->impl = std::make_unique<Impl>(std::move(spec), std::move(plan));
  engine->impl->exposed = std::move(exposed);
  engine->impl->collectives = std::move(collectives);
  GRAPHC_TRY(engine->impl->build(std::move(tables), isLocal));
  return engine;
}

const format::Graph &TaskEngine::graph() const { return impl->graph(); }

std::span<const RemoteEdge> TaskEngine::incoming() const {
  return impl->incoming;
}

std::span<const RemoteEdge> TaskEngine::outgoing() const {
  return impl->outgoing;
}

const RemoteEdge *TaskEngine::findIncoming(uint32_t edge) const {
  return impl->findIncoming(edge);
}

std::span<const ExposedEdge> TaskEngine::exposed() const {
  return impl->exposed;
}
bool TaskEngine::mayReadRemotely(uint32_t edge) const {
  return impl->isRemotelyReadable(edge);
}
void TaskEngine::readRemotely(std::span<const RemoteRead> edges) {
  impl->readRemotely(edges);
}
void TaskEngine::cameBack(uint32_t edge) { impl->cameBack(edge); }

std::span<std::byte> TaskEngine::slot(const format::Port &port) const {
  const Executor *executor = impl->executorOf(port.program());
  return executor ? executor->slot(port.slot()) : std::span<std::byte>();
}

bool TaskEngine::keepsInput(const format::Port &port) const {
  const Executor *executor = impl->executorOf(port.program());
  return executor && executor->keepsInput(port.slot());
}

size_t TaskEngine::instructions() const {
  size_t count = 0;
  for (const auto &executor : impl->executors)
    count += executor->program().instructions()->size();
  return count;
}

void TaskEngine::begin(uint64_t step) { impl->begin(step); }
void TaskEngine::record(StepTimeline *timeline) { impl->record(timeline); }
int64_t TaskEngine::recordedNow() const {
  const StepTimeline *timeline = impl->spec.executor.timeline;
  return timeline ? timeline->now() : 0;
}
void TaskEngine::arrived(uint32_t edge, int64_t nanos) {
  impl->arrived(edge, nanos);
}
TaskEngine::State TaskEngine::advance() { return impl->advance(); }
TaskEngine::State TaskEngine::state() const { return impl->state; }
void TaskEngine::permitUpdate() { impl->permitUpdate(); }
void TaskEngine::skipUpdate() { impl->skipUpdate(); }
void TaskEngine::abandon() { impl->end(State::Idle); }
const Status &TaskEngine::failure() const { return impl->failure; }
uint64_t TaskEngine::step() const { return impl->step; }

std::optional<int64_t> TaskEngine::wakeNanos() const {
  return impl->wakeNanos();
}
std::vector<uint32_t> TaskEngine::awaited() const { return impl->awaited(); }
std::string TaskEngine::whereWaiting() const { return impl->whereWaiting(); }

} // namespace graphc::runtime
