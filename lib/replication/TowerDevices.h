// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices for towers.
#ifndef GRAPHC_LIB_REPLICATION_TOWERDEVICES_H
#define GRAPHC_LIB_REPLICATION_TOWERDEVICES_H

#include "lib/placement/inputs/DeviceSet.h"

#include "llvm/ADT/SmallVector.h"

namespace graphc {

/// The devices of the best kind that the user asked for, in the order of
/// choice. Those of jobs ps and evaluator are left out where there are others.
llvm::SmallVector<size_t> towerDevices(const DeviceSet &set);

} // namespace graphc

#endif
