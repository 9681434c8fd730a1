// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Executor.h"

#include "runtime/executor/Instructions.h"
#include "runtime/executor/StepTrace.h"
#include "runtime/format/TensorTypes.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace graphc::runtime {

namespace {

void fill(std::byte *target, size_t size, const std::byte *pattern,
          size_t patternSize) {
  if (patternSize == 1) {
    std::memset(target, static_cast<int>(*pattern), size);
    return;
  }
  // Doubling what is there already: few large copies instead of many small.
  size_t done = std::min(patternSize, size);
  std::memcpy(target, pattern, done);
  while (done < size) {
    size_t more = std::min(done, size - done);
    std::memcpy(target + done, target, more);
    done += more;
  }
}

bool isFloatScalar(const format::TensorType &type) {
  TensorType value = toTensorType(type);
  return value.shape.empty() &&
         (value.dtype == DType::Float32 || value.dtype == DType::Float64);
}

} // namespace

Executor::Executor(const ExecutorSpec &spec, SlotTable slots)
    : spec(spec), slots(std::move(slots)) {}

const format::Program &Executor::program() const {
  return *spec.graph->programs()->Get(spec.program);
}

StatusOr<std::unique_ptr<Executor>> Executor::create(const ExecutorSpec &spec) {
  GRAPHC_ASSIGN_OR_RETURN(SlotTable slots,
                          SlotTable::create(*spec.model, *spec.graph,
                                            spec.program, spec.variables));
  return create(spec, std::move(slots), EdgePlan());
}

StatusOr<std::unique_ptr<Executor>> Executor::create(const ExecutorSpec &spec,
                                                     SlotTable slots,
                                                     const EdgePlan &plan) {
  std::unique_ptr<Executor> executor(new Executor(spec, std::move(slots)));
  GRAPHC_TRY(executor->addEntries(plan));
  executor->addGates(plan);
  if (spec.numerics.policy != NanPolicy::Ignore)
    executor->addChecks();
  executor->slots.setSeed(spec.seed);
  if (spec.isProfiled)
    executor->seconds.resize(executor->entries.size());
  return executor;
}

Status Executor::addEntries(const EdgePlan &plan) {
  size_t scratch = 0;
  entries.reserve(program().instructions()->size());
  for (const format::Instruction *instruction : *program().instructions()) {
    entries.push_back(makeEntry(*instruction, plan));
    if (const auto *dispatch = instruction->action_as_Dispatch())
      scratch = std::max<size_t>(scratch, spec.model->index()
                                              .kernels()
                                              ->Get(dispatch->kernel())
                                              ->scratch_bytes());
  }
  return spec.device->reserveScratch(scratch);
}

/// The gates of this program, and those elsewhere that it opens.
void Executor::addGates(const EdgePlan &plan) {
  std::vector<std::vector<uint32_t>> opened(entries.size());
  for (uint32_t gate = 0; gate < plan.gates().size(); ++gate) {
    const Gate &each = plan.gates()[gate];
    if (each.at.program == spec.program)
      entries[each.at.instruction].gate = gate;
    for (InstructionId signal : each.signals)
      if (signal.program == spec.program)
        opened[signal.instruction].push_back(gate);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].firstSignal = signals.size();
    entries[i].signalCount = opened[i].size();
    signals.insert(signals.end(), opened[i].begin(), opened[i].end());
  }
}

/// The copies that a Send makes; none for edges that are shared.
void Executor::addCopies(Entry &entry, const format::Send &send,
                         const EdgePlan &plan) {
  entry.firstCopy = copies.size();
  for (uint32_t edge : *send.edges())
    if (plan.copy(edge).size > 0)
      copies.push_back(plan.copy(edge));
  entry.size = copies.size() - entry.firstCopy;
}

void Executor::addBuffers(Entry &entry,
                          const flatbuffers::Vector<uint32_t> &indices) {
  entry.firstBuffer = buffers.size();
  entry.bufferCount = indices.size();
  for (uint32_t slot : indices)
    buffers.push_back(slots.address(slot));
}

Executor::Entry Executor::makeEntry(const format::Instruction &instruction,
                                    const EdgePlan &plan) {
  Entry entry;
  if (const auto *dispatch = instruction.action_as_Dispatch()) {
    const format::Kernel &kernel =
        *spec.model->index().kernels()->Get(dispatch->kernel());
    bool isSplit =
        isWorthThreads(kernel.units(), kernel.flops(), kernel.bytes());
    entry.kind = isSplit ? Kind::Launch : Kind::LaunchInline;
    entry.function = spec.kernels->function(dispatch->kernel());
    entry.units = kernel.units();
    addBuffers(entry, *dispatch->slots());
  } else if (const auto *copy = instruction.action_as_Copy()) {
    entry.kind = Kind::Copy;
    entry.source = slots.address(copy->source());
    entry.target = slots.address(copy->target());
    entry.size = slots.bytes(copy->target()).size();
  } else if (const auto *fill = instruction.action_as_Fill()) {
    entry.kind = Kind::Fill;
    entry.source = reinterpret_cast<const std::byte *>(fill->pattern()->data());
    entry.patternSize = static_cast<uint8_t>(fill->pattern()->size());
    entry.target = slots.address(fill->target());
    entry.size = slots.bytes(fill->target()).size();
  } else if (const auto *call = instruction.action_as_HostCall()) {
    entry.kind = Kind::NextBatch;
    entry.call = {call->index(), call->shard(), call->shards()};
    addBuffers(entry, *call->slots());
  } else if (const auto *send = instruction.action_as_Send()) {
    entry.kind = Kind::Send;
    addCopies(entry, *send, plan);
  } else {
    entry.kind = Kind::Recv;
  }
  return entry;
}

