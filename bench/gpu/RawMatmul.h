// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Baseline of a product: a direct call of cuBLASLt.
#ifndef GRAPHC_BENCH_GPU_RAWMATMUL_H
#define GRAPHC_BENCH_GPU_RAWMATMUL_H

#include "runtime/target/cuda/driver/CudaMemory.h"
#include "runtime/target/cuda/library/CublasLt.h"

namespace graphc::bench {

/// A call of cublasLtMatmul.
struct MatmulCall {
  runtime::cublaslt::Handle handle;
  runtime::cublaslt::MatmulDesc operation;
  const void *alpha, *a;
  runtime::cublaslt::MatrixLayout aLayout;
  const void *b;
  runtime::cublaslt::MatrixLayout bLayout;
  const void *beta, *c;
  runtime::cublaslt::MatrixLayout cLayout;
  void *d;
  runtime::cublaslt::MatrixLayout dLayout;
  const runtime::cublaslt::Algorithm *algorithm;
  void *workspace;
  size_t workspaceBytes;

  runtime::Status enqueue(const runtime::CublasLt &library,
                          runtime::cuda::Stream stream) const;
};

/// The same product with the algorithm that the library likes best, where it
/// may take 64 MiB of workspace and add in any order. Thread-safety: one call
/// at a time.
class RawMatmul {
public:
  /// `library` is the real one, and the layouts of `ours` outlive this.
  static runtime::StatusOr<std::unique_ptr<RawMatmul>>
  create(const runtime::CudaDevice &device, const runtime::CublasLt &library,
         const MatmulCall &ours);

  const MatmulCall &call() const { return raw; }

private:
  MatmulCall raw;
  runtime::cublaslt::HeuristicResult best = {};
  runtime::CudaBuffer workspace;
};

} // namespace graphc::bench

#endif
