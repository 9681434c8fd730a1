// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/library/GpuLibraries.h"

#include "runtime/target/cuda/library/CudnnConvolution.h"
#include "runtime/target/cuda/library/LtMatmul.h"

namespace graphc::runtime {

GpuLibraries::GpuLibraries(const CudaDevice &device) : device(device) {}

GpuLibraries::~GpuLibraries() = default;

StatusOr<std::unique_ptr<GpuLibraryCall>>
GpuLibraries::prepare(const format::GpuStage &stage, uint64_t workspaceBytes) {
  if (const auto *matmul = stage.call_as_GpuMatmul()) {
    GRAPHC_ASSIGN_OR_RETURN(const CublasLtHandle *library, cublasLtHandle());
    return LtMatmul::create(*library, *matmul, workspaceBytes);
  }
  GRAPHC_ASSIGN_OR_RETURN(const CudnnHandle *library, cudnnHandle());
  return CudnnConvolution::create(*library, *stage.call_as_GpuConvolution(),
                                  workspaceBytes);
}

StatusOr<const CublasLtHandle *> GpuLibraries::cublasLtHandle() {
  if (cublasLt)
    return cublasLt.get();
  GRAPHC_ASSIGN_OR_RETURN(cublasLt, CublasLtHandle::create(device));
  return cublasLt.get();
}

StatusOr<const CudnnHandle *> GpuLibraries::cudnnHandle() {
  if (cudnn)
    return cudnn.get();
  GRAPHC_ASSIGN_OR_RETURN(cudnn, CudnnHandle::create(device));
  return cudnn.get();
}

} // namespace graphc::runtime