void Executor::addChecks() {
  for (const format::Port *fetch : *spec.graph->fetches()) {
    if (fetch->program() != spec.program || !isFloatScalar(*fetch->type()))
      continue;
    // The last writer makes the value that the user sees.
    for (size_t i = entries.size(); i-- > 0;) {
      bool writes = false;
      forEachOutput(*program().instructions()->Get(i),
                    [&](uint32_t slot) { writes |= slot == fetch->slot(); });
      if (!writes)
        continue;
      entries[i].isChecked = true;
      checks.push_back({i, fetch});
      break;
    }
  }
}

Status Executor::execute(const Entry &entry, Lane *lane) {
  auto *const *pointers =
      reinterpret_cast<void *const *>(buffers.data() + entry.firstBuffer);
  switch (entry.kind) {
  case Kind::Launch:
    if (lane)
      lane->launch(entry.function, pointers, entry.units);
    else
      spec.device->launch(entry.function, pointers, entry.units);
    break;
  case Kind::LaunchInline:
    if (lane)
      lane->launchInline(entry.function, pointers, entry.units);
    else
      spec.device->launchInline(entry.function, pointers, entry.units);
    break;
  case Kind::Copy:
    std::memmove(entry.target, entry.source, entry.size);
    break;
  case Kind::Fill:
    fill(entry.target, entry.size, entry.source, entry.patternSize);
    break;
  case Kind::NextBatch:
    return spec.host->nextBatch(
        entry.call, {buffers.data() + entry.firstBuffer, entry.bufferCount});
  case Kind::Send:
    for (size_t i = 0; i < entry.size; ++i) {
      const EdgeCopy &copy = copies[entry.firstCopy + i];
      std::memcpy(copy.target, copy.source, copy.size);
    }
    break;
  case Kind::Recv: // the bytes are there when its gate is open
    break;
  }
  return Status::ok();
}

Status Executor::executeTimed(size_t instruction, Lane *lane) {
  auto start = std::chrono::steady_clock::now();
  Status status = execute(entries[instruction], lane);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  // The first step touches memory for the first time.
  if (isWarm)
    seconds[instruction] += took.count();
  return status;
}

Status Executor::atInstruction(const Status &failure,
                               size_t instruction) const {
  // The end of the data is an event, not a fault of an op.
  if (failure.code() == StatusCode::OutOfRange)
    return failure;
  return failure
      .annotate(describeOp(*program().instructions()->Get(instruction)))
      .annotate("step " + std::to_string(current + 1));
}

/// Whether a fetch that `instruction` completes is not finite and was not
/// reported before.
bool Executor::findsNonFinite(size_t instruction) {
  bool isFound = false;
  for (Check &check : checks) {
    if (check.instruction != instruction || check.isReported)
      continue;
    check.found =
        findNonFinite(static_cast<DType>(check.fetch->type()->dtype()),
                      slots.bytes(check.fetch->slot()));
    isFound |= check.found != NonFinite::None;
  }
  return isFound;
}

void Executor::beginStep(uint64_t step) {
  slots.setStep(step);
  current = step;
  cursor = 0;
  isPastGate = false;
  walkFailure = Status::ok();
  for (Check &check : checks)
    check.found = NonFinite::None;
}

Status Executor::step(uint64_t step) {
  beginStep(step);
  Executor *self = this;
  if (spec.numerics.checkAll && !isReported &&
      spec.numerics.policy != NanPolicy::Ignore)
    return StepTrace({&self, 1}, {}).runChecked();
  for (; cursor < entries.size(); ++cursor) {
    const Entry &entry = entries[cursor];
    Status status = seconds.empty() ? execute(entry, nullptr)
                                    : executeTimed(cursor, nullptr);
    if (!status.isOk())
      return atInstruction(status, cursor);
    if (entry.isChecked && findsNonFinite(cursor)) {
      ++cursor;
      GRAPHC_TRY(StepTrace({&self, 1}, {}).report());
      --cursor;
    }
  }
  isWarm = true;
  return Status::ok();
}

Executor::Walk Executor::resume(Lane &lane) {
  for (; cursor < entries.size(); ++cursor) {
    if (lane.isStopped())
      return Walk::Stopped;
    const Entry &entry = entries[cursor];
    if (entry.gate != kNoGate && !isPastGate) {
      // Nothing of this object may be touched after a refusal: another lane
      // may be in here already.
      isPastGate = true;
      if (!lane.arrive(entry.gate))
        return Walk::Parked;
    }
    isPastGate = false;
    walkFailure =
        seconds.empty() ? execute(entry, &lane) : executeTimed(cursor, &lane);
    if (!walkFailure.isOk()) {
      walkFailure = atInstruction(walkFailure, cursor);
      return Walk::Failed;
    }
    if (entry.isChecked && findsNonFinite(cursor) &&
        spec.numerics.policy == NanPolicy::Error) {
      ++cursor;
      return Walk::Failed;
    }
    for (uint32_t i = 0; i < entry.signalCount; ++i)
      lane.signal(signals[entry.firstSignal + i]);
  }
  isWarm = true;
  return Walk::Done;
}

} // namespace graphc::runtime
