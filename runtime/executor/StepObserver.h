// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sees the values of a step while they exist: memory is given to other values
// within the step.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPOBSERVER_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPOBSERVER_H

#include "runtime/base/Status.h"
#include "runtime/format/InstructionId.h"
#include "runtime/format/model_generated.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace graphc::runtime {

/// The memory of a step that an observer looks at. Thread-safety: that of the
/// call that it was given to.
class StepValues {
public:
  virtual ~StepValues() = default;

  /// Counts from 0.
  virtual uint64_t step() const = 0;
  virtual const format::Graph &graph() const = 0;
  /// Contents of a slot of a program now, until the next call; of a device a
  /// copy. Empty: nothing that the process can read.
  virtual std::span<const std::byte> bytes(uint32_t program,
                                           uint32_t slot) const = 0;
};

/// Called by the thread that walks the step: a step that is wanted is done by
/// one walk over all programs in a fixed order, whose kernels use all threads
/// as ever, so that its results have the same bits. A step that nobody wants is
/// walked as without an observer. A failure ends the step and is its result.
/// Thread-safety: one call at a time.
class StepObserver {
public:
  virtual ~StepObserver() = default;

  /// True: the step, which counts from 0, is to be seen.
  virtual bool wants(const format::Graph &graph, uint64_t step) = 0;

  /// Feeds are there, nothing is done yet.
  virtual Status onBegin(const StepValues &values) { return Status::ok(); }
  virtual Status onBefore(InstructionId next, const StepValues &values) {
    return Status::ok();
  }
  /// `isSeen`: what the instruction writes was made by it and is there; not so
  /// for what is received, and for sums that a library makes later.
  virtual Status onAfter(InstructionId done, bool isSeen,
                         const StepValues &values) {
    return Status::ok();
  }
  virtual Status onEnd(const StepValues &values) { return Status::ok(); }
};

} // namespace graphc::runtime

#endif
