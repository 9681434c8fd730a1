// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session on the tasks of a cluster.
//
//   ClusterOptions options;
//   auto session = ClusterSession::open(plan, cluster, std::move(connector),
//                                       options);
//   session->initialize();
//   session->runSteps({.graph = "train", .steps = 1000}, onStep);
#ifndef GRAPHC_RUNTIME_SESSION_CLUSTERSESSION_H
#define GRAPHC_RUNTIME_SESSION_CLUSTERSESSION_H

#include "runtime/client/ClientMachine.h"
#include "runtime/client/TaskConnector.h"
#include "runtime/session/Session.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

struct ClusterOptions {
  /// incarnation 0: one is drawn.
  ClientOptions client;
  /// The longest that a call may take; it then fails with DEADLINE_EXCEEDED
  /// and what it did at the tasks is cancelled. 0: only the client's own
  /// limits.
  int64_t deadlineNanos = 0;
  /// Data that workers train with by themselves: a worker reads its share of
  /// the rows, the w-th of n equal ones; false: all of them.
  bool dividesData = true;
  /// Steps of each run of steps of which tasks record a timeline; see
  /// ClusterSession::timeline().
  TimelineWindow recorded;
  /// Receives what is waited for, as text, when it changes; "" when no longer.
  std::function<void(std::string_view text)> onStatus;
  /// Looked at several times a second while a call waits; true cancels it.
  std::function<bool()> isStopRequested;
  /// Grace time of running steps after a stop, so that the current one can be
  /// the last; any other call ends at once.
  int64_t stopGraceNanos = 0;
};

/// Every call ends by its deadline at the latest, whatever the tasks do. A call
/// that failed leaves the session usable: recover() makes whole what is gone.
/// Thread-safety: one call at a time, but for cancel().
class ClusterSession final : public Session {
public:
  /// Waits until all tasks of the plan are there, compares them with the plan
  /// and loads the parts that they do not have. `cluster` has the addresses.
  static StatusOr<std::unique_ptr<ClusterSession>>
  open(std::shared_ptr<const Model> plan, ClusterSpec cluster,
       std::unique_ptr<TaskConnector> connector, ClusterOptions options);
  ~ClusterSession() override;

  const Model &model() const override;
  bool hasTasks() const override { return true; }
  const ClusterSpec &cluster() const;

  /// Names are those of the source: a worker runs its own instance.
  StatusOr<const format::Graph *>
  chooseGraph(std::string_view name) const override;
  Status checkRequest(const RunRequest &request) const override;

  /// Files on the file systems of the tasks that read them.
  StatusOr<BoundData> bindDataset(std::string_view name,
                                  std::string_view files) override;
  StatusOr<BoundData> rewindDataset(std::string_view name) override;

  /// The chief gives all variables their first values where no task has any,
  /// or in any case (`isAnew`); others wait until it has. A task that was
  /// restarted gets the values of living mirrors; FAILED_PRECONDITION names
  /// what else it has lost.
  Status initialize(bool isAnew = false) override;
  bool madeFirstValues() const override;

  Status prepareSteps(const RunRequest &request) override;
  /// False from the callback ends the run at all tasks. `firstStep`: where to
  /// go on after recover().
  StatusOr<RunOutcome>
  runSteps(const RunRequest &request, const StepCallback &onStep,
           std::optional<uint64_t> firstStep = std::nullopt) override;
  void endRuns() override;
  int64_t deadlineNanos() const override;

  StatusOr<HostTensor> readVariable(std::string_view name) override;
  Status writeVariable(std::string_view name, const HostTensor &value) override;

  /// The whole variables, wherever they and their parts are, and how far this
  /// session's graphs are.
  /// Reads the values from the tasks before it returns.
  StatusOr<std::unique_ptr<StateCapture>> capture() override;
  /// Tasks that share the folder copy their variables before it returns, and
  /// write them while steps go on; else as capture().
  StatusOr<std::unique_ptr<StateCapture>>
  captureTo(const PendingCheckpoint &pending) override;
  Status restore(const TensorReader &checkpoint,
                 bool isPartial = false) override;

  /// As this session knows it: by its own runs, by load(), or by what the tasks
  /// reported when the cluster was opened.
  GraphPosition position(const std::string &graph) const override;
  void setPosition(const std::string &graph,
                   const GraphPosition &position) override;

  /// Waits for tasks that are gone, as open() does. What else they had needs
  /// load() and seekData().
  Status recover() override;
  Status goOn(const std::string &graph) override;
  /// See ClientMachine.
  bool endedWithinStep(const std::string &graph) const override;
  std::string tasksBehind(const std::string &graph) const override;

  /// Binds again the data that were bound, and passes over the batches that so
  /// many steps of a graph take.
  Status seekData(const std::string &graph, uint64_t steps);

  /// Reads the timelines that tasks have recorded of the graph's last run,
  /// however it ended; reasons for what cannot be had stand there. May be asked
  /// once per run.
  StatusOr<RunTimeline> timeline(std::string_view graph);

  /// Of the last run.
  const ClientMachine::Outcome &outcome() const;

  /// Ends the call that runs with CANCELLED. Any thread.
  void cancel();

private:
  struct State;
  ClusterSession();
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
