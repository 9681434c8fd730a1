// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that a library may make fit together.
#ifndef GRAPHC_LIB_PIPELINE_VERIFYALLREDUCES_H
#define GRAPHC_LIB_PIPELINE_VERIFYALLREDUCES_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Checks that nothing else uses an op of a decomposed all-reduce. Fails, after
/// an error, at the op that does.
mlir::LogicalResult verifyFallback(mlir::Operation *op);

/// Of one graph: each tfir.all_reduce has its like in other partitions, one in
/// each.
mlir::LogicalResult verifyAllReduces(llvm::ArrayRef<tfir::GraphOp> parts);

/// The same of programs. What serves an all_reduce stands before it; and when a
/// library makes all sums, so that each is a meeting of its programs and what
/// serves it is left out, all programs come to their end.
mlir::LogicalResult verifyAllReduces(llvm::ArrayRef<exec::ProgramOp> programs);

} // namespace graphc

#endif
