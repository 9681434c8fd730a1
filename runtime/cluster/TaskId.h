// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks by number.
#ifndef GRAPHC_RUNTIME_CLUSTER_TASKID_H
#define GRAPHC_RUNTIME_CLUSTER_TASKID_H

#include <cstdint>

namespace graphc::runtime {

/// A task by its number in the cluster: jobs by name, then tasks by index.
using TaskId = uint32_t;
inline constexpr TaskId kNoTask = UINT32_MAX;

} // namespace graphc::runtime

#endif
