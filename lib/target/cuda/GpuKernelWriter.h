// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes planned kernels as exec.gpu_kernel ops.
#ifndef GRAPHC_LIB_TARGET_CUDA_GPUKERNELWRITER_H
#define GRAPHC_LIB_TARGET_CUDA_GPUKERNELWRITER_H

#include "dialects/exec/Exec.h"
#include "lib/target/cuda/CompileGpu.h"
#include "lib/target/cuda/GpuPlan.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace graphc {

/// Bytes of the scratch memory of a kernel. What one stage alone needs shares
/// its place with that of the others.
class ScratchLayout {
public:
  explicit ScratchLayout(llvm::ArrayRef<int64_t> values) {
    for (int64_t bytes : values)
      own = place(own, bytes);
    scratch = own;
  }
  /// The number of the part, among the parts.
  int64_t addTemporary(int64_t bytes) {
    scratch = std::max(scratch, place(own, bytes));
    return static_cast<int64_t>(parts.size()) - 1;
  }

  llvm::SmallVector<int64_t> parts, sizes; ///< offsets and bytes
  int64_t scratch = 0;

private:
  int64_t place(int64_t at, int64_t bytes) {
    constexpr int64_t kAlignment = 256;
    parts.push_back(at);
    sizes.push_back(bytes);
    return llvm::alignTo(at + bytes, kAlignment);
  }

  int64_t own = 0;
};

/// Writes the kernels of GPUs.
class GpuKernelWriter {
public:
  GpuKernelWriter(mlir::OpBuilder &b, const GpuCode &code,
                  exec::GpuPrecision precision)
      : b(b), precision(precision) {
    for (const GpuKernel &kernel : code.kernels)
      functions[kernel.name] = &kernel;
  }

  void write(const GpuKernelPlan &plan, mlir::Location loc);

private:
  using Buffers = llvm::SmallVector<int64_t>;

  void launch(const GpuCodeCall &call, Buffers buffers, mlir::Location loc);
  void call(const GpuMatmulCall &call, Buffers buffers, mlir::Location loc);
  void call(const GpuConvolutionCall &call, Buffers buffers,
            mlir::Location loc);
  void addTemporary(Buffers &buffers, int64_t bytes) {
    buffers.push_back(kernelBuffers + layout->addTemporary(bytes));
  }

  mlir::OpBuilder &b;
  exec::GpuPrecision precision;
  llvm::StringMap<const GpuKernel *> functions;
  int64_t kernelBuffers = 0;
  std::optional<ScratchLayout> layout; ///< of the kernel being written
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_GPUKERNELWRITER_H
