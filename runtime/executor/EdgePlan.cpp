// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/EdgePlan.h"

#include "runtime/executor/WaitGraph.h"
#include "runtime/format/InstructionUses.h"

#include <algorithm>
#include <map>
#include <optional>

namespace graphc::runtime {

namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

/// Reads and writes of a program's slots, by instruction.
struct SlotUses {
  struct Write {
    uint32_t instruction;
    uint32_t slot;
  };
  std::vector<Write> writes;                     ///< in the program's order
  std::vector<std::optional<uint32_t>> lastRead; ///< by slot
  std::vector<uint32_t> writers;                 ///< by slot: how many write it
  std::vector<bool> isReceived;                  ///< by slot
};

SlotUses usesOf(const format::Program &program) {
  SlotUses uses;
  uint32_t slots = program.slots()->size();
  uses.lastRead.resize(slots);
  uses.writers.resize(slots);
  uses.isReceived.resize(slots);
  for (uint32_t i = 0; i < program.instructions()->size(); ++i) {
    const format::Instruction &instruction = *program.instructions()->Get(i);
    // Only a device has something to do there, and its edges are not shared.
    if (instruction.action_as_AllReduce())
      continue;
    forEachOperand(instruction,
                   [&](uint32_t slot) { uses.lastRead[slot] = i; });
    forEachWrite(instruction, [&](uint32_t slot) {
      uses.writes.push_back({i, slot});
      ++uses.writers[slot];
      if (instruction.action_as_Recv())
        uses.isReceived[slot] = true;
    });
  }
  return uses;
}

} // namespace

bool sharesMemory(const format::Program &program, uint32_t index) {
  const format::Slot &slot = *program.slots()->Get(index);
  for (uint32_t i = 0; i < program.slots()->size(); ++i) {
    const format::Slot &other = *program.slots()->Get(i);
    if (i != index && other.kind() == format::SlotKind::Arena &&
        other.offset() < slot.offset() + slot.size() &&
        slot.offset() < other.offset() + other.size() &&
        other.first() <= slot.last() && slot.first() <= other.last())
      return true;
  }
  return false;
}

/// Makes a plan.
class EdgePlanner {
public:
  EdgePlanner(const format::Graph &graph, std::span<SlotTable> tables,
              const std::vector<bool> &isLocal, const EdgeOptions &options,
              std::span<const ExposedEdge> exposed)
      : graph(graph), tables(tables), isLocal(isLocal), options(options),
        exposed(exposed), waits(graph.programs()->size()) {}

  StatusOr<EdgePlan> make();

private:
  using Endpoints = EdgePlan::Endpoints;

  void findEndsIn(uint32_t program);
  Status findEnds();
  void addProgram(uint32_t index);
  Semaphore &semaphoreBefore(InstructionId at);
  void addSemaphore(InstructionId at, InstructionId signal);
  void addMeetings();
  void addDepartures(uint32_t program);
  bool leaves(uint32_t edge) const;
  bool isInTask(uint32_t edge) const;
  bool isLeftOut(uint32_t edge) const;
  bool share(const Endpoints &endpoints);
  bool isFetched(uint32_t program, uint32_t slot) const;
  bool isWrittenElsewhere(const Endpoints &endpoints) const;
  std::optional<uint32_t> firstOverwrite(const Endpoints &endpoints) const;

  const format::Graph &graph;
  std::span<SlotTable> tables;
  const std::vector<bool> &isLocal; ///< by program
  const EdgeOptions &options;
  std::span<const ExposedEdge> exposed;
  WaitGraph waits;
  EdgePlan plan;
  std::vector<SlotUses> uses; ///< by program
  /// The variables that programs write, each with the program.
  std::multimap<uint32_t, uint32_t> variableWriters;
  std::map<std::pair<uint32_t, uint32_t>, size_t> semaphoreAt;
};

void EdgePlanner::findEndsIn(uint32_t p) {
  const auto &instructions = *graph.programs()->Get(p)->instructions();
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    EdgeUses uses = edgesOf(*instructions.Get(i));
    for (uint32_t at = 0; uses.edges && at < uses.edges->size(); ++at) {
      Endpoints &endpoints = plan.endpoints[uses.edges->Get(at)];
      (uses.isSend ? endpoints.send : endpoints.recv) = {p, i};
      (uses.isSend ? endpoints.sourceSlot : endpoints.targetSlot) =
          uses.slots->Get(at);
      ++(uses.isSend ? endpoints.sends : endpoints.recvs);
    }
  }
}

