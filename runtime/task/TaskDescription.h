// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task as it describes itself to clients and tools.
#ifndef GRAPHC_RUNTIME_TASK_TASKDESCRIPTION_H
#define GRAPHC_RUNTIME_TASK_TASKDESCRIPTION_H

#include "runtime/task/StatusBoard.h"
#include "runtime/task/TaskHost.h"
#include "runtime/task/TaskOptions.h"

namespace graphc::runtime {

/// Answers Describe, with what is known of one plan; `startedAt` is when the
/// task began. Thread-safety: any thread.
protocol::Reply::Description describeTask(const TaskOptions &options,
                                          const TaskHost &host,
                                          int64_t startedAt,
                                          const StatusBoard &board,
                                          const std::string &plan);

} // namespace graphc::runtime

#endif
