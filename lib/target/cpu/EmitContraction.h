// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for kernels around a contraction.
#ifndef GRAPHC_LIB_TARGET_CPU_EMITCONTRACTION_H
#define GRAPHC_LIB_TARGET_CPU_EMITCONTRACTION_H

#include "lib/target/cpu/contraction/Contraction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Needs and costs of the kernel. REQUIRES: findContraction(kernel).
ContractionPlan planContraction(mlir::func::FuncOp kernel);

/// Replaces the function on tensors by one on buffers, as emitFusedKernel does
/// for other kernels; `tile` counts the registers that there are. Fails, after
/// an error, when the linalg.generic after the contraction is not elementwise.
mlir::FailureOr<mlir::func::FuncOp> emitContraction(mlir::func::FuncOp kernel,
                                                    const RegisterTile &tile);

} // namespace graphc

#endif
