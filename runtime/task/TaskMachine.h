// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One task of a cluster: loads its parts of plans, keeps their variables and
// executes its programs of runs, together with its peers.
#ifndef GRAPHC_RUNTIME_TASK_TASKMACHINE_H
#define GRAPHC_RUNTIME_TASK_TASKMACHINE_H

#include "runtime/base/Status.h"
#include "runtime/link/ByteRanges.h"
#include "runtime/task/TaskEnvironment.h"
#include "runtime/task/TaskOptions.h"

#include <memory>
#include <span>
#include <string>

namespace graphc::runtime {

/// An event machine: it has no thread and no clock, and it never waits. Whoever
/// owns it calls what happens, then advance() until that returns false.
///
/// A step of a run at this task:
///  1. It begins when the one before has ended here, all tasks that receive
///  values
///     from here have begun the one before, and, in a run with an
///     UpdateSequencer, its Read has its turn (tasks that have variables).
///  2. Programs run; values leave when a Send is reached and land in their
///  slots.
///     A value that comes before its step has begun here waits in memory of the
///     run: each edge has at most one such value.
///  3. With an UpdateSequencer, programs stop before they write variables until
///  the
///     Update has its turn.
/// Whatever fails ends the run here; the cause goes to the run's other tasks
/// (FrameKind::RunFailed) and to its client, and nothing of the run is left.
/// Thread-safety: one call at a time; but waits() may be called at any time.
class TaskMachine {
public:
  TaskMachine(TaskOptions options, const TaskEnvironment &environment);
  ~TaskMachine();

  void onPeerUp(TaskId peer, uint64_t incarnation);
  void onPeerDown(TaskId peer, const Status &why);
  /// Transfers to or from a peer's memory that were pending have ended.
  void onTransfersEnded(TaskId peer);
  void onFrame(TaskId from, const FrameHeader &header,
               const ByteRanges &payload);
  void onRequest(ClientId client, const protocol::Request &request);
  void onClientGone(ClientId client);
  /// Results may be sent to a client again.
  void onReplyRoom(ClientId client);
  void onTimer();
  /// Time at which onTimer() is due; INT64_MAX: never.
  int64_t nextTimer() const;

  /// Goes on with what can go on; false: with nothing, until something happens.
  bool advance();

  /// Loads a part that lies on this machine already.
  Status load(const std::string &planFile);

  /// Waits of all runs and requests of the task. Thread-safety: any thread.
  protocol::Reply::WaitList waits() const;
  /// As a reply to Describe. Thread-safety: any thread.
  protocol::Reply::Description describe(const std::string &plan) const;

  /// Everything that was counted so far, and waits(). Thread-safety: any thread.
  protocol::Reply::MetricList metrics() const;
  /// See TaskNode::measure().
  void measure();

  /// Ends all runs with CANCELLED, for a clean end of the process.
  void shutDown(const std::string &reason);

  /// For tests: what runs have left behind: early arrivals, runs, shared
  /// places.
  struct Residue {
    size_t runs = 0, earlyBytes = 0, sharedPlaces = 0;
  };
  Residue residue() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
