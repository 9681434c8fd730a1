// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of kernels that libraries of CUDA do: matrix products by cuBLASLt,
// convolutions by cuDNN. Each library is loaded when the first stage needs it.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_GPULIBRARIES_H
#define GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_GPULIBRARIES_H

#include "runtime/target/cuda/driver/CudaMemory.h"
#include "runtime/target/cuda/format/CudaExecutable_generated.h"

namespace graphc::runtime {

class CublasLtHandle;
class CudnnHandle;

/// A call with everything decided but the addresses.
/// Thread-safety: one call at a time.
class GpuLibraryCall {
public:
  virtual ~GpuLibraryCall() = default;

  /// Puts the work into a stream; `buffers` are as the stage lists them.
  /// Allocates nothing on the device, and can be captured.
  virtual Status enqueue(cuda::Stream stream, const cuda::Pointer *buffers) = 0;
};

/// The libraries of one GPU. Thread-safety: one call at a time.
class GpuLibraries {
public:
  /// `device` must outlive this.
  explicit GpuLibraries(const CudaDevice &device);
  ~GpuLibraries();

  /// The call for a stage that is no launch. The algorithm is chosen here, a
  /// deterministic one that needs at most `workspaceBytes`: what the stage's
  /// last buffer has. UNAVAILABLE without the library.
  StatusOr<std::unique_ptr<GpuLibraryCall>>
  prepare(const format::GpuStage &stage, uint64_t workspaceBytes);

private:
  StatusOr<const CublasLtHandle *> cublasLtHandle();
  StatusOr<const CudnnHandle *> cudnnHandle();

  const CudaDevice &device;
  std::unique_ptr<CublasLtHandle> cublasLt;
  std::unique_ptr<CudnnHandle> cudnn;
};

} // namespace graphc::runtime

#endif
