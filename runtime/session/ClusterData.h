// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Datasets that a client of a cluster has bound, and how far its graphs have
// read them.
#ifndef GRAPHC_RUNTIME_SESSION_CLUSTERDATA_H
#define GRAPHC_RUNTIME_SESSION_CLUSTERDATA_H

#include "runtime/checkpoint/Positions.h"
#include "runtime/session/OperationDriver.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Positions count steps and batches from 0. Graphs have the names of the plan:
/// an instance its own. Thread-safety: one call at a time.
class ClusterData {
public:
  /// `worker`: whose instance the client runs, and whether that reads only its
  /// share of the rows. `note` (may be empty) is for people. The driver
  /// outlives this.
  ClusterData(OperationDriver &driver, std::optional<uint32_t> worker,
              bool dividesData, std::function<void(std::string_view)> note)
      : driver(driver), worker(worker), dividesData(dividesData),
        note(std::move(note)) {}

  /// Binds files at the tasks, from the first batch on.
  StatusOr<protocol::Reply::Bound> bind(std::string_view dataset,
                                        std::string_view files);
  /// See Session::rewindDataset.
  StatusOr<protocol::Reply::Bound> rewind(std::string_view dataset);
  /// Passes over the batches that so many steps of the graph take.
  Status seek(const format::Graph &graph, uint64_t steps);

  /// Before a run: after restore() or setPosition() the graph goes on at the
  /// step and the batch that came next. Sets `firstStep` where it has none.
  Status resume(const format::Graph &graph, std::optional<uint64_t> &firstStep);
  /// After a run of `steps` steps, the last of which was the `step`-th.
  void noteSteps(const format::Graph &graph, uint64_t step, uint64_t steps);
  /// When tasks may be `reached` steps far, more than the client has seen:
  /// passes over the batches of those. The position to go on at.
  StatusOr<GraphPosition> skipTo(const format::Graph &graph,
                                 GraphPosition position, uint64_t reached);

  const Positions &positions() const { return byGraph; }
  void setPosition(const std::string &graph, const GraphPosition &position);
  /// Those of a checkpoint. Data are read from there, or from their beginning.
  Status restore(Positions positions);
  /// Tasks may have been started anew, and lack the data.
  void noteLoss() { mayLackData = true; }

private:
  struct BoundFiles {
    std::string dataset, files;
    protocol::Reply::Bound bound = {};
    uint64_t taken = 0; ///< batches
  };
  std::map<std::string, uint64_t>
  batchesPerStep(const format::Graph &graph) const;
  uint32_t readersOf(std::string_view dataset) const;
  std::string shareOf(const std::string &files, int64_t examples,
                      uint32_t workers) const;
  Status bind(BoundFiles &data, uint64_t skip, bool rewinds = false);

  OperationDriver &driver;
  const std::optional<uint32_t> worker;
  const bool dividesData;
  const std::function<void(std::string_view)> note;
  std::vector<BoundFiles> bound;
  Positions byGraph;
  std::set<std::string> restored; ///< graphs that have not run since restore()
  bool mayLackData = false; ///< a task was started anew since they were bound
};

} // namespace graphc::runtime

#endif
