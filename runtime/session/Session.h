// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the graphs of a compiled model. This is the C++ API for programs that
// use a model.bin; graphc-run is a thin tool over it. A LocalSession runs them
// in this process, a ClusterSession on the tasks of a cluster; a
// CheckpointedRun writes checkpoints and recovers with either.
//
//   auto session = LocalSession::open("model.bin", {});
//   session->bindDataset("digits", "images.gz,labels.gz");
//   session->initialize();
//   session->runSteps({.graph = "train", .steps = 1000}, onStep);
//   session->save("model.safetensors");
#ifndef GRAPHC_RUNTIME_SESSION_SESSION_H
#define GRAPHC_RUNTIME_SESSION_SESSION_H

#include "runtime/checkpoint/Positions.h"
#include "runtime/checkpoint/TrainDirectory.h"
#include "runtime/session/RunRequest.h"
#include "runtime/session/SessionState.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A model with its variables, wherever they are. A call that fails leaves the
/// session usable. Thread-safety: one call at a time.
class Session {
public:
  virtual ~Session() = default;

  virtual const Model &model() const = 0;
  /// True when tasks run the steps, any of which may be lost; false: this
  /// process does.
  virtual bool hasTasks() const = 0;

  /// The graph of that name, or the only one where the name is empty, as this
  /// session runs it. NOT_FOUND and INVALID_ARGUMENT list the graphs.
  virtual StatusOr<const format::Graph *>
  chooseGraph(std::string_view name) const = 0;

  /// Checks that the graph, its feeds and its fetches fit, without running
  /// anything.
  virtual Status checkRequest(const RunRequest &request) const = 0;

  /// Examples that were found in the files of a dataset.
  struct BoundData {
    int64_t examples = 0;
    int64_t batchesPerEpoch = 0;
    int64_t droppedPerEpoch = 0; ///< they fill no batch
  };
  /// Names the files of a dataset: "FILE[,FILE...][@BEGIN:END]", see
  /// DataSource.h. Tasks read them on file systems of their own. The next step
  /// has the first examples, unless load() sets others.
  virtual StatusOr<BoundData> bindDataset(std::string_view name,
                                          std::string_view files) = 0;

  /// Goes back to the first example of a dataset, whose files stay open, and
  /// what they were read into stays: for another pass over the same data.
  virtual StatusOr<BoundData> rewindDataset(std::string_view name) = 0;

  /// Gives the variables their first values, or leaves those that a cluster
  /// has, unless `isAnew`.
  virtual Status initialize(bool isAnew = false) = 0;
  /// True when initialize() gave the values; false: they had some.
  virtual bool madeFirstValues() const = 0;

  /// Called after each step, in order; false ends the run.
  using StepCallback = std::function<bool(const StepView &)>;

  /// Runs steps one after the other. Each graph counts its own steps, from the
  /// first one on or from where load() sets it. The end of the data ends a run
  /// without failure. `firstStep`, counted from 0: where to go on; nothing:
  /// where the graph stopped.
  virtual StatusOr<RunOutcome>
  runSteps(const RunRequest &request, const StepCallback &onStep,
           std::optional<uint64_t> firstStep = std::nullopt) = 0;

  /// Runs one step and returns its fetches, in the order of the request, or of
  /// their names where it lists none.
  StatusOr<std::vector<HostTensor>> run(RunRequest request);

  /// Prepares steps, so that the next runSteps() with the request only lets
  /// them go. Workers whose updates need each other's gradients are prepared
  /// before any of them runs: one that is done by then counts as done.
  virtual Status prepareSteps(const RunRequest &request) = 0;
  /// No more steps are wanted for now: workers who would wait for this one's
  /// gradients learn it.
  virtual void endRuns() = 0;

  /// The longest that a run may take, all steps together, in nanoseconds; 0: no
  /// limit.
  virtual int64_t deadlineNanos() const = 0;

  virtual StatusOr<HostTensor> readVariable(std::string_view name) = 0;
  virtual Status writeVariable(std::string_view name,
                               const HostTensor &value) = 0;

  /// Begins to copy the variables and how far the graphs are. The capture is of
  /// now, whatever runs before it is complete.
  virtual StatusOr<std::unique_ptr<StateCapture>> capture() = 0;
  /// The same, where the tasks of a session may write the values by themselves:
  /// see StateCapture::isOfShards().
  virtual StatusOr<std::unique_ptr<StateCapture>>
  captureTo(const PendingCheckpoint &) {
    return capture();
  }
  /// Gives all variables the values of a checkpoint, which must hold exactly
  /// these, with their types, unless it `isPartial`; INVALID_ARGUMENT else, and
  /// nothing changes. After a failure of reading, the session has no values.
  /// Graphs that had run go on after their last step, with the examples and
  /// random numbers that were next; where it `isPartial` they begin anew.
  virtual Status restore(const TensorReader &checkpoint,
                         bool isPartial = false) = 0;

  using Metadata = std::map<std::string, std::string>;
  /// Replaces the file `path` by a safetensors file with all variables, how far
  /// the graphs are, and `metadata`.
  Status save(const std::string &path, const Metadata &metadata = {});
  /// restore() from a file or folder that save(), a training or another program
  /// wrote.
  Status load(const std::string &path, Metadata *metadata = nullptr);

  /// Progress of a graph: zero before its first run, unless load() or the tasks
  /// of a cluster specify more.
  virtual GraphPosition position(const std::string &graph) const = 0;
  /// The graph's next run begins there, with the examples that are then next.
  virtual void setPosition(const std::string &graph,
                           const GraphPosition &position) = 0;

  /// After a failure: waits for tasks that are gone, and loads their parts of
  /// the plan again. Values that they had need initialize() or load().
  virtual Status recover() = 0;
  /// After recover(), where the variables have kept their values: the next run
  /// of a graph goes on at the first step that was not done, with its examples.
  virtual Status goOn(const std::string &graph) = 0;

  /// True when the graph's last run ended within a step, so that tasks have
  /// values of different steps; tasksBehind() names those with older ones.
  virtual bool endedWithinStep(const std::string &graph) const = 0;
  virtual std::string tasksBehind(const std::string &graph) const = 0;
};

} // namespace graphc::runtime

#endif
