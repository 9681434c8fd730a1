// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Executor.h"

#include "runtime/executor/StepTrace.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

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

} // namespace

Status HostCalls::sleep(uint64_t millis) {
  constexpr uint64_t kSlice = 10;
  for (; millis > 0; millis -= std::min(millis, kSlice)) {
    if (isCancelled())
      return cancelled("the step was cancelled while it slept");
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::min(millis, kSlice)));
  }
  return Status::ok();
}

void HostCalls::print(std::string_view line) {
  // One write keeps the lines of several threads whole.
  std::string whole = std::string(line) + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

Status Executor::execute(const Entry &entry, ExecutorContext *context) {
  if (!remote)
    return executeOnHost(entry, context);
  // What the host passes on has to be there first.
  if (entry.kind == Kind::Send)
    GRAPHC_TRY(submit(entry, entry.size > 0));
  GRAPHC_TRY(executeOnHost(entry, context));
  return submit(entry, false);
}

Status Executor::executeOnHost(const Entry &entry, ExecutorContext *context) {
  auto *const *pointers =
      reinterpret_cast<void *const *>(buffers.data() + entry.firstBuffer);
  switch (entry.kind) {
  case Kind::Launch:
    if (context)
      context->launch(entry.function, pointers, entry.tiles);
    else
      spec.device->launch(entry.function, pointers, entry.tiles);
    break;
  case Kind::LaunchInline:
    if (context)
      context->launchInline(entry.function, pointers, entry.tiles);
    else
      spec.device->launchInline(entry.function, pointers, entry.tiles);
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
    copyEdges(entry);
    break;
  case Kind::Sleep:
    return pause(entry.size, context);
  case Kind::Fail:
    return Status(StatusCode::Aborted, texts[entry.size]);
  case Kind::Check:
    if (*buffers[entry.firstBuffer] == std::byte{0})
      return invalidArgument(texts[entry.size]);
    break;
  case Kind::Print:
    spec.host->print(
        printedLine(prints[entry.size], buffers[entry.firstBuffer]));
    break;
  case Kind::OnDevice:
  case Kind::Depart:    // the context has taken the values
  case Kind::Recv:      // the bytes are there when its semaphore is open
  case Kind::AllReduce: // the sum is there, or a library of the device makes it
    break;
  }
  return Status::ok();
}

void Executor::copyEdges(const Entry &send) {
  for (size_t i = 0; i < send.size; ++i) {
    const EdgeCopy &copy = copies[send.firstCopy + i];
    std::memcpy(copy.target, copy.source, copy.size);
  }
}

/// True when the step is to end before the next instruction.
bool Executor::isAtEnd(ExecutorContext *context) const {
  return context ? context->isStopped()
                 : spec.stepLimit && spec.stepLimit->stops();
}

Status Executor::stopped() const {
  return cancelled("step " + std::to_string(current + 1) + " was ended early");
}

/// True when the next instruction may be done, as far as it begins the update.
bool Executor::mayPass(ExecutorContext *context) const {
  // A program that is alone is walked by no thread of the pool.
  return cursor != updates || !spec.stepLimit ||
         spec.stepLimit->mayUpdate(context ? nullptr
                                           : &spec.device->threadPool());
}

/// Lets time pass on the calling thread, unless the context has seen to it.
Status Executor::pause(uint64_t millis, ExecutorContext *context) {
  if (context && context->hasClock())
    return Status::ok();
  constexpr uint64_t kSlice = 10;
  for (; millis > 0; millis -= std::min(millis, kSlice)) {
    if (isAtEnd(context))
      return stopped();
    if (spec.stepLimit && spec.stepLimit->mustHurry()) {
      cutPause = cursor;
      break;
    }
    GRAPHC_TRY(spec.host->sleep(std::min(millis, kSlice)));
  }
  return Status::ok();
}

bool Executor::isRefused(const Entry &entry, ExecutorContext &context) {
  if (entry.kind == Kind::Depart)
    return !context.depart(entry.size);
  return entry.kind == Kind::Sleep && context.hasClock() &&
         !context.isPauseOver(entry.size);
}

/// Decides whether this step looks at the clock.
void Executor::beginTimes() {
  isTraced = spec.timeline && spec.timeline->wants(current + 1);
  isTimed = isTraced || !seconds.empty();
  waitSince = 0;
  // Times are those of an instruction where a device is waited for.
  if (remote && isWarm)
    remote->setStepwise(isTimed || looksAtAll);
}

int64_t Executor::clock() const {
  return spec.timeline ? spec.timeline->now() : nowNanos();
}

void Executor::beginWait() {
  if (isTraced && waitSince == 0)
    waitSince = clock();
}

void Executor::endWait(int64_t now) {
  if (waitSince != 0)
    spec.timeline->add(spec.program, {cursor, StepTimeline::Kind::Wait,
                                      current + 1, waitSince, now});
  waitSince = 0;
}

Status Executor::executeTimed(size_t instruction, int64_t begin,
                              ExecutorContext *context) {
  Status status = execute(entries[instruction], context);
  int64_t end = clock();
  // The first step touches memory for the first time.
  if (isWarm && !seconds.empty())
    seconds[instruction] += static_cast<double>(end - begin) * 1e-9;
  if (isTraced)
    spec.timeline->add(spec.program,
                       {static_cast<uint32_t>(instruction),
                        StepTimeline::Kind::Run, current + 1, begin, end});
  return status;
}

Status Executor::atInstruction(const Status &failure,
                               size_t instruction) const {
  // The end of the data is an event, not a fault of an op, and a fault of a
  // device that comes late has its ops in it.
  if (failure.code() == StatusCode::OutOfRange || isLate)
    return failure;
  return failure
      .annotate(describeOp(*program().instructions()->Get(instruction)))
      .annotate("step " + std::to_string(current + 1));
}

/// Finds NaN and infinities in fetches that `instruction` completes and that
/// were not reported before.
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

bool Executor::hasFindings() const {
  return std::any_of(checks.begin(), checks.end(), [](const Check &check) {
    return check.found != NonFinite::None;
  });
}

/// Fails if a check that is still to come fails on what is there already: what
/// a program says of its own values tells more than that a fetch is NaN.
Status Executor::lookAhead(size_t begin) const {
  for (size_t i = begin; i < entries.size(); ++i) {
    const Entry &entry = entries[i];
    if (entry.kind != Kind::Check)
      continue;
    const auto *waits = program().instructions()->Get(i)->waits();
    bool isThere =
        !waits || std::all_of(waits->begin(), waits->end(),
                              [=](size_t wait) { return wait < begin; });
    if (isThere && *buffers[entry.firstBuffer] == std::byte{0})
      return atInstruction(invalidArgument(texts[entry.size]), i);
  }
  return Status::ok();
}

/// Looks at what the instruction has written; false ends the step.
bool Executor::isFine(size_t instruction) {
  if (looksAtAll && !isReported) {
    Executor *self = this;
    walkFailure = StepTrace({&self, 1}, {}).lookAt(cursor);
    if (!walkFailure.isOk())
      return false;
  }
  if (!entries[instruction].isChecked || !findsNonFinite(instruction) ||
      spec.numerics.policy != NanPolicy::Error)
    return true;
  walkFailure = lookAhead(instruction + 1);
  return false;
}

void Executor::beginStep(uint64_t step) {
  current = step;
  beginTimes();
  if (remote)
    remote->beginStep();
  slots.setStep(step);
  cursor = 0;
  isPastSemaphore = false;
  sent.clear();
  firstSent = 0;
  cutPause.reset();
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
    if (isAtEnd(nullptr) || !mayPass(nullptr))
      return stopped();
    const Entry &entry = entries[cursor];
    Status status = isTimed ? executeTimed(cursor, clock(), nullptr)
                            : execute(entry, nullptr);
    if (!status.isOk())
      return atInstruction(status, cursor);
    if (entry.isChecked && findsNonFinite(cursor)) {
      ++cursor;
      if (spec.numerics.policy == NanPolicy::Error)
        GRAPHC_TRY(lookAhead(cursor));
      GRAPHC_TRY(StepTrace({&self, 1}, {}).report());
      --cursor;
    }
  }
  GRAPHC_TRY(finishStep());
  if (remote && hasFindings())
    GRAPHC_TRY(StepTrace({&self, 1}, {}).report());
  setWarm();
  return Status::ok();
}

