// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of a graph as its client sees it: prepared at all tasks that take part,
// then let go for some steps at a time.
#ifndef GRAPHC_RUNTIME_CLIENT_CLIENTRUN_H
#define GRAPHC_RUNTIME_CLIENT_CLIENTRUN_H

#include "runtime/client/ClientState.h"
#include "runtime/client/FirstCause.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace graphc::runtime {

/// A run that tasks have prepared. It stays so while steps do not fail, so that
/// later calls for the same graph and fetches cost one round trip.
class PreparedRun {
public:
  /// One task that takes part.
  struct Participant {
    TaskId task = kNoTask;
    std::vector<uint32_t> fetches; ///< places in the run's list
    std::vector<size_t> sizes;     ///< of them, in bytes
    size_t stepBytes = 0;          ///< their sum
    std::string values;            ///< of steps not given to the caller yet
    size_t given = 0;              ///< bytes at the front that were given
    uint64_t joined = 0;           ///< the first step that an attached run got
    uint64_t received = 0;         ///< steps, of the Go that runs
    uint64_t waiting = 0;          ///< steps among `values`
    /// What each step of a message took, until as many were received.
    std::deque<std::pair<uint64_t, double>> times;
    uint64_t done = 0; ///< steps that it says it has done
    bool hasEnded = false;
  };

  const format::Graph *graph = nullptr;
  std::vector<std::string> fetchNames;
  /// Another client's run, to which this one listens, be it going already.
  bool isAttached = false;
  protocol::RunId id;
  std::vector<Participant> participants;
  std::vector<std::vector<std::byte>> feeds; ///< values, in the graph's order
  uint64_t nextStep = 0;
  int64_t stepsAvailable = -1; ///< -1: no end
  bool isGoing = false;

  bool hasTask(TaskId task) const;
  /// Tells all tasks to forget it.
  void release(ClientMachine::State &state);
};

/// Prepares a run, or takes one that is, and lets it go.
/// Thread-safety: one call at a time.
class RunDriver {
public:
  using Done = std::function<void(const Status &status)>;

  RunDriver(ClientMachine::State &state, const ClientMachine::Run &request,
            ClientMachine::OnStep onStep, Done done)
      : state(state), request(request), onStep(std::move(onStep)),
        done(std::move(done)) {}

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
  bool sameFeeds(const PreparedRun &other) const;
  size_t feedBytes() const;
  void runNothing();
  void prepareAll();
  void prepareAt(Participant &participant);
  void onPrepared(TaskId task, const protocol::Reply &reply);
  Status checkPrepared(const Participant &participant,
                       const protocol::Reply::Prepared &prepared);
  Status compareData(TaskId task, const protocol::Reply::Prepared &prepared);
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
  struct SeenData {
    TaskId task = kNoTask; ///< the first that has told of it
    std::string digest;
  };
  std::map<std::string, SeenData> seenData; ///< by dataset
  bool areFeedsNew = false;                 ///< Go must carry them
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
