// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on the critical path of a step, and what each of them costs it.
#ifndef GRAPHC_RUNTIME_PROFILE_CRITICALPATH_H
#define GRAPHC_RUNTIME_PROFILE_CRITICALPATH_H

#include "runtime/profile/StepSchedule.h"

#include <string>

namespace graphc::runtime {

struct CriticalPath {
  /// Instructions of one name. Times are means of the steps.
  struct Op {
    std::string name;
    uint32_t steps = 0;    ///< with the op on the path
    double nanos = 0;      ///< on the path
    double allNanos = 0;   ///< of all its instructions, also beside the path
    double savedNanos = 0; ///< by how much the step would be shorter without it
  };

  uint32_t steps = 0;
  double nanos = 0;      ///< of a step
  double pauseNanos = 0; ///< on the path between instructions
  std::vector<Op> ops;   ///< the ones that cost most first

  /// The instructions on the path of the step of median length, in order.
  uint64_t medianStep = 0;
  std::vector<StepSchedule::OnPath> medianPath;
};

/// `names` are by index; instructions of one name are one op, such as those of
/// all towers.
CriticalPath criticalPathOf(const StepDependences &step,
                            std::span<const StepRecord> records,
                            std::span<const std::string> names,
                            const ThreadGroups &threads);

} // namespace graphc::runtime

#endif
