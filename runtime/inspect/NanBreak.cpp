// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspect/NanBreak.h"

#include "runtime/executor/StepTrace.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/inspect/DumpFolder.h"
#include "runtime/inspect/ValueStats.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace graphc::runtime {

namespace {

/// True when the instruction may read what it writes to the slot: a variable
/// that it updates, or a value that it writes over.
bool isUpdatedInPlace(const format::Slot &slot, uint32_t instruction) {
  return slot.kind() == format::SlotKind::Variable ||
         (slot.kind() == format::SlotKind::Arena && slot.first() < instruction);
}

bool isNumeric(const format::Slot &slot) {
  return slot.kind() != format::SlotKind::StepState &&
         slot.type()->dtype() != format::DType::String;
}

ValueStats statsOf(const NamedTensor &value) {
  return statsOf(value.tensor.type.dtype, value.tensor.bytes);
}

} // namespace

NamedTensor NanBreak::copyOf(InstructionId at, uint32_t index,
                             const StepValues &values) const {
  const format::Slot &slot = *programOf(at).slots()->Get(index);
  std::span<const std::byte> bytes = values.bytes(at.program, index);
  NamedTensor copy{std::string(viewOf(slot.name())),
                   {toTensorType(*slot.type()), {bytes.begin(), bytes.end()}}};
  if (copy.name.empty())
    copy.name = "slot_" + std::to_string(index);
  return copy;
}

Status NanBreak::stop(BreakReport report) {
  isStopped = true;
  std::string text = breakText(report, model);
  if (folder.empty())
    return failedPrecondition(text);
  std::vector<NamedTensor> all;
  std::set<std::string> names;
  auto add = [&](const char *prefix, const std::vector<NamedTensor> &values) {
    for (const NamedTensor &value : values) {
      std::string name = prefix + value.name;
      for (int number = 2; !names.insert(name).second; ++number)
        name = prefix + value.name + "#" + std::to_string(number);
      all.push_back({std::move(name), value.tensor});
    }
  };
  add("inputs/", report.inputs);
  add("outputs/", report.outputs);
  char name[48];
  std::snprintf(name, sizeof name, "nan-step-%06llu.npz",
                static_cast<unsigned long long>(report.step));
  std::string path = folder + "/" + name;
  // Where that fails, what was found is still told.
  Status status = writeDump(path, all);
  text += status.isOk() ? "\n  written to " + quote(path)
                        : "\n  not written: " + status.message();
  return failedPrecondition(text);
}

Status NanBreak::checkStart(const std::string &what, uint32_t line,
                            const NamedTensor &value,
                            const StepValues &values) {
  ValueStats stats = statsOf(value);
  if (stats.isFinite())
    return Status::ok();
  BreakReport report;
  report.step = values.step() + 1;
  report.what = what + " " + quote(value.name) + " holds " +
                (stats.nans > 0 ? "NaN" : "Inf") + " before the step";
  report.line = line;
  report.inputs.push_back(value);
  return stop(std::move(report));
}

Status NanBreak::onBegin(const StepValues &values) {
  for (const format::Port *feed : *watched->feeds()) {
    NamedTensor value = copyOf({feed->program(), 0}, feed->slot(), values);
    value.name = viewOf(feed->name());
    GRAPHC_TRY(checkStart("feed",
                          feed->location() ? feed->location()->line() : 0,
                          value, values));
  }
  std::set<uint32_t> seen;
  for (uint32_t p = 0; p < watched->programs()->size(); ++p) {
    const auto &slots = *watched->programs()->Get(p)->slots();
    for (uint32_t i = 0; i < slots.size(); ++i) {
      if (slots.Get(i)->kind() != format::SlotKind::Variable ||
          !seen.insert(slots.Get(i)->index()).second)
        continue;
      const format::Variable &variable =
          *model.index().variables()->Get(slots.Get(i)->index());
      NamedTensor value = copyOf({p, 0}, i, values);
      value.name = viewOf(variable.name());
      GRAPHC_TRY(checkStart(
          "variable", variable.location() ? variable.location()->line() : 0,
          value, values));
    }
  }
  return Status::ok();
}

