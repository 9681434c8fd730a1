// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the graphs of a compiled model on a cluster: Session's sister, with the
// same calls.
//
//   ClusterOptions options;
//   auto session = ClusterSession::open(plan, cluster, std::move(connector),
//                                       options);
//   session->initialize();
//   session->runSteps({.graph = "train", .steps = 1000}, onStep);
#ifndef GRAPHC_RUNTIME_SESSION_CLUSTERSESSION_H
#define GRAPHC_RUNTIME_SESSION_CLUSTERSESSION_H

#include "runtime/checkpoint/Positions.h"
#include "runtime/client/ClientMachine.h"
#include "runtime/client/TaskConnector.h"
#include "runtime/session/RunRequest.h"

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
  /// What is waited for, for people, when it changes; "" when no longer.
  std::function<void(std::string_view text)> onStatus;
  /// Looked at several times a second while a call waits; true cancels it.
  std::function<bool()> isStopRequested;
  /// What steps that run have left then, so that the one that is being made
  /// can be the last; any other call ends at once.
  int64_t stopGraceNanos = 0;
};

/// Every call ends by its deadline at the latest, whatever the tasks do. A call
/// that failed leaves the session usable: recover() makes whole what is gone.
/// Thread-safety: one call at a time, but for cancel().
class ClusterSession {
public:
  /// Waits until all tasks of the plan are there, compares them with the plan
  /// and loads the parts that they do not have. `cluster` has the addresses.
  static StatusOr<std::unique_ptr<ClusterSession>>
  open(std::shared_ptr<const Model> plan, ClusterSpec cluster,
       std::unique_ptr<TaskConnector> connector, ClusterOptions options);
  ~ClusterSession();

  const Model &model() const;
  const ClusterSpec &cluster() const;

  /// The chief gives all variables their first values where no task has any,
  /// or in any case (`isAnew`); others wait until it has. A task that was
  /// restarted gets the values of living mirrors; FAILED_PRECONDITION names
  /// what else it has lost.
  Status initialize(bool isAnew = false);
  /// Whether initialize() gave them; false: they had values.
  bool madeFirstValues() const;

  /// Names the files of a dataset, on the file systems of the tasks that read
  /// it.
  StatusOr<protocol::Reply::Bound> bindDataset(std::string_view name,
                                               std::string_view files);

  /// Whether the graph, its feeds and its fetches fit, without running
  /// anything.
  Status checkRequest(const RunRequest &request) const;

  /// Prepares steps at all tasks, so that the next runSteps() with the request
  /// only lets them go. Workers whose updates need each other's gradients are
  /// prepared before any of them runs: one that is done by then counts as done.
  Status prepareSteps(const RunRequest &request);

  /// Called after each step, in order; false ends the run at all tasks.
  using StepCallback = std::function<bool(const StepView &)>;
  /// Runs steps one after the other. The end of the data ends a run without
  /// failure. `firstStep`, counted from 0: where to go on after recover();
  /// nothing: where the graph stopped, or as load() says.
  StatusOr<RunOutcome>
  runSteps(const RunRequest &request, const StepCallback &onStep,
           std::optional<uint64_t> firstStep = std::nullopt);
  /// Runs one step and returns its fetches.
  StatusOr<std::vector<HostTensor>> run(const RunRequest &request);

  /// No more steps are wanted for now: workers who would wait for this one's
  /// gradients learn it.
  void endRuns();

  StatusOr<HostTensor> readVariable(std::string_view name);
  Status writeVariable(std::string_view name, const HostTensor &value);

  /// As Session's: the whole variables, wherever they and their parts are, and
  /// how far this session's graphs are.
  Status save(const std::string &path,
              const std::map<std::string, std::string> &metadata = {});
  Status load(const std::string &path,
              std::map<std::string, std::string> *metadata = nullptr);

  /// After a failure: waits for tasks that are gone, as open() does, and loads
  /// their parts again. What else they had needs load() and seekData().
  Status recover();

  /// Binds again the data that were bound, and passes over the batches that so
  /// many steps of a graph take.
  Status seekData(const std::string &graph, uint64_t steps);

  /// How far a graph is, as this session knows: by its own runs, by load(), or
  /// by what the tasks said when the cluster was opened.
  GraphPosition position(const std::string &graph) const;
  /// The graph's next run begins there, with the examples that are then next.
  void setPosition(const std::string &graph, const GraphPosition &position);
  /// After recover(), where the variables have kept their values: the next run
  /// of a graph goes on at the first step that was not done, with its examples.
  Status goOn(const std::string &graph);
  /// See ClientMachine.
  bool endedWithinStep(const std::string &graph) const;
  std::string tasksBehind(const std::string &graph) const;

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
