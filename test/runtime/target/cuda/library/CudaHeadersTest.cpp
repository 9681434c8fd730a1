// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of CUDA's libraries against their headers, which only this
// test needs: it is built where a toolkit has them.
#include "runtime/target/cuda/driver/CudaApi.h"
#include "runtime/target/cuda/library/CublasLt.h"
#include "runtime/target/cuda/library/Cudnn.h"
#include "runtime/target/cuda/library/Nccl.h"

#include <cublasLt.h>
#include <cuda.h>
#include <cudnn.h>
#include <gtest/gtest.h>
#if __has_include(<nccl.h>) // not part of the toolkit
#include <nccl.h>
#endif
#include <type_traits>

using namespace graphc::runtime;

namespace {

/// True when values of both types are passed alike: enums are integers, and
/// pointers are pointers whatever they point to.
template <typename A, typename B>
constexpr bool kSameKind =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
    std::is_floating_point_v<A> == std::is_floating_point_v<B>;

template <typename A, typename... As, typename B, typename... Bs>
constexpr bool isSameCall(A (*)(As...), B (*)(Bs...)) {
  if constexpr (sizeof...(As) == sizeof...(Bs))
    return kSameKind<A, B> && (kSameKind<As, Bs> && ...);
  else
    return false;
}

// Of an `Api`. Only the types of the functions are used: the libraries are not
// linked.
#define GRAPHC_COMPARE(MEMBER, FUNCTION, PARAMETERS)                           \
  EXPECT_TRUE(isSameCall(decltype(Api::MEMBER)(nullptr),                       \
                         decltype (&::FUNCTION)(nullptr)))                     \
      << #FUNCTION;

TEST(Headers, Driver) {
  using Api = CudaApi;
  GRAPHC_CUDA_FUNCTIONS(GRAPHC_COMPARE)
  EXPECT_EQ(cuda::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuda::kNoDevice, CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(cuda::kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(cuda::kPeerAccessAlreadyEnabled,
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(cuda::kStreamNonBlocking, unsigned(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(cuda::kEventBlockingSync, unsigned(CU_EVENT_BLOCKING_SYNC));
  EXPECT_EQ(cuda::kEventDisableTiming, unsigned(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(cuda::kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(cuda::kCapabilityMajor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(cuda::kCapabilityMinor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(cuda::kJitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(cuda::kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
}

TEST(Headers, CublasLt) {
  using Api = CublasLt;
  GRAPHC_CUBLASLT_FUNCTIONS(GRAPHC_COMPARE)
  EXPECT_EQ(sizeof(cublaslt::Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(cublaslt::HeuristicResult),
            sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_EQ(offsetof(cublaslt::HeuristicResult, state),
            offsetof(cublasLtMatmulHeuristicResult_t, state));
  EXPECT_EQ(cublaslt::kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublaslt::kFloat32, CUDA_R_32F);
  EXPECT_EQ(cublaslt::kComputeFloat32, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(cublaslt::kComputeTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_EQ(cublaslt::kComputeBfloat16, CUBLAS_COMPUTE_32F_FAST_16BF);
  EXPECT_EQ(cublaslt::kDescTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(cublaslt::kDescTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(cublaslt::kDescEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  EXPECT_EQ(cublaslt::kDescBias, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  EXPECT_EQ(cublaslt::kTranspose, CUBLAS_OP_T);
  EXPECT_EQ(cublaslt::kEpilogueNone, CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(cublaslt::kEpilogueRelu, CUBLASLT_EPILOGUE_RELU);
  EXPECT_EQ(cublaslt::kEpilogueBias, CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(cublaslt::kPreferWorkspaceBytes,
            CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(cublaslt::kPreferReductions,
            CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  EXPECT_EQ(cublaslt::kPreferAlignmentA,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  EXPECT_EQ(cublaslt::kPreferAlignmentA + 3,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  EXPECT_EQ(cublaslt::kReductionInComputeType,
            unsigned(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
}

TEST(Headers, Cudnn) {
  using Api = Cudnn;
  GRAPHC_CUDNN_FUNCTIONS(GRAPHC_COMPARE)
  EXPECT_EQ(sizeof(cudnn::AlgorithmChoice),
            sizeof(cudnnConvolutionFwdAlgoPerf_t));
  EXPECT_EQ(offsetof(cudnn::AlgorithmChoice, workspaceBytes),
            offsetof(cudnnConvolutionFwdAlgoPerf_t, memory));
  EXPECT_EQ(offsetof(cudnn::AlgorithmChoice, math),
            offsetof(cudnnConvolutionFwdAlgoPerf_t, mathType));
  EXPECT_EQ(cudnn::kNotSupported, CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cudnn::kFloat32, CUDNN_DATA_FLOAT);
  EXPECT_EQ(cudnn::kNhwc, CUDNN_TENSOR_NHWC);
  EXPECT_EQ(cudnn::kCrossCorrelation, CUDNN_CROSS_CORRELATION);
  EXPECT_EQ(cudnn::kDeterministic, CUDNN_DETERMINISTIC);
  EXPECT_EQ(cudnn::kDefaultMath, CUDNN_DEFAULT_MATH);
  EXPECT_EQ(cudnn::kTensorOpMath, CUDNN_TENSOR_OP_MATH);
  EXPECT_EQ(cudnn::kFmaMath, CUDNN_FMA_MATH);
  EXPECT_EQ(cudnn::kRelu, CUDNN_ACTIVATION_RELU);
  EXPECT_EQ(cudnn::kIdentity, CUDNN_ACTIVATION_IDENTITY);
  EXPECT_EQ(cudnn::kPropagateNan, CUDNN_PROPAGATE_NAN);
  EXPECT_EQ(cudnn::kImplicitPrecompGemm,
            CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
}

#ifdef NCCL_MAJOR
TEST(Headers, Nccl) {
  using Api = Nccl;
  GRAPHC_NCCL_FUNCTIONS(GRAPHC_COMPARE)
  EXPECT_EQ(nccl::kFloat32, ncclFloat32);
  EXPECT_EQ(nccl::kSum, ncclSum);
}
#endif

} // namespace
