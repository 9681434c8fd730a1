// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Datasets that are bound in this process, and how far graphs have read them.
#ifndef GRAPHC_RUNTIME_SESSION_LOCALDATA_H
#define GRAPHC_RUNTIME_SESSION_LOCALDATA_H

#include "runtime/checkpoint/Positions.h"
#include "runtime/session/Session.h"
#include "runtime/state/DatasetBindings.h"
#include "runtime/state/GraphPorts.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace graphc::runtime {

/// Positions count steps and batches from 0; steps of a variant with summaries
/// are steps of its graph. Thread-safety: one call at a time.
class LocalData {
public:
  /// `note` (may be empty) is for people. The model outlives this.
  LocalData(const Model &model, uint64_t seed,
            std::function<void(const std::string &)> note,
            int readerThreads = 0)
      : model(model), note(std::move(note)),
        bindings(model, seed, readerThreads) {}

  /// Gives the programs their batches.
  HostCalls &host() { return bindings; }
  /// Null: nothing is bound to that dataset.
  const DataSource *source(uint32_t dataset) const {
    return bindings.source(dataset);
  }

  /// Records batches that are read ahead for the graph.
  void recordBatches(const format::Graph &graph,
                     const std::shared_ptr<StepTimeline> &timeline) {
    for (uint32_t dataset : datasetsOf(graph))
      bindings.recordBatches(dataset, timeline);
  }

  /// See Session::bindDataset.
  StatusOr<Session::BoundData> bind(std::string_view name,
                                    std::string_view files);

  /// See Session::rewindDataset.
  StatusOr<Session::BoundData> rewindDataset(std::string_view name);

  /// Before a run: after restore() or setPosition() the step that the graph
  /// goes on at, where its data go on, too; nothing: where it stopped.
  StatusOr<std::optional<uint64_t>> resume(const format::Graph &graph);
  /// Before a run: gives back the batches of a step that noteUnmadeStep()
  /// told of.
  Status rewind(const format::Graph &graph);
  /// Batches were taken for a step that was not made.
  void noteUnmadeStep(const format::Graph &graph);
  /// After a run of `steps` steps, the last of which was the `step`-th.
  void noteSteps(const format::Graph &graph, uint64_t step, uint64_t steps);

  const Positions &positions() const { return byGraph; }
  void setPosition(const std::string &graph, const GraphPosition &position);
  /// Those of a checkpoint. Data that were read begin anew.
  Status restore(Positions positions);

private:
  struct BoundFiles {
    std::string files;
    uint64_t taken = 0; ///< batches
  };

  Session::BoundData describe(uint32_t index) const;

  const Model &model;
  const std::function<void(const std::string &)> note;
  DatasetBindings bindings;
  std::map<uint32_t, BoundFiles> bound; ///< by dataset
  std::set<uint32_t> ahead; ///< datasets with a batch of an unmade step
  Positions byGraph;
  std::set<std::string> restored; ///< graphs that have not run since restore()
};

} // namespace graphc::runtime

#endif
