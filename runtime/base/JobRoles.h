// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roles of the tasks of a cluster's jobs.
#ifndef GRAPHC_RUNTIME_BASE_JOBROLES_H
#define GRAPHC_RUNTIME_BASE_JOBROLES_H

#include <string_view>

namespace graphc::runtime {

/// Tasks of job ps serve variables, those of job evaluator look at checkpoints;
/// those of all others are workers, the chief among them.
constexpr bool isWorkerJob(std::string_view job) {
  return job != "ps" && job != "evaluator";
}

} // namespace graphc::runtime

#endif
