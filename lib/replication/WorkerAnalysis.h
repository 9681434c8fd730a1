// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classifies the ops of a graph of which every worker gets a replica.
#ifndef GRAPHC_LIB_REPLICATION_WORKERANALYSIS_H
#define GRAPHC_LIB_REPLICATION_WORKERANALYSIS_H

#include "dialects/tfir/Tfir.h"

#include "llvm/ADT/DenseSet.h"

namespace graphc {

/// Thread-safety: immutable once made; the graph may change afterwards.
class WorkerAnalysis {
public:
  explicit WorkerAnalysis(tfir::GraphOp graph);

  /// The graph has something to do for a worker.
  bool computes() const { return hasWork; }
  /// Some op of it assigns a variable.
  bool updates() const { return hasUpdates; }

  /// True for what the update takes from a worker: its gradient, and what
  /// follows from its examples or its random numbers.
  bool isGathered(mlir::OpOperand &operand) const;
  /// Computed beside the variables, for updates: a learning rate.
  bool isShared(mlir::Operation *op) const { return shared.contains(op); }
  /// Computed by the worker.
  bool isWorkers(mlir::Operation *op) const;

private:
  void findVarying(tfir::GraphOp graph);
  void findShared(tfir::GraphOp graph);

  llvm::DenseSet<mlir::Value> varying; ///< differs between workers
  llvm::DenseSet<mlir::Operation *> shared;
  bool hasWork = false, hasUpdates = false;
};

/// Puts updates, and what only they need, beside variables.
void placeShared(tfir::GraphOp graph, const WorkerAnalysis &analysis);

} // namespace graphc

#endif
