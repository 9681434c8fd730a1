// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drives a run of a graph for its client: has it prepared at all tasks that
// take part, then lets it go for some steps at a time.
#ifndef GRAPHC_RUNTIME_CLIENT_CLIENTRUN_H
#define GRAPHC_RUNTIME_CLIENT_CLIENTRUN_H

#include "runtime/client/BoundDataCheck.h"
#include "runtime/client/ClientState.h"
#include "runtime/client/FirstCause.h"
#include "runtime/client/PreparedRun.h"

#include <algorithm>
#include <utility>

namespace graphc::runtime {

/// Prepares a run, or takes one that is, and lets it go.
/// Thread-safety: one call at a time.
class RunDriver {
public:
  using Done = std::function<void(const Status &status)>;

  RunDriver(ClientMachine::State &state, const ClientMachine::Run &request,
            ClientMachine::OnStep onStep, Done done)
      : state(state), request(request), onStep(std::move(onStep)),
        done(std::move(done)), boundData(state.cluster) {}

  void start();
  void onTaskGone(TaskId task, const Status &why);
  void onTimer(int64_t now);
  int64_t nextTimer() const { return std::min(causeDeadline, quietDeadline); }
  /// Tells tasks that the run is over.
  void abort(const Status &cause);

private:
  using Participant = PreparedRun::Participant;

  Status choose();
  Status makeRun();
  bool findPrepared();
  size_t feedBytes() const;
  void runNothing();
  void prepareAll();
  void prepareAt(Participant &participant);
  void onPrepared(TaskId task, const protocol::Reply &reply);
  Status checkPrepared(const Participant &participant,
                       const protocol::Reply::Prepared &prepared);
  void onAllPrepared();
  void attachAll();
  void goAll();
  void onResult(TaskId task, const protocol::Reply &reply);
  Status takeResults(Participant &participant,
                     const protocol::Reply::Results &results);
  void takeEnded(const protocol::Reply::Ended &ended);
  void alignAttached();
  bool deliver();
  bool countDone();
  bool giveStep(const std::vector<std::span<const std::byte>> &values,
                double seconds);
  double secondsOfStep();
  double secondsPerStep(uint64_t steps) const;
  void conclude();
  void onAllEnded();
  void fail(TaskId reporter, const protocol::Failure &failure);
  void end(const Status &status, bool keep);
  bool allEnded() const;
  void startQuietTime();
  void askWhatIsWaitedFor();
  void onWaits(TaskId task, const protocol::Reply &reply);
  Participant *find(TaskId task);

  ClientMachine::State &state;
  ClientMachine::Run request;
  ClientMachine::OnStep onStep;
  Done done;
  const format::Graph *graph = nullptr;
  std::vector<const format::Port *> fetches;
  std::vector<const NamedTensor *> feeds; ///< in the graph's order
  std::unique_ptr<PreparedRun> run;
  size_t unprepared = 0;
  BoundDataCheck boundData;
  bool areFeedsNew = false; ///< Go must carry them
  bool isOver = false;
  uint64_t firstStep = 0; ///< of the Go that runs
  int64_t goNanos = 0;    ///< when it was sent
  uint64_t asked = 0;     ///< steps of the Go that runs
  uint64_t delivered = 0; ///< steps of the Go that runs
  int64_t remaining = 0;  ///< steps after it; -1: until the data end
  bool isLimitedByData = false;
  FirstCause cause;
  int64_t causeDeadline = INT64_MAX;
  int64_t quietDeadline = INT64_MAX; ///< then tasks are asked what they do
};

} // namespace graphc::runtime

#endif
