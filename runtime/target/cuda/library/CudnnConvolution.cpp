// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/library/CudnnConvolution.h"

#include <vector>

namespace graphc::runtime {

namespace {

/// More than cuDNN has for any kind.
constexpr int kMaxAlgorithms = 16;

const char *kindName(format::GpuConvolutionKind kind) {
  switch (kind) {
  case format::GpuConvolutionKind::BackwardData:
    return "the gradient of the images of a convolution";
  case format::GpuConvolutionKind::BackwardFilter:
    return "the gradient of the filter of a convolution";
  case format::GpuConvolutionKind::Forward:
    break;
  }
  return "a convolution";
}

void *address(cuda::Pointer pointer) {
  return reinterpret_cast<void *>(pointer);
}

} // namespace

StatusOr<std::unique_ptr<GpuLibraryCall>>
CudnnConvolution::create(const CudnnHandle &library,
                         const format::GpuConvolution &convolution,
                         uint64_t workspaceBytes) {
  std::unique_ptr<CudnnConvolution> made(
      new CudnnConvolution(library, convolution, workspaceBytes));
  GRAPHC_TRY(library.device().makeCurrent());
  GRAPHC_TRY(made->describeOperands());
  if (convolution.epilogue() != format::GpuEpilogue::None)
    GRAPHC_TRY(made->describeEpilogue());
  GRAPHC_TRY(made->chooseAlgorithms());
  return std::unique_ptr<GpuLibraryCall>(std::move(made));
}

CudnnConvolution::~CudnnConvolution() {
  const Cudnn &api = library.api();
  for (cudnn::TensorDesc tensor : {image, result, bias})
    if (tensor)
      api.tensorDestroy(tensor);
  if (filter)
    api.filterDestroy(filter);
  if (operation)
    api.convolutionDestroy(operation);
  if (activation)
    api.activationDestroy(activation);
}

/// For messages.
std::string CudnnConvolution::describe() const {
  auto text = [](uint64_t number) { return std::to_string(number); };
  const format::GpuConvolution &c = convolution;
  return std::string(kindName(c.kind())) + " of " + text(c.batch()) + " x " +
         text(c.in_height()) + " x " + text(c.in_width()) + " x " +
         text(c.in_channels()) + " with " + text(c.out_channels()) +
         " filters of " + text(c.kernel_height()) + " x " +
         text(c.kernel_width());
}

bool CudnnConvolution::hasBias() const {
  return convolution.epilogue() == format::GpuEpilogue::Bias ||
         convolution.epilogue() == format::GpuEpilogue::BiasRelu;
}

bool CudnnConvolution::hasRelu() const {
  return convolution.epilogue() == format::GpuEpilogue::Relu ||
         convolution.epilogue() == format::GpuEpilogue::BiasRelu;
}

Status CudnnConvolution::describeOperands() {
  const Cudnn &api = library.api();
  const format::GpuConvolution &c = convolution;
  auto check = [&](cudnn::Result code) {
    return api.check(code, "describing " + describe());
  };
  auto number = [](uint64_t value) { return static_cast<int>(value); };
  auto tensor = [&](cudnn::TensorDesc &made, uint64_t channels, uint64_t height,
                    uint64_t width) {
    GRAPHC_TRY(check(api.tensorCreate(&made)));
    return check(api.tensorSet(made, cudnn::kNhwc, cudnn::kFloat32,
                               number(c.batch()), number(channels),
                               number(height), number(width)));
  };
  GRAPHC_TRY(tensor(image, c.in_channels(), c.in_height(), c.in_width()));
  GRAPHC_TRY(tensor(result, c.out_channels(), c.out_height(), c.out_width()));
  GRAPHC_TRY(check(api.filterCreate(&filter)));
  GRAPHC_TRY(check(
      api.filterSet(filter, cudnn::kFloat32, cudnn::kNhwc,
                    number(c.out_channels()), number(c.in_channels()),
                    number(c.kernel_height()), number(c.kernel_width()))));
  GRAPHC_TRY(check(api.convolutionCreate(&operation)));
  GRAPHC_TRY(check(api.convolutionSet(
      operation, number(c.pad_height()), number(c.pad_width()),
      number(c.stride_height()), number(c.stride_width()), 1, 1,
      cudnn::kCrossCorrelation, cudnn::kFloat32)));
  bool isExact = c.precision() == format::GpuPrecision::Float32;
  return check(api.convolutionSetMath(
      operation, isExact ? cudnn::kFmaMath : cudnn::kDefaultMath));
}

Status CudnnConvolution::describeEpilogue() {
  const Cudnn &api = library.api();
  auto check = [&](cudnn::Result code) {
    return api.check(code, "describing " + describe());
  };
  auto channels = static_cast<int>(convolution.out_channels());
  GRAPHC_TRY(check(api.tensorCreate(&bias)));
  GRAPHC_TRY(check(
      api.tensorSet(bias, cudnn::kNhwc, cudnn::kFloat32, 1, channels, 1, 1)));
  GRAPHC_TRY(check(api.activationCreate(&activation)));
  GRAPHC_TRY(check(
      api.activationSet(activation, hasRelu() ? cudnn::kRelu : cudnn::kIdentity,
                        cudnn::kPropagateNan, 0)));
  if (hasBias())
    return Status::ok();
  // The library has no ReLU without a bias.
  GRAPHC_ASSIGN_OR_RETURN(
      noBias, CudaBuffer::allocate(library.device(),
                                   convolution.out_channels() * sizeof(float),
                                   "a bias of zeros"));
  return noBias.clear();
}

cudnn::Result
CudnnConvolution::askForAlgorithms(std::span<cudnn::AlgorithmChoice> choices,
                                   int &found) {
  const Cudnn &api = library.api();
  cudnn::Handle handle = library.handle();
  auto most = static_cast<int>(choices.size());
  switch (convolution.kind()) {
  case format::GpuConvolutionKind::BackwardData:
    return api.chooseData(handle, filter, result, operation, image, most,
                          &found, choices.data());
  case format::GpuConvolutionKind::BackwardFilter:
    return api.chooseFilter(handle, image, result, operation, filter, most,
                            &found, choices.data());
  case format::GpuConvolutionKind::Forward:
    break;
  }
  return api.chooseForward(handle, image, filter, operation, result, most,
                           &found, choices.data());
}

bool CudnnConvolution::isUsable(const cudnn::AlgorithmChoice &choice) const {
  bool isExact = convolution.precision() == format::GpuPrecision::Float32;
  bool fits = choice.status == 0 &&
              choice.determinism == cudnn::kDeterministic &&
              // What may use TF32 does not, as the operation forbids it.
              (!isExact || choice.math == cudnn::kDefaultMath ||
               choice.math == cudnn::kFmaMath);
  if (hasBias() && !hasRelu())
    fits &= choice.algorithm == cudnn::kImplicitPrecompGemm;
  return fits;
}

/// Those that are good enough. What the library needs differs among its
/// versions and GPUs, so the workspace of the plan is a guess: where none is
/// content with it, the one that needs least gets a workspace beside the plan.
Status CudnnConvolution::chooseAlgorithms() {
  std::vector<cudnn::AlgorithmChoice> choices(kMaxAlgorithms);
  int found = 0;
  GRAPHC_TRY(library.api().check(askForAlgorithms(choices, found),
                                 "choosing an algorithm for " + describe()));
  const cudnn::AlgorithmChoice *least = nullptr;
  for (const cudnn::AlgorithmChoice &choice :
       std::span(choices).first(static_cast<size_t>(found))) {
    if (!isUsable(choice))
      continue;
    if (choice.workspaceBytes <= workspaceBytes)
      algorithms.push_back(choice.algorithm);
    if (!least || choice.workspaceBytes < least->workspaceBytes)
      least = &choice;
  }
  if (!algorithms.empty())
    return Status::ok();
  if (!least)
    return failedPrecondition("cuDNN has no deterministic algorithm for " +
                              describe() + "; --devices=cpu does it");
  algorithms.push_back(least->algorithm);
  workspaceBytes = least->workspaceBytes;
  GRAPHC_ASSIGN_OR_RETURN(
      ownWorkspace, CudaBuffer::allocate(library.device(), workspaceBytes,
                                         "the workspace of " + describe()));
  return Status::ok();
}

void *CudnnConvolution::workspace(cuda::Pointer planned) const {
  if (workspaceBytes == 0)
    return nullptr;
  return address(ownWorkspace.address() ? ownWorkspace.address() : planned);
}

Status CudnnConvolution::enqueue(cuda::Stream stream,
                                 const cuda::Pointer *buffers) {
  const Cudnn &api = library.api();
  const float one = 1, zero = 0;
  GRAPHC_TRY(api.check(api.setStream(library.handle(), stream), describe()));
  switch (convolution.kind()) {
  case format::GpuConvolutionKind::BackwardData:
    return api.check(
        api.backwardData(library.handle(), &one, filter, address(buffers[1]),
                         result, address(buffers[0]), operation, algorithm(),
                         workspace(buffers[3]), workspaceBytes, &zero, image,
                         address(buffers[2])),
        describe());
  case format::GpuConvolutionKind::BackwardFilter:
    return api.check(
        api.backwardFilter(library.handle(), &one, image, address(buffers[0]),
                           result, address(buffers[1]), operation, algorithm(),
                           workspace(buffers[3]), workspaceBytes, &zero, filter,
                           address(buffers[2])),
        describe());
  case format::GpuConvolutionKind::Forward:
    break;
  }
  cudnn::Result result = forward(buffers);
  // The library was asked for algorithms of a convolution alone, and knows now
  // what else is to be done. The first step, which is not captured, settles it.
  while (result / 1000 == cudnn::kNotSupported / 1000 &&
         chosen + 1 < algorithms.size()) {
    ++chosen;
    result = forward(buffers);
  }
  return api.check(result, describe());
}

cudnn::Result CudnnConvolution::forward(const cuda::Pointer *buffers) {
  const Cudnn &api = library.api();
  const float one = 1, zero = 0;
  void *scratch = workspace(buffers[hasBias() ? 4 : 3]);
  void *images = address(buffers[0]), *weights = address(buffers[1]),
       *target = address(buffers[2]);
  if (!activation)
    return api.forward(library.handle(), &one, image, images, filter, weights,
                       operation, algorithm(), scratch, workspaceBytes, &zero,
                       result, target);
  void *added = address(hasBias() ? buffers[3] : noBias.address());
  return api.forwardWithBias(library.handle(), &one, image, images, filter,
                             weights, operation, algorithm(), scratch,
                             workspaceBytes, &zero, result, target, bias, added,
                             activation, result, target);
}

} // namespace graphc::runtime
