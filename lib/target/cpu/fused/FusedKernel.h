// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a function on tensors to a kernel on buffers.
#ifndef GRAPHC_LIB_TARGET_CPU_FUSED_FUSEDKERNEL_H
#define GRAPHC_LIB_TARGET_CPU_FUSED_FUSEDKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Rewrites `func`, from
///   func @name(tensor, ...) -> (tensor, ...)
/// with static shapes and a body of linalg ops on tensors, tensor.empty,
/// reshapes and constants, into a kernel of the same name,
///   func @name(buffers: memref..., scratch: memref<N x i8>,
///              begin: index, end: index)
/// and returns it. The buffers are the arguments in order, then the results in
/// order; they are contiguous, row-major and flat (rank 1), with one byte per
/// i1. A result with the attribute exec.inplace = i has no buffer of its own:
/// it overwrites argument i, whatever else reads that argument.
///
/// The kernel has the attributes exec.units (i64) and exec.scratch (i64,
/// bytes that each running thread needs, 64-byte aligned). Units may be split
/// over threads in any way, the bits of the results do not depend on it.
///
/// tensor.extract in the region of a linalg.generic is a gather; its indices
/// are not checked. Fails with a diagnostic at an op that is not supported.
mlir::FailureOr<mlir::func::FuncOp> emitFusedKernel(mlir::func::FuncOp func);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_FUSED_FUSEDKERNEL_H
