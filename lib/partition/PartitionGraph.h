// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts one graph into one per device.
#ifndef GRAPHC_LIB_PARTITION_PARTITIONGRAPH_H
#define GRAPHC_LIB_PARTITION_PARTITIONGRAPH_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Replaces `graph`, whose ops are all assigned to devices, by its partitions,
/// in its place in the module and in the order of their devices. With
/// `byReplica`, what belongs to a tower is a partition of its own on each
/// device. Fails after an error when an op has no full device name, or is not
/// where its variable is. There is a partition for each of `devices`, too, even
/// if it stays empty. `symbols` is the module's.
mlir::LogicalResult partitionGraph(tfir::GraphOp graph, bool byReplica,
                                   llvm::ArrayRef<tfir::DeviceAttr> devices,
                                   mlir::SymbolTable &symbols);

} // namespace graphc

#endif
