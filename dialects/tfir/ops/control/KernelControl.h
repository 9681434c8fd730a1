// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of KernelControl.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CONTROL_KERNELCONTROL_H
#define GRAPHC_DIALECTS_TFIR_OPS_CONTROL_KERNELCONTROL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace graphc::tfir {

/// Builds the ops of a body of a KernelControlInterface from values for its
/// arguments, of which those of unused ones may be null, and gives the values
/// that it yields.
using LowerBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::Region &body, mlir::ValueRange arguments)>;

/// Checks what the bodies of a KernelControlInterface may have.
llvm::LogicalResult verifyKernelControl(mlir::Operation *op);

/// Makes the regions of `op` use nothing from outside: constants that are no
/// splats and reads of variables move before it, and each outside value that is
/// used becomes one more argument of every region. Gives these values, in the
/// order of their first use.
llvm::SmallVector<mlir::Value> captureOutside(mlir::Operation *op);

} // namespace graphc::tfir

#include "dialects/tfir/KernelControl.h.inc"

#endif
