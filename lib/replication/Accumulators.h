// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a graph in two, for updates that take the gradients of several workers:
//
//   tfir.apply @w, %g  ->  @train:       tfir.assign_add @"w/grad_accum", %g
//                          @train@apply: %sum = tfir.read @"w/grad_accum"
//                                        tfir.apply @w, %sum / quorum
//                                        tfir.assign @"w/grad_accum", 0
#ifndef GRAPHC_LIB_REPLICATION_ACCUMULATORS_H
#define GRAPHC_LIB_REPLICATION_ACCUMULATORS_H

#include "lib/replication/WorkerAnalysis.h"

namespace graphc {

/// Leaves in `graph` what a worker does in a step, and adds the graph
/// `NAME@apply` after it, which it returns. Floats become their mean, integers
/// their sum. `symbols` is of the module. Fails after an error when an update
/// takes something of a worker of which there is no mean.
mlir::FailureOr<tfir::GraphOp>
divideUpdates(tfir::GraphOp graph, int64_t quorum, mlir::SymbolTable &symbols);

} // namespace graphc

#endif
