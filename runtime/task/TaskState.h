// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a TaskMachine consists of; its parts are in TaskRequests.cpp and
// TaskVariables.cpp (clients), TaskSnapshots.cpp (variables between updates),
// TaskPrepare.cpp, TaskRuns.cpp and TaskEnds.cpp (runs), TaskTickets.cpp,
// TaskQuorum.cpp and TaskDoubts.cpp (updates in order) and TaskWaits.cpp (what
// is waited for).
#ifndef GRAPHC_RUNTIME_TASK_TASKSTATE_H
#define GRAPHC_RUNTIME_TASK_TASKSTATE_H

#include "runtime/task/EngineQuarantine.h"
#include "runtime/task/FeedAssembly.h"
#include "runtime/task/OpenRequests.h"
#include "runtime/task/PeerHistory.h"
#include "runtime/task/PlanStore.h"
#include "runtime/task/PlanUploads.h"
#include "runtime/task/RunTable.h"
#include "runtime/task/SnapshotStore.h"
#include "runtime/task/StatusBoard.h"
#include "runtime/task/TaskMachine.h"
#include "runtime/task/UpdateExecutor.h"
#include "runtime/task/WaitReporter.h"
#include "runtime/task/WaitingRequests.h"

#include <map>
#include <set>

namespace graphc::runtime {

struct TaskMachine::State final : RunControl {
  State(TaskOptions options, const TaskWorld &world);

  /// Attach, or Initialized without `set`.
  struct Waiter {
    RequestKey key;
    std::string plan, graph;
    std::vector<std::string> fetches;
    int64_t deadline = INT64_MAX;
  };

  // Requests of clients.
  void onRequest(ClientId client, const protocol::Request &request);
  Status load(const RequestKey &key, const protocol::Request::Load &load);
  Status addPlan(std::shared_ptr<const Model> model, const std::string &digest,
                 bool virtualGpus, std::optional<CpuLevel> level);
  Status bind(const RequestKey &key, const protocol::Request::Bind &bind);
  Status initialized(const RequestKey &key,
                     const protocol::Request::Initialized &request,
                     int64_t deadline);
  Status prepare(const RequestKey &key,
                 const protocol::Request::Prepare &request, int64_t deadline);
  Status go(const RequestKey &key, const protocol::Request::Go &request);
  Status abort(const RequestKey &key, const protocol::Request::Abort &request);
  void dropValues(PlanState &plan, const Status &cause, const std::string &why);
  Status attach(const RequestKey &key, const protocol::Request::Attach &request,
                int64_t deadline);
  Status release(const RequestKey &key,
                 const protocol::Request::Release &request);

  // Values of several tasks between the same two updates.
  Status snapshot(const RequestKey &key,
                  const protocol::Request::Snapshot &request);

  bool isBusy(const PlanState &plan) const;
  Status makeRoomForPlan();

  // Runs.
  StatusOr<std::unique_ptr<TaskRun>>
  makeRun(const RequestKey &key, const protocol::Request::Prepare &request);
  Status addFetches(TaskRun &run, const protocol::Request::Prepare &request);
  Status checkPrepared(TaskRun &run);
  Status checkFirstValues(const TaskRun &run) const;
  void tryReady(TaskRun &run);
  void replyPrepared(TaskRun &run);
  void addAttached(TaskRun &run);
  void addSink(TaskRun &run, const Waiter &listener);
  bool advanceRuns(int64_t begin);
  void endGo(TaskRun &run, const protocol::Failure *failure);
  void failRun(TaskRun &run, protocol::Failure cause);
  void finishFailure(TaskRun &run);
  void failFollowers(TaskRun &apply);
  void tellPeers(TaskRun &run);
  void dropRun(RunKey key);
  void dropAbandoned();
  void onPeerUp(TaskId peer, uint64_t incarnation);
  void readyAll();
  void onRunFailed(TaskId from, const FrameHeader &header,
                   const ByteRanges &payload);
  void onPeerDown(TaskId peer, const Status &why);
  void onClientGone(ClientId client);
  void checkStalls(int64_t now);
  int64_t nextTimer() const;

  // RunControl
  void makeReady(TaskRun &run) override { tryReady(run); }
  void onProgress(TaskRun &run, TaskRun::Progress progress) override;
  void endGo(TaskRun &run) override { endGo(run, nullptr); }
  void fail(TaskRun &run, const Status &why) override {
    failRun(run, waits.failure(run, why));
  }
  void drop(RunKey key) override { dropRun(key); }

  // Links between tasks that keep an order were lost, see TaskDoubts.cpp.
  void meetAgain(TaskId peer);
  void forgetOrderOf(TaskId coordinator);
  void tellFailed(TaskRun &run, TaskId peer, uint64_t question);
  TaskId deciderOf(const PlanState &plan) const;
  void loseUpdate(TaskRun &run);
  void sayQuorumWaits();

  // What is waited for.
  protocol::Reply::WaitList buildWaits();
  void publishPlans();

  const TaskOptions options;
  TaskWorld world;
  const std::string self;
  const int64_t startedAt;
  OpenRequests requests;

  PlanStore plans;
  PlanUploads uploads;
  VariableService variables;
  SnapshotStore snapshots;
  RunTable runs;
  FeedAssembly feeds;
  WaitReporter waits;
  UpdateCoordinator coordinator;
  UpdateExecutor updates;
  bool hasAbandoned = false; ///< a run that is over has nobody who releases it
  bool hasDecided = false;   ///< a run that was at its update is over
  EngineQuarantine quarantine;
  PeerHistory peerHistory;

  WaitingRequests<Waiter> attached, initWaiters;

  StatusBoard board;
  int64_t idleSince = 0; ///< 0: not idle, or the waits are published
};

} // namespace graphc::runtime

#endif
