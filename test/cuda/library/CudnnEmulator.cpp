// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for libcudnn in tests: the calls that the runtime makes, with
// strict checks; the work is handed to the emulated driver.
#include "runtime/target/cuda/library/Cudnn.h"
#include "test/cuda/library/LibraryCall.h"
#include "test/cuda/library/Products.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace graphc::emulator;
using namespace graphc::runtime::cudnn;

namespace graphc::runtime::cudnn {
struct CudnnHandleRecord {
  cuda::Stream stream = nullptr;
};
struct CudnnTensorRecord {
  std::array<int, 4> shape = {}; ///< n, c, h, w
};
struct CudnnFilterRecord {
  std::array<int, 4> shape = {}; ///< k, c, h, w
};
struct CudnnConvolutionRecord {
  int padHeight = 0, padWidth = 0, strideHeight = 0, strideWidth = 0;
  int math = kDefaultMath;
};
struct CudnnActivationRecord {
  int mode = kIdentity;
};
} // namespace graphc::runtime::cudnn

namespace {

constexpr Result kBadParameter = 2000;
/// The algorithm that is to be chosen where any will do.
constexpr int kGoodAlgorithm = 2;
/// The one that is left with a relu, which the one above does not do.
constexpr int kReluAlgorithm = 0;

Result refuse(Result code, const char *why) {
  return refuseCall("cuDNN", code, why);
}

/// Fills `problem`; an error when the operands do not fit together.
Result describe(const CudnnTensorRecord &image, const CudnnFilterRecord &filter,
                const CudnnConvolutionRecord &operation,
                const CudnnTensorRecord &result, Convolution &problem) {
  auto [n, c, h, w] = image.shape;
  auto [k, filterC, r, s] = filter.shape;
  auto [resultN, resultC, p, q] = result.shape;
  auto sizeOf = [](int in, int pad, int kernel, int stride) {
    return (in + 2 * pad - kernel) / stride + 1;
  };
  if (n != resultN || c != filterC || k != resultC ||
      p != sizeOf(h, operation.padHeight, r, operation.strideHeight) ||
      q != sizeOf(w, operation.padWidth, s, operation.strideWidth))
    return refuse(kBadParameter, "the operands do not fit together");
  problem.batch = n;
  problem.inHeight = h;
  problem.inWidth = w;
  problem.inChannels = c;
  problem.outHeight = p;
  problem.outWidth = q;
  problem.outChannels = k;
  problem.kernelHeight = r;
  problem.kernelWidth = s;
  problem.padHeight = operation.padHeight;
  problem.padWidth = operation.padWidth;
  problem.strideHeight = operation.strideHeight;
  problem.strideWidth = operation.strideWidth;
  return 0;
}

/// Returns unusable algorithms first, as if they were the fastest.
Result choose(int wanted, int *found, AlgorithmChoice *choices) {
  const AlgorithmChoice all[] = {
      {3, 0, 1, 0, 0, kDefaultMath, {}},               // not deterministic
      {4, 0, 2, 0, kDeterministic, kTensorOpMath, {}}, // TF32
      {5, 0, 3, size_t{1} << 50, kDeterministic, kDefaultMath, {}},
      {6, kNotSupported, 4, 0, kDeterministic, kDefaultMath, {}},
      {kGoodAlgorithm, 0, 5, kWorkspaceBytes, kDeterministic, kDefaultMath, {}},
      {kReluAlgorithm, 0, 6, kWorkspaceBytes, kDeterministic, kDefaultMath, {}},
      {kImplicitPrecompGemm,
       0,
       7,
       kWorkspaceBytes,
       kDeterministic,
       kDefaultMath,
       {}}};
  *found = std::min(wanted, static_cast<int>(std::size(all)));
  std::copy_n(all, *found, choices);
  return 0;
}

Result checkCall(const void *alpha, const void *beta, int algorithm,
                 const void *workspace, size_t workspaceBytes,
                 std::initializer_list<const void *> operands,
                 int expected = kGoodAlgorithm) {
  if (algorithm != expected)
    return refuse(kNotSupported, "another algorithm was to be chosen");
  if (!workspace || workspaceBytes < kWorkspaceBytes)
    return refuse(kBadParameter, "the workspace is too small");
  if (*static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0)
    return refuse(kNotSupported, "only alpha 1 and beta 0 are emulated");
  if (!areAligned(operands))
    return refuse(kBadParameter, "an operand is not aligned");
  return 0;
}

using Work = void (*)(void *const *reads, void *const *writes,
                      const void *problem);

Result enqueue(Handle handle, const char *name,
               const std::vector<GraphcEmulatorRange> &reads,
               GraphcEmulatorRange write, void *workspace,
               const Convolution &problem, Work work) {
  GraphcEmulatorRange writes[] = {write, workspaceRange(workspace)};
  CUresult result = graphcEmulatorEnqueue(
      reinterpret_cast<CUstream>(handle->stream), name, reads.data(),
      reads.size(), writes, 2, work, &problem, sizeof(problem));
  return result == CUDA_SUCCESS ? 0 : kNotSupported;
}

const float *in(void *const *reads, size_t index) {
  return static_cast<const float *>(reads[index]);
}

template <typename Record> Result destroy(Record *record) {
  delete record;
  return 0;
}

} // namespace

