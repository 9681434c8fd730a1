// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything outside a task that the task acts on.
#ifndef GRAPHC_RUNTIME_TASK_TASKENVIRONMENT_H
#define GRAPHC_RUNTIME_TASK_TASKENVIRONMENT_H

#include "runtime/task/PeerNetwork.h"
#include "runtime/task/TaskHost.h"

namespace graphc::runtime {

class TaskMetrics;

/// The three boundaries of a task, for those who need all of them; others take
/// the one that they use. All outlive the task.
struct TaskEnvironment {
  TaskHost &host;
  ClientChannel &clients;
  PeerNetwork &peers;
  TaskMetrics *metrics = nullptr; ///< null: nothing is counted
};

} // namespace graphc::runtime

#endif
