// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/format/CallNeeds.h"

#include "runtime/format/TensorTypes.h"

#include <cmath>
#include <string>

namespace graphc::runtime {

namespace {

using Needs = std::vector<uint64_t>;

/// Libraries count in 32 bits with a sign.
constexpr uint64_t kMaxExtent = 0x7fffffff;

std::string textOf(uint64_t number) { return std::to_string(number); }

/// Bytes of a float32 tensor with these extents.
StatusOr<uint64_t> tensorBytes(std::initializer_list<uint64_t> extents) {
  uint64_t bytes = sizeof(float);
  for (uint64_t extent : extents) {
    if (extent == 0 || extent > kMaxExtent)
      return dataLoss("an extent of " + textOf(extent) + " is not from 1 to " +
                      textOf(kMaxExtent));
    if (bytes > kMaxBytes / extent)
      return dataLoss("an operand has more than " + textOf(kMaxBytes) +
                      " bytes");
    bytes *= extent;
  }
  return bytes;
}

bool hasBias(format::GpuEpilogue epilogue) {
  return epilogue == format::GpuEpilogue::Bias ||
         epilogue == format::GpuEpilogue::BiasRelu;
}

Status checkEnums(format::GpuEpilogue epilogue,
                  format::GpuPrecision precision) {
  if (epilogue > format::GpuEpilogue::MAX)
    return dataLoss("its epilogue is not known");
  if (precision > format::GpuPrecision::MAX)
    return dataLoss("its precision is not known");
  return Status::ok();
}

StatusOr<Needs> needsOf(const format::GpuMatmul &product) {
  GRAPHC_TRY(checkEnums(product.epilogue(), product.precision()));
  if (!std::isfinite(product.alpha()) || !std::isfinite(product.beta()))
    return dataLoss("its factors are not finite");
  if (product.beta() != 0 && product.epilogue() != format::GpuEpilogue::None)
    return dataLoss("it adds to its result, and has an epilogue");
  GRAPHC_ASSIGN_OR_RETURN(uint64_t a, tensorBytes({product.m(), product.k()}));
  GRAPHC_ASSIGN_OR_RETURN(uint64_t b, tensorBytes({product.k(), product.n()}));
  GRAPHC_ASSIGN_OR_RETURN(uint64_t c, tensorBytes({product.m(), product.n()}));
  Needs needs{a, b, c};
  if (hasBias(product.epilogue()))
    needs.push_back(product.n() * sizeof(float));
  needs.push_back(0);
  return needs;
}

/// out = (in + 2 pad - kernel) / stride + 1, rounded down.
Status checkWindow(uint64_t in, uint64_t kernel, uint64_t out, uint64_t stride,
                   uint64_t pad) {
  for (uint64_t extent : {in, kernel, out, stride})
    if (extent == 0 || extent > kMaxExtent)
      return dataLoss("an extent of " + textOf(extent) + " is not from 1 to " +
                      textOf(kMaxExtent));
  if (pad > kMaxExtent || in + 2 * pad < kernel ||
      (in + 2 * pad - kernel) / stride + 1 != out)
    return dataLoss("windows of " + textOf(kernel) + " over " + textOf(in) +
                    " pixels give no " + textOf(out));
  return Status::ok();
}

StatusOr<Needs> needsOf(const format::GpuConvolution &conv) {
  using Kind = format::GpuConvolutionKind;
  GRAPHC_TRY(checkEnums(conv.epilogue(), conv.precision()));
  if (conv.kind() > Kind::MAX)
    return dataLoss("its kind is not known");
  if (conv.kind() != Kind::Forward &&
      conv.epilogue() != format::GpuEpilogue::None)
    return dataLoss("it is a gradient, and has an epilogue");
  GRAPHC_TRY(checkWindow(conv.in_height(), conv.kernel_height(),
                         conv.out_height(), conv.stride_height(),
                         conv.pad_height()));
  GRAPHC_TRY(checkWindow(conv.in_width(), conv.kernel_width(), conv.out_width(),
                         conv.stride_width(), conv.pad_width()));
  GRAPHC_ASSIGN_OR_RETURN(uint64_t images,
                          tensorBytes({conv.batch(), conv.in_height(),
                                       conv.in_width(), conv.in_channels()}));
  GRAPHC_ASSIGN_OR_RETURN(
      uint64_t filter, tensorBytes({conv.out_channels(), conv.kernel_height(),
                                    conv.kernel_width(), conv.in_channels()}));
  GRAPHC_ASSIGN_OR_RETURN(uint64_t result,
                          tensorBytes({conv.batch(), conv.out_height(),
                                       conv.out_width(), conv.out_channels()}));
  if (conv.kind() == Kind::BackwardData)
    return Needs{result, filter, images, 0};
  if (conv.kind() == Kind::BackwardFilter)
    return Needs{images, result, filter, 0};
  Needs needs{images, filter, result};
  if (hasBias(conv.epilogue()))
    needs.push_back(conv.out_channels() * sizeof(float));
  needs.push_back(0);
  return needs;
}

} // namespace

StatusOr<std::vector<uint64_t>> gpuCallNeeds(const format::GpuStage &stage) {
  if (const auto *product = stage.call_as_GpuMatmul())
    return needsOf(*product);
  if (const auto *conv = stage.call_as_GpuConvolution())
    return needsOf(*conv);
  return Needs();
}

} // namespace graphc::runtime
