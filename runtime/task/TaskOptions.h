// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The settings of a task.
#ifndef GRAPHC_RUNTIME_TASK_TASKOPTIONS_H
#define GRAPHC_RUNTIME_TASK_TASKOPTIONS_H

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/target/cpu/CpuLevel.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

struct TaskOptions {
  ClusterSpec cluster;
  TaskId self = 0;
  uint64_t incarnation = 0;         ///< random, not 0
  int threads = 0;                  ///< that kernels run on; 0: one per core
  std::optional<CpuLevel> cpuLevel; ///< nothing: the highest that the CPU has
  /// Plans that clients may load: allowDigest() of them; nothing: all. What
  /// lies on this machine is taken.
  std::optional<std::vector<std::string>> allowedPlans;
  size_t mostPlans = 4;
  size_t mostRuns = 256;             ///< prepared at the same time
  size_t mostPartBytes = 4ull << 30; ///< of a plan's part while it is loaded
  int64_t connectNanos = 10'000'000'000; ///< Prepare waits so long for peers
  int64_t stallNanos = 60'000'000'000;   ///< a step without progress fails
  bool virtualGpus = false;
  bool shareGpus = false; ///< by devices of a plan, where there are too few
  /// For tests: the error of the clock of timelines.
  int64_t clockOffsetNanos = 0;
  double clockDriftPpm = 0;
};

} // namespace graphc::runtime

#endif
