// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns the ops and variables of a graph to the stages of its pipeline.
#ifndef GRAPHC_LIB_REPLICATION_PIPELINE_STAGEPLAN_H
#define GRAPHC_LIB_REPLICATION_PIPELINE_STAGEPLAN_H

#include "lib/replication/pipeline/StageCuts.h"
#include "lib/replication/pipeline/StageDevices.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace graphc {

/// The stages of variables, which all graphs share.
using VariableStages = llvm::MapVector<mlir::StringAttr, int64_t>;

/// Plans one graph with `tfir.pipeline`. Not thread-safe.
class StagePlan {
public:
  StagePlan(tfir::GraphOp graph, StageDevices &devices, const CostTable &costs,
            VariableStages &variables);

  /// Once. Fails after an error when ops that ask for devices do not make a
  /// pipeline.
  mlir::LogicalResult run();

private:
  // Values that depend on the examples.
  void findVarying();
  bool isTrained(mlir::Value value) const;
  // By hand.
  mlir::LogicalResult readRequests();
  mlir::LogicalResult follow();
  // By costs.
  StageCosts costsOf();
  mlir::LogicalResult cut();
  // Variables and shared values of the stages.
  void placeVariables();
  void placeShared();
  void write();

  tfir::GraphOp graph;
  StageDevices &devices;
  const CostTable &table;
  VariableStages &variables;
  int64_t stages;

  llvm::DenseSet<mlir::Value> varying; ///< differs between micro-batches
  llvm::DenseSet<mlir::Value> trained; ///< depends on trainable variables
  /// Follows from tfir.gradients: it has no place on the way forward.
  llvm::DenseSet<mlir::Value> derived;
  llvm::SmallVector<mlir::Operation *> ops; ///< on the way forward, in order
  llvm::MapVector<mlir::Operation *, int64_t> byHand;
  llvm::DenseMap<mlir::Operation *, int64_t> stageOf;
  llvm::DenseMap<mlir::Operation *, int64_t> firstUser;
};

/// Puts the ops of a graph that is no pipeline where the variables are that
/// they read, the last of them for each op.
void followVariables(tfir::GraphOp graph, const StageDevices &devices,
                     const VariableStages &variables);

} // namespace graphc

#endif