Status EdgePlanner::findEnds() {
  plan.endpoints.resize(graph.edges() ? graph.edges()->size() : 0);
  for (uint32_t program = 0; program < graph.programs()->size(); ++program)
    if (isLocal[program])
      findEndsIn(program);
  for (uint32_t edge = 0; edge < plan.endpoints.size(); ++edge) {
    const format::Edge &each = *graph.edges()->Get(edge);
    uint32_t sends = isLocal[each.source()] ? 1 : 0;
    uint32_t recvs = isLocal[each.target()] ? 1 : 0;
    if (plan.endpoints[edge].sends != sends ||
        plan.endpoints[edge].recvs != recvs)
      return dataLoss("edge " + std::to_string(edge) + " of graph '" +
                      graph.name()->str() +
                      "' is not sent once and received once; compile the "
                      "model again");
  }
  return Status::ok();
}

bool EdgePlanner::leaves(uint32_t edge) const {
  return plan.endpoints[edge].sends > 0 && plan.endpoints[edge].recvs == 0;
}

bool EdgePlanner::isInTask(uint32_t edge) const {
  return plan.endpoints[edge].sends > 0 && plan.endpoints[edge].recvs > 0;
}

/// True when the edge serves a sum that a library makes.
bool EdgePlanner::isLeftOut(uint32_t edge) const {
  InstructionId send = plan.endpoints[edge].send;
  return options.collectives && isInTask(edge) &&
         options.collectives->leavesOut(*graph.programs()
                                             ->Get(send.program)
                                             ->instructions()
                                             ->Get(send.instruction));
}

Semaphore &EdgePlanner::semaphoreBefore(InstructionId at) {
  auto [place, isNew] = semaphoreAt.try_emplace({at.program, at.instruction},
                                                plan.semaphoreList.size());
  if (isNew)
    plan.semaphoreList.push_back({at, {}, 0, {}});
  return plan.semaphoreList[place->second];
}

void EdgePlanner::addSemaphore(InstructionId at, InstructionId signal) {
  semaphoreBefore(at).signals.push_back(signal);
  waits.add(signal, at);
}

/// A program uses a sum that a library makes when all have come to it.
void EdgePlanner::addMeetings() {
  if (!options.collectives)
    return;
  for (const SumTerms &terms : options.collectives->terms())
    for (const SumTerm &term : terms)
      for (const SumTerm &other : terms)
        if (other.program != term.program)
          addSemaphore({term.program, term.use}, {other.program, other.reduce});
}

/// All edges of a Send go to one program, so all leave the task or none.
void EdgePlanner::addDepartures(uint32_t program) {
  const auto &instructions = *graph.programs()->Get(program)->instructions();
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const auto *send = instructions.Get(i)->action_as_Send();
    if (!send || send->edges()->size() == 0 || !leaves(send->edges()->Get(0)))
      continue;
    plan.departureList.push_back(
        {{program, i},
         {send->edges()->begin(), send->edges()->end()},
         {send->slots()->begin(), send->slots()->end()}});
  }
}

bool EdgePlanner::isFetched(uint32_t program, uint32_t slot) const {
  auto isIt = [&](const format::Port *port) {
    return port->program() == program && port->slot() == slot;
  };
  return std::any_of(graph.fetches()->begin(), graph.fetches()->end(), isIt);
}

/// True when the value sent is a variable that another program than the
/// sender's writes.
bool EdgePlanner::isWrittenElsewhere(const Endpoints &endpoints) const {
  const format::Slot &sent = *graph.programs()
                                  ->Get(endpoints.send.program)
                                  ->slots()
                                  ->Get(endpoints.sourceSlot);
  if (sent.kind() != format::SlotKind::Variable)
    return false;
  auto [first, last] = variableWriters.equal_range(sent.index());
  return options.isInterrupted ||
         std::any_of(first, last, [&](const auto &writer) {
           return writer.second != endpoints.send.program;
         });
}

void EdgePlanner::addProgram(uint32_t index) {
  if (!isLocal[index]) {
    uses.emplace_back();
    return;
  }
  const format::Program &program = *graph.programs()->Get(index);
  uses.push_back(usesOf(program));
  addDepartures(index);
  for (const SlotUses::Write &write : uses.back().writes) {
    const format::Slot &slot = *program.slots()->Get(write.slot);
    if (slot.kind() == format::SlotKind::Variable)
      variableWriters.emplace(slot.index(), index);
  }
}

