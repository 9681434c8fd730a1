// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the steps of a graph: all its programs at the same time, by the one pool
// of threads.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPENGINE_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPENGINE_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/executor/Executor.h"
#include "runtime/target/cpu/TileJob.h"

#include <memory>

namespace graphc::runtime {

/// Options of a step of several programs, beside the executors' spec.
struct StepOptions {
  EdgeOptions edges;
};

/// A program is walked by one thread at a time, until it comes to a semaphore
/// that is not open; then the thread takes another program, and the signal that
/// opens the semaphore makes the program ready again. A thread that finds no
/// program helps with the kernels of the others. Which thread does what is left
/// to chance, results are not. A step allocates nothing after the first.
///
/// The first failure of a step ends it for all programs; the next step starts
/// afresh. When no program can go on, that is seen at once and is a failure.
/// Thread-safety: one call at a time, but for cancel().
class StepEngine {
public:
  /// An engine for all programs of `spec.graph`; `spec.program` is not used.
  static StatusOr<std::unique_ptr<StepEngine>>
  create(const ExecutorSpec &spec, const StepOptions &options = {});

  const format::Graph &graph() const { return *spec.graph; }
  size_t size() const { return executors.size(); }
  const Executor &executor(size_t program) const { return *executors[program]; }

  /// The bytes of a feed or a fetch.
  std::span<std::byte> slot(const format::Port &port) const {
    return executors[port.program()]->slot(port.slot());
  }

  /// True when the value fed is still there after a step.
  bool keepsInput(const format::Port &port) const {
    return executors[port.program()]->keepsInput(port.slot());
  }

  /// Runs one step. `step` counts from 0; messages count from 1. At
  /// `untilNanos` (of nowNanos(); 0: never) it ends with DEADLINE_EXCEEDED,
  /// which names where each program is. That is looked at between instructions
  /// and while a program sleeps; kernels, and what a device was given, are
  /// waited for. No variable was written then, but batches may have been taken.
  /// A step that writes variables already is finished, see cutShort().
  Status step(uint64_t step, int64_t untilNanos = 0);

  /// Of the last step, which was finished though its time was over: where it
  /// slept then, and did not go on sleeping; empty: nowhere.
  std::string cutShort() const;

  /// Ends the step that runs, or else the next one, with CANCELLED in the same
  /// way; one that writes variables already is finished.
  /// Thread-safety: any thread.
  void cancel() { limit.cancel(); }

  /// Sets the gate at which steps wait before they write variables; it outlives
  /// the engine.
  void setUpdateGate(UpdateGate *gate) { limit.setGate(gate); }

private:
  class Worker;

  /// A semaphore during a step.
  struct alignas(64) OpenSemaphore {
    std::atomic<uint32_t> missing{0}; ///< signals, and the program itself
    uint32_t needed = 0;
    uint32_t program = 0;
  };

  StepEngine(const ExecutorSpec &spec, const StepOptions &options)
      : spec(spec), options(options) {}
  Status build();
  Status runStep(uint64_t step);
  Status runObserved(uint64_t step);
  Status outcome();
  void makeReady(uint32_t program);
  bool takeReady(uint32_t &program);
  bool hasWork() const;
  bool help(int thread);
  void walk(uint32_t program, Worker &worker);
  void retire();
  void fail(const Status &status);
  Status stopped();
  Status explain(const Status &status);
  std::string stepText() const;
  void work(int thread);
  void sleep();
  void wake(uint32_t most);
  std::string whereStuck() const;
  std::string waitsOf(uint32_t program) const;

  ExecutorSpec spec;
  StepOptions options;
  EdgePlan plan;
  std::unique_ptr<Collectives> collectives; ///< null: none
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<Executor *> pointers;            ///< the same
  std::unique_ptr<OpenSemaphore[]> semaphores; ///< by number in the plan
  std::unique_ptr<TileJob[]> jobs;             ///< by thread
  int threads = 1;

  // The step that runs.
  std::vector<std::atomic<uint64_t>> ready; ///< one bit per program
  std::atomic<uint32_t> active{0}; ///< programs that are walked or ready
  std::atomic<uint32_t> unfinished{0};
  std::atomic<bool> isOver{false};
  std::atomic<bool> isFailed{false};
  StepLimit limit;
  Mutex mutex;
  /// A program's; success: a fetch is not finite, or the limit has stopped the
  /// step.
  Status firstFailure GRAPHC_GUARDED_BY(mutex);

  std::atomic<int> idle{0};                      ///< threads without a program
  alignas(64) std::atomic<uint32_t> wakeWord{0}; ///< what sleepers sleep on
  std::atomic<int> sleepers{0};
};

} // namespace graphc::runtime

#endif
