// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of a task that come to their end.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNENDER_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNENDER_H

#include "runtime/task/runs/EngineQuarantine.h"
#include "runtime/task/runs/FeedAssembly.h"
#include "runtime/task/updates/UpdateExecutor.h"

namespace graphc::runtime {

/// Ends runs here, at their other tasks and for their clients. The first cause
/// wins: a run fails once. A task that has told the coordinator that an update
/// may be made waits for its word, so that the update is made everywhere or
/// nowhere. Thread-safety: one call at a time.
class RunEnder {
public:
  RunEnder(const TaskOptions &options, const TaskEnvironment &environment,
           RunTable &runs, FeedAssembly &feeds, OpenRequests &requests,
           EngineQuarantine &quarantine, const WaitReporter &waits,
           UpdateExecutor &updates)
      : self(options.self), environment(environment), runs(runs), feeds(feeds),
        requests(requests), quarantine(quarantine), waits(waits),
        updates(updates) {}

  /// The last results, and Ended, to all who listen. Without failure the run is
  /// ready for the next Go.
  void endGo(TaskRun &run, const protocol::Failure *failure = nullptr);
  /// The run has failed; at an update it stays until that is decided.
  void fail(TaskRun &run, const protocol::Failure &cause);
  void fail(TaskRun &run, const Status &why) {
    fail(run, waits.failure(run, why));
  }
  /// Ends a run that stayed at its update: the coordinator has decided,
  /// or cannot any more.
  void finish(TaskRun &run);
  /// Both at once: as when this process had begun anew.
  void failNow(TaskRun &run, const protocol::Failure &cause);
  /// Forgets a run of which no frames are on the way that matter.
  void drop(RunKey key);
  /// The same, when its update is decided: nobody wants the run any more.
  void abandon(TaskRun &run);
  void dropAbandoned();
  /// True when a run that stayed at its update was finished since the last
  /// call: others may wait for that.
  bool takeDecided() { return std::exchange(hasDecided, false); }

  // Requests, and the end of a client's conversation.
  Status abort(const RequestKey &key, const protocol::Request::Abort &request);
  Status release(const RequestKey &key,
                 const protocol::Request::Release &request);
  void dropClient(ClientId client);

  // Peers.
  void onRunFailed(TaskId from, const FrameHeader &header,
                   const ByteRanges &payload);
  /// The link to a coordinator is there again: asks what became of runs that
  /// stay at an update. Links keep the order, so the answer comes after the
  /// entries that are repeated.
  void askCoordinator(TaskId peer);
  /// The coordinator's process is another one: what it had decided is lost.
  void finishUndecided(TaskId coordinator);

private:
  void tell(const TaskRun &run, TaskId peer, uint64_t question);
  void failFollowers(const TaskRun &apply);

  const TaskId self;
  TaskEnvironment environment;
  RunTable &runs;
  FeedAssembly &feeds;
  OpenRequests &requests;
  EngineQuarantine &quarantine;
  const WaitReporter &waits;
  UpdateExecutor &updates;
  bool hasAbandoned = false; ///< a run that is over has nobody who releases it
  bool hasDecided = false;   ///< see takeDecided()
};

} // namespace graphc::runtime

#endif
