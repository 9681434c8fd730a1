// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and places of the ops between the towers.
#ifndef GRAPHC_LIB_REPLICATION_PLACEDOPS_H
#define GRAPHC_LIB_REPLICATION_PLACEDOPS_H

#include "lib/frontend/UniqueNames.h"
#include "lib/replication/TowerLayout.h"

namespace graphc {

/// Listens to a builder and gives each new op a unique name below a scope, a
/// place, and its part in a collective. Not thread-safe.
class PlacedOps : public mlir::OpBuilder::Listener {
public:
  explicit PlacedOps(UniqueNames &names) : names(names) {}

  /// New ops are called `scope/Kind`.
  void enterScope(const llvm::Twine &newScope) { scope = newScope.str(); }
  /// New ops are there; constants go where they are used.
  void moveTo(PlacementTarget newTarget) { target = newTarget; }
  /// New ops are part of that collective; null: of none.
  void enterCollective(mlir::IntegerAttr number) { collective = number; }
  /// Sets if new ops only serve the all_reduce of their collective.
  void setFallback(bool isOn) { isFallback = isOn; }

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;

private:
  UniqueNames &names;
  std::string scope;
  PlacementTarget target;
  mlir::IntegerAttr collective;
  bool isFallback = false;
};

} // namespace graphc

#endif
