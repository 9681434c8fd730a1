// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the op from which a NaN or an infinity comes.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPTRACE_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPTRACE_H

#include "runtime/executor/Executor.h"
#include "runtime/executor/StepObserver.h"

#include <string>

namespace graphc::runtime {

/// " (line 23)", or "" where that is not known.
std::string atLine(const format::Location *location);

/// "op 'Log_2' (line 23)", as far as the model has them.
std::string describeOp(const format::Instruction &instruction);

/// Looks at everything that a step writes. No program of the step may run
/// meanwhile. Thread-safety: as its executors'.
class StepTrace {
public:
  /// All executors of a graph, in a step; `semaphores` are those of their
  /// EdgePlan.
  StepTrace(std::span<Executor *const> executors,
            std::span<const Semaphore> semaphores);

  /// Reports the fetches that the executors found not to be finite, each with
  /// the first op that makes such a value: a failure under NanPolicy::Error,
  /// warnings else.
  Status report();

  /// The same where programs of other tasks take part, so that the step cannot
  /// be walked again.
  Status reportSeen();

  /// Looks at what the instruction, done last by the only executor, has
  /// written.
  Status lookAt(uint32_t instruction);

  /// Runs the whole step on one thread and looks at every value when it is
  /// made.
  Status runChecked();

  /// Runs the whole step in the same way, before the eyes of an observer; with
  /// `isChecked`, it also looks at every value itself. Fetches that are not
  /// finite are reported.
  Status runObserved(StepObserver &observer, bool isChecked);

private:
  class Memory;
  Status walk(StepObserver *observer, bool isChecked);
  Status perform(InstructionId id);
  bool isMadeBy(InstructionId id) const;
  const ExecutorSpec &spec() const { return executors.front()->spec; }
  const format::Instruction &instructionAt(InstructionId id) const;
  std::string onDevice(uint32_t program) const;
  std::string explain(const Executor::Check &check);
  std::string findInStart() const;
  std::string findInOutputs(InstructionId id) const;
  bool keepsBatch(InstructionId id) const;
  std::string replay(InstructionId last);
  std::string updatedVariable() const;
  std::string message(const std::string &finding) const;
  NonFinite look(uint32_t program, uint32_t slot) const;
  Status warnOrFail(const std::string &text) const;

  std::span<Executor *const> executors;
  std::span<const Semaphore> semaphores;
};

} // namespace graphc::runtime

#endif
