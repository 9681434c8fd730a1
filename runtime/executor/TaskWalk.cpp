// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/TaskWalk.h"

#include "runtime/executor/StepTrace.h"
#include "runtime/format/Quote.h"

namespace graphc::runtime {

TaskEngine::Impl::Impl(TaskEngineSpec spec, EdgePlan plan)
    : spec(std::move(spec)), plan(std::move(plan)) {}

Status TaskEngine::Impl::build(std::vector<SlotTable> tables,
                               const std::vector<bool> &isLocal) {
  memberOf.assign(graph().programs()->size(), kNoMember);
  members.resize(spec.programs.size());
  ready.resize(spec.programs.size());
  std::vector<SlotTable> moved;
  for (uint32_t program : spec.programs) {
    ExecutorSpec each = spec.executor;
    each.program = program;
    GRAPHC_ASSIGN_OR_RETURN(
        std::unique_ptr<Executor> executor,
        Executor::create(each, std::move(tables[program]), plan));
    memberOf[program] = executors.size();
    pointers.push_back(executor.get());
    executors.push_back(std::move(executor));
  }
  addEdges();
  addSemaphores();
  findRemotelyReadable(isLocal);
  const NumericsOptions &numerics = spec.executor.numerics;
  if (numerics.checkAll && numerics.policy != NanPolicy::Ignore)
    for (Executor *executor : pointers)
      executor->lookAtAll();
  return Status::ok();
}

void TaskEngine::Impl::addEdges() {
  uint32_t count = graph().edges() ? graph().edges()->size() : 0;
  incomingAt.assign(count, kNoMember);
  std::vector<uint32_t> slotOf(count);
  for (const Departure &departure : plan.departures())
    for (size_t i = 0; i < departure.edges.size(); ++i)
      slotOf[departure.edges[i]] = departure.slots[i];
  for (uint32_t program : spec.programs)
    for (const auto *instruction :
         *graph().programs()->Get(program)->instructions())
      if (const auto *recv = instruction->action_as_Recv())
        for (uint32_t i = 0; i < recv->edges()->size(); ++i)
          slotOf[recv->edges()->Get(i)] = recv->slots()->Get(i);
  std::vector<uint32_t> outgoingAt(count);
  for (uint32_t edge = 0; edge < count; ++edge) {
    const format::Edge &each = *graph().edges()->Get(edge);
    const Executor *source = executorOf(each.source());
    const Executor *target = executorOf(each.target());
    if (source && !target) {
      outgoingAt[edge] = outgoing.size();
      outgoing.push_back({edge, each.source(), each.target(), slotOf[edge],
                          source->slot(slotOf[edge])});
    } else if (target && !source) {
      incomingAt[edge] = incoming.size();
      incoming.push_back({edge, each.target(), each.source(), slotOf[edge],
                          target->slot(slotOf[edge])});
    }
  }
  for (const Departure &departure : plan.departures()) {
    departures.emplace_back();
    for (uint32_t edge : departure.edges)
      departures.back().push_back(&outgoing[outgoingAt[edge]]);
  }
}

void TaskEngine::Impl::addSemaphores() {
  hasArrived.resize(incoming.size());
  semaphoreOf.resize(incoming.size());
  isAway.resize(exposed.size());
  exposedSemaphoreOf.resize(exposed.size());
  for (uint32_t number = 0; number < plan.semaphores().size(); ++number) {
    const Semaphore &semaphore = plan.semaphores()[number];
    size_t needed = semaphore.signals.size() + semaphore.arrivals +
                    semaphore.exposed.size() + 1;
    semaphores.push_back(
        {0, static_cast<uint32_t>(needed), memberOf[semaphore.at.program]});
    for (uint32_t edge : semaphore.exposed)
      exposedSemaphoreOf[std::ranges::find(exposed, edge, &ExposedEdge::edge) -
                         exposed.begin()] = number;
    const auto *recv = graph()
                           .programs()
                           ->Get(semaphore.at.program)
                           ->instructions()
                           ->Get(semaphore.at.instruction)
                           ->action_as_Recv();
    for (uint32_t i = 0; recv && i < recv->edges()->size(); ++i)
      if (uint32_t at = incomingAt[recv->edges()->Get(i)]; at != kNoMember)
        semaphoreOf[at] = number;
  }
}

void TaskEngine::Impl::findRemotelyReadable(const std::vector<bool> &isLocal) {
  for (const RemoteEdge &edge : incoming) {
    const format::Program &source = *graph().programs()->Get(edge.program);
    bool isOnDevice =
        spec.executor.devices && spec.executor.devices->find(source);
    bool mayReadRemotely =
        !isOnDevice &&
        runtime::mayReadRemotely(graph(), edge.program, edge.slot, isLocal);
    receiveBuffers.push_back(mayReadRemotely ? edge.bytes.data() : nullptr);
  }
}

bool TaskEngine::Impl::isRemotelyReadable(uint32_t edge) const {
  return findIncoming(edge) && receiveBuffers[incomingAt[edge]];
}

void TaskEngine::Impl::readRemotely(std::span<const RemoteRead> edges) {
  std::vector<std::vector<Executor::Place>> places(members.size());
  for (const RemoteRead &each : edges) {
    if (!isRemotelyReadable(each.edge))
      continue;
    uint32_t index = incomingAt[each.edge];
    RemoteEdge &edge = incoming[index];
    std::byte *address = each.address ? each.address : receiveBuffers[index];
    edge.bytes = {address, edge.bytes.size()};
    places[memberOf[edge.program]].push_back({edge.slot, address});
    // What goes on to a third task leaves from there, too.
    for (RemoteEdge &further : outgoing)
      if (further.program == edge.program && further.slot == edge.slot)
        further.bytes = edge.bytes;
  }
  for (uint32_t member = 0; member < members.size(); ++member)
    if (!places[member].empty())
      pointers[member]->place(places[member]);
}

const RemoteEdge *TaskEngine::Impl::findIncoming(uint32_t edge) const {
  if (edge >= incomingAt.size() || incomingAt[edge] == kNoMember)
    return nullptr;
  return &incoming[incomingAt[edge]];
}

const Executor *TaskEngine::Impl::executorOf(uint32_t program) const {
  if (program >= memberOf.size() || memberOf[program] == kNoMember)
    return nullptr;
  return pointers[memberOf[program]];
}

void TaskEngine::Impl::launch(KernelFunction function, void *const *buffers,
                              int64_t tiles) {
  spec.executor.device->launch(function, buffers, tiles);
}

void TaskEngine::Impl::launchInline(KernelFunction function,
                                    void *const *buffers, int64_t tiles) {
  spec.executor.device->launchInline(function, buffers, tiles);
}

bool TaskEngine::Impl::arrive(uint32_t semaphore) {
  return --semaphores[semaphore].missing == 0;
}

void TaskEngine::Impl::signal(uint32_t semaphore) {
  OpenSemaphore &open = semaphores[semaphore];
  if (--open.missing == 0)
    makeReady(open.member);
}

bool TaskEngine::Impl::depart(uint32_t departure) {
  return spec.sender->send(departures[departure], step);
}

bool TaskEngine::Impl::isPauseOver(uint64_t millis) {
  Member &member = members[walked];
  int64_t now = spec.clock();
  if (member.wakeNanos == 0) {
    // A pause of centuries must not wrap around.
    constexpr uint64_t kMax = uint64_t(1) << 40;
    member.wakeNanos = now + int64_t(std::min(millis, kMax)) * 1'000'000;
  }
  if (now < member.wakeNanos)
    return false;
  member.wakeNanos = 0;
  return true;
}

void TaskEngine::Impl::makeReady(uint32_t member) {
  members[member].stand = Stand::Ready;
  uint32_t place = firstReady + readyCount++;
  ready[place < ready.size() ? place : place - ready.size()] = member;
}

void TaskEngine::Impl::begin(uint64_t number) {
  end(State::Waiting);
  step = number;
  failure = Status::ok();
  for (Executor *executor : pointers) {
    executor->beginStep(step);
    executor->stopBefore(spec.stopsBeforeUpdate
                             ? executor->firstUpdate()
                             : executor->program().instructions()->size());
  }
  for (OpenSemaphore &semaphore : semaphores)
    semaphore.missing = semaphore.needed;
  std::fill(hasArrived.begin(), hasArrived.end(), 0);
  missing = incoming.size();
  std::fill(isAway.begin(), isAway.end(), 1);
  away = exposed.size();
  unfinished = members.size();
  isPermitted = !spec.stopsBeforeUpdate;
  for (uint32_t member = 0; member < members.size(); ++member)
    makeReady(member);
  if (Status status = spec.executor.host->beginStep(graph()); !status.isOk())
    fail(std::move(status));
}

void TaskEngine::Impl::end(State last) {
  state = last;
  firstReady = readyCount = deferred = 0;
  refused = paused = standing = unfinished = missing = away = 0;
  for (Member &member : members)
    member = {};
}

void TaskEngine::Impl::fail(Status status) {
  failure = std::move(status);
  state = State::Failed;
}

void TaskEngine::Impl::record(StepTimeline *timeline) {
  spec.executor.timeline = timeline;
  for (Executor *executor : pointers)
    executor->record(timeline);
}

void TaskEngine::Impl::arrived(uint32_t edge, int64_t nanos) {
  if (state != State::Waiting || edge >= incomingAt.size() ||
      incomingAt[edge] == kNoMember || hasArrived[incomingAt[edge]])
    return;
  if (StepTimeline *timeline = spec.executor.timeline;
      timeline && timeline->wants(step + 1)) {
    int64_t at = nanos != 0 ? nanos : timeline->now();
    timeline->add(incoming[incomingAt[edge]].program,
                  {edge, StepTimeline::Kind::Arrival, step + 1, at, at});
  }
  hasArrived[incomingAt[edge]] = 1;
  --missing;
  signal(semaphoreOf[incomingAt[edge]]);
}

void TaskEngine::Impl::cameBack(uint32_t edge) {
  auto found = std::ranges::find(exposed, edge, &ExposedEdge::edge);
  if (found == exposed.end() || state != State::Waiting ||
      !isAway[found - exposed.begin()])
    return;
  isAway[found - exposed.begin()] = 0;
  --away;
  signal(exposedSemaphoreOf[found - exposed.begin()]);
}

void TaskEngine::Impl::walk(uint32_t member) {
  walked = member;
  if (members[member].stand == Stand::Deferred)
    --deferred;
  Executor &executor = *pointers[member];
  switch (executor.resume(*this)) {
  case Executor::Walk::Done:
    members[member].stand = Stand::Done;
    --unfinished;
    return;
  case Executor::Walk::Refused: {
    bool isPaused = members[member].wakeNanos != 0;
    members[member].stand = isPaused ? Stand::Paused : Stand::Refused;
    ++(isPaused ? paused : refused);
    return;
  }
  case Executor::Walk::Deferred:
    makeReady(member);
    members[member].stand = Stand::Deferred;
    ++deferred;
    return;
  case Executor::Walk::AtLimit:
    members[member].stand = Stand::AtUpdate;
    ++standing;
    return;
  case Executor::Walk::Failed:
    fail(executor.failure().isOk() ? report() : executor.failure());
    return;
  case Executor::Walk::Waiting:
  case Executor::Walk::Stopped:
    members[member].stand = Stand::AtSemaphore;
    return;
  }
}

/// Programs that were refused ask again, those that slept enough wake up.
void TaskEngine::Impl::retryRefused() {
  if (refused + paused == 0)
    return;
  int64_t now = paused > 0 ? spec.clock() : 0;
  for (uint32_t member = 0; member < members.size(); ++member) {
    if (members[member].stand == Stand::Refused)
      --refused;
    else if (members[member].stand == Stand::Paused &&
             members[member].wakeNanos <= now)
      --paused;
    else
      continue;
    makeReady(member);
  }
}

TaskEngine::State TaskEngine::Impl::advance() {
  if (state != State::Waiting)
    return state;
  retryRefused();
  while (readyCount > 0 && state == State::Waiting) {
    uint32_t member = ready[firstReady];
    firstReady = firstReady + 1 < ready.size() ? firstReady + 1 : 0;
    --readyCount;
    walk(member);
  }
  if (state == State::Waiting)
    settle();
  return state;
}

/// No program can go on.
void TaskEngine::Impl::settle() {
  if (unfinished == 0) {
    finish();
    return;
  }
  if (missing > 0 || away > 0 || refused > 0 || paused > 0)
    return;
  if (standing > 0)
    state = State::AtUpdate;
  else
    fail(internalError("step " + std::to_string(step + 1) +
                       ": the programs wait for each other: " + whereWaiting() +
                       "; the plan in the file is wrong: compile the model "
                       "again, and report it if that does not help"));
}

void TaskEngine::Impl::finish() {
  state = State::Done;
  for (Executor *executor : pointers)
    if (Status status = executor->finishStep(); !status.isOk())
      return fail(std::move(status));
  if (Status status = report(); !status.isOk())
    fail(std::move(status));
}

void TaskEngine::Impl::permitUpdate() {
  if ((state != State::Waiting && state != State::AtUpdate) || isPermitted)
    return;
  isPermitted = true;
  state = State::Waiting;
  standing = 0;
  for (uint32_t member = 0; member < members.size(); ++member) {
    pointers[member]->stopBefore(
        pointers[member]->program().instructions()->size());
    if (members[member].stand == Stand::AtUpdate)
      makeReady(member);
  }
}

void TaskEngine::Impl::skipUpdate() {
  if (state == State::AtUpdate)
    finish();
}

/// Reports the NaN and infinities in this step's fetches.
Status TaskEngine::Impl::report() {
  auto hasFindings = [](const Executor *each) { return each->hasFindings(); };
  if (std::none_of(pointers.begin(), pointers.end(), hasFindings))
    return Status::ok();
  StepTrace trace(pointers, plan.semaphores());
  return isWhole() ? trace.report() : trace.reportSeen();
}

std::optional<int64_t> TaskEngine::Impl::wakeNanos() const {
  std::optional<int64_t> earliest;
  for (const Member &member : members)
    if (paused > 0 && member.stand == Stand::Paused)
      earliest = std::min(earliest.value_or(INT64_MAX), member.wakeNanos);
  return earliest;
}

/// Next instruction of the program, or null.
const format::Instruction *TaskEngine::Impl::nextOf(uint32_t member) const {
  const auto &all = *pointers[member]->program().instructions();
  uint32_t at = pointers[member]->standsAt();
  return at < all.size() ? all.Get(at) : nullptr;
}

std::vector<uint32_t> TaskEngine::Impl::awaited() const {
  std::vector<uint32_t> edges;
  if (state != State::Waiting)
    return edges;
  for (uint32_t member = 0; member < members.size(); ++member) {
    const format::Instruction *next = nextOf(member);
    const auto *recv = next ? next->action_as_Recv() : nullptr;
    for (uint32_t i = 0; recv && i < recv->edges()->size(); ++i) {
      uint32_t edge = recv->edges()->Get(i);
      if (incomingAt[edge] != kNoMember && !hasArrived[incomingAt[edge]])
        edges.push_back(edge);
    }
  }
  // Programs that stand before their updates need values for these.
  if (edges.empty() && standing > 0)
    for (uint32_t i = 0; i < incoming.size(); ++i)
      if (!hasArrived[i])
        edges.push_back(incoming[i].edge);
  std::sort(edges.begin(), edges.end());
  return edges;
}

/// One that waits for another task, or else one that is not done.
uint32_t TaskEngine::Impl::memberToReport() const {
  std::vector<uint32_t> edges = awaited();
  if (!edges.empty())
    return memberOf[findIncoming(edges.front())->program];
  for (Stand stand : {Stand::Refused, Stand::Paused, Stand::AtUpdate})
    for (uint32_t member = 0; member < members.size(); ++member)
      if (members[member].stand == stand)
        return member;
  for (uint32_t member = 0; member < members.size(); ++member)
    if (nextOf(member))
      return member;
  return 0;
}

std::string TaskEngine::Impl::whereWaiting() const {
  uint32_t member = memberToReport();
  const format::Instruction *next = nextOf(member);
  return "program " + quote(pointers[member]->deviceName()) + " at " +
         (next ? describeOp(*next) : "its end");
}

} // namespace graphc::runtime
