// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/StepTrace.h"

#include "runtime/executor/SequentialWalk.h"
#include "runtime/format/InstructionId.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"

namespace graphc::runtime {

namespace {
constexpr const char *kCure =
    "; keep its inputs in range (a smaller learning rate, labels below the "
    "number of classes, a guard such as "
    "log(x + 1e-7)), or go on with --nan=warn";
} // namespace

std::string atLine(const format::Location *location) {
  if (!location || location->line() == 0)
    return "";
  return " (line " + std::to_string(location->line()) + ")";
}

std::string describeOp(const format::Instruction &instruction) {
  std::string_view name = viewOf(instruction.name());
  return "op " + (name.empty() ? "without a name" : quote(name)) +
         atLine(instruction.location());
}

StepTrace::StepTrace(std::span<Executor *const> executors,
                     std::span<const Semaphore> semaphores)
    : executors(executors), semaphores(semaphores) {}

const format::Instruction &StepTrace::instructionAt(InstructionId id) const {
  return *executors[id.program]->program().instructions()->Get(id.instruction);
}

/// Names the program's device where there are several programs.
std::string StepTrace::onDevice(uint32_t program) const {
  if (executors.size() == 1)
    return "";
  return " on " + quote(executors[program]->deviceName());
}

NonFinite StepTrace::look(uint32_t program, uint32_t slot) const {
  const Executor &executor = *executors[program];
  return findNonFinite(
      static_cast<DType>(
          executor.program().slots()->Get(slot)->type()->dtype()),
      executor.contents(slot));
}

std::string StepTrace::message(const std::string &finding) const {
  return "step " + std::to_string(executors.front()->stepNumber() + 1) + ": " +
         finding;
}

Status StepTrace::warnOrFail(const std::string &text) const {
  if (spec().numerics.policy == NanPolicy::Error)
    return failedPrecondition(text);
  if (spec().numerics.warn)
    spec().numerics.warn(text);
  return Status::ok();
}

/// Finds a NaN or an infinity before the first instruction; "": none.
std::string StepTrace::findInStart() const {
  const auto &variables = *spec().model->index().variables();
  for (uint32_t i = 0; i < variables.size(); ++i) {
    TensorType type = toTensorType(*variables.Get(i)->type());
    std::vector<std::byte> copy;
    std::span<const std::byte> bytes(spec().variables[i],
                                     spec().variables[i] ? type.numBytes() : 0);
    if (spec().devices && spec().devices->variable(i)) {
      copy.resize(type.numBytes());
      if (spec().devices->readVariable(i, copy).isOk())
        bytes = copy;
    }
    // Empty: of another task.
    NonFinite found = findNonFinite(type.dtype, bytes);
    if (found != NonFinite::None)
      return "variable " + quote(viewOf(variables.Get(i)->name())) +
             atLine(variables.Get(i)->location()) + " held " +
             nonFiniteName(found) + " before the step";
  }
  for (const format::Port *feed : *spec().graph->feeds()) {
    NonFinite found =
        findNonFinite(static_cast<DType>(feed->type()->dtype()),
                      executors[feed->program()]->slot(feed->slot()));
    if (found != NonFinite::None &&
        executors[feed->program()]->keepsInput(feed->slot()))
      return "feed " + quote(viewOf(feed->name())) + atLine(feed->location()) +
             " holds " + nonFiniteName(found);
  }
  return "";
}

/// True when what the instruction writes is there because of it.
bool StepTrace::isMadeBy(InstructionId id) const {
  const DeviceProgram *remote = executors[id.program]->remote.get();
  return !instructionAt(id).action_as_Recv() &&
         (!remote || remote->isDone(id.instruction));
}

/// Finds a NaN or an infinity that the instruction wrote; "": none. What is
/// received was checked where it was made.
std::string StepTrace::findInOutputs(InstructionId id) const {
  const format::Instruction &made = instructionAt(id);
  NonFinite found = NonFinite::None;
  if (isMadeBy(id))
    forEachWrite(made, [&](uint32_t slot) {
      if (found == NonFinite::None)
        found = look(id.program, slot);
    });
  if (found == NonFinite::None)
    return "";
  const auto *call = made.action_as_HostCall();
  if (!call)
    return describeOp(made) + onDevice(id.program) + " made " +
           nonFiniteName(found);
  const auto &datasets = *spec().model->index().datasets();
  return "the batch of dataset " +
         quote(viewOf(datasets.Get(call->index())->name())) + " holds " +
         nonFiniteName(found);
}

/// True when the batch that a host call wrote is unchanged.
bool StepTrace::keepsBatch(InstructionId id) const {
  const format::Instruction &instruction = instructionAt(id);
  for (uint32_t slot : *instruction.action_as_HostCall()->slots())
    if (!executors[id.program]->keepsInput(slot))
      return false;
  return true;
}

/// Walks the step again on the inputs it had; batches stay what they were.
std::string StepTrace::replay(InstructionId last) {
  if (std::string finding = findInStart(); !finding.empty())
    return finding;
  SequentialWalk walk(executors, semaphores);
  while (walk.done(last.program) <= last.instruction) {
    std::optional<InstructionId> id = walk.next();
    if (!id)
      return "";
    bool isCall = instructionAt(*id).action_as_HostCall() != nullptr;
    Executor &executor = *executors[id->program];
    // A batch that the failed step did not come to is not there.
    if (isCall && (!keepsBatch(*id) || id->instruction >= executor.done()))
      return "";
    // Only host calls fail, and they are not repeated.
    // On a device, what the host gave has to be brought there again.
    if ((!isCall || executor.remote) &&
        !executor.repeat(id->instruction).isOk())
      return "";
    if (std::string finding = findInOutputs(*id); !finding.empty())
      return finding;
  }
  return "";
}

/// A variable that the step has written so far, or "".
std::string StepTrace::updatedVariable() const {
  const auto &variables = *spec().model->index().variables();
  std::string name;
  for (const Executor *executor : executors)
    for (uint32_t i = 0; i < executor->done() && name.empty(); ++i)
      forEachWrite(
          *executor->program().instructions()->Get(i), [&](uint32_t index) {
            const format::Slot &slot = *executor->program().slots()->Get(index);
            if (slot.kind() == format::SlotKind::Variable)
              name = viewOf(variables.Get(slot.index())->name());
          });
  return name;
}

/// Explains a NaN or an infinity in a fetch: walks the step again up to the
/// instruction that completes it, on the inputs that the step had, and names
/// the first op that makes such a value. Under NanPolicy::Warn the walk is left
/// out where it would update variables twice, since the run goes on.
std::string StepTrace::explain(const Executor::Check &check) {
  const format::Port &fetch = *check.fetch;
  InstructionId last = {fetch.program(),
                        static_cast<uint32_t>(check.instruction)};
  std::string updated = updatedVariable();
  bool mayReplay =
      updated.empty() || spec().numerics.policy == NanPolicy::Error;
  std::string seen = std::string("fetch ") + quote(viewOf(fetch.name())) +
                     atLine(fetch.location()) + " is " +
                     nonFiniteName(check.found);
  std::string finding = mayReplay ? replay(last) : "";
  if (finding.empty())
    finding = describeOp(instructionAt(last)) + onDevice(last.program) +
              " wrote " + nonFiniteName(check.found) +
              ", the op where it began is not known";
  std::string text = finding + "; " + seen;
  if (!updated.empty())
    text += "; variable " + quote(updated) +
            " had already been updated in this step, so an earlier op may be "
            "the cause (--check-numerics looks before that)";
  return message(text + kCure);
}

Status StepTrace::report() {
  for (Executor *executor : executors)
    for (Executor::Check &check : executor->checks) {
      if (check.found == NonFinite::None)
        continue;
      std::string text = explain(check);
      check.found = NonFinite::None;
      // Such values stay, so one warning per fetch is enough.
      check.isReported = spec().numerics.policy == NanPolicy::Warn;
      GRAPHC_TRY(warnOrFail(text));
    }
  return Status::ok();
}

Status StepTrace::reportSeen() {
  for (Executor *executor : executors)
    for (Executor::Check &check : executor->checks) {
      if (check.found == NonFinite::None)
        continue;
      const format::Port &fetch = *check.fetch;
      std::string text =
          describeOp(
              *executor->program().instructions()->Get(check.instruction)) +
          " on " + quote(executor->deviceName()) + " wrote " +
          nonFiniteName(check.found) + "; fetch " +
          quote(viewOf(fetch.name())) + atLine(fetch.location()) + " is " +
          nonFiniteName(check.found) +
          "; programs of other tasks take part, so the op where it began is "
          "not known (--check-numerics looks for it)";
      check.found = NonFinite::None;
      check.isReported = spec().numerics.policy == NanPolicy::Warn;
      GRAPHC_TRY(warnOrFail(message(text + kCure)));
    }
  return Status::ok();
}

Status StepTrace::lookAt(uint32_t instruction) {
  std::string finding = findInOutputs({0, instruction});
  if (finding.empty())
    return Status::ok();
  executors.front()->isReported = spec().numerics.policy == NanPolicy::Warn;
  return warnOrFail(message(finding + " on " +
                            quote(executors.front()->deviceName()) + kCure));
}

/// The memory that an observer sees.
class StepTrace::Memory final : public StepValues {
public:
  explicit Memory(std::span<Executor *const> executors)
      : executors(executors) {}

