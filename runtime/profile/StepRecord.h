// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Begin and end of each instruction in one step.
#ifndef GRAPHC_RUNTIME_PROFILE_STEPRECORD_H
#define GRAPHC_RUNTIME_PROFILE_STEPRECORD_H

#include "runtime/profile/StepDependences.h"

#include <cstdint>
#include <span>
#include <vector>

namespace graphc::runtime {

/// An instruction in a step, in nanoseconds of one clock for all programs.
struct InstructionSpan {
  InstructionId id;
  uint64_t step;
  int64_t beginNanos, endNanos;
};

/// Thread-safety: as a value type.
struct StepRecord {
  static constexpr int64_t kNotRecorded = -1;

  uint64_t step = 0;
  int64_t beginNanos = 0, endNanos = 0; ///< of the first and the last of all
  std::vector<int64_t> begins, ends;    ///< by index; kNotRecorded: it was not

  bool has(uint32_t index) const { return begins[index] != kNotRecorded; }
  int64_t nanos() const { return endNanos - beginNanos; }
};

/// The steps among the spans, in order. Spans of instructions that are not in
/// `step`, and those that end before they begin or begin before 0, are left
/// out.
std::vector<StepRecord> recordsOf(const StepDependences &step,
                                  std::span<const InstructionSpan> spans);

} // namespace graphc::runtime

#endif
