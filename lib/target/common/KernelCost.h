// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimated work of a kernel.
#ifndef GRAPHC_LIB_TARGET_COMMON_KERNELCOST_H
#define GRAPHC_LIB_TARGET_COMMON_KERNELCOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

struct KernelCost {
  double flops = 0; ///< one per scalar op and element
  double bytes = 0; ///< of its arguments and results, each once
};

/// An estimate. REQUIRES: the kernel is lowered to linalg.
KernelCost estimateCost(mlir::func::FuncOp kernel);

} // namespace graphc

#endif