Status NanBreak::onBefore(InstructionId next, const StepValues &values) {
  overwritten.clear();
  const format::Instruction &instruction =
      *programOf(next).instructions()->Get(next.instruction);
  // What others give is whole before it is written.
  if (!instruction.action_as_Dispatch())
    return Status::ok();
  forEachWrite(instruction, [&](uint32_t slot) {
    if (isUpdatedInPlace(*programOf(next).slots()->Get(slot), next.instruction))
      overwritten.push_back(copyOf(next, slot, values));
  });
  return Status::ok();
}

std::vector<NamedTensor> NanBreak::inputsOf(InstructionId at,
                                            const StepValues &values) const {
  const format::Program &program = programOf(at);
  const format::Instruction &instruction =
      *program.instructions()->Get(at.instruction);
  std::set<uint32_t> seen;
  forEachWrite(instruction, [&](uint32_t slot) { seen.insert(slot); });
  std::vector<NamedTensor> inputs;
  forEachOperand(instruction, [&](uint32_t slot) {
    if (seen.insert(slot).second && isNumeric(*program.slots()->Get(slot)))
      inputs.push_back(copyOf(at, slot, values));
  });
  for (const NamedTensor &value : overwritten) {
    inputs.push_back(value);
    inputs.back().name += " (before)";
  }
  return inputs;
}

std::string NanBreak::describe(InstructionId at, const char *made) const {
  const format::Program &program = programOf(at);
  const format::Instruction &instruction =
      *program.instructions()->Get(at.instruction);
  if (const format::HostCall *batch = nextBatchOf(instruction))
    return "the batch of dataset " +
           quote(
               viewOf(model.index().datasets()->Get(batch->index())->name())) +
           " holds " + made;
  std::string text = describeOp(instruction);
  if (watched->programs()->size() > 1)
    text += " on " + quote(deviceOf(model.index(), program));
  return text + " made " + made;
}

Status NanBreak::onAfter(InstructionId done, bool isSeen,
                         const StepValues &values) {
  if (!isSeen)
    return Status::ok();
  const format::Program &program = programOf(done);
  const format::Instruction &instruction =
      *program.instructions()->Get(done.instruction);
  bool isNan = false, isInf = false;
  forEachWrite(instruction, [&](uint32_t slot) {
    auto dtype =
        static_cast<DType>(program.slots()->Get(slot)->type()->dtype());
    // The usual case, quickly.
    std::span<const std::byte> bytes = values.bytes(done.program, slot);
    if (findNonFinite(dtype, bytes) == NonFinite::None)
      return;
    ValueStats stats = statsOf(dtype, bytes);
    isNan |= stats.nans > 0;
    isInf |= stats.infs > 0;
  });
  if (!isNan && !isInf)
    return Status::ok();
  BreakReport report;
  report.inputs = inputsOf(done, values);
  bool hadNan = false, wasFinite = true;
  for (const NamedTensor &input : report.inputs) {
    ValueStats stats = statsOf(input);
    hadNan |= stats.nans > 0;
    wasFinite &= stats.isFinite();
  }
  // It only passes on what it was given, such as an infinity of a mask.
  if (!wasFinite && !(isNan && !hadNan))
    return Status::ok();
  forEachWrite(instruction, [&](uint32_t slot) {
    report.outputs.push_back(copyOf(done, slot, values));
  });
  report.step = values.step() + 1;
  report.what = describe(done, isNan ? "NaN" : "Inf");
  report.line = instruction.location() ? instruction.location()->line() : 0;
  std::string_view name = viewOf(instruction.name());
  report.isFused =
      name.find(", ") != std::string_view::npos || name.ends_with(" more");
  return stop(std::move(report));
}

} // namespace graphc::runtime
