// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a value that devices of a ring add up.
#ifndef GRAPHC_LIB_REPLICATION_SUMS_RINGCHUNKS_H
#define GRAPHC_LIB_REPLICATION_SUMS_RINGCHUNKS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace graphc {

/// True when a ring of so many devices can cut a value between its rows, in
/// about equal chunks that begin where vectors and cache lines do.
bool canCutRows(mlir::RankedTensorType type, size_t devices);

/// Rows of each chunk, one per device: whole grains, of which no chunk has two
/// more than another. Last chunks may be empty where there are few rows.
llvm::SmallVector<int64_t> chunkSizes(mlir::RankedTensorType type,
                                      size_t devices);

/// Rows of each shard of a variable that so many devices update, of rank 1 or
/// more: the chunks of a ring where it cuts rows, else about equal. Shards are
/// fewer than devices where there are fewer rows; none is empty.
llvm::SmallVector<int64_t> shardSizes(mlir::RankedTensorType type,
                                      size_t devices);

} // namespace graphc

#endif
