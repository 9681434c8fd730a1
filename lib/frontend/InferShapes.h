// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Infers the shapes of a graph's values from those of its feeds and batches.
#ifndef GRAPHC_LIB_FRONTEND_INFERSHAPES_H
#define GRAPHC_LIB_FRONTEND_INFERSHAPES_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// True when the number of rows, the first dimension, is still a '?'.
bool hasOpenRows(mlir::Type type);

/// Sets the number of rows of a tensor.
void setRows(mlir::Value value, int64_t rows);

/// Gives all values of a graph, and its fetches, static shapes; fails after an
/// error where one does not follow. In a graph with towers, marks the fetches
/// whose rows are those of the examples (split_fetches). REQUIRES: feeds
/// and batches have static shapes, and split_feeds names those of them that
/// the towers share.
mlir::LogicalResult inferShapes(tfir::GraphOp graph);

} // namespace graphc

#endif