GRAPHC_CUDA const char *cudnnGetErrorString(Result result) {
  return result == 0               ? "CUDNN_STATUS_SUCCESS"
         : result == kBadParameter ? "CUDNN_STATUS_BAD_PARAM"
                                   : "CUDNN_STATUS_NOT_SUPPORTED";
}

GRAPHC_CUDA Result cudnnCreate(Handle *handle) {
  if (!hasCurrentDevice())
    return refuse(kBadParameter, "no device is current");
  *handle = new CudnnHandleRecord;
  return 0;
}
GRAPHC_CUDA Result cudnnDestroy(Handle handle) { return destroy(handle); }
GRAPHC_CUDA Result cudnnSetStream(Handle handle,
                                  graphc::runtime::cuda::Stream stream) {
  handle->stream = stream;
  return 0;
}

GRAPHC_CUDA Result cudnnCreateTensorDescriptor(TensorDesc *desc) {
  *desc = new CudnnTensorRecord;
  return 0;
}
GRAPHC_CUDA Result cudnnDestroyTensorDescriptor(TensorDesc desc) {
  return destroy(desc);
}
GRAPHC_CUDA Result cudnnSetTensor4dDescriptor(TensorDesc desc, int format,
                                              int type, int n, int c, int h,
                                              int w) {
  if (format != kNhwc || type != kFloat32 || n < 1 || c < 1 || h < 1 || w < 1)
    return refuse(kBadParameter, "only NHWC tensors of float32 are emulated");
  desc->shape = {n, c, h, w};
  return 0;
}

GRAPHC_CUDA Result cudnnCreateFilterDescriptor(FilterDesc *desc) {
  *desc = new CudnnFilterRecord;
  return 0;
}
GRAPHC_CUDA Result cudnnDestroyFilterDescriptor(FilterDesc desc) {
  return destroy(desc);
}
GRAPHC_CUDA Result cudnnSetFilter4dDescriptor(FilterDesc desc, int type,
                                              int format, int k, int c, int h,
                                              int w) {
  if (format != kNhwc || type != kFloat32 || k < 1 || c < 1 || h < 1 || w < 1)
    return refuse(kBadParameter, "only KRSC filters of float32 are emulated");
  desc->shape = {k, c, h, w};
  return 0;
}

GRAPHC_CUDA Result cudnnCreateConvolutionDescriptor(ConvolutionDesc *desc) {
  *desc = new CudnnConvolutionRecord;
  return 0;
}
GRAPHC_CUDA Result cudnnDestroyConvolutionDescriptor(ConvolutionDesc desc) {
  return destroy(desc);
}
GRAPHC_CUDA Result cudnnSetConvolution2dDescriptor(
    ConvolutionDesc desc, int padHeight, int padWidth, int strideHeight,
    int strideWidth, int dilationHeight, int dilationWidth, int mode,
    int type) {
  if (padHeight < 0 || padWidth < 0 || strideHeight < 1 || strideWidth < 1 ||
      dilationHeight != 1 || dilationWidth != 1 || mode != kCrossCorrelation ||
      type != kFloat32)
    return refuse(kBadParameter, "the convolution is not one of ours");
  *desc = {padHeight, padWidth, strideHeight, strideWidth, kDefaultMath};
  return 0;
}
GRAPHC_CUDA Result cudnnSetConvolutionMathType(ConvolutionDesc desc, int math) {
  desc->math = math;
  return 0;
}

GRAPHC_CUDA Result cudnnCreateActivationDescriptor(ActivationDesc *desc) {
  *desc = new CudnnActivationRecord;
  return 0;
}
GRAPHC_CUDA Result cudnnDestroyActivationDescriptor(ActivationDesc desc) {
  return destroy(desc);
}
GRAPHC_CUDA Result cudnnSetActivationDescriptor(ActivationDesc desc, int mode,
                                                int nan, double) {
  if ((mode != kRelu && mode != kIdentity) || nan != kPropagateNan)
    return refuse(kBadParameter, "the activation is not one of ours");
  desc->mode = mode;
  return 0;
}

GRAPHC_CUDA Result cudnnGetConvolutionForwardAlgorithm_v7(
    Handle, TensorDesc image, FilterDesc filter, ConvolutionDesc operation,
    TensorDesc result, int wanted, int *found, AlgorithmChoice *choices) {
  Convolution problem;
  if (Result code = describe(*image, *filter, *operation, *result, problem))
    return code;
  return choose(wanted, found, choices);
}

GRAPHC_CUDA Result cudnnGetConvolutionBackwardDataAlgorithm_v7(
    Handle handle, FilterDesc filter, TensorDesc result,
    ConvolutionDesc operation, TensorDesc image, int wanted, int *found,
    AlgorithmChoice *choices) {
  return cudnnGetConvolutionForwardAlgorithm_v7(
      handle, image, filter, operation, result, wanted, found, choices);
}

