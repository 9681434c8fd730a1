// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's library for convolutions, loaded when it is needed. Types and
// numbers are those of cudnn.h.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_CUDNN_H
#define GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_CUDNN_H

#include "runtime/target/cuda/driver/CudaDevice.h"

namespace graphc::runtime {

namespace cudnn {

using Result = int;
using Handle = struct CudnnHandleRecord *;
using TensorDesc = struct CudnnTensorRecord *;
using FilterDesc = struct CudnnFilterRecord *;
using ConvolutionDesc = struct CudnnConvolutionRecord *;
using ActivationDesc = struct CudnnActivationRecord *;

/// An algorithm and what it is said to need.
struct AlgorithmChoice {
  int algorithm;
  Result status;
  float time;
  size_t workspaceBytes;
  int determinism;
  int math;
  int reserved[3];
};

inline constexpr Result kNotSupported =
    3000; ///< to 3999, which give the reason
inline constexpr int kFloat32 = 0;
inline constexpr int kNhwc = 1;
inline constexpr int kCrossCorrelation = 1;
inline constexpr int kDeterministic = 1;
inline constexpr int kDefaultMath = 0;  ///< may use TF32
inline constexpr int kTensorOpMath = 1; ///< does
inline constexpr int kFmaMath = 3;      ///< must not
inline constexpr int kRelu = 1;
inline constexpr int kIdentity = 5;
inline constexpr int kPropagateNan = 1;
/// The only algorithm that can add a bias without an activation.
inline constexpr int kImplicitPrecompGemm = 1;

} // namespace cudnn

#define GRAPHC_CUDNN_CHOICE(IMAGE, FILTER, RESULT)                             \
  (cudnn::Handle, IMAGE, FILTER, cudnn::ConvolutionDesc, RESULT, int, int *,   \
   cudnn::AlgorithmChoice *)
#define GRAPHC_CUDNN_CONVOLUTION(FIRST, SECOND, RESULT)                        \
  (cudnn::Handle, const void *, FIRST, const void *, SECOND, const void *,     \
   cudnn::ConvolutionDesc, int, void *, size_t, const void *, RESULT, void *)

// Member, function of the library, its parameters.
#define GRAPHC_CUDNN_FUNCTIONS(X)                                              \
  X(create, cudnnCreate, (cudnn::Handle *))                                    \
  X(destroy, cudnnDestroy, (cudnn::Handle))                                    \
  X(setStream, cudnnSetStream, (cudnn::Handle, cuda::Stream))                  \
  X(tensorCreate, cudnnCreateTensorDescriptor, (cudnn::TensorDesc *))          \
  X(tensorDestroy, cudnnDestroyTensorDescriptor, (cudnn::TensorDesc))          \
  X(tensorSet, cudnnSetTensor4dDescriptor,                                     \
    (cudnn::TensorDesc, int, int, int, int, int, int))                         \
  X(filterCreate, cudnnCreateFilterDescriptor, (cudnn::FilterDesc *))          \
  X(filterDestroy, cudnnDestroyFilterDescriptor, (cudnn::FilterDesc))          \
  X(filterSet, cudnnSetFilter4dDescriptor,                                     \
    (cudnn::FilterDesc, int, int, int, int, int, int))                         \
  X(convolutionCreate, cudnnCreateConvolutionDescriptor,                       \
    (cudnn::ConvolutionDesc *))                                                \
  X(convolutionDestroy, cudnnDestroyConvolutionDescriptor,                     \
    (cudnn::ConvolutionDesc))                                                  \
  X(convolutionSet, cudnnSetConvolution2dDescriptor,                           \
    (cudnn::ConvolutionDesc, int, int, int, int, int, int, int, int))          \
  X(convolutionSetMath, cudnnSetConvolutionMathType,                           \
    (cudnn::ConvolutionDesc, int))                                             \
  X(activationCreate, cudnnCreateActivationDescriptor,                         \
    (cudnn::ActivationDesc *))                                                 \
  X(activationDestroy, cudnnDestroyActivationDescriptor,                       \
    (cudnn::ActivationDesc))                                                   \
  X(activationSet, cudnnSetActivationDescriptor,                               \
    (cudnn::ActivationDesc, int, int, double))                                 \
  X(chooseForward, cudnnGetConvolutionForwardAlgorithm_v7,                     \
    GRAPHC_CUDNN_CHOICE(cudnn::TensorDesc, cudnn::FilterDesc,                  \
                        cudnn::TensorDesc))                                    \
  X(chooseData, cudnnGetConvolutionBackwardDataAlgorithm_v7,                   \
    GRAPHC_CUDNN_CHOICE(cudnn::FilterDesc, cudnn::TensorDesc,                  \
                        cudnn::TensorDesc))                                    \
  X(chooseFilter, cudnnGetConvolutionBackwardFilterAlgorithm_v7,               \
    GRAPHC_CUDNN_CHOICE(cudnn::TensorDesc, cudnn::TensorDesc,                  \
                        cudnn::FilterDesc))                                    \
  X(forward, cudnnConvolutionForward,                                          \
    GRAPHC_CUDNN_CONVOLUTION(cudnn::TensorDesc, cudnn::FilterDesc,             \
                             cudnn::TensorDesc))                               \
  X(backwardData, cudnnConvolutionBackwardData,                                \
    GRAPHC_CUDNN_CONVOLUTION(cudnn::FilterDesc, cudnn::TensorDesc,             \
                             cudnn::TensorDesc))                               \
  X(backwardFilter, cudnnConvolutionBackwardFilter,                            \
    GRAPHC_CUDNN_CONVOLUTION(cudnn::TensorDesc, cudnn::TensorDesc,             \
                             cudnn::FilterDesc))                               \
  X(forwardWithBias, cudnnConvolutionBiasActivationForward,                    \
    (cudnn::Handle, const void *, cudnn::TensorDesc, const void *,             \
     cudnn::FilterDesc, const void *, cudnn::ConvolutionDesc, int, void *,     \
     size_t, const void *, cudnn::TensorDesc, const void *, cudnn::TensorDesc, \
     const void *, cudnn::ActivationDesc, cudnn::TensorDesc, void *))

/// The library. Thread-safety: const.
class Cudnn {
public:
  /// libcudnn.so.9, or what GRAPHC_CUDNN names; UNAVAILABLE with the reason
  /// where there is none. The first call decides for good.
  static StatusOr<const Cudnn *> load();

  const char *(*errorString)(cudnn::Result) = nullptr;
#define GRAPHC_DECLARE(MEMBER, FUNCTION, PARAMETERS)                           \
  cudnn::Result(*MEMBER) PARAMETERS = nullptr;
  GRAPHC_CUDNN_FUNCTIONS(GRAPHC_DECLARE)
#undef GRAPHC_DECLARE

  Status check(cudnn::Result result, std::string_view what) const;

private:
  static StatusOr<const Cudnn *> open();
};

/// The library as one GPU uses it. Thread-safety: one call at a time.
class CudnnHandle {
public:
  /// `device` must outlive the handle.
  static StatusOr<std::unique_ptr<CudnnHandle>>
  create(const CudaDevice &device);
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle &) = delete;
  CudnnHandle &operator=(const CudnnHandle &) = delete;

  const Cudnn &api() const { return library; }
  const CudaDevice &device() const { return gpu; }
  cudnn::Handle handle() const { return made; }

private:
  CudnnHandle(const Cudnn &library, const CudaDevice &device)
      : library(library), gpu(device) {}

  const Cudnn &library;
  const CudaDevice &gpu;
  cudnn::Handle made = nullptr;
};

} // namespace graphc::runtime

#endif
