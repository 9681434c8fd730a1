// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/StepEngine.h"

#include "runtime/base/Futex.h"
#include "runtime/executor/StepTrace.h"
#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr uint32_t kBits = 64;

std::string quotedDevice(const Executor &executor) {
  return "program " + quote(executor.deviceName());
}
} // namespace

/// A thread of the pool during a step.
class StepEngine::Worker final : public ExecutorContext {
public:
  Worker(StepEngine &engine, int thread) : engine(engine), thread(thread) {}

  void launch(KernelFunction function, void *const *buffers,
              int64_t tiles) override {
    KernelLaunch launch = engine.spec.device->prepare(function, buffers);
    if (engine.threads == 1) {
      KernelLaunch::run(&launch, thread, 0, tiles);
      return;
    }
    TileJob &job = engine.jobs[thread];
    // Fewer chunks where all threads have work of their own, since kernels take
    // less time for large ones; some, for threads that will have none.
    int helpers = engine.idle.load(std::memory_order_relaxed);
    uint32_t chunks = job.open(tiles, helpers > 0 ? engine.threads : 1,
                               KernelLaunch::run, &launch);
    engine.wake(chunks - 1);
    job.help(thread);
    job.await(engine.spec.device->threadPool().spinNanos());
  }

  void launchInline(KernelFunction function, void *const *buffers,
                    int64_t tiles) override {
    KernelLaunch launch = engine.spec.device->prepare(function, buffers);
    KernelLaunch::run(&launch, thread, 0, tiles);
  }

  bool arrive(uint32_t semaphore) override {
    return engine.semaphores[semaphore].missing.fetch_sub(1) == 1;
  }

  void signal(uint32_t semaphore) override {
    OpenSemaphore &open = engine.semaphores[semaphore];
    if (open.missing.fetch_sub(1) == 1)
      engine.makeReady(open.program);
  }

  bool isOpen(uint32_t semaphore) const override {
    return engine.semaphores[semaphore].missing.load() == 1;
  }

  bool isStopped() override {
    return engine.isFailed.load(std::memory_order_relaxed) ||
           engine.limit.stops();
  }

private:
  StepEngine &engine;
  int thread;
};

StatusOr<std::unique_ptr<StepEngine>>
StepEngine::create(const ExecutorSpec &spec, const StepOptions &options) {
  std::unique_ptr<StepEngine> engine(new StepEngine(spec, options));
  GRAPHC_TRY(engine->build());
  return engine;
}

Status StepEngine::build() {
  uint32_t count = spec.graph->programs()->size();
  spec.stepLimit = &limit;
  std::vector<SlotTable> tables;
  for (uint32_t program = 0; program < count; ++program) {
    GRAPHC_ASSIGN_OR_RETURN(SlotTable table,
                            SlotTable::create(*spec.model, *spec.graph, program,
                                              spec.variables, spec.devices));
    tables.push_back(std::move(table));
  }
  GRAPHC_TRY(SlotTable::linkDevices(*spec.graph, tables, spec.devices));
  GRAPHC_ASSIGN_OR_RETURN(collectives, SlotTable::findCollectives(
                                           *spec.graph, tables, spec.devices));
  spec.collectives = options.edges.collectives = collectives.get();
  GRAPHC_ASSIGN_OR_RETURN(plan,
                          EdgePlan::make(*spec.graph, tables, options.edges));
  for (uint32_t program = 0; program < count; ++program) {
    ExecutorSpec each = spec;
    each.program = program;
    GRAPHC_ASSIGN_OR_RETURN(
        std::unique_ptr<Executor> executor,
        Executor::create(each, std::move(tables[program]), plan));
    pointers.push_back(executor.get());
    executors.push_back(std::move(executor));
  }
  semaphores = std::make_unique<OpenSemaphore[]>(plan.semaphores().size());
  for (size_t semaphore = 0; semaphore < plan.semaphores().size();
       ++semaphore) {
    semaphores[semaphore].needed =
        plan.semaphores()[semaphore].signals.size() + 1;
    semaphores[semaphore].program = plan.semaphores()[semaphore].at.program;
  }
  threads = spec.device->threads();
  jobs = std::make_unique<TileJob[]>(threads);
  ready = std::vector<std::atomic<uint64_t>>((count + kBits - 1) / kBits);
  return Status::ok();
}

void StepEngine::makeReady(uint32_t program) {
  active.fetch_add(1);
  ready[program / kBits].fetch_or(uint64_t{1} << program % kBits);
  wake(1);
}

