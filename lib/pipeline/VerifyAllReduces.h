// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies the sums of partitions that a library may make.
#ifndef GRAPHC_LIB_PIPELINE_VERIFYALLREDUCES_H
#define GRAPHC_LIB_PIPELINE_VERIFYALLREDUCES_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Checks that nothing else uses an op of a decomposed all-reduce. Fails, after
/// an error, at the op that does.
mlir::LogicalResult verifyFallback(mlir::Operation *op);

/// Of one graph: each tfir.all_reduce has its like in other partitions, one in
/// each.
mlir::LogicalResult verifyAllReduces(llvm::ArrayRef<tfir::GraphOp> parts);

} // namespace graphc

#endif
