// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the tfir ops of a kernel into linalg on tensors:
//
//   func.func @k(%x: tensor<8x4xf32>, %s: tensor<f32>) {
//     %0 = tfir.mul %x, %s            func.func @k(%x: tensor<32xf32>, ...) {
//     %1 = tfir.relu %0         ->      %0 = linalg.generic ... one body
//     return %1                         return %0
//
// A contraction stays as it is, followed by one linalg.generic with all that
// happens to its result.
#ifndef GRAPHC_LIB_TARGET_COMMON_LOWERTOLINALG_H
#define GRAPHC_LIB_TARGET_COMMON_LOWERTOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Lowers `kernel`, a function of tfir ops, in place. With `fuses`, tensors
/// become one- or two-dimensional where all ops are elementwise over one shape
/// or reduce it, and elementwise ops in the bodies of a loop or choice share
/// linalg ops. Bodies stand in ops of scf. The types of arguments may differ
/// from those of the launch; the bytes are the same.
void lowerToLinalg(mlir::func::FuncOp kernel, bool fuses = true);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_LOWERTOLINALG_H
