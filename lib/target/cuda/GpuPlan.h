// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plan of a kernel on a GPU: contractions are calls of libraries, what is
// behind them and all other kernels are code of our own.
#ifndef GRAPHC_LIB_TARGET_CUDA_GPUPLAN_H
#define GRAPHC_LIB_TARGET_CUDA_GPUPLAN_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/ContractionSpec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <variant>
#include <vector>

namespace graphc {

/// A function of the module of kernels, on tensors.
struct GpuCodeCall {
  std::string function;
};

struct GpuMatmulCall {
  tfir::MatmulSpec spec;
  float alpha = 1, beta = 0;
  exec::GpuEpilogue epilogue = exec::GpuEpilogue::None;
};

/// REQUIRES: the padding is the same at both ends.
struct GpuConvolutionCall {
  exec::GpuConvolutionKind kind;
  tfir::Conv2DSpec spec;
  exec::GpuEpilogue epilogue = exec::GpuEpilogue::None; ///< Forward only
};

struct GpuStagePlan {
  std::variant<GpuCodeCall, GpuMatmulCall, GpuConvolutionCall> call;
  /// Buffers of the kernel, then its values; without a library's workspace, and
  /// without the memory that code needs for itself.
  llvm::SmallVector<int64_t> buffers;
};

struct GpuKernelPlan {
  std::string name;
  int64_t buffers = 0;               ///< arguments and results in memory
  llvm::SmallVector<int64_t> values; ///< bytes of what stages leave for others
  std::vector<GpuStagePlan> stages;
};

/// The stages of `kernel`, a lowered one. Adds functions to its module, and
/// takes out of its body what a library does.
GpuKernelPlan planGpuKernel(mlir::func::FuncOp kernel);

/// Bytes that a library may use while it does the call. They depend on the
/// shapes alone: a library finds the fastest way that needs no more.
int64_t workspaceOf(const GpuMatmulCall &call);
int64_t workspaceOf(const GpuConvolutionCall &call);

/// The largest extent of the operands; libraries count in 32 bits.
int64_t largestExtent(const GpuMatmulCall &call);
int64_t largestExtent(const GpuConvolutionCall &call);

} // namespace graphc

#endif
