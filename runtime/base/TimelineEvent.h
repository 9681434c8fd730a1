// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interval on the timeline of a task's steps, and the steps that have one.
#ifndef GRAPHC_RUNTIME_BASE_TIMELINEEVENT_H
#define GRAPHC_RUNTIME_BASE_TIMELINEEVENT_H

#include <cstdint>

namespace graphc::runtime {

/// Times are those of the clock of whoever recorded it, unless specified
/// otherwise.
struct TimelineEvent {
  enum class Kind : uint8_t {
    Run,     ///< instruction `number` runs
    Wait,    ///< the program waits before instruction `number`
    Arrival, ///< the value of edge `number` from another task is here
    Step,    ///< of the task
    Gap,     ///< the task waits before a step: for receivers or its turn
    Batch    ///< a batch of dataset `number` is made, for some step
  };
  static constexpr uint32_t kKinds = 6;

  uint32_t number = 0;
  Kind kind = Kind::Run;
  uint64_t step = 0; ///< of the graph, from 1; 0: of none
  int64_t beginNanos = 0, endNanos = 0;
};

/// The steps of a run that are recorded, counted from its first, which is 1.
struct TimelineWindow {
  uint64_t first = 1, last = 0;
  uint64_t every = 1; ///< from the first on, each so-many-th

  bool isEmpty() const { return last < first; }
  bool has(uint64_t index) const {
    return index >= first && index <= last && (index - first) % every == 0;
  }
  bool operator==(const TimelineWindow &) const = default;
};

} // namespace graphc::runtime

#endif
