// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as scalar loops, by MLIR's bufferization.
#ifndef GRAPHC_LIB_TARGET_COMMON_PLAIN_SCALARKERNEL_H
#define GRAPHC_LIB_TARGET_COMMON_PLAIN_SCALARKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Registers what emitScalarKernel() needs beside registerCodegenDialects().
void registerScalarKernelDialects(mlir::DialectRegistry &registry);

/// Rewrites `kernel`, a function of linalg on tensors, and of scf around it,
/// into its final form on buffers (lib/target/cpu/CpuEntries.h): one unit, with
/// temporaries in scratch memory. Results are written when all of them are
/// known, so one may overwrite any argument (exec.inplace). Fails with a
/// diagnostic at an op that cannot be bufferized.
mlir::LogicalResult emitScalarKernel(mlir::func::FuncOp kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_PLAIN_SCALARKERNEL_H
