// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the steps of a run.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNSTEPS_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNSTEPS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>

namespace graphc::runtime {

/// Steps count from 0 over all runs of a graph; people are told them from 1 on.
/// Thread-safety: one call at a time.
class RunSteps {
public:
  /// A Go of `count` steps. INVALID_ARGUMENT where the first is not the next
  /// one; INTERNAL where peers have begun with another.
  Status go(uint64_t first, uint64_t count);
  /// True when the Go that runs has steps left.
  bool hasMore() const { return following < beyond; }

  void begin();
  /// Leaves the step that runs. True: the Go's last.
  bool end();
  /// Leaves it without its end.
  void abandon() { isInside = false; }

  /// True when any step has begun in this run.
  bool hasBegun() const { return isBegun; }
  bool isInStep() const { return isInside; }
  uint64_t running() const { return last; }   ///< the last one that has begun
  uint64_t next() const { return following; } ///< that may begin
  /// The one that runs, or the next.
  uint64_t current() const { return isInside ? last : following; }

  enum class Place { Current, Next };
  /// The step that a peer's value belongs to, this or the next; INTERNAL where
  /// it is neither. Before the first step, the first value decides which that
  /// is.
  StatusOr<Place> locate(uint64_t step);
  /// INTERNAL where a peer cannot have begun the step yet.
  Status checkBegun(uint64_t step) const;

private:
  bool isBegun = false;
  bool isInside = false;
  uint64_t last = 0;
  uint64_t following = 0;
  uint64_t beyond = 0;              ///< 1 + the last step of the Go
  std::optional<uint64_t> expected; ///< the first one, as peers report
};

} // namespace graphc::runtime

#endif
