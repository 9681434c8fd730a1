// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the steps of a graph: all its programs at the same time, by the one pool
// of threads.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPENGINE_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPENGINE_H

#include "runtime/device/UnitJob.h"
#include "runtime/executor/Executor.h"

#include <memory>
#include <mutex>

namespace graphc::runtime {

/// What a step of several programs is made from, beside the executors' spec.
struct StepOptions {
  EdgeOptions edges;
  /// The longest that a step may take; 0: as long as it takes. Looked at
  /// between instructions.
  int64_t mostNanos = 0;
};

/// A program is walked by one thread at a time, until it comes to a gate that
/// is not open; then the thread takes another program, and the signal that
/// opens the gate makes the program ready again. A thread that finds no program
/// helps with the kernels of the others. Which thread does what is left to
/// chance, results are not. A step allocates nothing after the first.
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

  /// Whether what was fed is still there after a step.
  bool keepsInput(const format::Port &port) const {
    return executors[port.program()]->keepsInput(port.slot());
  }

  /// Runs one step. `step` counts from 0; messages count from 1.
  Status step(uint64_t step);

  /// Ends the step that runs, or else the next one, with CANCELLED.
  /// Thread-safety: any thread.
  void cancel() { isCancelled.store(true); }

private:
  class Worker;

  /// A gate during a step.
  struct alignas(64) OpenGate {
    std::atomic<uint32_t> missing{0}; ///< signals, and the program itself
    uint32_t needed = 0;
    uint32_t program = 0;
  };

  StepEngine(const ExecutorSpec &spec, const StepOptions &options)
      : spec(spec), options(options) {}
  Status build();
  Status runStep(uint64_t step);
  Status outcome();
  void makeReady(uint32_t program);
  bool takeReady(uint32_t &program);
  bool hasWork() const;
  bool help(int thread);
  void walk(uint32_t program, Worker &worker);
  void retire();
  enum class Cause { Program, Late, Cancelled };
  void fail(Cause cause, const Status &status = Status::ok());
  void work(int thread);
  void sleep();
  void wake(uint32_t most);
  std::string whereStuck() const;
  std::string waitsOf(uint32_t program) const;

  ExecutorSpec spec;
  StepOptions options;
  EdgePlan plan;
  std::unique_ptr<GpuCollectives> collectives; ///< null: none
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<Executor *> pointers;  ///< the same
  std::unique_ptr<OpenGate[]> gates; ///< by number in the plan
  std::unique_ptr<UnitJob[]> jobs;   ///< by thread
  int threads = 1;

  // The step that runs.
  std::vector<std::atomic<uint64_t>> ready; ///< one bit per program
  std::atomic<uint32_t> active{0}; ///< programs that are walked or ready
  std::atomic<uint32_t> unfinished{0};
  std::atomic<bool> isOver{false};
  std::atomic<bool> isFailed{false};
  std::atomic<bool> isCancelled{false};
  int64_t deadlineNanos = 0; ///< 0: none
  std::mutex mutex;          ///< guards firstCause and firstFailure
  Cause firstCause = Cause::Program;
  Status firstFailure; ///< a program's; success: a fetch is not finite

  std::atomic<int> idle{0};                      ///< threads without a program
  alignas(64) std::atomic<uint32_t> wakeWord{0}; ///< what sleepers sleep on
  std::atomic<int> sleepers{0};
};

} // namespace graphc::runtime

#endif
