// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedule of a recorded step, which can be computed again with other
// durations.
#ifndef GRAPHC_RUNTIME_PROFILE_STEPSCHEDULE_H
#define GRAPHC_RUNTIME_PROFILE_STEPSCHEDULE_H

#include "runtime/profile/StepRecord.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// Programs whose instructions may wait for a thread of the same process: those
/// with one number. By program.
using ThreadGroups = std::vector<uint32_t>;
inline constexpr uint32_t kOwnThreads = 0xffffffff; ///< waits for none

/// Each instruction begins a pause after the last of what it comes after has
/// ended: the one before it in its program, sends of what it receives, and,
/// where it had to wait for a thread, the op of another program that ended last
/// before it began. Pauses and durations are those of the record, so that the
/// schedule is the record until a duration is changed. Where clocks contradict
/// the order, an instruction begins when what it comes after has ended.
/// Thread-safety: as a value type.
class StepSchedule {
public:
  StepSchedule(const StepDependences &step, const StepRecord &record,
               const ThreadGroups &threads);

  /// Nanoseconds from the first begin to the last end.
  int64_t nanos() const { return length; }
  int64_t durationOf(uint32_t index) const { return durations[index]; }

  /// Instructions of the longest path, from the first to the last, with the
  /// pause before each.
  struct OnPath {
    uint32_t index;
    int64_t pauseNanos;
  };
  std::vector<OnPath> longestPath() const;

  /// The length of the step if the instructions with `isFree`, by index, took
  /// no time.
  int64_t nanosWithout(const std::vector<bool> &isFree) const;

private:
  void addThreadWaits(const StepRecord &record, const ThreadGroups &threads);
  bool sort();
  void findPauses(const StepRecord &record);
  template <typename Visitor>
  void forEachBefore(uint32_t index, Visitor visit) const;

  const StepDependences &step;
  int64_t length = 0;
  std::vector<uint32_t> order;     ///< what comes before comes first
  std::vector<uint32_t> forThread; ///< by index; kOwnThreads: none
  std::vector<int64_t> pauses, durations, ends; ///< ends: from the step's begin
};

} // namespace graphc::runtime

#endif
