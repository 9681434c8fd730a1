// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns one graph into towers and what is between them.
#ifndef GRAPHC_LIB_REPLICATION_TOWERS_H
#define GRAPHC_LIB_REPLICATION_TOWERS_H

#include "lib/replication/TowerAnalysis.h"
#include "lib/replication/TowerRequests.h"
#include "lib/replication/TowerSums.h"
#include "lib/replication/pipeline/MicroBatchTurns.h"
#include "lib/replication/shards/UpdateShards.h"
#include "llvm/ADT/StringSet.h"

namespace graphc {

/// Fails after an error when all towers together draw more random numbers than
/// can be counted.
llvm::LogicalResult checkRandom(tfir::PhiloxUniformOp op, int64_t towers);

/// Gradients from here on travel alone; smaller ones are collected until they
/// have as many bytes, so that there are few transfers.
inline constexpr int64_t kBucketBytes = int64_t(1) << 16;

/// Walks over the ops of one graph in their order; each is replaced, or
/// completed, where it stands. Not thread-safe.
class Towers {
public:
  /// The graph has the attribute `replicas`.
  Towers(tfir::GraphOp graph, const TowerLayout &layout, const Mirrors &mirrors,
         const UpdateShards &shards);

  /// Once. Fails after an error when something differs between towers of which
  /// one would have to be chosen.
  llvm::LogicalResult run();

private:
  using Values = TowerSums::Values;

  // Towers.cpp: what is cloned.
  void findTowerNames();
  void divideFeeds();
  void divideFeed(mlir::BlockArgument feed, llvm::StringRef name,
                  llvm::SmallVector<mlir::Attribute> &feeds);
  void splitRows(mlir::BlockArgument feed, llvm::StringRef name);
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult cloneForTowers(mlir::Operation *op);
  mlir::Operation *cloneForTower(mlir::Operation *op, int64_t tower);
  mlir::DictionaryAttr attributesIn(mlir::Operation *op, int64_t tower,
                                    tfir::DeviceAttr request);
  void setColocation(tfir::NodeAttrList &attrs, llvm::StringRef prefix,
                     unsigned device);
  void cloneForMirrors(mlir::Operation *op);
  mlir::Operation *cloneForMirror(mlir::Operation *op, unsigned copy);
  void completeShared(mlir::Operation *op);
  void eraseUnused();
  mlir::Value inTower(mlir::Value value, int64_t tower) const;
  mlir::Value besideMirror(mlir::Value value, unsigned copy) const;
  Values inTowers(mlir::Value value) const;
  void setName(tfir::NodeAttrList &attrs, llvm::StringRef prefix);

  // TowerEnds.cpp: what is reduced.
  llvm::LogicalResult visitUpdate(mlir::Operation *op);
  mlir::FailureOr<Values>
  reduceOperand(mlir::Operation *op, mlir::OpOperand &operand, unsigned copies);
  bool takesGradient(mlir::Operation *op) const;
  void reduceGradientsFrom(mlir::Operation *first);
  llvm::SmallVector<mlir::Operation *>
  gradientsReadyAt(mlir::Operation *first) const;
  void reduceTogether(llvm::ArrayRef<mlir::Operation *> bucket);
  Reduce reduceOf();
  llvm::LogicalResult visitReturn();
  mlir::FailureOr<mlir::Value> reduceFetch(mlir::Value value,
                                           llvm::StringRef name, bool isSplit);

  // shards/TowerShards.cpp: what each device does for its rows alone.
  /// Variables whose shards are updated and not yet gathered.
  struct Updated {
    mlir::FlatSymbolRefAttr variable;
    mlir::RankedTensorType type;
    mlir::Location loc;
    Values shards;
  };
  bool isSharded(mlir::Operation *op) const;
  Reduce shardedReduce() const;
  llvm::SmallVector<llvm::ArrayRef<UpdateShard>>
  shardsOf(llvm::ArrayRef<mlir::Operation *> updates) const;
  llvm::LogicalResult visitSharded(tfir::ApplyOp op);
  Values shardGradient(tfir::ApplyOp op);
  mlir::Value sliceRows(mlir::Value value, const UpdateShard &shard);
  void updateShard(tfir::ApplyOp update, size_t number);
  void gatherBefore(mlir::Operation *op);
  void gather();
  void gatherTogether(llvm::ArrayRef<Updated> bucket);

  tfir::GraphOp graph;
  const TowerLayout &layout;
  const Mirrors &mirrors;
  const UpdateShards &shards;
  int64_t towers;
  TowerAnalysis analysis;
  MicroBatchTurns turns;
  UniqueNames names;
  PlacedOps placed;
  mlir::OpBuilder builder; ///< of the ops between the towers
  TowerRequests requests;
  TowerSums sums;

  llvm::StringSet<> towerNames; ///< of ops that are in towers
  /// Index in `inAllTowers` of the first of the values that stand for one, by
  /// tower.
  llvm::DenseMap<mlir::Value, size_t> ofTowers;
  std::vector<mlir::Value> inAllTowers;
  llvm::DenseMap<mlir::Value, Values> ofMirrors; ///< beside mirrors from 1 on
  /// Reduced ahead, by the op that takes it.
  llvm::DenseMap<mlir::Operation *, Values> gradients;
  std::optional<Reduce> decided;
  llvm::SmallVector<Updated> updated;
};

} // namespace graphc

#endif