/// The sender's first instruction that writes what it has sent.
std::optional<uint32_t>
EdgePlanner::firstOverwrite(const Endpoints &endpoints) const {
  const SlotTable &table = tables[endpoints.send.program];
  std::span<const std::byte> bytes = table.bytes(endpoints.sourceSlot);
  const std::vector<SlotUses::Write> &writes =
      uses[endpoints.send.program].writes;
  auto isBefore = [](uint32_t instruction, const SlotUses::Write &write) {
    return instruction < write.instruction;
  };
  auto write = std::upper_bound(writes.begin(), writes.end(),
                                endpoints.send.instruction, isBefore);
  for (; write != writes.end(); ++write)
    if (overlap(table.bytes(write->slot), bytes))
      return write->instruction;
  return std::nullopt;
}

/// Lets the receiver read the sender's bytes where that is safe.
bool EdgePlanner::share(const Endpoints &endpoints) {
  const format::Program &target =
      *graph.programs()->Get(endpoints.recv.program);
  const SlotUses &used = uses[endpoints.recv.program];
  size_t size =
      tables[endpoints.recv.program].bytes(endpoints.targetSlot).size();
  bool isCandidate =
      size >= options.leastShared &&
      // A device's values get to the host and back by copies.
      !tables[endpoints.send.program].onDevice() &&
      !tables[endpoints.recv.program].onDevice() &&
      // Received bytes that are sent on may be shared themselves.
      !uses[endpoints.send.program].isReceived[endpoints.sourceSlot] &&
      used.writers[endpoints.targetSlot] == 1 &&
      !sharesMemory(target, endpoints.targetSlot) &&
      !isWrittenElsewhere(endpoints);
  if (!isCandidate)
    return false;
  if (std::optional<uint32_t> overwrite = firstOverwrite(endpoints)) {
    InstructionId writer = {endpoints.send.program, *overwrite};
    uint32_t lastRead = used.lastRead[endpoints.targetSlot].value_or(
        endpoints.recv.instruction);
    InstructionId reader = {endpoints.recv.program, lastRead};
    if (isFetched(endpoints.recv.program, endpoints.targetSlot))
      return false; // read after the step
    if (!waits.isOrdered(reader, writer)) {
      if (size < options.leastAwaited || waits.isOrdered(writer, reader))
        return false;
      addSemaphore(writer, reader);
    }
  }
  tables[endpoints.recv.program].place(
      endpoints.targetSlot,
      tables[endpoints.send.program].address(endpoints.sourceSlot));
  return true;
}

StatusOr<EdgePlan> EdgePlanner::make() {
  GRAPHC_TRY(findEnds());
  for (uint32_t program = 0; program < graph.programs()->size(); ++program)
    addProgram(program);
  for (uint32_t edge = 0; edge < plan.endpoints.size(); ++edge) {
    const Endpoints &endpoints = plan.endpoints[edge];
    if (isLeftOut(edge))
      continue;
    if (isInTask(edge))
      addSemaphore(endpoints.recv, endpoints.send);
    else if (endpoints.recvs > 0)
      ++semaphoreBefore(endpoints.recv).arrivals;
  }
  addMeetings();
  for (const ExposedEdge &each : exposed)
    semaphoreBefore(each.writer).exposed.push_back(each.edge);
  std::vector<bool> isCopied(plan.endpoints.size());
  for (uint32_t edge = 0; edge < plan.endpoints.size(); ++edge)
    isCopied[edge] =
        isInTask(edge) && !isLeftOut(edge) && !share(plan.endpoints[edge]);
  // Received bytes that are sent on are copied from where the first edge put
  // them.
  plan.copies.resize(plan.endpoints.size());
  for (uint32_t edge = 0; edge < plan.endpoints.size(); ++edge) {
    if (!isCopied[edge])
      continue;
    const Endpoints &endpoints = plan.endpoints[edge];
    const SlotTable &target = tables[endpoints.recv.program];
    plan.copies[edge] = {
        target.address(endpoints.targetSlot),
        tables[endpoints.send.program].address(endpoints.sourceSlot),
        target.bytes(endpoints.targetSlot).size()};
  }
  return std::move(plan);
}

StatusOr<EdgePlan> EdgePlan::make(const format::Graph &graph,
                                  std::span<SlotTable> tables,
                                  const EdgeOptions &options) {
  std::vector<bool> isLocal(graph.programs()->size(), true);
  return EdgePlanner(graph, tables, isLocal, options, {}).make();
}

StatusOr<EdgePlan> EdgePlan::makeForTask(const format::Graph &graph,
                                         std::span<SlotTable> tables,
                                         const std::vector<bool> &isLocal,
                                         const EdgeOptions &options,
                                         std::span<const ExposedEdge> exposed) {
  EdgeOptions partOptions = options;
  partOptions.leastAwaited = SIZE_MAX;
  return EdgePlanner(graph, tables, isLocal, partOptions, exposed).make();
}

} // namespace graphc::runtime
