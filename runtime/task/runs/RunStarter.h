// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of a task that get ready and begin to go.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNSTARTER_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNSTARTER_H

#include "runtime/task/runs/FeedAssembly.h"
#include "runtime/task/runs/RunListeners.h"
#include "runtime/task/runs/TimelineStore.h"
#include "runtime/task/updates/UpdateExecutor.h"

#include <memory>
#include <string>

namespace graphc::runtime {

/// Makes runs of what clients ask for, makes them ready when their peers are
/// there, and lets them go. Thread-safety: one call at a time.
class RunStarter {
public:
  RunStarter(const TaskOptions &options, const TaskEnvironment &environment,
             PlanStore &plans, RunTable &runs, FeedAssembly &feeds,
             TimelineStore &timelines, OpenRequests &requests,
             const WaitReporter &waits, UpdateExecutor &updates,
             RunListeners &listeners, RunControl &control)
      : options(options), environment(environment), plans(plans), runs(runs),
        feeds(feeds), timelines(timelines), requests(requests), waits(waits),
        updates(updates), listeners(listeners), control(control) {}

  Status prepare(const RequestKey &key,
                 const protocol::Request::Prepare &request, int64_t deadline);
  Status go(const RequestKey &key, const protocol::Request::Go &request);

  /// Ready when all peers are there; until then the client is told who is
  /// missing.
  void makeReady(TaskRun &run);
  void makeAllReady();
  /// First values are given once: a client that has come at the same time as
  /// another one, and later with this, must not undo what was trained
  /// meanwhile.
  Status checkFirstValues(const TaskRun &run) const;

  /// Fails runs that have waited too long for peers.
  void expire(int64_t now);
  int64_t nextTimer() const;

private:
  StatusOr<std::unique_ptr<TaskRun>>
  makeRun(const RequestKey &key, const protocol::Request::Prepare &request);
  Status makeRoom();
  StatusOr<TaskRun *> add(const RequestKey &key,
                          const protocol::Request::Prepare &request,
                          int64_t deadline);
  Status addFetches(TaskRun &run, const protocol::Request::Prepare &request);
  Status openTimeline(TaskRun &run, const protocol::Request::Recorded &request);
  Status checkPrepared(TaskRun &run);
  Status admit(TaskRun &run);
  std::string missingTasks(TaskRun &run);
  void replyPrepared(TaskRun &run);
  TaskId deciderOf(const PlanState &plan) const;

  const TaskOptions &options;
  TaskEnvironment environment;
  PlanStore &plans;
  RunTable &runs;
  FeedAssembly &feeds;
  TimelineStore &timelines;
  OpenRequests &requests;
  const WaitReporter &waits;
  UpdateExecutor &updates;
  RunListeners &listeners;
  RunControl &control;
};

} // namespace graphc::runtime

#endif
