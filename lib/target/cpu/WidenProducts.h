// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers at the speed of 64-bit lanes.
#ifndef GRAPHC_LIB_TARGET_CPU_WIDENPRODUCTS_H
#define GRAPHC_LIB_TARGET_CPU_WIDENPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Keeps chains of 32 x 32 -> 64 bit products, xor and truncation, which is
/// what Philox consists of, in 64-bit integers. The values stay the same.
void widenProducts(mlir::func::FuncOp func);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_WIDENPRODUCTS_H
