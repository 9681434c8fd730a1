// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of all programs of a step in an order that one thread can do
// them in.
#ifndef GRAPHC_RUNTIME_EXECUTOR_SEQUENTIALWALK_H
#define GRAPHC_RUNTIME_EXECUTOR_SEQUENTIALWALK_H

#include "runtime/executor/Executor.h"

namespace graphc::runtime {

/// Always the same order: of the programs that need not wait, the first goes
/// on. Thread-safety: one thread.
class SequentialWalk {
public:
  /// `semaphores` are those of the executors' EdgePlan.
  SequentialWalk(std::span<Executor *const> executors,
                 std::span<const Semaphore> semaphores);

  /// The next instruction, which the caller does at once; nothing at the end of
  /// the step, and where all programs wait.
  std::optional<InstructionId> next();

  /// Count of a program's instructions that were given.
  uint32_t done(uint32_t program) const { return cursors[program]; }

private:
  std::span<Executor *const> executors;
  std::vector<size_t> missing; ///< signals, by semaphore
  std::vector<uint32_t> cursors;
};

} // namespace graphc::runtime

#endif
