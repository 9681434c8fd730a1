// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training of graphc-run train: where it saves, what ends it, how it
// evaluates.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_TRAINDRIVER_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_TRAINDRIVER_H

#include "runtime/session/CheckpointedRun.h"
#include "runtime/session/train/TrainControl.h"
#include "runtime/session/train/TrainStore.h"
#include "tools/graphc-run/RunOptions.h"
#include "tools/graphc-run/train/GraphEvaluation.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace graphc::run {

/// One per command, shared by the clients of its workers.
class TrainDriver {
public:
  /// FAILED_PRECONDITION: there is a file that ends a training.
  static runtime::StatusOr<std::shared_ptr<TrainDriver>>
  open(const RunOptions &options);

  runtime::TrainControl &control() { return limits; }
  /// True when there is a checkpoint to go on from, which counts more than
  /// --load: the same command begins a training and goes on with it.
  bool goesOn() const { return !runtime::listCheckpoints(directory).empty(); }

  /// Before addTo(), by the process that saves: of the clients of one training
  /// the chief. FAILED_PRECONDITION: another process trains in the folder.
  runtime::Status openStore(const RunOptions &options);

  /// True when a stop was requested and the training has not begun, or was
  /// given 20 s to end its steps and to be saved. Thread-safety: any thread.
  bool mustStopNow();
  /// The first step was made.
  void noteBegun() { hasBegun.store(true, std::memory_order_relaxed); }

  /// The training has ended for good, and is saved: its evaluator may end, too.
  runtime::Status noteEnd(const std::string &reason);

  /// Sets what a run's checkpoints are, and what is done between its steps.
  void addTo(runtime::CheckpointOptions &how, const RunOptions &options);

  /// Checks the graph that evaluates; called for each session, which must
  /// outlive its steps.
  runtime::Status prepareEvaluation(runtime::Session &session,
                                    const format::Graph &trained,
                                    const RunOptions &options);

private:
  TrainDriver(const RunOptions &options);
  runtime::StatusOr<bool> evaluate(uint64_t step, const RunOptions &options);

  const std::string directory;
  std::atomic<bool> hasBegun{false};
  std::atomic<int64_t> stopNanos{0}; ///< when a stop was first seen; 0: none
  runtime::TrainControl limits;
  std::shared_ptr<runtime::TrainStore> store;  ///< null: not of the chief
  std::unique_ptr<GraphEvaluation> evaluation; ///< null: none is asked for
};

/// "loss = 0.5, accuracy = 0.9".
std::string metricsText(const std::map<std::string, double> &metrics);

} // namespace graphc::run

#endif