bool StepEngine::takeReady(uint32_t &program) {
  for (uint32_t word = 0; word < ready.size(); ++word) {
    uint64_t bits = ready[word].load();
    while (bits) {
      uint64_t lowest = bits & -bits;
      if (ready[word].compare_exchange_weak(bits, bits & ~lowest)) {
        program = word * kBits + __builtin_ctzll(lowest);
        return true;
      }
    }
  }
  return false;
}

bool StepEngine::hasWork() const {
  auto isSet = [](const std::atomic<uint64_t> &bits) { return bits.load(); };
  return isOver.load() || std::any_of(ready.begin(), ready.end(), isSet) ||
         std::any_of(jobs.get(), jobs.get() + threads,
                     [](const TileJob &job) { return job.isOpen(); });
}

bool StepEngine::help(int thread) {
  bool helped = false;
  for (int other = 0; other < threads; ++other)
    helped |= jobs[other].help(thread);
  return helped;
}

void StepEngine::fail(const Status &status) {
  MutexLock lock(mutex);
  if (isFailed.load(std::memory_order_relaxed))
    return;
  firstFailure = status;
  isFailed.store(true);
}

/// One program less can go on.
void StepEngine::retire() {
  if (active.fetch_sub(1) != 1)
    return;
  isOver.store(true);
  wake(UINT32_MAX);
}

void StepEngine::walk(uint32_t program, Worker &worker) {
  switch (executors[program]->resume(worker)) {
  case Executor::Walk::Done:
    unfinished.fetch_sub(1);
    break;
  case Executor::Walk::Failed:
    fail(executors[program]->failure());
    break;
  case Executor::Walk::Waiting:
  case Executor::Walk::Stopped:
  case Executor::Walk::Refused:  // no value leaves, and nothing limits
  case Executor::Walk::Deferred: // each program may have a thread
  case Executor::Walk::AtLimit:
    break;
  }
  retire();
}

void StepEngine::work(int thread) {
  Worker worker(*this, thread);
  WaitLadder ladder(spec.device->threadPool().spinNanos());
  uint32_t program = 0;
  bool isIdle = false;
  auto setIdle = [&](bool now) {
    if (now != isIdle)
      idle.fetch_add(now ? 1 : -1, std::memory_order_relaxed);
    isIdle = now;
  };
  while (!isOver.load()) {
    if (takeReady(program)) {
      setIdle(false);
      walk(program, worker);
      ladder.reset();
    } else if (help(thread)) {
      ladder.reset();
    } else {
      setIdle(true);
      if (!ladder.pause()) {
        sleep();
        ladder.reset();
      }
    }
  }
  setIdle(false);
}

void StepEngine::sleep() {
  sleepers.fetch_add(1);
  uint32_t word = wakeWord.load();
  // seq_cst with wake(): work published before this look is seen here, later
  // work sees this sleeper and changes the word.
  if (!hasWork())
    futexWait(wakeWord, word);
  sleepers.fetch_sub(1);
}

void StepEngine::wake(uint32_t most) {
  if (most == 0 || sleepers.load() == 0)
    return;
  wakeWord.fetch_add(1);
  futexWake(wakeWord, static_cast<int>(std::min<uint32_t>(most, INT32_MAX)));
}

/// Describes what an unfinished program waits for, or where it was stopped.
std::string StepEngine::waitsOf(uint32_t program) const {
  const Executor &executor = *executors[program];
  const format::Instruction &next =
      *executor.program().instructions()->Get(executor.standsAt());
  std::string text = quotedDevice(executor) + " is at " + describeOp(next);
  if (const auto *recv = next.action_as_Recv()) {
    for (uint32_t number : *recv->edges()) {
      const format::Edge &edge = *spec.graph->edges()->Get(number);
      InstructionId send = plan.sender(number);
      if (executors[send.program]->standsAt() > send.instruction)
        continue;
      return text + " and waits for edge " + std::to_string(number) + " " +
             quote(viewOf(edge.name())) + atLine(edge.location()) + " from " +
             quotedDevice(*executors[send.program]);
    }
  }
  for (const Semaphore &semaphore : plan.semaphores()) {
    if (semaphore.at.program != program ||
        semaphore.at.instruction != executor.standsAt())
      continue;
    for (InstructionId signal : semaphore.signals) {
      const Executor &other = *executors[signal.program];
      if (other.standsAt() > signal.instruction)
        continue;
      const format::Instruction &awaited =
          *other.program().instructions()->Get(signal.instruction);
      return text + " and waits until " + quotedDevice(other) +
             (awaited.action_as_AllReduce() ? " comes to " + describeOp(awaited)
                                            : " has read its value");
    }
  }
  return text;
}

