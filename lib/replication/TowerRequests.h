// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device requests of the ops of towers.
#ifndef GRAPHC_LIB_REPLICATION_TOWERREQUESTS_H
#define GRAPHC_LIB_REPLICATION_TOWERREQUESTS_H

#include "lib/replication/TowerLayout.h"

#include "llvm/ADT/DenseMap.h"

namespace graphc {

/// True for an op that the CPU of a task runs for a device of that type, which
/// has no kernel for it.
bool needsHost(mlir::Operation *op, llvm::StringRef type);

/// Remembers what it has worked out. Not thread-safe.
class TowerRequests {
public:
  explicit TowerRequests(const TowerLayout &layout) : layout(layout) {}

  /// Request of the op in a tower on that device: the device, overridden by
  /// what it requests itself, or the host when the device has no kernel for it.
  /// Null for nothing.
  tfir::DeviceAttr requestFor(mlir::Operation *op, unsigned device);

private:
  const TowerLayout &layout;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, tfir::DeviceAttr> merged;
};

} // namespace graphc

#endif
