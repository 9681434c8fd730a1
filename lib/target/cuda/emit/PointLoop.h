// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One linalg.generic, whatever it is, on the threads of a grid.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_POINTLOOP_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_POINTLOOP_H

#include "lib/target/common/fused/LoopNest.h"
#include "lib/target/cuda/emit/GpuKernel.h"

namespace graphc {

/// Emits `nest`, without a fixed loop, for the threads of a grid of at most
/// `mostBlocks` blocks of kThreads threads, and returns the grid. Tensors are
/// whole and, but for what a thread overwrites in place, read only.
LaunchShape emitPointLoop(KernelBuilder &b, const LoopNest &nest,
                          llvm::function_ref<TensorView(mlir::Value)> captured,
                          int64_t mostBlocks);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_POINTLOOP_H
