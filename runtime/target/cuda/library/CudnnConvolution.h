// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution, or one of its gradients, by cuDNN.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_CUDNNCONVOLUTION_H
#define GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_CUDNNCONVOLUTION_H

#include "runtime/target/cuda/library/Cudnn.h"
#include "runtime/target/cuda/library/GpuLibraries.h"

#include <vector>

namespace graphc::runtime {

class CudnnConvolution final : public GpuLibraryCall {
public:
  /// `library` must outlive the call; `convolution` must, too.
  static StatusOr<std::unique_ptr<GpuLibraryCall>>
  create(const CudnnHandle &library, const format::GpuConvolution &convolution,
         uint64_t workspaceBytes);
  ~CudnnConvolution() override;

  Status enqueue(cuda::Stream stream, const cuda::Pointer *buffers) override;

private:
  CudnnConvolution(const CudnnHandle &library,
                   const format::GpuConvolution &convolution,
                   uint64_t workspaceBytes)
      : library(library), convolution(convolution),
        workspaceBytes(workspaceBytes) {}
  std::string describe() const;
  bool hasBias() const;
  bool hasRelu() const;
  Status describeOperands();
  Status describeEpilogue();
  Status chooseAlgorithms();
  bool isUsable(const cudnn::AlgorithmChoice &choice) const;
  /// The memory that the call may write to; the plan gives it `planned`.
  void *workspace(cuda::Pointer planned) const;
  cudnn::Result askForAlgorithms(std::span<cudnn::AlgorithmChoice> choices,
                                 int &found);
  int algorithm() const { return algorithms[chosen]; }
  cudnn::Result forward(const cuda::Pointer *buffers);

  const CudnnHandle &library;
  const format::GpuConvolution &convolution;
  uint64_t workspaceBytes;
  cudnn::TensorDesc image = nullptr, result = nullptr, bias = nullptr;
  cudnn::FilterDesc filter = nullptr;
  cudnn::ConvolutionDesc operation = nullptr;
  cudnn::ActivationDesc activation = nullptr;
  CudaBuffer noBias;           ///< zeros, for a ReLU alone
  CudaBuffer ownWorkspace;     ///< where that of the plan is too small
  std::vector<int> algorithms; ///< the fastest first
  size_t chosen = 0;           ///< of these
};

} // namespace graphc::runtime

#endif
