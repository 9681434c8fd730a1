// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that replace some rows of a tensor: tfir::UpdatesRows.
#ifndef GRAPHC_LIB_TARGET_CPU_ROWUPDATE_H
#define GRAPHC_LIB_TARGET_CPU_ROWUPDATE_H

#include "lib/target/common/KernelCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// The op of a kernel that only replaces rows; null for other kernels.
mlir::Operation *findRowUpdate(mlir::func::FuncOp kernel);

/// Work of such a kernel where it writes in place.
KernelCost rowUpdateCost(mlir::Operation *update);

/// Turns the function on tensors into one on buffers, as emitFusedKernel does
/// for other kernels. In place, it writes nothing but the rows.
/// REQUIRES: findRowUpdate(kernel).
void emitRowUpdate(mlir::func::FuncOp kernel);

} // namespace graphc

#endif
