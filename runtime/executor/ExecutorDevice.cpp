// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over the program of an accelerator: the host tells the device what to
// do.
#include "runtime/executor/Executor.h"

#include "runtime/executor/StepTrace.h"

namespace graphc::runtime {

Status Executor::makeDeviceProgram() {
  DeviceSlots *place = slots.onDevice();
  GRAPHC_ASSIGN_OR_RETURN(remote, place->device().createProgram(
                                      {spec.model, spec.graph, spec.program,
                                       place, updates, spec.collectives}));
  // A fault of a kernel is known by its op in the first step, where most are.
  remote->setStepwise(true);
  sent.reserve(entries.size());
  return Status::ok();
}

/// From the second step on, a device's work is replayed in graph segments,
/// unless each instruction is looked at.
void Executor::setWarm() {
  if (remote && !isWarm)
    remote->capture();
  isWarm = true;
  if (remote)
    remote->setStepwise(spec.isProfiled || looksAtAll);
}

/// Tells the device of the instruction; with `isAwaited`, its values are on the
/// host when this returns.
Status Executor::submit(const Entry &entry, bool isAwaited) {
  GRAPHC_TRY(describeLate(remote->submit(numberOf(entry))));
  return isAwaited ? awaitDevice() : Status::ok();
}

Status Executor::awaitDevice() { return describeLate(remote->await()); }

/// Names the ops that may be at fault, unless that is the last one.
Status Executor::describeLate(const Status &status) {
  if (status.isOk() || remote->stepwise())
    return status;
  isLate = true;
  uint32_t first = remote->waitedFor();
  uint32_t last = std::max(remote->submitted(), first + 1) - 1;
  const auto &all = *program().instructions();
  return status
      .annotate("one of " + std::to_string(last - first + 1) + " ops from " +
                describeOp(*all.Get(first)) + " to " +
                describeOp(*all.Get(last)) +
                " (--profile waits for each and names it)")
      .annotate("step " + std::to_string(current + 1));
}

/// True when the host has a part in sending what the device has made.
bool Executor::isByHost(const Entry &send) const {
  return send.kind == Kind::Depart ||
         (send.kind == Kind::Send && send.size > 0);
}

/// Submits a Send in which the host has a part. The host goes on at once and
/// does it later, unless the program is walked stepwise; false is a failure.
bool Executor::submitSend(const Entry &entry) {
  bool isLater = !remote->stepwise();
  walkFailure = submit(entry, !isLater);
  if (!walkFailure.isOk()) {
    walkFailure = atInstruction(walkFailure, cursor);
    return false;
  }
  if (isLater) {
    sent.push_back(cursor);
    isPastSemaphore = false;
  }
  return true;
}

/// True when Sends have to be delivered before the instruction: the host would
/// wait here, or it overwrites their values.
bool Executor::mustDeliver(const Entry &entry,
                           const ExecutorContext &context) const {
  if (firstSent == sent.size() && !mayBeInterrupted())
    return false;
  bool isCall = entry.kind == Kind::NextBatch || entry.kind == Kind::Sleep ||
                entry.kind == Kind::Fail;
  bool mustWait = entry.semaphore != kNoSemaphore && !isPastSemaphore &&
                  !context.isOpen(entry.semaphore);
  return isCall || mustWait || remote->overwritesSent(numberOf(entry));
}

/// Does the host's part of the Sends that are left, in their order.
Executor::Walk Executor::deliver(ExecutorContext &context) {
  for (; firstSent < sent.size(); ++firstSent) {
    if (!context.mayWait())
      return Walk::Deferred;
    const Entry &entry = entries[sent[firstSent]];
    walkFailure = describeLate(remote->awaitSent(sent[firstSent]));
    if (!walkFailure.isOk())
      return Walk::Failed;
    if (context.isStopped())
      return Walk::Stopped;
    if (entry.kind == Kind::Send)
      copyEdges(entry);
    else if (!context.depart(entry.size))
      return Walk::Refused;
    for (uint32_t i = 0; i < entry.signalCount; ++i)
      context.signal(signals[entry.firstSignal + i]);
  }
  sent.clear();
  firstSent = 0;
  if (!mayBeInterrupted())
    return Walk::Done;
  // What other graphs write meanwhile must have been read.
  if (!context.mayWait())
    return Walk::Deferred;
  walkFailure = awaitDevice();
  return walkFailure.isOk() ? Walk::Done : Walk::Failed;
}

Status Executor::finishStep() {
  if (!remote)
    return Status::ok();
  GRAPHC_TRY(awaitDevice());
  GRAPHC_TRY(remote->finish());
  for (const Check &check : checks)
    if (check.instruction < cursor)
      findsNonFinite(check.instruction);
  return Status::ok();
}

/// Repeats an instruction of a step for a trace; host calls are not repeated.
Status Executor::repeat(uint32_t instruction) {
  if (!remote)
    return execute(entries[instruction], nullptr);
  GRAPHC_TRY(remote->repeat(instruction));
  const Entry &entry = entries[instruction];
  return entry.kind == Kind::Send ? executeOnHost(entry, nullptr)
                                  : Status::ok();
}

std::span<const std::byte> Executor::contents(uint32_t slot) const {
  return remote ? remote->contents(slot) : slots.bytes(slot);
}

} // namespace graphc::runtime
