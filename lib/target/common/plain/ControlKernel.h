// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and choices of scf over tensors, as KernelControlInterface builds them,
// in memory.
#ifndef GRAPHC_LIB_TARGET_COMMON_PLAIN_CONTROLKERNEL_H
#define GRAPHC_LIB_TARGET_COMMON_PLAIN_CONTROLKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace graphc {

/// True for a kernel, lowered to linalg, that is a loop or a choice.
bool isControlKernel(mlir::func::FuncOp kernel);

/// Gives a buffer for a tensor of the type that lasts as long as the kernel.
using TakeBuffer = llvm::function_ref<mlir::Value(mlir::RankedTensorType)>;

/// Replaces each scf.while and scf.if that carries or gives tensors by one that
/// keeps them in buffers, so that bufferization meets tensors of straight code
/// only. Fails with a diagnostic at a loop of another form than
/// WhileOp::lowerToScf makes.
mlir::LogicalResult storeCarriedTensors(mlir::func::FuncOp kernel,
                                        TakeBuffer take);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_PLAIN_CONTROLKERNEL_H
