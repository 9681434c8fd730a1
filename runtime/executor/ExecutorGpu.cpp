// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is different for a program on a GPU: the host walks over it, too, and
// tells the device what to do.
#include "runtime/executor/Executor.h"

#include "runtime/executor/StepTrace.h"

namespace graphc::runtime {

Status Executor::makeGpuProgram() {
  GRAPHC_ASSIGN_OR_RETURN(
      gpu, GpuProgram::create(
               {spec.model, spec.graph, spec.program, slots.onGpu(), updates}));
  // A fault of a kernel is known by its op in the first step, where most are.
  gpu->setStepwise(true);
  return Status::ok();
}

/// From the second step on, a GPU's work is replayed in large pieces, unless
/// each instruction is looked at.
void Executor::setWarm() {
  if (gpu && !isWarm)
    gpu->capture();
  isWarm = true;
  if (gpu)
    gpu->setStepwise(spec.isProfiled || looksAtAll);
}

/// Tells the GPU of the instruction; with `isAwaited`, its values are on the
/// host when this returns.
Status Executor::submit(const Entry &entry, bool isAwaited) {
  auto instruction = static_cast<uint32_t>(&entry - entries.data());
  GRAPHC_TRY(gpu->submit(instruction));
  return isAwaited ? awaitGpu() : Status::ok();
}

Status Executor::awaitGpu() {
  Status status = gpu->await();
  if (status.isOk() || gpu->stepwise())
    return status;
  isLate = true;
  uint32_t first = gpu->waitedFor();
  uint32_t last = std::max(gpu->submitted(), first + 1) - 1;
  const auto &all = *program().instructions();
  return status
      .annotate("one of " + std::to_string(last - first + 1) + " ops from " +
                describeOp(*all.Get(first)) + " to " +
                describeOp(*all.Get(last)) +
                " (--profile waits for each and names it)")
      .annotate("step " + std::to_string(current + 1));
}

Status Executor::finishStep() {
  if (!gpu)
    return Status::ok();
  GRAPHC_TRY(awaitGpu());
  GRAPHC_TRY(gpu->finish());
  for (const Check &check : checks)
    if (check.instruction < cursor)
      findsNonFinite(check.instruction);
  return Status::ok();
}

/// What an instruction's part of a step wrote, done again for a trace; host
/// calls are not repeated.
Status Executor::repeat(uint32_t instruction) {
  if (!gpu)
    return execute(entries[instruction], nullptr);
  GRAPHC_TRY(gpu->repeat(instruction));
  const Entry &entry = entries[instruction];
  return entry.kind == Kind::Send ? executeOnHost(entry, nullptr)
                                  : Status::ok();
}

std::span<const std::byte> Executor::contents(uint32_t slot) const {
  return gpu ? gpu->contents(slot) : slots.bytes(slot);
}

} // namespace graphc::runtime
