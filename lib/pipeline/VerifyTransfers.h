// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a divided graph fit together.
#ifndef GRAPHC_LIB_PIPELINE_VERIFYTRANSFERS_H
#define GRAPHC_LIB_PIPELINE_VERIFYTRANSFERS_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Of each graph, the partitions stand one behind the other, have different
/// places for their feeds and fetches, and each edge leads from one tfir.send
/// to one tfir.recv of the same type, in the partitions that they name.
mlir::LogicalResult verifyPartitions(mlir::ModuleOp module);

/// The same of programs, whose plan is verified as well (VerifyPlan.h).
mlir::LogicalResult verifyPrograms(mlir::ModuleOp module);

} // namespace graphc

#endif
