// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the flat table of a program.
#include "runtime/executor/Executor.h"

#include "runtime/base/Half.h"
#include "runtime/format/InstructionId.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

bool isFloatScalar(const format::TensorType &type) {
  TensorType value = toTensorType(type);
  return value.shape.empty() &&
         (value.dtype == DType::Float32 || value.dtype == DType::Float64 ||
          isHalf(value.dtype));
}

} // namespace

Executor::Executor(const ExecutorSpec &spec, SlotTable slots)
    : spec(spec), slots(std::move(slots)) {}

const format::Program &Executor::program() const {
  return *spec.graph->programs()->Get(spec.program);
}

std::string_view Executor::deviceName() const {
  return deviceOf(spec.model->index(), program());
}

StatusOr<std::unique_ptr<Executor>> Executor::create(const ExecutorSpec &spec) {
  GRAPHC_ASSIGN_OR_RETURN(
      SlotTable slots, SlotTable::create(*spec.model, *spec.graph, spec.program,
                                         spec.variables, spec.devices));
  return create(spec, std::move(slots), EdgePlan());
}

StatusOr<std::unique_ptr<Executor>> Executor::create(const ExecutorSpec &spec,
                                                     SlotTable slots,
                                                     const EdgePlan &plan) {
  std::unique_ptr<Executor> executor(new Executor(spec, std::move(slots)));
  GRAPHC_TRY(executor->addEntries(plan));
  executor->addDepartures(plan);
  executor->addSemaphores(plan);
  if (spec.numerics.policy != NanPolicy::Ignore)
    executor->addChecks();
  executor->slots.setSeed(spec.seed);
  if (spec.isProfiled)
    executor->seconds.resize(executor->entries.size());
  executor->updates = executor->findFirstUpdate();
  if (executor->slots.onDevice())
    GRAPHC_TRY(executor->makeDeviceProgram());
  executor->limit = executor->entries.size();
  return executor;
}

Status Executor::addEntries(const EdgePlan &plan) {
  size_t scratch = 0;
  entries.reserve(program().instructions()->size());
  for (const format::Instruction *instruction : *program().instructions()) {
    entries.push_back(makeEntry(*instruction, plan));
    if (const auto *dispatch = instruction->action_as_Dispatch();
        dispatch && !slots.onDevice())
      scratch = std::max<size_t>(scratch, spec.model->index()
                                              .kernels()
                                              ->Get(dispatch->kernel())
                                              ->scratch_bytes());
  }
  return spec.device->reserveScratch(scratch);
}

void Executor::addDepartures(const EdgePlan &plan) {
  for (uint32_t number = 0; number < plan.departures().size(); ++number) {
    InstructionId at = plan.departures()[number].at;
    if (at.program != spec.program)
      continue;
    entries[at.instruction].kind = Kind::Depart;
    entries[at.instruction].size = number;
  }
}

uint32_t Executor::findFirstUpdate() const {
  auto last = static_cast<uint32_t>(entries.size());
  uint32_t end = std::min(last, program().updates_from());
  bool isFound = false;
  uint32_t index = 0;
  for (; index < end; ++index) {
    forEachWrite(*program().instructions()->Get(index), [&](uint32_t slot) {
      isFound |=
          program().slots()->Get(slot)->kind() == format::SlotKind::Variable;
    });
    if (isFound)
      break;
  }
  return index;
}

/// The semaphores of this program, and those elsewhere that it opens.
void Executor::addSemaphores(const EdgePlan &plan) {
  std::vector<std::vector<uint32_t>> opened(entries.size());
  for (uint32_t semaphore = 0; semaphore < plan.semaphores().size();
       ++semaphore) {
    const Semaphore &each = plan.semaphores()[semaphore];
    if (each.at.program == spec.program)
      entries[each.at.instruction].semaphore = semaphore;
    for (InstructionId signal : each.signals)
      if (signal.program == spec.program)
        opened[signal.instruction].push_back(semaphore);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].firstSignal = signals.size();
    entries[i].signalCount = opened[i].size();
    signals.insert(signals.end(), opened[i].begin(), opened[i].end());
  }
}

/// The copies that a Send makes; none for edges that are shared, and none where
/// a device copies to another.
void Executor::addCopies(Entry &entry, const format::Send &send,
                         const EdgePlan &plan) {
  entry.firstCopy = copies.size();
  // The next entry's number is that of this instruction.
  bool isBetweenDevices =
      slots.onDevice() &&
      slots.onDevice()->isSentByDevice(static_cast<uint32_t>(entries.size()));
  for (uint32_t edge : *send.edges())
    if (plan.copy(edge).size > 0 && !isBetweenDevices)
      copies.push_back(plan.copy(edge));
  entry.size = copies.size() - entry.firstCopy;
}

void Executor::addBuffers(Entry &entry,
                          const flatbuffers::Vector<uint32_t> &indices) {
  entry.firstBuffer = buffers.size();
  entry.bufferCount = indices.size();
  buffers.resize(buffers.size() + indices.size());
}

