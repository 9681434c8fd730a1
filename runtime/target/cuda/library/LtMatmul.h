// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product by cuBLASLt.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_LTMATMUL_H
#define GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_LTMATMUL_H

#include "runtime/target/cuda/library/CublasLt.h"
#include "runtime/target/cuda/library/GpuLibraries.h"

namespace graphc::runtime {

/// The library's matrices are column-major, and a row-major matrix is its
/// transpose there: so it is told C^T = B^T A^T, and nothing is moved.
class LtMatmul final : public GpuLibraryCall {
public:
  /// `library` must outlive the call; `matmul` must, too.
  static StatusOr<std::unique_ptr<GpuLibraryCall>>
  create(const CublasLtHandle &library, const format::GpuMatmul &matmul,
         uint64_t workspaceBytes);
  ~LtMatmul() override;

  Status enqueue(cuda::Stream stream, const cuda::Pointer *buffers) override;

private:
  LtMatmul(const CublasLtHandle &library, const format::GpuMatmul &matmul,
           uint64_t workspaceBytes)
      : library(library), matmul(matmul), workspaceBytes(workspaceBytes) {}
  bool hasBias() const;
  std::string describe() const;
  Status describeOperation();
  Status chooseAlgorithm();

  const CublasLtHandle &library;
  const format::GpuMatmul &matmul;
  uint64_t workspaceBytes;
  float alpha = 1, beta = 0;
  cublaslt::MatmulDesc operation = nullptr;
  cublaslt::MatrixLayout a = nullptr, b = nullptr, c = nullptr;
  cublaslt::Algorithm algorithm = {};
};

} // namespace graphc::runtime

#endif
