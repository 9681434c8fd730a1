// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search for the contraction of a kernel.
#ifndef GRAPHC_LIB_TARGET_COMMON_FINDCONTRACTION_H
#define GRAPHC_LIB_TARGET_COMMON_FINDCONTRACTION_H

#include "dialects/tfir/Tfir.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// The contraction of a kernel, or null. A kernel has one at most.
tfir::ContractionInterface findContraction(mlir::func::FuncOp kernel);

} // namespace graphc

#endif