Executor::Walk Executor::resume(ExecutorContext &context) {
  for (; cursor < limit; ++cursor) {
    if (context.isStopped() || !mayPass(&context))
      return Walk::Stopped;
    const Entry &entry = entries[cursor];
    if (remote && mustDeliver(entry, context))
      if (Walk walk = deliver(context); walk != Walk::Done)
        return walk;
    if (entry.semaphore != kNoSemaphore && !isPastSemaphore) {
      // Nothing of this object may be touched after a refusal: another context
      // may be in here already.
      isPastSemaphore = true;
      beginWait();
      if (!context.arrive(entry.semaphore))
        return Walk::Waiting;
      waitSince = 0;
    }
    int64_t begin = 0;
    if (isTimed) {
      begin = clock();
      endWait(begin);
    }
    if (remote && isByHost(entry)) {
      if (!submitSend(entry))
        return Walk::Failed;
      if (!remote->stepwise())
        continue; // see deliver()
    }
    if (isRefused(entry, context)) {
      isPastSemaphore = true;
      beginWait();
      return Walk::Refused;
    }
    isPastSemaphore = false;
    walkFailure = isTimed ? executeTimed(cursor, begin, &context)
                          : execute(entry, &context);
    if (!walkFailure.isOk()) {
      if (entry.kind == Kind::Sleep && isAtEnd(&context))
        return Walk::Stopped;
      walkFailure = atInstruction(walkFailure, cursor);
      return Walk::Failed;
    }
    if ((entry.isChecked || looksAtAll) && !isFine(cursor)) {
      ++cursor;
      return Walk::Failed;
    }
    for (uint32_t i = 0; i < entry.signalCount; ++i)
      context.signal(signals[entry.firstSignal + i]);
  }
  if (remote)
    if (Walk walk = deliver(context); walk != Walk::Done)
      return walk;
  if (cursor < entries.size()) {
    beginWait();
    return Walk::AtLimit;
  }
  setWarm();
  return Walk::Done;
}

} // namespace graphc::runtime