  uint64_t step() const override { return executors.front()->stepNumber(); }
  const format::Graph &graph() const override {
    return *executors.front()->spec.graph;
  }
  std::span<const std::byte> bytes(uint32_t program,
                                   uint32_t slot) const override {
    return executors[program]->contents(slot);
  }

private:
  std::span<Executor *const> executors;
};

Status StepTrace::runChecked() { return walk(nullptr, true); }

Status StepTrace::runObserved(StepObserver &observer, bool isChecked) {
  GRAPHC_TRY(walk(&observer, isChecked));
  for (Executor *executor : executors)
    GRAPHC_TRY(executor->finishStep());
  GRAPHC_TRY(observer.onEnd(Memory(executors)));
  GRAPHC_TRY(report());
  for (Executor *executor : executors)
    executor->setWarm();
  return Status::ok();
}

/// Does an instruction whose turn it is.
Status StepTrace::perform(InstructionId id) {
  Executor &executor = *executors[id.program];
  if (executor.isAtEnd(nullptr) || !executor.mayPass(nullptr))
    return executor.stopped();
  Status status =
      executor.isTimed
          ? executor.executeTimed(id.instruction, executor.clock(), nullptr)
          : executor.execute(executor.entries[id.instruction], nullptr);
  if (!status.isOk())
    return executor.atInstruction(status, id.instruction);
  executor.cursor = id.instruction + 1;
  return Status::ok();
}

Status StepTrace::walk(StepObserver *observer, bool isChecked) {
  for (Executor *executor : executors)
    if (executor->remote)
      executor->remote->setStepwise(true);
  Memory memory(executors);
  if (observer)
    GRAPHC_TRY(observer->onBegin(memory));
  std::string finding = isChecked ? findInStart() : "";
  auto report = [&]() -> Status {
    if (finding.empty())
      return Status::ok();
    for (Executor *executor : executors)
      executor->isReported = spec().numerics.policy == NanPolicy::Warn;
    return warnOrFail(message(finding + kCure));
  };
  GRAPHC_TRY(report());
  SequentialWalk walk(executors, semaphores);
  while (std::optional<InstructionId> id = walk.next()) {
    if (observer)
      GRAPHC_TRY(observer->onBefore(*id, memory));
    GRAPHC_TRY(perform(*id));
    if (observer)
      GRAPHC_TRY(observer->onAfter(*id, isMadeBy(*id), memory));
    Executor &executor = *executors[id->program];
    if (!isChecked && executor.entries[id->instruction].isChecked &&
        executor.findsNonFinite(id->instruction))
      GRAPHC_TRY(this->report());
    // Under Warn, what follows only spreads the first finding.
    if (!isChecked || !finding.empty())
      continue;
    finding = findInOutputs(*id);
    GRAPHC_TRY(report());
  }
  return Status::ok();
}

} // namespace graphc::runtime
