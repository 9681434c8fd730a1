// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/StepTrace.h"

#include "runtime/executor/Instructions.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"

namespace graphc::runtime {

namespace {
constexpr const char *kCure =
    "; keep its inputs in range (a smaller learning rate, labels below the "
    "number of classes, a guard such as "
    "log(x + 1e-7)), or go on with --nan=warn";

std::string atLine(const format::Location *location) {
  if (!location || location->line() == 0)
    return "";
  return " (line " + std::to_string(location->line()) + ")";
}
} // namespace

std::string describeOp(const format::Instruction &instruction) {
  std::string_view name = viewOf(instruction.name());
  return "op " + (name.empty() ? "without a name" : quote(name)) +
         atLine(instruction.location());
}

StepTrace::StepTrace(Executor &executor, uint64_t step)
    : executor(executor), program(executor.program()), step(step) {}

NonFinite StepTrace::look(uint32_t slot) const {
  return findNonFinite(
      static_cast<DType>(program.slots()->Get(slot)->type()->dtype()),
      executor.slots.bytes(slot));
}

std::string StepTrace::message(const std::string &finding) const {
  return "step " + std::to_string(step + 1) + ": " + finding;
}

/// What is not finite before the first instruction, or "".
std::string StepTrace::findInStart() const {
  const auto &variables = *executor.spec.model->index().variables();
  for (uint32_t i = 0; i < variables.size(); ++i) {
    TensorType type = toTensorType(*variables.Get(i)->type());
    NonFinite found = findNonFinite(
        type.dtype, {executor.spec.variables[i], type.numBytes()});
    if (found != NonFinite::None)
      return "variable " + quote(viewOf(variables.Get(i)->name())) +
             atLine(variables.Get(i)->location()) + " held " +
             nonFiniteName(found) + " before the step";
  }
  for (const format::Port *feed : *executor.spec.graph->feeds()) {
    NonFinite found = look(feed->slot());
    if (found != NonFinite::None && executor.keepsInput(feed->slot()))
      return "feed " + quote(viewOf(feed->name())) + atLine(feed->location()) +
             " holds " + nonFiniteName(found);
  }
  return "";
}

/// What `instruction` wrote that is not finite, or "".
std::string StepTrace::findInOutputs(size_t instruction) const {
  const format::Instruction &made = *program.instructions()->Get(instruction);
  NonFinite found = NonFinite::None;
  forEachOutput(made, [&](uint32_t slot) {
    if (found == NonFinite::None)
      found = look(slot);
  });
  if (found == NonFinite::None)
    return "";
  const auto *call = made.action_as_HostCall();
  if (!call)
    return describeOp(made) + " made " + nonFiniteName(found);
  const auto &datasets = *executor.spec.model->index().datasets();
  return "the batch of dataset " +
         quote(viewOf(datasets.Get(call->index())->name())) + " holds " +
         nonFiniteName(found);
}

/// Whether the batch that a host call wrote is still what it was.
bool StepTrace::keepsBatch(const format::HostCall &call) const {
  for (uint32_t slot : *call.slots())
    if (!executor.keepsInput(slot))
      return false;
  return true;
}

/// Walks the step again on the inputs it had; batches stay what they were.
std::string StepTrace::replay(size_t last) {
  if (std::string finding = findInStart(); !finding.empty())
    return finding;
  for (size_t i = 0; i <= last; ++i) {
    const auto *call = program.instructions()->Get(i)->action_as_HostCall();
    if (call && !keepsBatch(*call))
      return "";
    // Only host calls fail, and they are not repeated.
    if (!call && !executor.execute(executor.entries[i]).isOk())
      return "";
    if (std::string finding = findInOutputs(i); !finding.empty())
      return finding;
  }
  return "";
}

/// A variable that an instruction up to `last` writes, or "".
std::string StepTrace::updatedVariable(size_t last) const {
  const auto &variables = *executor.spec.model->index().variables();
  std::string name;
  for (size_t i = 0; i <= last && name.empty(); ++i)
    forEachOutput(*program.instructions()->Get(i), [&](uint32_t index) {
      const format::Slot &slot = *program.slots()->Get(index);
      if (slot.kind() == format::SlotKind::Variable)
        name = viewOf(variables.Get(slot.index())->name());
    });
  return name;
}

std::string StepTrace::explain(const format::Port &fetch, size_t instruction,
                               NonFinite found) {
  std::string updated = updatedVariable(instruction);
  bool mayReplay =
      updated.empty() || executor.spec.numerics.policy == NanPolicy::Error;
  std::string seen = std::string("fetch ") + quote(viewOf(fetch.name())) +
                     atLine(fetch.location()) + " is " + nonFiniteName(found);
  std::string finding = mayReplay ? replay(instruction) : "";
  if (finding.empty())
    finding = describeOp(*program.instructions()->Get(instruction)) +
              " wrote " + nonFiniteName(found) +
              ", the op where it began is not known";
  std::string text = finding + "; " + seen;
  if (!updated.empty())
    text += "; variable " + quote(updated) +
            " had already been updated in this step, so an earlier op may be "
            "the cause (--check-numerics looks before that)";
  return message(text + kCure);
}

Status StepTrace::runChecked() {
  std::string finding = findInStart();
  auto report = [&]() -> Status {
    if (finding.empty())
      return Status::ok();
    if (executor.spec.numerics.policy == NanPolicy::Error)
      return failedPrecondition(message(finding + kCure));
    executor.isReported = true;
    if (executor.spec.numerics.warn)
      executor.spec.numerics.warn(message(finding + kCure));
    return Status::ok();
  };
  GRAPHC_TRY(report());
  for (size_t i = 0; i < executor.entries.size(); ++i) {
    Status status = executor.execute(executor.entries[i]);
    if (!status.isOk())
      return executor.atInstruction(status, i);
    if (!finding.empty())
      continue; // under Warn, what follows only spreads the first finding
    finding = findInOutputs(i);
    GRAPHC_TRY(report());
  }
  return Status::ok();
}

} // namespace graphc::runtime