std::string StepEngine::whereStuck() const {
  std::string text;
  for (uint32_t program = 0; program < executors.size(); ++program) {
    const Executor &executor = *executors[program];
    if (executor.standsAt() < executor.program().instructions()->size())
      text += (text.empty() ? "" : "; ") + waitsOf(program);
  }
  return text;
}

std::string StepEngine::cutShort() const {
  std::string text;
  for (const Executor *executor : pointers)
    if (std::optional<uint32_t> at = executor->cutAt())
      text += (text.empty() ? stepText() + ": " : "; ") +
              quotedDevice(*executor) + " was at " +
              describeOp(*executor->program().instructions()->Get(*at));
  return text.empty() ? "" : text + ", and did not sleep on";
}

std::string StepEngine::stepText() const {
  return "step " + std::to_string(executors.front()->stepNumber() + 1);
}

/// The failure of a step that the limit has ended.
Status StepEngine::stopped() {
  for (Executor *executor : pointers)
    GRAPHC_TRY(executor->finishStep());
  if (limit.due() == StepLimit::Cause::Cancelled)
    return cancelled(stepText() + " was cancelled");
  return Status(StatusCode::DeadlineExceeded, stepText() + ": " + whereStuck());
}

/// Explains the status of a thread that was stopped.
Status StepEngine::explain(const Status &status) {
  bool isStop = status.code() == StatusCode::Cancelled && limit.isStopped();
  return isStop ? stopped() : status;
}

/// Returns the result of the step, when no thread is in it any more.
Status StepEngine::outcome() {
  // Devices must have come to rest, however the step ended.
  for (Executor *executor : pointers)
    if (Status status = executor->finishStep(); !status.isOk())
      fail(status);
  if (isFailed.load()) {
    MutexLock lock(mutex);
    return firstFailure.isOk() ? StepTrace(pointers, plan.semaphores()).report()
                               : firstFailure;
  }
  if (limit.isStopped())
    return stopped();
  if (unfinished.load() > 0)
    return internalError(stepText() +
                         ": the programs wait for each other: " + whereStuck() +
                         "; the plan in the file is wrong: compile the model "
                         "again, and report it if that does not help");
  return StepTrace(pointers, plan.semaphores()).report();
}

Status StepEngine::runStep(uint64_t step) {
  for (Executor *executor : pointers)
    executor->beginStep(step);
  const NumericsOptions &numerics = spec.numerics;
  if (numerics.checkAll && numerics.policy != NanPolicy::Ignore &&
      !executors.front()->hasReported())
    return explain(StepTrace(pointers, plan.semaphores()).runChecked());
  for (size_t semaphore = 0; semaphore < plan.semaphores().size(); ++semaphore)
    semaphores[semaphore].missing.store(semaphores[semaphore].needed,
                                        std::memory_order_relaxed);
  auto count = static_cast<uint32_t>(executors.size());
  active.store(count);
  unfinished.store(count);
  isOver.store(false);
  isFailed.store(false);
  {
    MutexLock lock(mutex);
    firstFailure = Status::ok();
  }
  for (uint32_t program = 0; program < count; ++program)
    ready[program / kBits].fetch_or(uint64_t{1} << program % kBits);
  spec.device->threadPool().parallelFor(
      threads,
      [](void *engine, int thread, int64_t begin, int64_t end) {
        for (; begin < end; ++begin)
          static_cast<StepEngine *>(engine)->work(thread);
      },
      this);
  return outcome();
}

/// Runs a step that the observer wants.
Status StepEngine::runObserved(uint64_t step) {
  for (Executor *executor : pointers)
    executor->beginStep(step);
  bool isChecked = spec.numerics.checkAll &&
                   spec.numerics.policy != NanPolicy::Ignore &&
                   !executors.front()->hasReported();
  return StepTrace(pointers, plan.semaphores())
      .runObserved(*spec.observer, isChecked);
}

Status StepEngine::step(uint64_t step, int64_t untilNanos) {
  bool isAlone = executors.size() == 1;
  if (!isAlone)
    GRAPHC_TRY(spec.host->beginStep(*spec.graph));
  limit.begin(untilNanos);
  bool isSeen = spec.observer && spec.observer->wants(*spec.graph, step);
  Status status = isSeen    ? explain(runObserved(step))
                  : isAlone ? explain(executors.front()->step(step))
                            : runStep(step);
  limit.forgetCancel();
  return status;
}

} // namespace graphc::runtime