GRAPHC_CUDA Result cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    Handle handle, TensorDesc image, TensorDesc result,
    ConvolutionDesc operation, FilterDesc filter, int wanted, int *found,
    AlgorithmChoice *choices) {
  return cudnnGetConvolutionForwardAlgorithm_v7(
      handle, image, filter, operation, result, wanted, found, choices);
}

GRAPHC_CUDA Result cudnnConvolutionForward(
    Handle handle, const void *alpha, TensorDesc image, const void *images,
    FilterDesc filter, const void *weights, ConvolutionDesc operation,
    int algorithm, void *workspace, size_t workspaceBytes, const void *beta,
    TensorDesc result, void *results) {
  Convolution problem;
  if (Result code = describe(*image, *filter, *operation, *result, problem))
    return code;
  if (Result code = checkCall(alpha, beta, algorithm, workspace, workspaceBytes,
                              {images, weights, results}))
    return code;
  return enqueue(
      handle, "cudnnConvolutionForward",
      {floats(images, problem.imageCount()),
       floats(weights, problem.filterCount())},
      floats(results, problem.resultCount()), workspace, problem,
      [](void *const *reads, void *const *writes, const void *arguments) {
        convolve(*static_cast<const Convolution *>(arguments), in(reads, 0),
                 in(reads, 1), nullptr, static_cast<float *>(writes[0]));
      });
}

GRAPHC_CUDA Result cudnnConvolutionBiasActivationForward(
    Handle handle, const void *alpha, TensorDesc image, const void *images,
    FilterDesc filter, const void *weights, ConvolutionDesc operation,
    int algorithm, void *workspace, size_t workspaceBytes, const void *beta,
    TensorDesc added, const void *, TensorDesc bias, const void *biases,
    ActivationDesc activation, TensorDesc result, void *results) {
  Convolution problem;
  if (Result code = describe(*image, *filter, *operation, *result, problem))
    return code;
  bool isIdentity = activation->mode == kIdentity;
  if (!isIdentity && algorithm == kGoodAlgorithm)
    return kNotSupported + 1; // as the library says with a reason
  if (Result code =
          checkCall(alpha, beta, algorithm, workspace, workspaceBytes,
                    {images, weights, biases, results},
                    isIdentity ? kImplicitPrecompGemm : kReluAlgorithm))
    return code;
  if (added->shape != result->shape ||
      bias->shape != std::array{1, result->shape[1], 1, 1})
    return refuse(kBadParameter, "the bias does not fit the result");
  problem.finish.hasBias = true;
  problem.finish.hasRelu = !isIdentity;
  return enqueue(
      handle, "cudnnConvolutionBiasActivationForward",
      {floats(images, problem.imageCount()),
       floats(weights, problem.filterCount()),
       floats(biases, problem.outChannels)},
      floats(results, problem.resultCount()), workspace, problem,
      [](void *const *reads, void *const *writes, const void *arguments) {
        convolve(*static_cast<const Convolution *>(arguments), in(reads, 0),
                 in(reads, 1), in(reads, 2), static_cast<float *>(writes[0]));
      });
}

GRAPHC_CUDA Result cudnnConvolutionBackwardData(
    Handle handle, const void *alpha, FilterDesc filter, const void *weights,
    TensorDesc result, const void *gradients, ConvolutionDesc operation,
    int algorithm, void *workspace, size_t workspaceBytes, const void *beta,
    TensorDesc image, void *images) {
  Convolution problem;
  if (Result code = describe(*image, *filter, *operation, *result, problem))
    return code;
  if (Result code = checkCall(alpha, beta, algorithm, workspace, workspaceBytes,
                              {weights, gradients, images}))
    return code;
  return enqueue(
      handle, "cudnnConvolutionBackwardData",
      {floats(weights, problem.filterCount()),
       floats(gradients, problem.resultCount())},
      floats(images, problem.imageCount()), workspace, problem,
      [](void *const *reads, void *const *writes, const void *arguments) {
        convolveBackToImages(*static_cast<const Convolution *>(arguments),
                             in(reads, 0), in(reads, 1),
                             static_cast<float *>(writes[0]));
      });
}

GRAPHC_CUDA Result cudnnConvolutionBackwardFilter(
    Handle handle, const void *alpha, TensorDesc image, const void *images,
    TensorDesc result, const void *gradients, ConvolutionDesc operation,
    int algorithm, void *workspace, size_t workspaceBytes, const void *beta,
    FilterDesc filter, void *weights) {
  Convolution problem;
  if (Result code = describe(*image, *filter, *operation, *result, problem))
    return code;
  if (Result code = checkCall(alpha, beta, algorithm, workspace, workspaceBytes,
                              {images, gradients, weights}))
    return code;
  return enqueue(
      handle, "cudnnConvolutionBackwardFilter",
      {floats(images, problem.imageCount()),
       floats(gradients, problem.resultCount())},
      floats(weights, problem.filterCount()), workspace, problem,
      [](void *const *reads, void *const *writes, const void *arguments) {
        convolveBackToFilter(*static_cast<const Convolution *>(arguments),
                             in(reads, 0), in(reads, 1),
                             static_cast<float *>(writes[0]));
      });
}
