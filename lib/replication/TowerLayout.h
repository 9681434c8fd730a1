// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout of towers, variables and sums.
#ifndef GRAPHC_LIB_REPLICATION_TOWERLAYOUT_H
#define GRAPHC_LIB_REPLICATION_TOWERLAYOUT_H

#include "graphc/Choices.h"

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// From here on a ring, which divides the bytes among all links, is worth its
/// 2(n-1) steps; below, a tree has fewer of them.
inline constexpr int64_t kRingBytes = int64_t(1) << 20;

/// Placement target that a shared op requests. Both may be null.
struct PlacementTarget {
  tfir::DeviceAttr device;
  mlir::StringAttr colocation;
};

/// Layout common to the towers of all graphs. Devices are numbered from 0 in
/// the order of choice.
struct TowerLayout {
  struct TowerDevice {
    tfir::DeviceAttr name; ///< full
    tfir::DeviceAttr host; ///< CPU:0 of its task; null if there is none
  };

  llvm::SmallVector<TowerDevice> devices; ///< those that have towers
  tfir::DeviceAttr clientHost; ///< CPU:0 of the client; null if there is none
  /// Device request of variables that are not mirrored.
  tfir::DeviceAttr variables;
  Reduce reduce = Reduce::Auto;
  bool mirrored = false;  ///< variables are on every device with a tower
  bool canonical = false; ///< sums do not depend on the devices
  bool perTower = false;  ///< each tower has feeds of its own
  bool sharded = false;   ///< a device updates its shards of variables alone
  /// Towers are micro-batches of a pipeline: each runs on all devices, where
  /// its ops and variables ask to be, and `devices` is empty.
  bool isPipeline = false;

  /// Counts the devices that a graph with so many towers uses.
  unsigned devicesFor(int64_t towers) const {
    return static_cast<unsigned>(
        std::min<int64_t>(towers, static_cast<int64_t>(devices.size())));
  }
  /// The device of a tower: neighbours share one.
  unsigned deviceOf(int64_t tower, int64_t towers) const {
    return static_cast<unsigned>(tower * devicesFor(towers) / towers);
  }
  /// Counts the devices of each task where there are several tasks with the
  /// same number of devices, two or more, one task after another; else 0.
  unsigned devicesPerTask() const;
  /// Counts the copies of a mirrored variable.
  unsigned copies() const {
    return mirrored ? static_cast<unsigned>(devices.size()) : 1;
  }
  /// Placement target of copies of shared ops, and of what is not mirrored.
  PlacementTarget placementOf(unsigned copy) const {
    return {mirrored ? devices[copy].name : variables, mlir::StringAttr()};
  }
};

} // namespace graphc

#endif
