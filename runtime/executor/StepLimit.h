// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends a step early: because its time is over, or because it was cancelled.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPLIMIT_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPLIMIT_H

#include "runtime/base/Clock.h"
#include "runtime/executor/UpdateGate.h"

#include <atomic>
#include <cstdint>

namespace graphc::runtime {

/// A step ends before any of its programs writes a variable, or not at all: so
/// variables are those of a whole number of steps. A step that is due and does
/// write goes on without pauses.
/// Thread-safety: any thread, but for begin().
class StepLimit {
public:
  enum class Cause : uint8_t { None, Late, Cancelled };

  /// Of a step that begins: its time is over at `untilNanos`; 0: never.
  void begin(int64_t untilNanos) {
    until = untilNanos;
    stage.store(Stage::Open, std::memory_order_relaxed);
  }

  /// Of the step that runs, or else the next one.
  void cancel() { isCancelled.store(true); }
  /// The step that was to be cancelled has ended.
  void forgetCancel() { isCancelled.store(false); }

  /// Cause for which the step should end now.
  Cause due() const {
    if (isCancelled.load(std::memory_order_relaxed))
      return Cause::Cancelled;
    return until && nowNanos() > until ? Cause::Late : Cause::None;
  }

  /// Stops the step if it is due; true when stopped.
  bool stops() {
    if (due() == Cause::None)
      return isStopped();
    Stage now = Stage::Open;
    return stage.compare_exchange_strong(now, Stage::Stopped) ||
           now == Stage::Stopped;
  }
  /// True when the step is due, and writes variables: it goes on to its end.
  bool mustHurry() { return due() != Cause::None && !stops(); }
  bool isStopped() const { return stage.load() == Stage::Stopped; }

  /// Sets the gate at which steps wait before they write variables; null: none.
  /// It outlives the steps.
  void setGate(UpdateGate *newGate) { gate = newGate; }

  /// Asked before a program writes its first variable; false: the step ends.
  /// Waits at the gate; see UpdateGate::pass().
  bool mayUpdate(ThreadPool *pool = nullptr) {
    if (gate)
      gate->pass(pool);
    Stage now = Stage::Open;
    return stage.compare_exchange_strong(now, Stage::Updating) ||
           now == Stage::Updating;
  }

private:
  enum class Stage : uint8_t { Open, Updating, Stopped };

  int64_t until = 0; ///< 0: no end
  UpdateGate *gate = nullptr;
  std::atomic<bool> isCancelled{false};
  std::atomic<Stage> stage{Stage::Open};
};

} // namespace graphc::runtime

#endif
