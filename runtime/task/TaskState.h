// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes that a TaskMachine consists of, and what is between them:
// TaskRequests.cpp passes on what clients ask, TaskRuns.cpp lets runs go on,
// TaskTimers.cpp looks at what takes too long, TaskMeasures.cpp measures.
#ifndef GRAPHC_RUNTIME_TASK_TASKSTATE_H
#define GRAPHC_RUNTIME_TASK_TASKSTATE_H

#include "runtime/task/PeerHistory.h"
#include "runtime/task/StatusBoard.h"
#include "runtime/task/TaskMachine.h"
#include "runtime/task/plans/PlanUploads.h"
#include "runtime/task/plans/ShardService.h"
#include "runtime/task/runs/RunEnder.h"
#include "runtime/task/runs/RunStarter.h"
#include "runtime/task/runs/TimelineStore.h"

#include <tuple>

namespace graphc::runtime {

struct TaskMachine::State final : RunControl {
  State(TaskOptions options, const TaskEnvironment &environment);

  // Requests of clients.
  void onRequest(ClientId client, const protocol::Request &request);
  Status answer(const RequestKey &key, const protocol::Request &request,
                int64_t deadline);
  Status load(const RequestKey &key, const protocol::Request::Load &load);
  Status addPlan(std::shared_ptr<const Model> model, const std::string &digest,
                 bool virtualGpus, std::optional<CpuLevel> level);
  bool isBusy(const PlanState &plan) const;
  Status makeRoomForPlan();
  Status bind(const RequestKey &key, const protocol::Request::Bind &bind);
  Status initialized(const RequestKey &key,
                     const protocol::Request::Initialized &request,
                     int64_t deadline);
  Status snapshot(const RequestKey &key,
                  const protocol::Request::Snapshot &request, int64_t deadline);
  void onClientGone(ClientId client);

  // Runs.
  bool advanceRuns(int64_t begin);
  void dropAbandoned();
  void onPeerUp(TaskId peer, uint64_t incarnation);
  void onPeerDown(TaskId peer, const Status &why);
  void dropValues(PlanState &plan, const Status &cause, const std::string &why);
  void loseUpdate(TaskRun &run);

  // RunControl
  void makeReady(TaskRun &run) override { starter.makeReady(run); }
  void onProgress(TaskRun &run, TaskRun::Progress progress) override;
  void endGo(TaskRun &run) override { ender.endGo(run); }
  void fail(TaskRun &run, const Status &why) override { ender.fail(run, why); }
  void drop(RunKey key) override { ender.drop(key); }

  // Time, and what others may ask for.
  void checkStalls(int64_t now);
  void expire(int64_t now);
  int64_t nextTimer() const;
  protocol::Reply::WaitList buildWaits() const;
  void publishPlans();
  void sayQuorumWaits();
  /// Of those who wait for first values: tasks that are not there, which the
  /// chief may need before it can give any.
  std::string missingPeersText() const;
  void sayInitWaits();

  // TaskMeasures.cpp
  protocol::Reply::MetricList metrics() const;
  void measure();
  void measureUpdates();

  const TaskOptions options;
  TaskEnvironment environment;
  const std::string self;
  const int64_t startedAt;
  OpenRequests requests;
  PlanStore plans;
  PlanUploads uploads;
  VariableService variables;
  SnapshotStore snapshots;
  ShardService shards;
  RunTable runs;
  FeedAssembly feeds;
  TimelineStore timelines;
  WaitReporter waits;
  EngineQuarantine quarantine;
  UpdateCoordinator coordinator;
  UpdateExecutor updates;
  RunEnder ender;
  RunListeners listeners;
  RunStarter starter;
  PeerHistory peerHistory;

  /// Initialized without `set`.
  struct Waiter {
    RequestKey key;
    std::string plan;
    int64_t deadline = INT64_MAX;
    std::string told{}; ///< why it waits
  };
  WaitingRequests<Waiter> initWaiters;

  StatusBoard board;
  /// Updates by staleness that were counted, by plan, graph and worker.
  using WorkerKey = std::tuple<std::string, std::string, uint32_t>;
  std::map<WorkerKey, std::vector<uint64_t>> countedAges;
  int64_t idleSince = 0; ///< 0: not idle, or the waits are published
};

} // namespace graphc::runtime

#endif
