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
  std::unique_ptr<Executor> executor(new Executor(spec, std::move(slots)));
  GRAPHC_TRY(executor->addEntries());
  if (spec.numerics.policy != NanPolicy::Ignore)
    executor->addChecks();
  executor->slots.stepState().seed = spec.seed;
  if (spec.isProfiled)
    executor->seconds.resize(executor->entries.size());
  return executor;
}

Status Executor::addEntries() {
  size_t scratch = 0;
  entries.reserve(program().instructions()->size());
  for (const format::Instruction *instruction : *program().instructions()) {
    entries.push_back(makeEntry(*instruction));
    if (const auto *dispatch = instruction->action_as_Dispatch())
      scratch = std::max<size_t>(scratch, spec.model->index()
                                              .kernels()
                                              ->Get(dispatch->kernel())
                                              ->scratch_bytes());
  }
  return spec.device->reserveScratch(scratch);
}

void Executor::addBuffers(Entry &entry,
                          const flatbuffers::Vector<uint32_t> &indices) {
  entry.firstBuffer = buffers.size();
  entry.bufferCount = indices.size();
  for (uint32_t slot : indices)
    buffers.push_back(slots.address(slot));
}

Executor::Entry Executor::makeEntry(const format::Instruction &instruction) {
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
    entry.dataset = call->index();
    addBuffers(entry, *call->slots());
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

Status Executor::execute(const Entry &entry) {
  auto *const *pointers =
      reinterpret_cast<void *const *>(buffers.data() + entry.firstBuffer);
  switch (entry.kind) {
  case Kind::Launch:
    spec.device->launch(entry.function, pointers, entry.units);
    break;
  case Kind::LaunchInline:
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
        entry.dataset, {buffers.data() + entry.firstBuffer, entry.bufferCount});
  }
  return Status::ok();
}

Status Executor::executeTimed(size_t instruction) {
  auto start = std::chrono::steady_clock::now();
  Status status = execute(entries[instruction]);
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
      .annotate("step " + std::to_string(slots.stepState().step + 1));
}

Status Executor::runChecks(size_t instruction, uint64_t step) {
  for (Check &check : checks) {
    if (check.instruction != instruction || check.isReported)
      continue;
    NonFinite found =
        findNonFinite(static_cast<DType>(check.fetch->type()->dtype()),
                      slots.bytes(check.fetch->slot()));
    if (found == NonFinite::None)
      continue;
    StepTrace trace(*this, step);
    std::string message = trace.explain(*check.fetch, instruction, found);
    if (spec.numerics.policy == NanPolicy::Error)
      return failedPrecondition(message);
    // Such values stay, so one warning per fetch says it all.
    check.isReported = true;
    if (spec.numerics.warn)
      spec.numerics.warn(message);
  }
  return Status::ok();
}

Status Executor::step(uint64_t step) {
  slots.stepState().step = step;
  if (spec.numerics.checkAll && !isReported &&
      spec.numerics.policy != NanPolicy::Ignore)
    return StepTrace(*this, step).runChecked();
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry &entry = entries[i];
    Status status = seconds.empty() ? execute(entry) : executeTimed(i);
    if (!status.isOk())
      return atInstruction(status, i);
    if (entry.isChecked)
      GRAPHC_TRY(runChecks(i, step));
  }
  isWarm = true;
  return Status::ok();
}

} // namespace graphc::runtime