void Executor::place(std::span<const Place> places) {
  for (const Place &each : places)
    slots.place(each.slot, each.address);
  for (size_t i = 0; i < entries.size(); ++i)
    resolve(entries[i], *program().instructions()->Get(i));
}

/// Looks the addresses up again that an entry has of its instruction's slots,
/// but for copies of edges.
void Executor::resolve(Entry &entry, const format::Instruction &instruction) {
  const flatbuffers::Vector<uint32_t> *indices = nullptr;
  if (const auto *dispatch = instruction.action_as_Dispatch())
    indices = dispatch->slots();
  else if (const auto *call = instruction.action_as_HostCall())
    indices = entry.kind == Kind::Check || entry.kind == Kind::Print
                  ? call->reads()
                  : call->slots();
  for (uint32_t i = 0; indices && i < entry.bufferCount; ++i)
    buffers[entry.firstBuffer + i] = slots.address(indices->Get(i));
  if (const auto *copy = instruction.action_as_Copy()) {
    entry.source = slots.address(copy->source());
    entry.target = slots.address(copy->target());
  } else if (const auto *fill = instruction.action_as_Fill()) {
    entry.target = slots.address(fill->target());
  }
}

void Executor::addCall(Entry &entry, const format::HostCall &call) {
  switch (call.function()) {
  case format::HostFunction::NextBatch:
    entry.kind = Kind::NextBatch;
    entry.call = {call.index(), call.shard(), call.shards()};
    addBuffers(entry, *call.slots());
    break;
  case format::HostFunction::Sleep:
    entry.kind = Kind::Sleep;
    entry.size = call.value();
    break;
  case format::HostFunction::Fail:
    entry.kind = Kind::Fail;
    entry.size = texts.size();
    texts.push_back(escape(viewOf(call.text())));
    break;
  case format::HostFunction::Check:
    entry.kind = Kind::Check;
    entry.size = texts.size();
    texts.push_back("assertion failed: " + escape(viewOf(call.text())));
    addBuffers(entry, *call.reads());
    break;
  case format::HostFunction::Print: {
    uint32_t slot = call.reads()->Get(0);
    entry.kind = Kind::Print;
    entry.size = prints.size();
    prints.push_back({escape(viewOf(call.text())),
                      toTensorType(*program().slots()->Get(slot)->type()),
                      call.value()});
    addBuffers(entry, *call.reads());
    break;
  }
  }
}

Executor::Entry Executor::makeEntry(const format::Instruction &instruction,
                                    const EdgePlan &plan) {
  Entry entry;
  bool isByDevice =
      instruction.action_as_Dispatch() || instruction.action_as_Copy() ||
      instruction.action_as_Fill() ||
      (spec.collectives && spec.collectives->leavesOut(instruction));
  if (slots.onDevice() && isByDevice) {
    entry.kind = Kind::OnDevice;
  } else if (const auto *dispatch = instruction.action_as_Dispatch()) {
    const format::Kernel &kernel =
        *spec.model->index().kernels()->Get(dispatch->kernel());
    bool isSplit =
        isWorthThreads(kernel.units(), kernel.flops(), kernel.bytes());
    entry.kind = isSplit ? Kind::Launch : Kind::LaunchInline;
    entry.function = spec.kernels->function(dispatch->kernel());
    entry.tiles = kernel.units();
    addBuffers(entry, *dispatch->slots());
  } else if (const auto *copy = instruction.action_as_Copy()) {
    entry.kind = Kind::Copy;
    entry.size = slots.bytes(copy->target()).size();
  } else if (const auto *fill = instruction.action_as_Fill()) {
    entry.kind = Kind::Fill;
    entry.source = reinterpret_cast<const std::byte *>(fill->pattern()->data());
    entry.patternSize = static_cast<uint8_t>(fill->pattern()->size());
    entry.size = slots.bytes(fill->target()).size();
  } else if (const auto *call = instruction.action_as_HostCall()) {
    addCall(entry, *call);
  } else if (const auto *send = instruction.action_as_Send()) {
    entry.kind = Kind::Send;
    addCopies(entry, *send, plan);
  } else if (instruction.action_as_Recv()) {
    entry.kind = Kind::Recv;
  } else {
    entry.kind = Kind::AllReduce;
  }
  resolve(entry, instruction);
  return entry;
}

void Executor::addChecks() {
  for (const format::Port *fetch : *spec.graph->fetches()) {
    if (fetch->program() != spec.program || !isFloatScalar(*fetch->type()))
      continue;
    // The last writer makes the value that the user sees.
    for (size_t i = entries.size(); i-- > 0;) {
      bool writes = false;
      forEachWrite(*program().instructions()->Get(i),
                   [&](uint32_t slot) { writes |= slot == fetch->slot(); });
      if (!writes)
        continue;
      // A device's fetches are on the host when the step ends.
      entries[i].isChecked = !slots.onDevice();
      checks.push_back({i, fetch});
      break;
    }
  }
}

} // namespace graphc::runtime
