// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a function on tensors to functions that the threads of a GPU run.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_GPUKERNEL_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_GPUKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace graphc {

/// Blocks of a grid, and threads of a block.
struct LaunchShape {
  int64_t grid = 1;
  int64_t block = 1;
};

/// Threads of a block where nothing else decides.
inline constexpr int64_t kThreads = 256;

/// A grid of at least `threads` threads, or one that fills any GPU, whose
/// threads then have to take more than one turn.
LaunchShape shapeForThreads(int64_t threads);

/// An entry of the PTX and how to launch it.
struct GpuLaunch {
  std::string entry;
  unsigned grid, block;
};

/// A kernel: its launches, one after the other. All take the same pointers: the
/// buffers, then `scratch` bytes of memory, if that is not 0.
struct GpuKernel {
  std::string name;
  std::vector<GpuLaunch> launches;
  int64_t scratch;
};

/// Replaces `func`, which is as emitFusedKernel wants it, by a function on
/// buffers per launch, with the threads of a block as exec.block. Their names
/// are none of `entries`, and join them. Fails with a diagnostic at an op that
/// is not supported.
mlir::FailureOr<GpuKernel> emitGpuKernel(mlir::func::FuncOp func,
                                         llvm::StringSet<> &entries);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_GPUKERNEL_H
