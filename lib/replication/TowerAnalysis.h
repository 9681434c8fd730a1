// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classifies the ops of a graph that gets towers.
#ifndef GRAPHC_LIB_REPLICATION_TOWERANALYSIS_H
#define GRAPHC_LIB_REPLICATION_TOWERANALYSIS_H

#include "lib/replication/Mirrors.h"

namespace graphc {

/// Thread-safety: immutable once made.
class TowerAnalysis {
public:
  /// With `sharesEqual`, what is the same in all towers is computed once for
  /// those that need it.
  TowerAnalysis(tfir::GraphOp graph, const Mirrors &mirrors,
                bool sharesEqual = false);

  /// The ops in program order, without the end.
  llvm::ArrayRef<mlir::Operation *> ops() const { return all; }
  /// The place of the op among them.
  int64_t positionOf(mlir::Operation *op) const { return flagsOf(op).position; }
  /// The place of the op that makes the value; -1 for a feed.
  int64_t positionOf(mlir::Value value) const;

  /// Differs between towers.
  bool varies(mlir::Value value) const { return varying.contains(value); }
  /// Towers compute it: it varies, or what varies needs it.
  bool isTower(mlir::Operation *op) const { return flagsOf(op).tower; }
  /// Is computed once, or once per mirror: fetches or updates need it.
  bool isShared(mlir::Operation *op) const { return flagsOf(op).shared; }
  /// Is shared, and computed beside each mirror.
  bool isMirrored(mlir::Operation *op) const {
    return flagsOf(op).update && flagsOf(op).fromMirror;
  }
  /// A read of a mirrored variable that towers or updates need.
  bool isMirroredRead(mlir::Operation *op) const;

private:
  struct Flags {
    int64_t position = -1;
    bool tower = false;
    bool usedByTower = false;
    bool shared = false;
    bool update = false;     ///< an update needs it
    bool fromMirror = false; ///< depends on a mirrored variable
  };

  void findVarying(tfir::GraphOp graph);
  void findUsers();
  const Flags &flagsOf(mlir::Operation *op) const;

  bool isVarying(mlir::Operation *op) const;

  const Mirrors &mirrors;
  bool sharesEqual;
  llvm::SmallVector<mlir::Operation *> all;
  mlir::Operation *end;
  llvm::DenseMap<mlir::Operation *, Flags> flags;
  llvm::DenseSet<mlir::Value> varying;
};

} // namespace graphc

#endif
