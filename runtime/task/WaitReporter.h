// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the waits of a task's runs.
#ifndef GRAPHC_RUNTIME_TASK_WAITREPORTER_H
#define GRAPHC_RUNTIME_TASK_WAITREPORTER_H

#include "runtime/task/TaskOptions.h"
#include "runtime/task/runs/RunTable.h"

#include <string>

namespace graphc::runtime {

/// Describes waits to clients, in failures and to other threads; changes
/// nothing. Thread-safety: one call at a time.
class WaitReporter {
public:
  WaitReporter(const TaskOptions &options, const TaskHost &host, RunTable &runs)
      : options(options), self(options.cluster.task(options.self).name()),
        host(host), runs(runs) {}

  /// "/job:ps/task:0", of any task that a peer may name.
  std::string nameOf(TaskId task) const;
  /// Returns what a run waits for, as far as that is known here.
  protocol::Reply::Wait waitOf(TaskRun &run) const;
  /// The waits of all runs that go or get ready.
  protocol::Reply::WaitList waits() const;
  /// "step 12 of graph 'train' waited for edge 'w' (model.tfir:7:3) from ..."
  std::string textOf(TaskRun &run) const;
  /// A failure of this task, with the step and the edge of the run.
  protocol::Failure failure(TaskRun &run, const Status &status) const;
  /// At the coordinator: "2 gradients make an update of 'train', but only 1
  /// worker runs"; empty: the run does not wait, or enough workers run.
  std::string quorumText(const TaskRun &run) const;

private:
  std::string sequenceText(const TaskRun &run) const;

  const TaskOptions &options;
  const std::string self;
  const TaskHost &host;
  RunTable &runs;
};

} // namespace graphc::runtime

#endif
